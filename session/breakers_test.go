package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/state/memory"
	"github.com/google/go-cmp/cmp"
)

// guardedAgents are sessions on one store, each with the default breakers.
func guardedAgents(t testing.TB, n int, store state.Store, clock *session.VirtualClock, told func(session.BreakerChange)) []*agent {
	t.Helper()
	var all []*agent
	for i := range n {
		s, err := session.New(session.Options{
			ID: "s" + string(rune('0'+i)), Registry: load(t, ""), Store: store, Clock: clock,
			Breakers: append([]session.Breaker{{Abilities: "free.*", Off: true}, {Abilities: "fragile", Config: breaker.Config{Threshold: 1, Reset: time.Hour}, Ignore: []string{session.ClassNetwork}, Count: []string{session.ClassFileNotFound}}},
				session.DefaultBreakers()...),
			OnBreaker: told,
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, &agent{s, clock, t})
	}
	return all
}

// try makes a call that ends in an error class, or well (""). It returns the verdict.
func (a *agent) try(ability, class string) string {
	st := &session.Step{Call: session.Call{Ability: ability}}
	got := a.judge(st)
	if got == "allow" {
		o := session.Outcome{Step: st, Output: output("fine")}
		if class != "" {
			o = session.Outcome{Step: st, Failed: true, Class: class, Message: "no"}
		}
		if err := a.After(a.t.Context(), o); err != nil {
			a.t.Error(err)
		}
	}
	return got
}

func TestBreaker(t *testing.T) {
	clock := session.NewVirtualClock(start)
	var changes []string
	agents := guardedAgents(t, 2, memory.New(memory.Options{}), clock, func(c session.BreakerChange) {
		changes = append(changes, c.Ability+" "+c.From.String()+" → "+c.To.String())
	})
	a, b := agents[0], agents[1]
	for i, c := range []struct {
		who      *agent
		ability  string
		class    string
		later    time.Duration
		want     string
		becauseI string
	}{
		{a, "web.fetch", session.ClassNetwork, 0, "allow", ""},
		{b, "web.fetch", session.ClassTool, 0, "allow", "all sessions of a store have one breaker an ability"},
		{a, "Web.Fetch", session.ClassRateLimit, 0, "allow", "names are folded"},
		{a, "web.fetch", session.ClassArguments, 0, "allow", "says nothing of the ability"},
		{a, "web.fetch", session.ClassCancelled, 0, "allow", "nor does this"},
		{a, "web.fetch", "Strange", 0, "allow", "classes that are not known count"},
		{a, "web.fetch", session.ClassTool, 0, "allow", "the fifth in a row"},
		{b, "web.fetch", "", 0, "abort circuit_open", ""},
		{b, "web.search", "", 0, "allow", "another ability"},
		{a, "web.fetch", "", 30*time.Second - 1, "abort circuit_open", ""},
		{a, "web.fetch", session.ClassTool, 1, "allow", "the probe, which fails"},
		{b, "web.fetch", "", 29 * time.Second, "abort circuit_open", ""},
		{b, "web.fetch", session.ClassArguments, time.Second, "allow", "a probe that says nothing"},
		{a, "web.fetch", "", 0, "allow", "so the next one is a probe, and succeeds"},
		{b, "web.fetch", session.ClassTool, 0, "allow", "closed"},
		{a, "free.thing", session.ClassTool, 0, "allow", "has none"},
		{a, "fragile", session.ClassNetwork, 0, "allow", "is ignored"},
		{a, "fragile", session.ClassFileNotFound, 0, "allow", "counts, and one is enough"},
		{a, "fragile", "", 0, "abort circuit_open", ""},
	} {
		clock.Advance(c.later)
		if got := c.who.try(c.ability, c.class); got != c.want {
			t.Fatalf("call %d, %s %q: %s, want %s %s", i+1, c.ability, c.class, got, c.want, c.becauseI)
		}
	}
	want := "web.fetch closed → open, web.fetch half-open → open, web.fetch half-open → closed, fragile closed → open"
	if got := strings.Join(changes, ", "); got != want {
		t.Errorf("changes: %s, want %s", got, want)
	}
	if st, phase, ok, err := a.Breaker(t.Context(), "fragile"); !ok || err != nil || phase != breaker.Open || st.Trips != 1 {
		t.Errorf("fragile is %s with %d trips (%v, %v)", phase, st.Trips, ok, err)
	}
	if err := a.ResetBreaker(t.Context(), "fragile"); err != nil || a.try("fragile", "") != "allow" {
		t.Errorf("an operator cannot close it: %v", err)
	}
	if err := a.ResetBreaker(t.Context(), "free.thing"); err == nil {
		t.Error("what has no breaker is reset")
	}
}

func TestOpenBreakerTellsWhen(t *testing.T) {
	clock := session.NewVirtualClock(start)
	a := guardedAgents(t, 1, memory.New(memory.Options{}), clock, nil)[0]
	for range 5 {
		a.try("web.fetch", session.ClassTool)
	}
	clock.Advance(12 * time.Second)
	var v registry.Verdict
	a.Before(t.Context(), &session.Step{Call: session.Call{Ability: "web.fetch"}}, &v)
	if f := v.Blocking(); f == nil || v.RetryAfter != 18*time.Second || f.ReasonText() != "CircuitBreakerOpen: web.fetch has failed too often and is tried again in 18s" {
		t.Errorf("%s, retry after %v", f.ReasonText(), v.RetryAfter)
	}
}

// A probe that is never reported frees itself, and its late result is dropped.
func TestLostProbe(t *testing.T) {
	clock := session.NewVirtualClock(start)
	a := guardedAgents(t, 1, memory.New(memory.Options{}), clock, nil)[0]
	for range 5 {
		a.try("web.fetch", session.ClassTool)
	}
	clock.Advance(30 * time.Second)
	lost := &session.Step{Call: session.Call{Ability: "web.fetch"}}
	if got := a.judge(lost); got != "allow" {
		t.Fatalf("the probe: %s", got)
	}
	if got := a.try("web.fetch", ""); got != "abort circuit_open" {
		t.Errorf("beside the probe: %s", got)
	}
	clock.Advance(breaker.DefaultProbe)
	if got := a.try("web.fetch", session.ClassTool); got != "allow" {
		t.Errorf("after the probe was lost: %s", got)
	}
	if err := a.After(t.Context(), session.Outcome{Step: lost, Output: output("at last")}); err != nil {
		t.Error(err)
	}
	if got := a.try("web.fetch", ""); got != "abort circuit_open" {
		t.Errorf("the late result of the lost probe has closed the breaker: %s", got)
	}
}

func TestOneProbeAmong64(t *testing.T) {
	clock := session.NewVirtualClock(start)
	agents := guardedAgents(t, 8, memory.New(memory.Options{}), clock, nil)
	for range 5 {
		agents[0].try("web.fetch", session.ClassTool)
	}
	clock.Advance(30 * time.Second)
	var admitted atomic.Int32
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			if agents[i%8].judge(&session.Step{Call: session.Call{Ability: "web.fetch"}}) == "allow" {
				admitted.Add(1)
			}
		})
	}
	wg.Wait()
	if n := admitted.Load(); n != 1 {
		t.Errorf("%d probes, want 1", n)
	}
}

// A breaker whose state cannot be read refuses.
func TestBreakerFailsClosed(t *testing.T) {
	store := &brokenClaim{Store: memory.New(memory.Options{})}
	a := guardedAgents(t, 1, store, session.NewVirtualClock(start), func(session.BreakerChange) { panic("a listener") })[0]
	for range 5 {
		if got := a.try("web.fetch", session.ClassTool); got != "allow" {
			t.Fatal(got)
		}
	}
	store.err = errBroken
	if got := a.try("web.fetch", ""); got != "abort store_error" {
		t.Errorf("unreadable: %s", got)
	}
	store.err, store.cell = nil, []byte("garbage")
	if got := a.try("web.fetch", ""); got != "abort store_error" {
		t.Errorf("damaged: %s", got)
	}
}

type brokenClaim struct {
	state.Store
	err  error
	cell []byte // what the cell of every breaker holds; nil: what it does
}

func (s *brokenClaim) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	switch {
	case s.err != nil:
		return s.err
	case s.cell != nil && len(c.Expects) > 0:
		g.Expected = append(g.Expected[:0], state.Cell{Version: 1, Value: s.cell})
		return state.ErrConflict
	}
	return s.Store.Claim(ctx, c, g)
}

// Metrics are told of every call that a breaker watches, in whatever session.
func TestBreakerMetrics(t *testing.T) {
	m := breaker.NewMetrics(0, breaker.Alerts{Trips: 1})
	store, clock := memory.New(memory.Options{}), session.NewVirtualClock(start)
	for i := range 2 {
		s, err := session.New(session.Options{
			ID: fmt.Sprint(i), Registry: load(t, ""), Store: store, Clock: clock, Breakers: session.DefaultBreakers(), Metrics: m,
		})
		if err != nil {
			t.Fatal(err)
		}
		var v registry.Verdict
		for range 3 {
			st := &session.Step{Call: session.Call{Ability: "Web.Fetch"}}
			if s.Before(t.Context(), st, &v); v.Decision.Blocks() {
				continue
			}
			if err := s.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: session.ClassNetwork}); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []breaker.Reading{{Ability: "web.fetch", Phase: "open", Trips: 1, Calls: 5, Failed: 5, Alerts: []string{"trips"}}}
	if d := cmp.Diff(want, m.Read(clock.Now())); d != "" {
		t.Error(d)
	}
}
