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
	}
	for key := range want {
		t.Errorf("%s was not read", key)
	}
	for path := range known {
		t.Errorf("%s was not read", path)
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
