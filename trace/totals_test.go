package trace_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/trace"
)

// tracesDev is where the recorded runs are that these tests measure by.
const tracesDev = "../../shared/traces-dev"

// devPath skips the test if the recorded runs are not there.
func devPath(tb testing.TB, parts ...string) string {
	tb.Helper()
	path := filepath.Join(append([]string{tracesDev}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("%s is not there", path)
	}
	return path
}

// expected is a line of totals.jsonl: what a correct reading gives.
type expected struct {
	Source, Run     string
	Calls, Errors   int
	LongestSameCall int      `json:"longest_same_call"`
	ErrorsInARow    int      `json:"errors_in_a_row"`
	PeakCalls       *int     `json:"peak_calls_60s"`
	TokensIn        *int64   `json:"tokens_in"`
	TokensOut       *int64   `json:"tokens_out"`
	Cost            *float64 `json:"cost"`
	Seconds         *float64 `json:"seconds"`
	Labels          map[string]any
}

func readExpected(t *testing.T) map[string]expected {
	f, err := os.Open(devPath(t, "totals.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]expected{}
	for s := bufio.NewScanner(f); s.Scan(); {
		var e expected
		if err := json.Unmarshal(s.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Source == "otel-jaeger" {
			e.Source = trace.Jaeger
		}
		all[e.Source+" "+e.Run] = e
	}
	return all
}

// withUser are the events of a run with those of its simulated user, which
// the totals count too.
func withUser(r *trace.Run) []session.Event {
	all := slices.Concat(r.Events, r.UserEvents)
	slices.SortStableFunc(all, func(x, y session.Event) int { return cmp.Compare(x.At, y.At) })
	return all
}

func TestTotalsOfRecordedRuns(t *testing.T) {
	want := readExpected(t)
	known := map[string]string{"otel/tempo_export_with_batches.json": trace.OTLP}
	for r, err := range trace.Open(devPath(t), trace.Options{}) {
		if err != nil {
			var unknown *trace.UnknownFormatError
			if !errors.As(err, &unknown) {
				t.Error(err)
			}
			continue
		}
		path, _ := filepath.Rel(tracesDev, r.Source)
		path = filepath.ToSlash(path)
		if known[path] == r.Format {
			delete(known, path)
			// Not in totals.jsonl. Summing every span gives three times as much.
			if got := r.Totals(); got.Calls != 1 || got.InputTokens != 4648 || got.OutputTokens != 129 {
				t.Errorf("%s: %+v", path, got)
			}
			continue
		}
		key := ""
		for _, k := range []string{path, r.ID} {
			if _, ok := want[r.Format+" "+k]; ok {
				key = r.Format + " " + k
			}
		}
		e, ok := want[key]
		if !ok {
			t.Errorf("%s: a run of %s that totals.jsonl does not have", r.Source, r.Format)
			continue
		}
		delete(want, key)
		compareTotals(t, r, e)
		compareLabels(t, r, e.Labels)
	}
	for key := range want {
		t.Errorf("%s was not read", key)
	}
	for path := range known {
		t.Errorf("%s was not read", path)
	}
}

// compareLabels holds what the source says of a run against totals.jsonl.
func compareLabels(t *testing.T, r *trace.Run, labels map[string]any) {
	t.Helper()
	want := r.Labels
	yes := func(b bool) trace.Outcome {
		if b {
			return trace.Yes
		}
		return trace.No
	}
	for name, value := range labels {
		text, _ := value.(string)
		switch name {
		case "utility":
			want.Success = yes(value == true)
		case "reward":
			want.Success = yes(value == 1.0)
		case "includes":
			want.Success = yes(text == "C")
		case "attack":
			want.Attack = yes(text != "")
		case "stop", "exit":
			want.Stop = text
		case "error":
			want.Error = text
		}
	}
	if r.Labels != want {
		t.Errorf("%s: labels %+v, want %+v", r.Source, r.Labels, want)
	}
}

// Which call failed, and which one the attacker wanted, is told by its number:
// results belong to the right calls where the source gives these no ids.
func TestCallsOfAgentDojo(t *testing.T) {
	f, err := os.Open(devPath(t, "agentdojo", "labels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var label struct {
			File, Kind string
			ToolErrors []int `json:"tool_errors"`
			Injected   []struct {
				I  int
				Fn string
			}
		}
		if err := json.Unmarshal(s.Bytes(), &label); err != nil {
			t.Fatal(err)
		}
		for r, err := range trace.Open(devPath(t, label.File), trace.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			var calls []string
			number := map[string]int{}
			var failed []int
			for _, e := range r.Events {
				switch {
				case e.Type == session.ToolUse:
					number[e.CallID] = len(calls)
					calls = append(calls, e.Ability)
				case e.Error != nil:
					failed = append(failed, number[e.CallID])
				}
			}
			slices.Sort(failed)
			if !slices.Equal(failed, label.ToolErrors) {
				t.Errorf("%s: calls %v failed, want %v", label.File, failed, label.ToolErrors)
			}
			for _, i := range label.Injected {
				if calls[i.I] != i.Fn {
					t.Errorf("%s: call %d is %s, want %s", label.File, i.I, calls[i.I], i.Fn)
				}
			}
			if succeeded := label.Kind == "attack-success"; succeeded != (r.Labels.Succeeded == trace.Yes) {
				t.Errorf("%s: %s, but %+v", label.File, label.Kind, r.Labels)
			}
		}
	}
}

func compareTotals(t *testing.T, r *trace.Run, e expected) {
	t.Helper()
	got := trace.Sum(withUser(r))
	check := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %s %v, want %v", r.Source, what, got, want)
		}
	}
	check("calls", float64(got.Calls), float64(e.Calls))
	check("errors", float64(got.Errors), float64(e.Errors))
	check("longest same call", float64(got.LongestSameCall), float64(e.LongestSameCall))
	check("errors in a row", float64(got.LongestErrors), float64(e.ErrorsInARow))
	if e.PeakCalls != nil {
		check("peak calls", float64(got.PeakCalls), float64(*e.PeakCalls))
	}
	if e.TokensIn != nil {
		check("input tokens", float64(got.InputTokens), float64(*e.TokensIn))
		check("output tokens", float64(got.OutputTokens), float64(*e.TokensOut))
	}
	if e.Cost != nil {
		check("cost", float64(got.Cost)/1e9, *e.Cost)
	}
	if e.Seconds != nil {
		if math.Abs(r.Duration.Seconds()-*e.Seconds) > 0.001 {
			t.Errorf("%s: %v s, want %v s", r.Source, r.Duration.Seconds(), *e.Seconds)
		}
	}
}

func TestSumCountsAMessageThatIsToldInPartsOnce(t *testing.T) {
	usage := func(task, id string, input, output, cost int64) session.Event {
		return session.Event{Type: session.Usage, Task: task, MessageID: id, Tokens: meter.Tokens{Input: input, Output: output}, Cost: cost, HasCost: cost > 0}
	}
	got := trace.Sum([]session.Event{
		usage("t", "m1", 1000, 1, 0), usage("t", "m1", 0, 600, 5), usage("t", "m1", 1000, 600, 7),
		usage("u", "m1", 10, 1, 0), usage("t", "", 100, 1, 0), usage("t", "", 100, 1, 0),
	})
	if got.InputTokens != 1210 || got.OutputTokens != 603 || got.Cost != 7 {
		t.Errorf("got %d tokens in, %d out, cost %d; want 1210, 603, 7", got.InputTokens, got.OutputTokens, got.Cost)
	}
}
