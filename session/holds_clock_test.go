package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

type option func(*session.Options)

func hardened(t testing.TB, store state.Store, opts ...option) *agent {
	t.Helper()
	var reg registry.Registry
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	if store == nil {
		store = memory.New(memory.Options{})
	}
	clock := session.NewVirtualClock(start)
	o := session.Options{ID: "s", Registry: &reg, Store: store, Clock: clock}
	for _, f := range opts {
		f(&o)
	}
	s, err := session.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return &agent{s, clock, t}
}

// judged is the decision alone: rules that are only noted do not matter here.
func (a *agent) judged(st *session.Step) string {
	got, _, _ := strings.Cut(a.judge(st), " ")
	return got
}

func (a *agent) ls(task string) string {
	return a.judged(&session.Step{Call: session.Call{Ability: "ls"}, Task: task})
}

func (a *agent) lsDone(task string) string {
	st := &session.Step{Call: session.Call{Ability: "ls"}, Task: task}
	got := a.judged(st)
	if got == "allow" {
		out := registry.Text("x")
		a.After(a.t.Context(), session.Outcome{Step: st, Output: &out})
	}
	return got
}

// The child asks its user something; the user is away for an hour. Nobody's clock may trip.
func TestHoldsAwayWhileChildAsks(t *testing.T) {
	a := hardened(t, nil)
	ctx := t.Context()
	a.StartTask("p", "", "")
	a.lsDone("p")
	a.StartTask("c", "p", "")
	a.Observe(ctx, &session.Event{Type: session.AgentSaid, Task: "c", Text: "Which of the two?"})
	for range 3600 {
		a.clock.Advance(time.Second)
		for _, h := range a.Sweep(ctx, 0) {
			t.Fatalf("away: %s", h.String())
		}
	}
}

// The same with two tasks side by side: both have asked, the user answers one, then the other goes on.
func TestHoldsAwayTwoTasksAsk(t *testing.T) {
	a := hardened(t, nil)
	ctx := t.Context()
	for _, id := range []string{"t1", "t2"} {
		a.StartTask(id, "", "")
		a.Observe(ctx, &session.Event{Type: session.AgentSaid, Task: id, Text: "Shall I? " + id})
	}
	a.clock.Advance(time.Hour)
	a.User("yes, both") // goes to the top: t2
	for _, id := range []string{"t2", "t1"} {
		a.ls(id)
		if got := a.judge(&session.Step{Call: session.Call{Ability: "ls"}, Task: id}); got != "allow" {
			t.Errorf("%s after the user was away: %s", id, got)
		}
	}
}

// A supervisor asks its user while a helper task is still open; the answer goes to the top of the stack.
func TestHoldsAwaySupervisorAsksHelperOpen(t *testing.T) {
	a := hardened(t, nil)
	ctx := t.Context()
	a.StartTask("main", "", "")
	a.lsDone("main")
	a.StartTask("helper", "main", "")
	a.Observe(ctx, &session.Event{Type: session.AgentSaid, Task: "main", Text: "Shall I go on?"})
	a.clock.Advance(time.Hour)
	a.User("yes")
	a.ls("main")
	if got := a.judge(&session.Step{Call: session.Call{Ability: "cat"}, Task: "main"}); got != "allow" {
		t.Errorf("main after the user was away: %s", got)
	}
}

// The same event moves the breaker of an ability, for every session of the store.
func TestHoldsFutureEventPoisonsBreakers(t *testing.T) {
	store := memory.New(memory.Options{})
	brk := func(o *session.Options) { o.Breakers = session.DefaultBreakers() }
	a := hardened(t, store, brk)
	b := hardened(t, store, brk, func(o *session.Options) { o.ID = "other" })
	ctx := t.Context()
	far := time.Date(2261, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	a.Observe(ctx, &session.Event{Type: session.UserSaid, Text: "x", At: far})
	for range 5 {
		st := &session.Step{Call: session.Call{Ability: "web"}}
		if got := a.judged(st); got != "allow" {
			t.Fatal(got)
		}
		a.After(ctx, session.Outcome{Step: st, Failed: true, Class: session.ClassTool})
	}
	b.clock.Advance(31 * time.Second)
	var v registry.Verdict
	b.Before(ctx, &session.Step{Call: session.Call{Ability: "web"}}, &v)
	if v.Decision.Blocks() {
		t.Errorf("another session, 31 s later: %s", v.Blocking().Explain())
	}
}

// And an open breaker is half-open at once for who has seen such an event.
func TestHoldsFutureEventSkipsReset(t *testing.T) {
	a := hardened(t, nil, func(o *session.Options) { o.Breakers = session.DefaultBreakers() })
	ctx := t.Context()
	for range 5 {
		st := &session.Step{Call: session.Call{Ability: "web"}}
		a.judge(st)
		a.After(ctx, session.Outcome{Step: st, Failed: true, Class: session.ClassTool})
	}
	if _, p, _, _ := a.Breaker(ctx, "web"); p != breaker.Open {
		t.Fatal(p)
	}
	a.Observe(ctx, &session.Event{Type: session.UserSaid, Text: "x", At: start.Add(time.Hour).UnixNano()})
	if got := a.judged(&session.Step{Call: session.Call{Ability: "web"}}); got == "allow" {
		t.Error("no real time has passed, and the open breaker lets a call through")
	}
}

// By a clock that goes by itself, an event from the future is one of now.
func TestHoldsEventsOfTheFuture(t *testing.T) {
	s, err := session.New(session.Options{ID: "s", Registry: load(t, ""), Store: memory.New(memory.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	s.Observe(t.Context(), &session.Event{Type: session.AgentSaid, Text: "hello", At: time.Date(2261, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()})
	if at := time.Unix(0, s.Snapshot().At); time.Until(at) > 2*time.Minute {
		t.Errorf("the session is at %s", at)
	}
}
