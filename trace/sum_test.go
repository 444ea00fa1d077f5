package trace_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
)

// Sum against counting that looks at every pair.
func TestSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []session.Event
		var calls []string
		var times []int64
		at := trace.UntimedStart
		for range rapid.IntRange(0, 40).Draw(t, "n") {
			at += int64(rapid.SampledFrom([]time.Duration{0, time.Second, 30 * time.Second, time.Minute}).Draw(t, "gap"))
			name, arg := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "ability"), rapid.SampledFrom([]string{"1", "2"}).Draw(t, "arg")
			events = append(events, session.Event{Type: session.ToolUse, At: at, Ability: name, Args: registry.Texts(map[string]string{"x": arg})})
			calls, times = append(calls, name+arg), append(times, at)
		}
		longest, peak := 0, 0
		for i := range calls {
			same, within := 0, 0
			for j := i; j >= 0 && calls[j] == calls[i]; j-- {
				same++
			}
			for j := i; j >= 0 && times[j] > times[i]-int64(time.Minute); j-- {
				within++
			}
			longest, peak = max(longest, same), max(peak, within)
		}
		if got := trace.Sum(events); got.Calls != len(calls) || got.LongestSameCall != longest || got.PeakCalls != peak {
			t.Fatalf("got %+v, want %d calls, %d the same, %d at once", got, len(calls), longest, peak)
		}
	})
}

func TestSumOfResultsAndUsage(t *testing.T) {
	fail := &session.Failure{Class: session.ClassTool}
	got := trace.Sum([]session.Event{
		{Type: session.ToolResult, Error: fail}, {Type: session.ToolResult, Error: fail}, {Type: session.ToolResult},
		{Type: session.ToolResult, Error: fail},
		{Type: session.Usage, Tokens: tokens(1<<63-1, 1, 2, 3)}, {Type: session.Usage, Tokens: tokens(5, 1, 0, 0), Cost: 7, HasCost: true},
	})
	want := trace.Totals{Errors: 3, LongestErrors: 2, InputTokens: 1<<63 - 1, OutputTokens: 2, Cost: 7, HasCost: true}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
