package main

import (
	"context"

	"github.com/sony/gobreaker/v2"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// sessions: what a live agent costs on top of its decisions, and what a
// breaker that is closed costs, beside the one that Go programs use, by turns. What is told
// as an event allocates nothing, whatever it is and whatever rules hold.
func sessions() ([]entry, []bar) {
	reg := &registry.Registry{}
	p, faults := dsl.ParsePolicy("bench", []byte("B:amount>1000|abort|missing=skip\n"))
	if err := faults.Err(); err != nil {
		panic(err)
	}
	if err := reg.Load(p); err != nil {
		panic(err)
	}
	args := registry.Texts(map[string]string{"url": "https://example.com/", "n": "17"})
	decider := session.Decider{Registry: reg, Store: memory.New(memory.Options{})}
	ctx := context.Background()
	var v registry.Verdict
	decide := func() {
		decider.Decide(ctx, &registry.Step{Ability: "web.fetch", Session: "s", Args: args}, &v)
	}
	breaker := gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{})
	closed := func() {
		done, err := breaker.Allow()
		if err != nil {
			panic(err)
		}
		done(nil)
	}
	entries := []entry{
		byTurns("decide", decide),
		byTurns("decide, with an id", decideWithID(reg, args)),
		byTurns("before and after", calls(reg, args, nil)),
		byTurns("before and after, breaker", calls(reg, args, session.DefaultBreakers())),
		byTurns("gobreaker", closed),
		byTurns("a call, outputs kept", kept(reg, args, nil)),
		byTurns("a call with an id, outputs kept", kept(reg, args, callIDs())),
	}
	bars := []bar{
		{what: "a closed breaker / gobreaker", num: "before and after, breaker", den: "before and after", third: "gobreaker", limit: 1, of: overShare},
	}
	for _, b := range [][2]string{
		{"before and after", "decide"}, {"a call, outputs kept", "decide"}, {"a call with an id, outputs kept", "decide, with an id"},
	} {
		bars = append(bars,
			bar{what: b[0] + ", on top of the decision, µs", num: b[0], den: b[1], limit: 2, of: overMicroseconds},
			bar{what: b[0] + ", allocations", num: b[0], value: allocs, limit: 1}) // its Step
	}
	for _, kind := range events() {
		entries = append(entries, loop(kind.name, kind.run))
		bars = append(bars, bar{what: kind.name + ", allocations", num: kind.name, value: allocs})
	}
	return entries, bars
}

// calls makes a call after the other in one session.
func calls(reg *registry.Registry, args *registry.Values, breakers []session.Breaker) func() {
	s, err := session.New(session.Options{ID: "s", Registry: reg, Store: memory.New(memory.Options{}), Breakers: breakers})
	if err != nil {
		panic(err)
	}
	out := registry.Text("fine")
	ctx, outputs := context.Background(), &registry.Values{}
	var v registry.Verdict
	return func() {
		st := &session.Step{Call: session.Call{Ability: "web.fetch", Args: args}, Outputs: outputs}
		s.Before(ctx, st, &v)
		if err := s.After(ctx, session.Outcome{Step: st, Output: &out}); err != nil {
			panic(err)
		}
	}
}
