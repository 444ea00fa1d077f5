package session_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// dollar is one in nano-dollars.
const dollar = int64(1e9)

// spender is a session whose tasks may spend 50 dollars each.
func spender(t testing.TB) *agent {
	return newAgent(t, "B:task.spend_cents>5000|abort|id=token_spend_limit")
}

// The money of a task is that of those above it, and reserved there: a task
// below is refused what its own limit would let it spend.
func TestWhatATaskSpendsIsHeldAgainstThoseAboveIt(t *testing.T) {
	a := spender(t)
	a.StartTask("root", "", "")
	for i, want := range []string{"allow", "abort token_spend_limit", "abort token_spend_limit"} {
		kid := fmt.Sprint("kid", i)
		a.StartTask(kid, "root", "")
		st := &session.Step{Call: session.Call{Ability: "model.ask"}, Task: kid, Estimate: 30 * dollar}
		if got := a.judge(st); got != want {
			t.Errorf("%s: got %s, want %s", kid, got, want)
		}
	}
	a.StartTask("other", "", "")
	st := &session.Step{Call: session.Call{Ability: "model.ask"}, Task: "other", Estimate: 30 * dollar}
	if got := a.judge(st); got != "allow" {
		t.Errorf("a task beside: got %s, want allow", got)
	}
}

func TestWhatTasksHaveSpentOneAfterTheOtherCountsAbove(t *testing.T) {
	a := spender(t)
	a.StartTask("root", "", "")
	a.StartTask("mid", "root", "")
	for i, want := range []string{"allow", "abort token_spend_limit"} {
		kid := fmt.Sprint("kid", i)
		a.StartTask(kid, "mid", "")
		st := &session.Step{Call: session.Call{Ability: "model.ask"}, Task: kid, Estimate: 30 * dollar}
		if got := a.judge(st); got != want {
			t.Fatalf("%s: got %s, want %s", kid, got, want)
		}
		if want != "allow" {
			break
		}
		if err := a.After(t.Context(), session.Outcome{Step: st, Cost: 30 * dollar, Settled: true}); err != nil {
			t.Fatal(err)
		}
		a.FinishTask(kid, session.Completed, "")
	}
}

func TestUsageBelowEndsTheTaskWhoseLimitItReaches(t *testing.T) {
	a := spender(t)
	a.StartTask("root", "", "")
	var ended []string
	for i := range 4 {
		kid := fmt.Sprint("kid", i)
		a.StartTask(kid, "root", "")
		halts := a.Observe(t.Context(), &session.Event{Type: session.Usage, Task: kid, Cost: 20 * dollar, HasCost: true})
		for _, h := range halts {
			if h.Ended {
				ended = append(ended, h.Task+" by "+kid)
			}
		}
	}
	if got := strings.Join(ended, ", "); got != "root by kid2" {
		t.Errorf("ended: %q, want %q", got, "root by kid2")
	}
	st := &session.Step{Call: session.Call{Ability: "model.ask"}, Task: "kid0"}
	if got := a.judge(st); got != "abort token_spend_limit" {
		t.Errorf("a task below the one that was ended: got %s", got)
	}
}

// A call that is asked for twice reserves its money once, above too.
func TestACallUnderWayIsNotHeldAgainstThoseAboveTwice(t *testing.T) {
	a := spender(t)
	a.StartTask("root", "", "")
	a.StartTask("kid", "root", "")
	for range 3 {
		st := &session.Step{Call: session.Call{ID: "c1", Ability: "model.ask"}, Task: "kid", Estimate: 30 * dollar}
		if got := a.judge(st); got != "allow" {
			t.Fatalf("got %s, want allow", got)
		}
	}
}

// Over random trees, no task has spent or reserved more than its limit where
// no call costs more than its estimate.
func TestNoTaskOfATreePassesItsLimit(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s, err := session.New(session.Options{
			ID: "s", Registry: load(t, "B:task.spend_cents>5000|abort"),
			Store: memory.New(memory.Options{}), Clock: session.NewVirtualClock(start),
		})
		if err != nil {
			r.Fatal(err)
		}
		tasks := []string{""}
		var open []*session.Step
		for i := range rapid.IntRange(5, 60).Draw(r, "steps") {
			task := rapid.SampledFrom(tasks).Draw(r, "task")
			switch rapid.IntRange(0, 3).Draw(r, "what") {
			case 0:
				id := fmt.Sprint("t", i)
				s.StartTask(id, task, "")
				tasks = append(tasks, id)
			case 1, 2:
				if task == "" {
					continue
				}
				var v registry.Verdict
				st := &session.Step{Call: session.Call{Ability: "model.ask"}, Task: task, Estimate: rapid.Int64Range(0, 40).Draw(r, "dollars") * dollar}
				if s.Before(t.Context(), st, &v); !v.Decision.Blocks() {
					open = append(open, st)
				}
			case 3:
				if len(open) == 0 {
					continue
				}
				j := rapid.IntRange(0, len(open)-1).Draw(r, "call")
				st := open[j]
				open = append(open[:j], open[j+1:]...)
				o := session.Outcome{Step: st, Settled: rapid.Bool().Draw(r, "settled")}
				if o.Settled {
					o.Cost = rapid.Int64Range(0, st.Estimate).Draw(r, "cost")
				}
				if err := s.After(t.Context(), o); err != nil {
					r.Fatal(err)
				}
			}
			for _, id := range tasks[1:] {
				if spent := spentBy(s, id); spent > 5000 {
					r.Fatalf("task %s has spent %d cents", id, spent)
				}
			}
		}
	})
}

// spentBy is what a task has spent and reserved, in cents.
func spentBy(s *session.Session, task string) (cents int64) {
	for _, m := range s.Meters(task) {
		if m.Name == "task.spend_cents" {
			fmt.Sscan(m.Value, &cents)
		}
	}
	return cents
}

// The refusal of a task whose money was counted at a guess says so, however
// often it is asked.
func TestEveryRefusalOverGuessedMoneySaysSo(t *testing.T) {
	a := priced(t, 0, "B:task.spend_cents>10|abort|id=cap")
	a.Observe(t.Context(), &session.Event{Type: session.Usage, Model: "unheard-of", Tokens: meter.Tokens{Input: 1e6}})
	for range 2 {
		var v registry.Verdict
		a.Before(t.Context(), &session.Step{Call: session.Call{Ability: "model.ask"}}, &v)
		if brief(&v) != "abort cap" || !strings.Contains(strings.Join(v.Notes, " "), "unheard-of") {
			t.Errorf("got %s with notes %q, want abort cap and a note of the model", brief(&v), v.Notes)
		}
	}
}
