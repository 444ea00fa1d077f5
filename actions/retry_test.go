package actions_test

import (
	"errors"
	"fmt"
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
		{name: "at least", calls: 80, o: trim.Options{KeepMessages: 10}, want: 1 + 9},
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
