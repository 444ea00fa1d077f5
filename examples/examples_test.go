// Package examples_test runs every example and holds what it says against
// golden files. UPDATE_GOLDEN=1 writes them anew.
package examples_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/lint"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

// golden compares output with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func policies(t *testing.T, paths ...string) *registry.Registry {
	t.Helper()
	var ps []*dsl.Policy
	for _, path := range paths {
		p, faults := dsl.ParsePolicy(path, read(t, path))
		if faults.Err() != nil {
			t.Fatal(faults)
		}
		ps = append(ps, p)
	}
	var reg registry.Registry
	if err := reg.Load(ps...); err != nil {
		t.Fatal(err)
	}
	return &reg
}

// TestSteps decides the steps of the examples that have some. A line of the
// golden file is the step's name, the decision, and the rules that fired.
func TestSteps(t *testing.T) {
	for _, dir := range []string{"global", "keys"} {
		t.Run(dir, func(t *testing.T) {
			e := eval.New(eval.Options{Registry: policies(t, dir+"/policy.cbp")})
			var out strings.Builder
			for line := range bytes.Lines(read(t, dir+"/steps.jsonl")) {
				v := e.Line(t.Context(), line)
				out.WriteString(v.Step + ": " + v.Decision.String())
				for i := range v.Fired {
					out.WriteString(", " + v.Fired[i].Rule.ID + " (" + v.Fired[i].Why.String() + ")")
				}
				out.WriteByte('\n')
			}
			golden(t, dir+".golden", out.String())
		})
	}
}

// dryRuns are the recordings, by the chain they are of, with how they end and why.
var dryRuns = []struct {
	chain, recording, policy, set, name string
	status                              run.Status
	rule                                string
}{
	{"trading/chain.yaml", "trading/approved.yaml", "", "", "approved", run.Completed, ""},
	{"trading/chain.yaml", "trading/throttled.yaml", "", "", "throttled", run.Throttled, "frequency-gt-3-1d"},
	{"trading/chain.yaml", "trading/declined.yaml", "", "", "declined", run.Declined, "ability-trading.execute"},
	{"trading/chain.yaml", "trading/unanswered.yaml", "", "", "unanswered", run.Aborted, "ability-trading.execute"},
	{"trading/chain.yaml", "trading/too-dear.yaml", "", "", "too-dear", run.Completed, ""},
	{"trading/order.yaml", "trading/order-recording.yaml", "", "", "order", run.Completed, ""},
	{"trading/order.yaml", "trading/order-recording.yaml", "", "amount=501", "order-501", run.Aborted, "amount-gt-max_spend"},
	{"chains/email_triage.yaml", "chains/email_triage.clean.yaml", "chains/policy.cbp", "", "triage-clean", run.Completed, ""},
	{"chains/email_triage.yaml", "chains/email_triage.injected.yaml", "chains/policy.cbp", "", "triage-injected", run.Aborted, "injected"},
	{"chains/incident_response.yaml", "chains/incident_response.recording.yaml", "chains/policy.cbp", "", "incident", run.Completed, ""},
	{"chains/travel_planner.yaml", "chains/travel_planner.recording.yaml", "chains/policy.cbp", "", "travel", run.Failed, ""},
}

// TestDryRuns runs every recording twice: the results are equal to the byte,
// end as they should, and every decision can be repeated from its record.
func TestDryRuns(t *testing.T) {
	for _, c := range dryRuns {
		t.Run(c.name, func(t *testing.T) {
			result, out := dryRun(t, c.chain, c.recording, c.policy, c.set)
			if _, again := dryRun(t, c.chain, c.recording, c.policy, c.set); again != out {
				t.Errorf("two runs differ:\n%s\n%s", out, again)
			}
			if result.Status != c.status {
				t.Errorf("ended %s, want %s", result.Status, c.status)
			}
			if rule := haltRule(result); rule != c.rule {
				t.Errorf("stopped by %q, want %q", rule, c.rule)
			}
			golden(t, c.name+".golden.json", out)
		})
	}
}

func haltRule(r *run.Result) string {
	if r.Halt == nil {
		return ""
	}
	return r.Halt.Rule
}

func dryRun(t *testing.T, chainFile, recording, policy, set string) (*run.Result, string) {
	t.Helper()
	c, faults := chain.Parse(chainFile, read(t, chainFile))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	rec, faults := run.ParseRecording(recording, read(t, recording))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	reg := policies(t)
	if policy != "" {
		reg = policies(t, policy)
	}
	o := run.DryRunOptions{Chain: c, Recording: rec, Session: session.Options{Registry: reg}, Params: map[string]chain.Value{}}
	if name, value, ok := strings.Cut(set, "="); ok {
		o.Params[name] = chain.Text(value)
	}
	var records []*session.Record
	o.Session.Record = func(r *session.Record) error { records = append(records, r); return nil }
	result, err := run.DryRun(t.Context(), o)
	if result == nil {
		t.Fatal(err)
	}
	if len(records) == 0 {
		t.Error("no decision was recorded")
	}
	for _, r := range records {
		repeat(t, reg, r)
	}
	out, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return result, string(out) + "\n"
}

// repeat writes a record, reads it back and makes its verdict again.
func repeat(t *testing.T, reg *registry.Registry, r *session.Record) {
	t.Helper()
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		t.Fatal(err)
	}
	var back session.Record
	if err := json.Unmarshal(line.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	v, err := back.Repeat(reg.Set())
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, r.Verdict) {
		t.Errorf("the record repeats as\n%s, not\n%s", got, r.Verdict)
	}
}

// TestChecks lints every example by itself.
func TestChecks(t *testing.T) {
	for dir, want := range map[string][]string{
		"trading": {"chain.yaml:16:17 self-comparison", "chain.yaml:42:15 undeclared-input"},
		"block":   {"bad.txt:6:15 syntax", "bad.txt:7:3 syntax"},
		"global":  nil, "keys": nil, "chains": nil,
	} {
		var files []lint.File
		paths, err := filepath.Glob(dir + "/*.*")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			files = append(files, lint.File{Name: filepath.Base(path), Data: read(t, path), Kind: lint.KindOf(path), Found: true})
		}
		var got []string
		for _, f := range lint.Run(files).Findings {
			got = append(got, strings.TrimSuffix(strings.SplitN(f.Error(), ": ", 2)[0], ":")+" "+f.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", dir, diff)
		}
	}
}
