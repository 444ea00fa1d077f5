package actions_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/trim"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// reviewed is a gate over a policy with a reviewer.
func reviewed(t *testing.T, policy string, r review.Reviewer) (*actions.Gate, *session.VirtualClock) {
	t.Helper()
	p, faults := dsl.ParsePolicy("p.cbp", []byte(policy))
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	s, err := session.New(session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{Now: clock.Now}), Clock: clock, Recall: review.MaxCalls})
	if err != nil {
		t.Fatal(err)
	}
	return &actions.Gate{Session: s, Clock: clock, Review: actions.Review{Reviewer: r, Name: "test", Timeout: 50 * time.Millisecond}}, clock
}

// enter makes a call of an ability, and reports how it was stopped.
func enter(t *testing.T, g *actions.Gate, ability string) *actions.StopError {
	t.Helper()
	st := &session.Step{Call: session.Call{Ability: ability}}
	_, err := g.Enter(t.Context(), st)
	var stop *actions.StopError
	if err != nil && !errors.As(err, &stop) {
		t.Fatal(err)
	}
	if err == nil {
		out := registry.Text("x")
		if err := g.Session.After(t.Context(), session.Outcome{Step: st, Output: &out}); err != nil {
			t.Fatal(err)
		}
	}
	return stop
}

// A review gives a task two more attempts, each from 0, and then it is stopped.
func TestReview(t *testing.T) {
	var seen []*review.Case
	g, _ := reviewed(t, "B:task.tool_calls>2|review|\"many\"|id=many\nB:ability:shell.*|abort|id=no-shell\n", review.Func(func(_ context.Context, c *review.Case) (*review.Guidance, error) {
		seen = append(seen, c)
		return &review.Guidance{Analysis: "it loops", Approach: []string{"call shell.exec", "B:ability:*|warn"}}, nil
	}))
	g.Session.User("list the files")
	for attempt := 1; attempt <= 3; attempt++ {
		for range 2 {
			if stop := enter(t, g, "ls"); stop != nil {
				t.Fatalf("attempt %d: %v", attempt, stop)
			}
		}
		stop := enter(t, g, "ls")
		if attempt == 3 {
			if !errors.Is(stop, actions.ErrAborted) || !strings.Contains(stop.Error(), "reviewed 2 times already") {
				t.Errorf("a third review: %v", stop)
			}
			break
		}
		if !errors.Is(stop, actions.ErrReviewed) || stop.Attempt != attempt+1 || stop.Guidance == nil || stop.Rule != "many" {
			t.Fatalf("attempt %d: %+v", attempt, stop)
		}
		// What the guidance suggests is judged like anything else.
		if stop := enter(t, g, "shell.exec"); !errors.Is(stop, actions.ErrAborted) || stop.Rule != "no-shell" {
			t.Errorf("a suggested call: %v", stop)
		}
	}
	if len(seen) != 2 || len(seen[0].Calls) != 2 || seen[0].Asked[0] != "list the files" || seen[0].Counters["task.tool_calls"] != "2" || seen[0].Rule.ID != "many" {
		t.Errorf("%+v", seen)
	}
}

// The case of an attempt holds that attempt's calls: it is not blamed for those
// before it, and a loop that was left is not found, or remembered, once more.
func TestReview_OfTheSecondAttempt(t *testing.T) {
	var seen []*review.Case
	g, _ := reviewed(t, "B:task.tool_calls>5|review|\"many\"|id=many\n", review.Func(func(ctx context.Context, c *review.Case) (*review.Guidance, error) {
		seen = append(seen, c)
		return review.Rules{}.Review(ctx, c)
	}))
	g.Review.Patterns = &review.Patterns{}
	for range 5 {
		enter(t, g, "web.fetch")
	}
	first := enter(t, g, "web.fetch")
	for _, ability := range []string{"a.open", "b.list", "c.get", "d.put", "e.sum"} {
		enter(t, g, ability)
	}
	second := enter(t, g, "web.fetch")
	if len(seen) != 2 || !errors.Is(first, actions.ErrReviewed) || !errors.Is(second, actions.ErrReviewed) {
		t.Fatalf("%d reviews, %v, %v", len(seen), first, second)
	}
	if len(seen[1].Calls) != 5 || seen[1].Calls[0].Ability != "a.open" || seen[1].Earlier != 5 || seen[1].Counters["task.tool_calls"] != "5" {
		t.Errorf("the second case: %+v", seen[1])
	}
	for _, c := range []struct {
		stop *actions.StopError
		want bool
	}{{first, true}, {second, false}} {
		if blamed := strings.Contains(c.stop.Guidance.Analysis, "The call “web.fetch” was made 5 times"); blamed != c.want {
			t.Errorf("attempt %d: %s", c.stop.Attempt-1, c.stop.Guidance.Analysis)
		}
	}
	if n := len(g.Review.Patterns.All()); n != 2 {
		t.Errorf("%d patterns, want one of each attempt", n)
	}
}

// A third review of one task is an abort.
func TestReview_TwiceAtMost(t *testing.T) {
	g, _ := reviewed(t, "B:ability:odd|review|id=odd\n", review.Func(func(context.Context, *review.Case) (*review.Guidance, error) {
		return &review.Guidance{Analysis: "odd", Approach: []string{"do it otherwise"}}, nil
	}))
	for i, want := range []error{actions.ErrReviewed, actions.ErrReviewed, actions.ErrAborted} {
		if stop := enter(t, g, "odd"); !errors.Is(stop, want) {
			t.Errorf("review %d: %v, want %v", i+1, stop, want)
		}
	}
}

// A task whose last review is not given is halted by the rule that asked for
// it, whatever is said of how it went; after an ability's rule it may go on.
func TestReview_NotGivenHalts(t *testing.T) {
	hangs := review.Func(func(ctx context.Context, _ *review.Case) (*review.Guidance, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	const many = "many (task.tool_calls 1 exceeds 0)"
	for name, c := range map[string]struct {
		policy string
		r      review.Reviewer
		most   int
		want   session.Status
		reason string
	}{
		"nobody reviews":      {"B:task.tool_calls>0|review|\"many\"|id=many\n", nil, 0, session.Halted, many},
		"twice already":       {"B:task.tool_calls>0|review|\"many\"|id=many\n", advice, 0, session.Halted, many + ": it was reviewed 2 times already"},
		"once already":        {"B:task.tool_calls>0|review|\"many\"|id=many\n", advice, 1, session.Halted, many + ": it was reviewed once already"},
		"never":               {"B:task.tool_calls>0|review|\"many\"|id=many\n", advice, -1, session.Halted, many + ": no review of it is allowed (max_reviews, or maxRetries, is 0)"},
		"the reviewer hangs":  {"B:task.tool_calls>0|review|\"many\"|id=many\n", hangs, 0, session.Halted, many + ": reviewer test: no answer within 50ms: context deadline exceeded"},
		"an ability's review": {"B:ability:ls|review|\"many\"|id=many\n", nil, 0, session.Failed, "oh"},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := reviewed(t, c.policy, c.r)
			g.Session.StartTask("t", "", "")
			if err := g.Session.Tune("t", session.TaskLimits{Review: session.TaskReview{Most: c.most}}); err != nil {
				t.Fatal(err)
			}
			err := actions.ErrReviewed
			for errors.Is(err, actions.ErrReviewed) {
				_, err = g.Enter(t.Context(), &session.Step{Call: session.Call{Ability: "ls"}, Task: "t"})
			}
			if !errors.Is(err, actions.ErrAborted) {
				t.Fatal(err)
			}
			if m, err := g.Session.FinishTask("t", session.Failed, "oh"); err != nil || m.FinalStatus != c.want || m.FailureReason != c.reason {
				t.Errorf("%s, %q", m.FinalStatus, m.FailureReason)
			}
		})
	}
}

// A reviewer that fails in any way leaves it at an abort, with the reason.
func TestReview_Fails(t *testing.T) {
	for name, c := range map[string]struct {
		r    review.Reviewer
		want string
	}{
		"nobody": {nil, ""},
		"an error": {review.Func(func(context.Context, *review.Case) (*review.Guidance, error) {
			return nil, errors.New("no model today")
		}), "no model today"},
		"nothing": {review.Func(func(context.Context, *review.Case) (*review.Guidance, error) { return nil, nil }), "test"},
		"a panic": {review.Func(func(context.Context, *review.Case) (*review.Guidance, error) { panic("oh") }), "oh"},
		"hanging": {review.Func(func(ctx context.Context, _ *review.Case) (*review.Guidance, error) { <-ctx.Done(); select {} }), "test"},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := reviewed(t, "B:ability:odd|review|id=odd\n", c.r)
			stop := enter(t, g, "odd")
			if !errors.Is(stop, actions.ErrAborted) || stop.Guidance != nil || !strings.Contains(stop.Error(), c.want) {
				t.Errorf("%v", stop)
			}
			if g.Session.Attempts("") != 0 {
				t.Error("a new attempt has begun")
			}
		})
	}
}

// The four tasks that a monitor is for.
func TestReview_Scenarios(t *testing.T) {
	var reg registry.Registry
	if err := reg.TuneBuiltins(registry.Builtins{Sets: map[string]bool{"monitor": true}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name                           string
		calls                          int
		each                           time.Duration
		trimmed, recommended, reviewed bool
		status                         session.Status
	}{
		{"simple", 4, 2 * time.Second, false, false, false, session.Completed},
		{"medium", 28, 2 * time.Second, true, false, false, session.Completed},
		{"complex", 60, 2 * time.Second, true, true, false, session.Completed},
		{"runaway", 90, 2 * time.Second, true, true, true, session.Completed},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := session.NewVirtualClock(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
			s, err := session.New(session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{Now: clock.Now}), Clock: clock, Recall: review.MaxCalls})
			if err != nil {
				t.Fatal(err)
			}
			g := &actions.Gate{Session: s, Clock: clock, Review: actions.Review{Reviewer: review.Rules{}, Name: "rules"}}
			s.StartTask("t", "", "")
			history := []trim.Message{{Role: "user", Text: "do it"}}
			wasReviewed := false
			for n := 0; n < c.calls; n++ {
				st := &session.Step{Call: session.Call{Ability: "web.fetch"}, Task: "t"}
				_, err := g.Enter(t.Context(), st)
				if errors.Is(err, actions.ErrReviewed) {
					wasReviewed = true
					n = c.calls - 4 // the guided attempt is short
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				clock.Advance(c.each)
				out := registry.Text("x")
				if err := s.After(t.Context(), session.Outcome{Step: st, Output: &out}); err != nil {
					t.Fatal(err)
				}
				id := string(rune('a' + n%26))
				history = append(history, trim.Message{Role: "assistant", CallIDs: []string{id}}, trim.Message{Role: "tool", ResultOf: []string{id}, Text: "x"})
			}
			m, err := s.FinishTask("t", session.Completed, "")
			if err != nil {
				t.Fatal(err)
			}
			_, report, err := trim.Trim(history, trim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if trimmed := report.Why != trim.None; trimmed != c.trimmed || m.QCRecommended != c.recommended || wasReviewed != c.reviewed || m.FinalStatus != c.status || m.CircuitBreakerTriggered != c.reviewed {
				t.Errorf("trimmed %v, %+v", trimmed, m)
			}
			if c.reviewed != (m.RetryCount == 1) {
				t.Errorf("%d retries", m.RetryCount)
			}
		})
	}
}
