package actions_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// slow is a reviewer that takes a second, and counts how often it is asked.
func slow(asked *atomic.Int32, fail error) review.Reviewer {
	return review.Func(func(context.Context, *review.Case) (*review.Guidance, error) {
		asked.Add(1)
		time.Sleep(time.Second)
		if fail != nil {
			return nil, fail
		}
		return &review.Guidance{Analysis: "it loops", Approach: []string{"do it otherwise"}}, nil
	})
}

// Steps of one attempt that ask for a review side by side have it once: the
// attempt that has begun is not begun anew by the others.
func TestReview_OnceForStepsSideBySide(t *testing.T) {
	for name, fail := range map[string]error{"goes well": nil, "fails": errors.New("no idea")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int32
				g, _ := reviewed(t, "B:task.tool_calls>2|review|id=many", slow(&asked, fail))
				g.Review.Timeout = time.Minute
				g.Session.StartTask("t1", "", "")
				for range 2 {
					admit(t, g, "t1")
				}
				stops := make(chan *actions.StopError, 8)
				for range cap(stops) {
					go func() {
						_, err := g.Enter(t.Context(), &session.Step{Call: session.Call{Ability: "x"}, Task: "t1"})
						var stop *actions.StopError
						errors.As(err, &stop)
						stops <- stop
					}()
				}
				for range cap(stops) {
					stop := <-stops
					switch {
					case fail != nil && !errors.Is(stop, actions.ErrAborted):
						t.Errorf("got %v, want an abort", stop)
					case fail == nil && (!errors.Is(stop, actions.ErrReviewed) || stop.Attempt != 2 || stop.Guidance == nil):
						t.Errorf("got %+v, want the guidance for attempt 2", stop)
					}
				}
				if got := asked.Load(); got != 1 {
					t.Errorf("the reviewer was asked %d times, want once", got)
				}
				if got, want := g.Session.Attempts("t1"), map[bool]int{true: 1}[fail == nil]; got != want {
					t.Errorf("begun anew %d times, want %d", got, want)
				}
			})
		})
	}
}

// admit makes a call that is let through.
func admit(t *testing.T, g *actions.Gate, task string) *session.Step {
	t.Helper()
	st := &session.Step{Call: session.Call{Ability: "x"}, Task: task}
	if _, err := g.Enter(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	return st
}

// Who had the review done gives up: one of those who wait has it done.
func TestReview_WhoGivesUpStopsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		g, _ := reviewed(t, "B:ability:odd|review|id=odd", slow(&asked, nil))
		g.Review.Timeout = time.Minute
		ctx, giveUp := context.WithCancel(t.Context())
		errs := make(chan error, 2)
		for i, ctx := range []context.Context{ctx, t.Context()} {
			time.Sleep(time.Duration(i) * time.Millisecond)
			go func() {
				_, err := g.Enter(ctx, &session.Step{Call: session.Call{Ability: "odd"}})
				errs <- err
			}()
			synctest.Wait()
		}
		giveUp()
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("who gave up: %v", err)
		}
		if err := <-errs; !errors.Is(err, actions.ErrReviewed) {
			t.Errorf("who waited: %v", err)
		}
		if got := asked.Load(); got != 2 {
			t.Errorf("the reviewer was asked %d times, want twice", got)
		}
	})
}

// What a rule ends while the reviewer thinks stays ended: it was not reviewed.
func TestReview_LiftsNoAbortThatCameInBetween(t *testing.T) {
	var g *actions.Gate
	var first *session.Step
	verdict := func() string {
		var v registry.Verdict
		g.Session.Before(t.Context(), &session.Step{Call: session.Call{Ability: "x"}, Task: "t1"}, &v)
		if f := v.Blocking(); f != nil {
			return v.Decision.String() + " " + f.Rule.ID
		}
		return v.Decision.String()
	}
	g, _ = reviewed(t, "B:task.tool_calls>2|review|id=many\nB:task.error_streak>=1|abort|id=errs", review.Func(func(ctx context.Context, c *review.Case) (*review.Guidance, error) {
		if err := g.Session.After(ctx, session.Outcome{Step: first, Failed: true, Class: session.ClassTool}); err != nil {
			t.Error(err)
		}
		if got := verdict(); got != "abort errs" {
			t.Errorf("while the reviewer thinks: %s", got)
		}
		return &review.Guidance{Analysis: "a", Approach: []string{"b"}}, nil
	}))
	g.Session.StartTask("t1", "", "")
	first = admit(t, g, "t1")
	admit(t, g, "t1")
	_, err := g.Enter(t.Context(), &session.Step{Call: session.Call{Ability: "x"}, Task: "t1"})
	if !errors.Is(err, actions.ErrAborted) {
		t.Errorf("got %v, want an abort", err)
	}
	if got := verdict(); got != "abort errs" {
		t.Errorf("after the review: %s", got)
	}
}

// A task below one that is reviewed is not let go on after a rule of its own
// has ended it.
func TestReview_LiftsNoAbortOfATaskBelow(t *testing.T) {
	g, _ := reviewed(t, "B:task.tool_calls>2|review|id=many\nB:task.error_streak>=1|abort|id=errs", review.Func(func(context.Context, *review.Case) (*review.Guidance, error) {
		return &review.Guidance{Analysis: "a", Approach: []string{"b"}}, nil
	}))
	g.Session.StartTask("t1", "", "")
	g.Session.StartTask("t2", "t1", "")
	st := admit(t, g, "t2")
	if err := g.Session.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: session.ClassTool}); err != nil {
		t.Fatal(err)
	}
	below := func() error {
		_, err := g.Enter(t.Context(), &session.Step{Call: session.Call{Ability: "x"}, Task: "t2"})
		return err
	}
	if err := below(); !errors.Is(err, actions.ErrAborted) {
		t.Fatalf("before the review: %v", err)
	}
	admit(t, g, "t1")
	admit(t, g, "t1")
	if _, err := g.Enter(t.Context(), &session.Step{Call: session.Call{Ability: "x"}, Task: "t1"}); !errors.Is(err, actions.ErrReviewed) {
		t.Fatal(err)
	}
	if err := below(); !errors.Is(err, actions.ErrAborted) {
		t.Errorf("after the review: %v, want an abort", err)
	}
}

// What a person has begun anew is not one of the reviews that may be.
func TestReview_NotCountedByAPersonsChoice(t *testing.T) {
	helps := review.Func(func(context.Context, *review.Case) (*review.Guidance, error) {
		return &review.Guidance{Analysis: "it loops", Approach: []string{"do it otherwise"}}, nil
	})
	g, _ := reviewed(t, "B:task.tool_calls>1|review|id=many\nB:task.messages>0|warn|id=said", helps)
	g.Session.StartTask("t", "", "")
	halts := g.Session.Observe(t.Context(), &session.Event{Type: session.UserSaid, Task: "t", Text: "x"})
	if len(halts) != 1 {
		t.Fatal(halts)
	}
	for range 3 {
		if err := g.Session.Accept(&halts[0], session.Narrow); err != nil {
			t.Fatal(err)
		}
	}
	for i := range session.MaxReviews + 1 {
		admit(t, g, "t")
		_, err := g.Enter(t.Context(), &session.Step{Call: session.Call{Ability: "x"}, Task: "t"})
		if want := map[bool]error{true: actions.ErrReviewed, false: actions.ErrAborted}[i < session.MaxReviews]; !errors.Is(err, want) {
			t.Errorf("review %d: %v, want %v", i+1, err, want)
		}
	}
}
