package run_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// dryRun runs a chain against a recording under a policy ("" for none). The
// warnings are given one a line.
func dryRun(t *testing.T, chainText, policy, recording string) (result *run.Result, warnings string, err error) {
	t.Helper()
	p, faults := dsl.ParsePolicy("policy.cbp", []byte(policy))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	rec, faults := run.ParseRecording("rec.yaml", []byte(recording))
	if rec == nil {
		t.Fatal(faults)
	}
	var warned diag.List
	result, err = run.DryRun(t.Context(), run.DryRunOptions{
		Chain: parse(t, chainText), Recording: rec, Session: session.Options{Registry: &reg},
		Warn: func(f *diag.Finding) { warned = append(warned, f) },
	})
	return result, warned.Error(), err
}

const two = `
id: two
steps:
  - {id: a, ability: tool.a, output_key: first}
  - {id: b, ability: tool.b, on_failure: continue}
`

// Time is the recording's: what steps took, and what the run waited for room.
func TestDryRunGoesByRecordedTime(t *testing.T) {
	const policy = "B:frequency:tool.*>1/30s|throttle|\"slowly\"\n"
	r, _, err := dryRun(t, two, policy, "start: 2026-01-05T09:00:00Z\nsteps: [{step: a, output: x, took: 4s}, {step: b, took: 1s}]")
	if err != nil || outcomes(r) != "a:ran b:ran" {
		t.Fatalf("%s, %v", outcomes(r), err)
	}
	if a, b := r.Steps[0], r.Steps[1]; a.Took != 4000 || b.At != 4000 || b.Took != 27_000 {
		t.Errorf("a took %d ms; b began at %d ms and took %d ms, of which it waited 26 s", a.Took, b.At, b.Took)
	}
}

// Several entries of a step are its calls, in order.
func TestDryRunUsesEntriesInOrder(t *testing.T) {
	const again = "id: again\nsteps:\n  - {id: a, ability: tool.a, output_key: got}\n  - {id: b, ability: tool.b, on_failure: a}\n"
	r, warnings, err := dryRun(t, again, "", `
steps:
  - {step: a, output: one}
  - {step: b, error: {class: NetworkError, message: "502"}}
  - {step: b, output: fine}
  - {step: a, output: two}
`)
	if err != nil || r.Status != run.Recovered || outcomes(r) != "a:ran b:failed a:ran b:ran" || warnings != "" {
		t.Fatalf("%s: %s, %v; %s", r.Status, outcomes(r), err, warnings)
	}
	if out := string(r.Outputs.AppendJSON(nil)); out != `{"got":"two","b_error":"502","b.output":"fine"}` {
		t.Errorf("outputs %s", out)
	}
}

// A hole in the recording is not a failure of the step: on_failure does not catch it.
func TestDryRunNeedsAnEntryForEveryCall(t *testing.T) {
	r, _, err := dryRun(t, two, "", "steps: [{step: a, output: x}]")
	var fail *run.FailError
	if !errors.As(err, &fail) || fail.Class != run.ClassNotRecorded || fail.Step != "b" || !strings.Contains(fail.Message, "rec.yaml") {
		t.Fatal(err)
	}
	if r.Status != run.Failed || outcomes(r) != "a:ran b:failed" || r.Halt.Step != "b" {
		t.Errorf("%s: %s, %+v", r.Status, outcomes(r), r.Halt)
	}
}

func TestDryRunWarnsOfEntriesThatItDidNotUse(t *testing.T) {
	const text = "id: c\nsteps:\n  - {id: a, ability: tool.a, output_key: first}\n" +
		"  - {id: b, ability: tool.b, condition: {ref_key: first, op: equals, value: go}}\n"
	for name, c := range map[string]struct{ policy, recording, want string }{
		"all used": {"", "steps: [{step: a, output: go}, {step: b}]", ""},
		"skipped": {"", "steps:\n  - {step: a, output: stop}\n  - {step: b}",
			`rec.yaml:3:5: step "b" did not run: the entry is not used (its condition does not hold, a jump passes over it, or a breaker refused it)`},
		"too many": {"", "steps:\n  - {step: a, output: go}\n  - {step: b}\n  - {step: a}",
			`rec.yaml:4:5: step "a" was not called again: the entry is not used (remove it)`},
		"ended early": {"B:ability:tool.b|abort|\"never\"\n", "steps: [{step: a, output: go}, {step: b}]", ""},
	} {
		if _, got, _ := dryRun(t, text, c.policy, c.recording); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// A recording of another chain is refused before anything runs.
func TestDryRunRefusesARecordingThatDoesNotFit(t *testing.T) {
	for recording, want := range map[string]string{
		"chain: three": `rec.yaml:1:8: the recording is of the chain "three" (the chain's id is "two")`,
		"chain: two\nsteps: [{step: c}]\nconfirm: {d: approve}": "rec.yaml:2:9: the chain has no step \"c\" (name a step of the chain)\n" +
			`rec.yaml:3:11: the chain has no step "d" (name a step of the chain)`,
	} {
		r, _, err := dryRun(t, two, "", recording)
		var l diag.List
		if r != nil || !errors.As(err, &l) || l.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", recording, err, want)
		}
	}
	if _, err := run.DryRun(t.Context(), run.DryRunOptions{}); err == nil {
		t.Error("a dry run of nothing was begun")
	}
}

// Answers are given per step or per rule; what has none stops the run.
func TestDryRunAnswersFromTheRecording(t *testing.T) {
	const policy = "B:ability:tool.b|confirm|\"one\"|id=one\nB:ability:tool.*&after:tool.a|confirm|\"two\"|id=two\n"
	for _, c := range []struct {
		confirm string
		status  run.Status
		rule    string
	}{
		{"{b: approve}", run.Completed, ""},
		{"{b: {one: approve, two: approve}}", run.Completed, ""},
		{"{b: {one: approve}}", run.Aborted, "one"},
		{"{b: {one: approve, two: decline}}", run.Declined, "two"},
		{"{b: decline}", run.Declined, "one"},
		{"{a: approve}", run.Aborted, "one"},
		{"{}", run.Aborted, "one"},
	} {
		r, _, _ := dryRun(t, two, policy, "steps: [{step: a}, {step: b}]\nconfirm: "+c.confirm)
		rule := ""
		if r.Halt != nil {
			rule = r.Halt.Rule
		}
		if r.Status != c.status || rule != c.rule {
			t.Errorf("%s: %s by %q, want %s by %q", c.confirm, r.Status, rule, c.status, c.rule)
		}
	}
}

// Earlier runs count: N are admitted, the N+1st waits for the oldest to leave.
func TestDryRunCountsEarlierRuns(t *testing.T) {
	const policy = "B:frequency>2/1h|throttle|\"two\"\n"
	for executions, want := range map[string]string{
		"08:00:00.000000001Z":               "completed 0",
		"08:30:00Z, 2026-01-05T08:40:00Z":   "throttled 1800000",
		"08:00:00Z, 2026-01-05T08:40:00Z":   "completed 0", // exactly as old as the window: it has left
		"08:00:30Z, 2026-01-05T08:40:00Z":   "completed 0", // half a minute is within what a throttle waits
		"08:01:00.1Z, 2026-01-05T08:40:00Z": "throttled 60100",
	} {
		r, _, _ := dryRun(t, two, policy, "start: 2026-01-05T09:00:00Z\nexecutions: [2026-01-05T"+executions+"]\nsteps: [{step: a}, {step: b}]")
		var wait int64
		if r.Halt != nil {
			wait = r.Halt.RetryAfterMS
		}
		if got := fmt.Sprintf("%s %d", r.Status, wait); got != want {
			t.Errorf("%s: %s, want %s", executions, got, want)
		}
	}
}

// Parameters given to the dry run take the place of the recording's.
func TestDryRunParametersOverride(t *testing.T) {
	const text = "id: c\nparams: [{name: n, param_type: number, required: true}]\nsteps: [{id: a, ability: x, args: {amount: \"{{n}}\"}}]\n" +
		"circuit_breakers: [{condition: amount>5, action: abort, reason: r}]\n"
	rec, faults := run.ParseRecording("rec.yaml", []byte("params: {n: 5}\nsteps: [{step: a}]"))
	if rec == nil {
		t.Fatal(faults)
	}
	for given, want := range map[string]run.Status{"": run.Completed, "6": run.Aborted} {
		params := map[string]chain.Value{}
		if given != "" {
			params["n"] = chain.Text(given)
		}
		r, err := run.DryRun(t.Context(), run.DryRunOptions{Chain: parse(t, text), Recording: rec, Params: params})
		if r == nil || r.Status != want {
			t.Errorf("n=%q: %+v, %v", given, r, err)
		}
	}
	if n := rec.Params["n"]; string(n.AppendJSON(nil)) != "5" {
		t.Errorf("the recording was changed: n is %s", n.AppendJSON(nil))
	}
}

// FuzzDryRun runs whatever parses: it ends, the same way each time.
func FuzzDryRun(f *testing.F) {
	f.Add(two, "steps: [{step: a, output: x, took: 4s}, {step: b}]", "B:frequency:tool.*>1/30s|throttle\n")
	f.Add(recovering, "steps: [{step: a, error: {class: E}}, {step: spare, output: {n: 5}}]\nconfirm: {spare: approve}", "B:data.n>4|confirm\n")
	f.Fuzz(func(t *testing.T, chainText, recording, policy string) {
		once := func() string {
			c, _ := chain.Parse("chain.yaml", []byte(chainText))
			rec, _ := run.ParseRecording("rec.yaml", []byte(recording))
			p, faults := dsl.ParsePolicy("policy.cbp", []byte(policy))
			var reg registry.Registry
			if c == nil || rec == nil || faults.Err() != nil || reg.Load(p) != nil {
				return ""
			}
			r, err := run.DryRun(t.Context(), run.DryRunOptions{Chain: c, Recording: rec, Session: session.Options{Registry: &reg}})
			out, failed := json.Marshal(r)
			if failed != nil {
				t.Fatal(failed)
			}
			return fmt.Sprint(string(out), err)
		}
		if a, b := once(), once(); a != b {
			t.Errorf("two runs differ:\n%s\n%s", a, b)
		}
	})
}
