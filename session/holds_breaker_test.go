package session_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

func withBreakers(o *session.Options) { o.Breakers = session.DefaultBreakers() }

func (a *agent) admit(ability string) *session.Step {
	a.t.Helper()
	st := &session.Step{Call: session.Call{Ability: ability}}
	if got := a.judged(st); got != "allow" {
		a.t.Fatalf("%s: %s", ability, got)
	}
	return st
}

func (a *agent) report(st *session.Step, failed bool) {
	a.t.Helper()
	if err := a.After(a.t.Context(), session.Outcome{Step: st, Failed: failed, Class: session.ClassTool}); err != nil {
		a.t.Fatal(err)
	}
}

// One result that is reported five times is one failure.
func TestHoldsResultTwice(t *testing.T) {
	a := hardened(t, nil, withBreakers)
	st := a.admit("web")
	for range 5 {
		a.report(st, true)
	}
	if s, p, _, _ := a.Breaker(t.Context(), "web"); p != breaker.Closed || s.Failures != 1 {
		t.Errorf("one failed call, reported 5 times: %s, %d failures", p, s.Failures)
	}
}

// Ten calls side by side, of which every second fails: never two failures in a row.
func TestHoldsConsecutive(t *testing.T) {
	a := hardened(t, nil, withBreakers)
	var steps []*session.Step
	for range 10 {
		steps = append(steps, a.admit("web"))
	}
	for i, st := range steps {
		a.report(st, i%2 == 0)
	}
	if s, p, _, _ := a.Breaker(t.Context(), "web"); p != breaker.Closed {
		t.Errorf("F S F S F S F S F S: the breaker is %s (%d trips), though no two failures came in a row", p, s.Trips)
	}
}

// Two processes with one session id, one store: exactly one probe.
func TestHoldsTwoProbesSameSessionID(t *testing.T) {
	store := memory.New(memory.Options{})
	a, b := hardened(t, store, withBreakers), hardened(t, store, withBreakers)
	for range 5 { // both have made as many calls
		a.report(a.admit("web"), true)
		b.report(b.admit("other"), false)
	}
	a.clock.Advance(31 * time.Second)
	b.clock.Advance(31 * time.Second)
	n := 0
	for _, x := range []*agent{a, b} {
		if x.judged(&session.Step{Call: session.Call{Ability: "web"}}) == "allow" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d probes", n)
	}
}

// 64 goroutines of 64 sessions: one probe; and it is asked for again by a retry.
func TestHoldsProbe64(t *testing.T) {
	store := memory.New(memory.Options{})
	var agents []*agent
	for i := range 64 {
		agents = append(agents, hardened(t, store, withBreakers, func(o *session.Options) { o.ID = fmt.Sprint("s", i) }))
	}
	for range 5 {
		agents[0].report(agents[0].admit("web"), true)
	}
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for _, x := range agents {
		x.clock.Advance(30 * time.Second)
		for range 2 {
			wg.Go(func() {
				if x.judged(&session.Step{Call: session.Call{Ability: "Web"}}) == "allow" {
					mu.Lock()
					n++
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	if n != 1 {
		t.Errorf("%d probes", n)
	}
}

// A probe that is asked for twice under its call id is one call, and once reported frees its lease.
func TestHoldsProbeRepeated(t *testing.T) {
	a := hardened(t, nil, func(o *session.Options) {
		o.Breakers = []session.Breaker{{Abilities: "*", Config: breaker.Config{Reset: time.Second, Probe: time.Hour}}}
	})
	for range 5 {
		a.report(a.admit("web"), true)
	}
	a.clock.Advance(time.Second)
	c := session.Call{ID: "c1", Ability: "web"}
	st := &session.Step{Call: c}
	if got := a.judged(st); got != "allow" {
		t.Fatal(got)
	}
	if got := a.judged(st); got != "allow" {
		t.Errorf("the same call again: %s", got)
	}
	a.report(st, true)
	a.clock.Advance(time.Second)
	if got := a.judged(&session.Step{Call: session.Call{ID: "c2", Ability: "web"}}); got != "allow" {
		t.Errorf("the probe was reported, and the next is refused: %s", got)
	}
}

// The late result of a probe whose lease has run out, and whose place another has taken.
func TestHoldsLateProbe(t *testing.T) {
	a := hardened(t, nil, withBreakers)
	for range 5 {
		a.report(a.admit("web"), true)
	}
	a.clock.Advance(30 * time.Second)
	first := a.admit("web")
	a.clock.Advance(61 * time.Second)
	second := a.admit("web")
	a.report(first, false) // an hour old for all we know
	if _, p, _, _ := a.Breaker(t.Context(), "web"); p == breaker.Closed {
		t.Error("the result of a probe that lost its lease closed the breaker while another probe is under way")
	}
	_ = second
}

type panicStore struct{ state.Store }

func (panicStore) Load(context.Context, state.Query, *state.View) error    { panic("disk") }
func (panicStore) Claim(context.Context, *state.Claim, *state.Grant) error { panic("disk") }

type panicClock struct {
	*session.VirtualClock
	on bool
}

func (c *panicClock) Now() int64 {
	if c.on {
		panic("clock")
	}
	return c.VirtualClock.Now()
}

// No panic of what a host brings along reaches it.
func TestHoldsPanics(t *testing.T) {
	clock := &panicClock{VirtualClock: session.NewVirtualClock(start)}
	a := hardened(t, nil, withBreakers, func(o *session.Options) { o.Clock = clock })
	b := hardened(t, panicStore{memory.New(memory.Options{})}, withBreakers, func(o *session.Options) { o.ID = "b" })
	a.StartTask("t", "", "")
	st := a.admit("ls")
	clock.on = true
	ctx := t.Context()
	var v registry.Verdict
	for name, f := range map[string]func(){
		"clock: Before":        func() { a.Before(ctx, &session.Step{Call: session.Call{Ability: "x"}}, &v) },
		"clock: After":         func() { a.After(ctx, session.Outcome{Step: st}) },
		"clock: Observe":       func() { a.Observe(ctx, &session.Event{Type: session.UserSaid}) },
		"clock: Sweep":         func() { a.Sweep(ctx, 0) },
		"clock: StartTask":     func() { a.StartTask("x", "", "") },
		"clock: EndTask":       func() { a.EndTask("t") },
		"clock: FinishTask":    func() { a.FinishTask("t", session.Completed, "") },
		"clock: User":          func() { a.User("x") },
		"clock: Snapshot":      func() { a.Snapshot() },
		"clock: Meters":        func() { a.Meters("") },
		"clock: Metadata":      func() { a.Metadata("") },
		"clock: Workers":       func() { a.Workers() },
		"clock: RecordFailure": func() { a.RecordFailure("w", "x") },
		"clock: CanDelegate":   func() { a.CanDelegate(ctx, "w") },
		"clock: NewAttempt":    func() { a.NewAttempt("t") },
		"clock: Breaker":       func() { a.Breaker(ctx, "x") },
		"clock: ResetBreaker":  func() { a.ResetBreaker(ctx, "x") },
		"clock: End":           func() { a.End(ctx) },
		"store: Before":        func() { b.Before(ctx, &session.Step{Call: session.Call{Ability: "x"}}, &v) },
		"store: CanDelegate":   func() { b.CanDelegate(ctx, "x") },
		"store: Breaker":       func() { b.Breaker(ctx, "x") },
		"store: ResetBreaker":  func() { b.ResetBreaker(ctx, "x") },
	} {
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s panics", name)
				}
			}()
			f()
		}()
	}
}
