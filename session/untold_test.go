package session_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// lossyStore is a store that does not answer for a while. What it was told of is
// done before, where answer says so.
type lossyStore struct {
	*farStore
	away, done, panics bool
}

func (s *lossyStore) Settle(ctx context.Context, c *state.Settlement) error {
	switch {
	case s.away && s.panics:
		if s.done {
			_ = s.farStore.Settle(ctx, c)
		}
		panic("the driver of the store")
	case s.away && s.done:
		_ = s.farStore.Settle(ctx, c)
		return errBroken
	case s.away:
		return errBroken
	}
	return s.farStore.Settle(ctx, c)
}

// lossy is a session on such a store, another that only looks, and its log.
func lossy(t *testing.T) (a, looks *agent, store *lossyStore, log *bytes.Buffer) {
	t.Helper()
	store, log = &lossyStore{farStore: newFarStore()}, &bytes.Buffer{}
	s, err := session.New(session.Options{
		ID: "s", Registry: load(t, ""), Store: store, Breakers: session.DefaultBreakers(), Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return &agent{s, nil, t}, live(t, store, "looks"), store, log
}

// What the store could not be told of it is told with what comes next, once, even
// where it was told and its answer was lost.
func TestUntoldResults(t *testing.T) {
	next := map[string]func(a *agent){
		"Flush": func(a *agent) {
			if err := a.Flush(a.t.Context()); err != nil {
				a.t.Error(err)
			}
		},
		"Sweep":    func(a *agent) { a.Sweep(a.t.Context(), 0) },
		"an event": func(a *agent) { a.Observe(a.t.Context(), &session.Event{Type: session.AgentSaid, Text: "so"}) },
		"Before":   func(a *agent) { a.step("", "other") },
		"the end":  func(a *agent) { _ = a.End(a.t.Context()) },
	}
	for name, tell := range next {
		for _, how := range []struct{ done, panics bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
			t.Run(name, func(t *testing.T) {
				a, looks, store, log := lossy(t)
				a.step("c", "web")
				store.away, store.done, store.panics = true, how.done, how.panics
				a.result("", "c", session.ClassTool)
				a.told("web", session.ClassTool)
				if !strings.Contains(log.String(), "the state was not told of a result") {
					t.Errorf("the log says %q", log)
				}
				if err := a.Flush(t.Context()); err == nil && !how.done {
					t.Error("Flush says nothing of a store that does not answer")
				}
				store.away = false
				tell(a)
				looks.isBreaker("web", "closed failed failed")
				if name != "the end" && a.step("c", "web").Repeated() {
					t.Error("asked for again it is repeated: its claim was not settled")
				}
			})
		}
	}
}

// Another session that fails meanwhile comes to the very state that could not be
// written: both failures count.
func TestUntoldResultsBesideOthers(t *testing.T) {
	for _, done := range []bool{false, true} {
		a, looks, store, _ := lossy(t)
		mine, byEvent, other := a.step("mine", "web"), a.step("event", "web"), looks.step("other", "web")
		fail := func(x *agent, st *session.Step) error {
			return x.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: session.ClassTool, Message: "down"})
		}
		store.away, store.done = true, done
		if err := fail(a, mine); err == nil {
			t.Fatal("After says nothing of a store that does not answer")
		}
		a.result("", byEvent.Call.ID, session.ClassTool)
		store.away = false
		if err := fail(looks, other); err != nil {
			t.Fatal(err)
		}
		if err := fail(a, mine); err != nil {
			t.Fatal(err)
		}
		if err := a.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := "closed failed failed failed"
		if done {
			want = "closed failed failed failed failed" // one that was overwritten before it was seen counts twice
		}
		looks.isBreaker("web", want)
	}
}

// What the end could not tell is told by the end that is asked for again.
func TestUntoldAtTheEnd(t *testing.T) {
	a, looks, store, _ := lossy(t)
	a.step("c", "web")
	store.away = true
	a.result("", "c", session.ClassTool)
	if err := a.End(t.Context()); err == nil {
		t.Error("the end says nothing of a store that does not answer")
	}
	store.away = false
	if err := a.End(t.Context()); err != nil {
		t.Error(err)
	}
	looks.isBreaker("web", "closed failed")
}

// The change of a breaker of which the answer was lost is told of all the same.
func TestUntoldChange(t *testing.T) {
	store := &lossyStore{farStore: newFarStore()}
	var changes []session.BreakerChange
	s, err := session.New(session.Options{
		ID: "s", Registry: load(t, ""), Store: store, OnBreaker: func(c session.BreakerChange) { changes = append(changes, c) },
		Breakers: []session.Breaker{{Abilities: "*", Config: breaker.Config{Threshold: 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{s, nil, t}
	store.away, store.done = true, true
	a.told("web", session.ClassTool)
	store.away = false
	if got := a.try("web", ""); got != "abort circuit_open" {
		t.Errorf("after the failure: %s", got)
	}
	if len(changes) != 1 || changes[0].To != breaker.Open {
		t.Errorf("changes %v, want the one that it opened", changes)
	}
}

// A call that is asked for again before the store was told of its end stays under
// way until its own result: the one before ends neither it nor its lease.
func TestUntoldAndAskedAgain(t *testing.T) {
	a, looks, store, _ := lossy(t)
	a.broken("web")
	store.advance(breaker.DefaultReset)
	a.step("c", "web")
	disk := a.step("d", "disk")
	store.away = true
	a.result("", "c", session.ClassTool)
	a.result("", "d", session.ClassTool)
	if !a.step("c", "web").Repeated() || !a.step("d", "disk").Repeated() {
		t.Fatal("the store knows of results that it was not told of")
	}
	store.away = false
	a.Sweep(t.Context(), 0)
	looks.isBreaker("disk", "closed failed")
	if got := looks.try("web", ""); got != "abort circuit_open" {
		t.Errorf("beside the probe that was asked for again: %s", got)
	}
	if !a.step("d", "disk").Repeated() {
		t.Error("the earlier result has settled the later call")
	}
	a.after(disk, session.ClassTool) // was told of by the event
	a.result("", "c", "")
	looks.isBreaker("web", "closed")
	a.result("", "d", "")
	looks.isBreaker("disk", "closed")
}

// A breaker that cannot be read keeps nothing else from being told.
func TestUntoldBesideDamage(t *testing.T) {
	a, looks, store, log := lossy(t)
	a.step("c", "web")
	damage := state.Settlement{Cells: []state.Write{{Key: "breaker\x00web", Value: []byte("garbage")}}}
	if err := store.Settle(t.Context(), &damage); err != nil {
		t.Fatal(err)
	}
	a.result("", "c", session.ClassTool)
	a.told("disk", session.ClassTool)
	if err := a.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	looks.isBreaker("disk", "closed failed")
	if !strings.Contains(log.String(), "a result is lost to the state") {
		t.Errorf("the log says %q", log)
	}
}

// The results that are kept for a store are bounded; what is too much is logged.
func TestUntoldIsBounded(t *testing.T) {
	a, looks, store, log := lossy(t)
	store.away = true
	for range 1030 {
		a.told("web", session.ClassTool)
	}
	if n := strings.Count(log.String(), "a result is lost to the state"); n != 6 {
		t.Errorf("%d results were logged as lost, want 6", n)
	}
	store.away = false
	a.Sweep(t.Context(), 0)
	looks.isBreaker("web", "open")
}

// What an event costs of requests: nothing for a call that nobody was asked about
// and that changes nothing, else what After costs.
func TestEventRoundTrips(t *testing.T) {
	store := newFarStore()
	a := live(t, store, "a")
	const none, report, look, change = "0 loads, 0 claims, 0 settlements", "0 loads, 0 claims, 1 settlements", "1 loads, 0 claims, 0 settlements", "1 loads, 0 claims, 1 settlements"
	costs := func(what, requests string, f func()) {
		t.Helper()
		store.asked()
		f()
		if got := store.asked(); got != requests {
			t.Errorf("%s: %s, want %s", what, got, requests)
		}
	}
	for range 2 {
		costs("a success", none, func() { a.told("web", "") })
		costs("a call that was wrong", none, func() { a.told("web", session.ClassArguments) })
		costs("a failure", change, func() { a.told("web", session.ClassTool) })
		costs("a success after it", change, func() { a.told("web", "") })
		a.step("c", "web")
		costs("a step's success", report, func() { a.result("", "c", "") })
		a.step("c", "web")
		costs("a step's failure", change, func() { a.result("", "c", session.ClassTool) })
		a.step("", "web")
		costs("the success of a step without an id", change, func() { a.result("", "", "") })
		a.step("", "web")
		costs("another", look, func() { a.result("", "", "") })
	}
	a.broken("web")
	costs("the beginning of a call while the breaker is open", look, func() { a.use("", "d", "web") })
	costs("its result", none, func() { a.result("", "d", session.ClassTool) })
}

// A call that is repeated by another Step renews no lease of its probe.
func TestRepeatedProbeRenewsNothing(t *testing.T) {
	clock := session.NewVirtualClock(start)
	a := guardedAgents(t, 1, memory.New(memory.Options{}), clock, nil)[0]
	a.broken("web")
	clock.Advance(breaker.DefaultReset)
	a.step("c", "web")
	clock.Advance(breaker.DefaultProbe - time.Second)
	if !a.step("c", "web").Repeated() {
		t.Fatal("it is not repeated")
	}
	clock.Advance(time.Second)
	a.result("", "c", "")
	a.isBreaker("web", "half-open")
}

// The step of a call that the meters have forgotten, as thousands came after it
// without a result, is settled by After all the same.
func TestForgottenCallIsSettled(t *testing.T) {
	a := guardedAgents(t, 1, memory.New(memory.Options{}), session.NewVirtualClock(start), nil)[0]
	st := a.step("c", "web")
	for range 2*meter.MaxFlights + 1 {
		a.use("", "", "web")
	}
	a.after(st, session.ClassTool)
	a.isBreaker("web", "closed failed")
	if a.step("c", "web").Repeated() {
		t.Error("asked for again it is repeated: its claim was not settled")
	}
}
