package trace

import (
	"cmp"
	"hash/maphash"
	"math"
	"time"

	"github.com/cbpolicy/cbpolicy/session"
)

// Totals are what a run comes to.
type Totals struct {
	Calls         int // tool calls and delegations
	Errors        int // results that are failures
	LongestErrors int // failures in a row
	// LongestSameCall is the longest run of one call with equal arguments,
	// whatever came of it.
	LongestSameCall int
	// PeakCalls is the greatest number of calls within PeakWindow.
	PeakCalls int

	InputTokens  int64 // with those that were read from a cache or written to it
	OutputTokens int64
	Cost         int64 // nano-dollars
	HasCost      bool  // the source tells costs
}

// PeakWindow is the span of time of Totals.PeakCalls.
const PeakWindow = time.Minute

// Totals adds up the run's events, without those of a simulated user.
func (r *Run) Totals() Totals { return Sum(r.Events) }

// Sum adds up events, which must be in order.
func Sum(events []session.Event) Totals {
	t := Totals{}
	for _, e := range Usages(events) {
		for _, n := range [...]int64{e.Tokens.Input, e.Tokens.CacheRead, e.Tokens.CacheWrite} {
			t.InputTokens = plus(t.InputTokens, n)
		}
		t.OutputTokens = plus(t.OutputTokens, e.Tokens.Output)
		t.Cost = plus(t.Cost, e.Cost)
		t.HasCost = t.HasCost || e.HasCost
	}
	seed := maphash.MakeSeed()
	type key struct {
		ability, worker string
		args            uint64
	}
	var last key
	same, failed := 0, 0
	var times []int64 // of the calls
	from := 0         // the first of them within the window
	for i := range events {
		e := &events[i]
		switch e.Type {
		case session.ToolUse, session.Delegate:
			t.Calls++
			this := key{e.Ability, e.Worker, e.Args.Fingerprint(seed)}
			if same++; t.Calls > 1 && this != last {
				same = 1
			}
			last = this
			t.LongestSameCall = max(t.LongestSameCall, same)
			for times = append(times, e.At); times[from] <= e.At-int64(PeakWindow); from++ {
			}
			t.PeakCalls = max(t.PeakCalls, len(times)-from)
		case session.ToolResult:
			if failed++; e.Error == nil {
				failed = 0
				continue
			}
			t.Errors++
			t.LongestErrors = max(t.LongestErrors, failed)
		}
	}
	return t
}

// Usages are the reports of usage among the events, one for a message: where
// several tell of it, the greatest of each figure counts.
func Usages(events []session.Event) []session.Event {
	type message struct{ task, id string }
	var all []session.Event
	told := map[message]int{}
	for i := range events {
		e := &events[i]
		if e.Type != session.Usage {
			continue
		}
		m := message{e.Task, e.MessageID}
		at, again := told[m]
		if !again || e.MessageID == "" {
			told[m] = len(all)
			all = append(all, *e)
			continue
		}
		was := &all[at]
		was.Tokens, was.Model = was.Tokens.Greatest(e.Tokens), cmp.Or(was.Model, e.Model)
		was.Cost, was.HasCost = max(was.Cost, e.Cost), was.HasCost || e.HasCost
	}
	return all
}

// plus adds an amount that is not below 0, and stops at the greatest number.
func plus(sum, n int64) int64 {
	if sum > math.MaxInt64-n {
		return math.MaxInt64
	}
	return sum + n
}
