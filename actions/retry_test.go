package actions_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/trim"
)

// talk is a history: what the system and the user said, and n calls with results.
func talk(n int) []trim.Message {
	history := []trim.Message{{Role: "system", System: true, Text: "You book ferries."}, {Role: trim.User, Text: "Book one."}}
	for i := range n {
		id := fmt.Sprint("c", i)
		history = append(history, trim.Message{Role: "assistant", CallIDs: []string{id}}, trim.Message{Role: "tool", ResultOf: []string{id}, Text: id})
	}
	return history
}

func TestRetryMessages(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls int
		o     trim.Options
		want  int // messages, with the one of the system
		err   string
	}{
		{name: "short", calls: 3, want: 1 + 7},
		{name: "as long as may be", calls: 7, want: 1 + 15},
		{name: "longer: the last calls and the user's message", calls: 8, want: 1 + 11},
		{name: "much longer", calls: 80, want: 1 + 11},
		{name: "at least: the last 10 begin with a result, and without it there are too few", calls: 80, o: trim.Options{KeepMessages: 10}, want: 1 + 11},
		{name: "at most", calls: 80, o: trim.Options{KeepMessages: 15}, want: 1 + 15},
		{name: "no more than there may be", calls: 80, o: trim.Options{MaxMessages: 11}, want: 1 + 11},
		{name: "tokens are few", calls: 80, o: trim.Options{MaxTokens: 13, CompletionTokens: 1, SystemTokens: 6}, want: 1 + 1 + 6},
		{name: "too few", o: trim.Options{KeepMessages: 9}, err: "trim: KeepMessages is 9: an attempt after a review begins with 10 to 15 messages"},
		{name: "too many", o: trim.Options{MaxMessages: 16}, err: "trim: MaxMessages is 16: an attempt after a review begins with 10 to 15 messages"},
		{name: "more than may be", o: trim.Options{MaxMessages: 11, KeepMessages: 12}, err: "trim: KeepMessages is 12, which is more than MaxMessages, 11"},
	} {
		t.Run(c.name, func(t *testing.T) {
			history := talk(c.calls)
			got, report, err := actions.RetryMessages(history, c.o)
			if c.err != "" {
				if !errors.As(err, new(*trim.OptionsError)) || err.Error() != c.err {
					t.Fatalf("%v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != c.want || len(report.Kept) != c.want {
				t.Errorf("%d messages (%+v), want %d", len(got), report, c.want)
			}
		})
	}
}

// turns is a history: what the system and the user said, and turns of so many
// parallel calls each, with a message for each result.
func turns(calls ...int) []trim.Message {
	history := []trim.Message{{Role: "system", System: true, Text: "You book ferries."}, {Role: trim.User, Text: "Book one."}}
	for i, n := range calls {
		turn := []trim.Message{{Role: "assistant"}}
		for j := range n {
			id := fmt.Sprint("c", i, ".", j)
			turn[0].CallIDs = append(turn[0].CallIDs, id)
			turn = append(turn, trim.Message{Role: "tool", ResultOf: []string{id}, Text: id})
		}
		history = append(history, turn...)
	}
	return history
}

// Turns of parallel calls are kept whole. Where the last 12 messages would cut
// into one and leave too few, as many more are kept as the next turn needs.
func TestRetryMessages_ParallelCalls(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls []int // of each turn
		o     trim.Options
		want  int // messages, without the one of the system
		limit int
	}{
		{name: "two turns of 7 make 15", calls: slices.Repeat([]int{6}, 10), want: 15, limit: 15},
		{name: "two turns of 6 make 13", calls: slices.Repeat([]int{5}, 10), want: 13, limit: 13},
		{name: "two turns of 5 make 11", calls: slices.Repeat([]int{4}, 10), want: 11, limit: 12},
		{name: "two turns of 8 make 17, which is more than may be", calls: slices.Repeat([]int{7}, 10), want: 9, limit: 12},
		{name: "a turn of 7 and one of 8", calls: []int{6, 7, 6, 7}, want: 9, limit: 12},
		{name: "no more than there may be", calls: slices.Repeat([]int{6}, 10), o: trim.Options{MaxMessages: 14}, want: 8, limit: 12},
		{name: "one more than was wanted", calls: slices.Repeat([]int{6}, 10), o: trim.Options{KeepMessages: 10}, want: 15, limit: 15},
		{name: "a turn too long for any bound stays whole", calls: []int{3, 20}, want: 22, limit: 12},
		{name: "tokens are few", calls: slices.Repeat([]int{6}, 10), o: trim.Options{MaxTokens: 20, CompletionTokens: 1, SystemTokens: 6}, want: 8, limit: 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, report, err := actions.RetryMessages(turns(c.calls...), c.o)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 1+c.want || report.After.Messages != c.want || report.Limit.Messages != c.limit {
				t.Errorf("%d messages and the system's (%+v), want %d, limit %d", len(got)-1, report, c.want, c.limit)
			}
		})
	}
}

// Where any number to keep leaves enough messages, enough are left; and never
// more than may be where a history can be cut to that.
func TestRetryMessages_AreEnoughWhereTheyCanBe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := turns(rapid.SliceOfN(rapid.IntRange(0, 12), 1, 20).Draw(t, "calls")...)
		if rapid.Bool().Draw(t, "the user says more") {
			place := rapid.IntRange(1, len(history)).Draw(t, "at")
			history = slices.Insert(history, place, trim.Message{Role: trim.User, Text: "Go on."})
		}
		keep := rapid.SampledFrom([]int{0, 10, 11, 12, 13, 14, 15}).Draw(t, "keep")
		_, report, err := actions.RetryMessages(history, trim.Options{KeepMessages: keep})
		if err != nil {
			t.Fatal(err)
		}
		most, fits := 0, false
		for k := actions.MinRetryMessages; k <= actions.MaxRetryMessages; k++ {
			_, r, err := trim.Trim(history, trim.Options{MaxMessages: actions.MaxRetryMessages, KeepMessages: k})
			if err != nil {
				t.Fatal(err)
			}
			most, fits = max(most, r.After.Messages), fits || r.After.Messages <= actions.MaxRetryMessages
		}
		if most >= actions.MinRetryMessages && report.After.Messages < actions.MinRetryMessages {
			t.Fatalf("%d messages, where %d could be kept: %+v", report.After.Messages, most, report)
		}
		if fits && report.After.Messages > actions.MaxRetryMessages {
			t.Fatalf("%d messages: %+v", report.After.Messages, report)
		}
	})
}

// However long a history of calls is, the attempt after it begins with at most
// 15 messages and the system's, among them the user's, and ends as it ended.
func TestRetryMessages_Property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := talk(rapid.IntRange(1, 300).Draw(t, "calls"))
		keep := rapid.SampledFrom([]int{0, 10, 11, 12, 13, 14, 15}).Draw(t, "keep")
		got, _, err := actions.RetryMessages(history, trim.Options{KeepMessages: keep})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > 1+actions.MaxRetryMessages || !got[0].System || got[1].Role != trim.User {
			t.Fatalf("%d messages, which begin with %+v", len(got), got[:2])
		}
		if d := cmp.Diff(history[len(history)-1], got[len(got)-1]); d != "" {
			t.Fatal(d)
		}
	})
}

// A gate that knows the history of a task hands on the messages that its next
// attempt begins with; a history that cannot be trimmed is not reviewed.
func TestReview_Messages(t *testing.T) {
	for name, c := range map[string]struct {
		history func(string) []trim.Message
		o       trim.Options
		want    int
		cause   string
	}{
		"no history":     {nil, trim.Options{}, 0, ""},
		"trimmed":        {func(task string) []trim.Message { return append(talk(40), trim.Message{Role: "assistant", Text: task}) }, trim.Options{}, 1 + 12, ""},
		"wrong options":  {func(string) []trim.Message { return talk(40) }, trim.Options{KeepMessages: 20}, 0, "trim: KeepMessages is 20: an attempt after a review begins with 10 to 15 messages"},
		"a host's panic": {func(string) []trim.Message { panic("oh") }, trim.Options{}, 0, "the history of the task: it panicked: oh"},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := reviewed(t, "B:ability:odd|review|id=odd\n", advice)
			g.Session.StartTask("t", "", "")
			g.Review.History, g.Review.Trim = c.history, c.o
			_, err := g.Enter(t.Context(), &session.Step{Call: session.Call{Ability: "odd"}, Task: "t"})
			var stop *actions.StopError
			if !errors.As(err, &stop) {
				t.Fatal(err)
			}
			if c.cause != "" {
				if !errors.Is(err, actions.ErrAborted) || stop.Cause == nil || stop.Cause.Error() != c.cause || g.Session.Attempts("t") != 0 {
					t.Errorf("%v, want %s", err, c.cause)
				}
				return
			}
			if !errors.Is(err, actions.ErrReviewed) || stop.Guidance == nil || len(stop.Messages) != c.want || len(stop.Trimmed.Kept) != c.want {
				t.Fatalf("%v: %d messages, %+v", err, len(stop.Messages), stop.Trimmed)
			}
			if c.want > 0 && stop.Messages[c.want-1].Text != "t" {
				t.Errorf("the history of another task: %+v", stop.Messages)
			}
		})
	}
}
