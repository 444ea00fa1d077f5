package session_test

import (
	"fmt"
	"testing"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// An event that starts a task that is open already must not change its limits.
func TestHoldsStartAgainRaisesLimits(t *testing.T) {
	limits := func(o *session.Options) {
		o.TaskLimits = []session.TaskLimits{{Chain: "nightly.*", Limits: map[string]string{"tool_call_limit": "500"}}}
	}
	a := hardened(t, nil, limits)
	a.StartTask("t", "", "")
	a.Observe(t.Context(), &session.Event{Type: session.TaskStart, Task: "t", Chain: "nightly.x"}) // open: "left alone"
	n := 0
	for a.lsDone("t") == "allow" && n < 1000 {
		n++
	}
	if n != 50 {
		t.Errorf("%d calls, want 50: a second task_start has raised the limit of an open task", n)
	}
}

// What ended a task ends what is below it, however many other tasks come and go.
func TestHoldsEndedParentForgotten(t *testing.T) {
	a := hardened(t, nil)
	a.StartTask("p", "", "")
	a.StartTask("c", "p", "")
	for range 51 {
		a.lsDone("p")
	}
	if got := a.ls("c"); got == "allow" {
		t.Fatal("c goes on")
	}
	a.EndTask("p")
	for i := range 1100 {
		id := fmt.Sprint("x", i)
		a.StartTask(id, "", "")
		a.EndTask(id)
	}
	if got := a.ls("c"); got == "allow" {
		t.Error("c is below a task that was ended by a rule, and goes on after 1100 other tasks")
	}
}

// The letter case of the prefix is no way round the cap.
func TestHoldsDelegatePrefixCase(t *testing.T) {
	for _, ability := range []string{"Delegate.chef", "DELEGATE.chef", "delegate.Chef", "delegate. chef", "delegate.chef "} {
		a := hardened(t, nil)
		a.RecordFailure("chef", "x")
		a.RecordFailure("chef", "x")
		if got := a.judged(&session.Step{Call: session.Call{Ability: ability}}); got == "allow" {
			t.Errorf("ability %q: a third task for a worker that has failed twice", ability)
		}
	}
}

// A delegation whose task was closed meanwhile, or begun anew, has failed all the same.
func TestHoldsDelegationResultAfterClose(t *testing.T) {
	for name, between := range map[string]func(*agent){
		"closed": func(a *agent) { a.EndTask("t") },
		"anew":   func(a *agent) { a.NewAttempt("t") },
	} {
		a := hardened(t, nil)
		for range 2 {
			a.StartTask("t", "", "")
			st := &session.Step{Call: session.Call{Ability: "delegate.chef"}, Task: "t"}
			if got := a.judged(st); got != "allow" {
				t.Fatal(got)
			}
			between(a)
			a.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: session.ClassTool, Message: "down"})
		}
		if ok, _ := a.CanDelegate(t.Context(), "chef"); ok {
			t.Errorf("%s: two reported failures are lost: %+v", name, a.Workers())
		}
	}
}

// Money that is reported after the task was closed is spent all the same.
func TestHoldsCostAfterClose(t *testing.T) {
	a := hardened(t, nil)
	a.StartTask("p", "", "")
	a.StartTask("t", "p", "")
	st := &session.Step{Call: session.Call{Ability: "llm"}, Task: "t"}
	a.judge(st)
	a.EndTask("t")
	a.After(t.Context(), session.Outcome{Step: st, Cost: 60_000_000_000, Settled: true})
	if shot := a.Snapshot(); shot.Spend == "0" {
		t.Errorf("60 dollars are gone: session spend %s", shot.Spend)
	}
}

// An event with a cost or with tokens below 0 gives no money back.
func TestHoldsNegativeCost(t *testing.T) {
	a := hardened(t, nil)
	ctx := t.Context()
	a.Observe(ctx, &session.Event{Type: session.Usage, Cost: 4e10, HasCost: true, Tokens: meter.Tokens{Input: 100}})
	a.Observe(ctx, &session.Event{Type: session.Usage, Cost: -3e10, HasCost: true, Tokens: meter.Tokens{Input: -90}})
	if shot := a.Snapshot(); shot.Spend != "4000" {
		t.Errorf("spend %s, want 4000; %v", shot.Spend, a.Meters(""))
	}
}

// Raise refuses what is no task, no rule, no limit.
func TestHoldsRaise(t *testing.T) {
	a := hardened(t, nil)
	a.StartTask("t", "", "")
	for _, c := range [][3]string{{"nobody", "tool_call_limit", "60"}, {"t", "no_such_rule", "60"}, {"t", "tool_call_limit", "-5"}, {"t", "output_loop", "7"}, {"t", "tool_call_limit", "1e300"}} {
		if err := a.Raise(c[0], c[1], c[2]); err == nil {
			t.Errorf("Raise%q: no error", c)
		}
	}
}

// A session that has ended stays so.
func TestHoldsResumeAfterEnd(t *testing.T) {
	a := hardened(t, nil)
	for range 51 {
		a.lsDone("")
	}
	a.End(t.Context())
	t.Log(a.ls(""), a.Resume(""), a.ls(""))
	if got := a.lsDone(""); got == "allow" {
		t.Error("Resume gives a session that has ended a new life with all counters at 0")
	}
	b := hardened(t, nil)
	b.End(t.Context())
	if err := b.NewAttempt(""); err == nil && b.lsDone("") == "allow" {
		t.Error("NewAttempt does, too")
	}
}

// Any number of tasks for one worker at once: what fails is known too late.
func TestHoldsDelegateParallel(t *testing.T) {
	a := hardened(t, nil)
	n := 0
	var steps []*session.Step
	for range 10 {
		st := &session.Step{Call: session.Call{Ability: "delegate.chef"}}
		if a.judge(st) == "allow" {
			n++
			steps = append(steps, st)
		}
	}
	for _, st := range steps {
		a.After(t.Context(), session.Outcome{Step: st, Failed: true})
	}
	t.Logf("%d delegations under way at once, %+v", n, a.Workers())
}

// A cancelled delegation says nothing of the worker.
func TestHoldsDelegateCancelled(t *testing.T) {
	a := hardened(t, nil)
	for range 2 {
		st := &session.Step{Call: session.Call{Ability: "delegate.chef"}}
		a.judge(st)
		a.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: session.ClassCancelled, Message: "the user pressed escape"})
	}
	ok, why := a.CanDelegate(t.Context(), "chef")
	t.Logf("after two cancelled delegations: %v %s", ok, why)
}
