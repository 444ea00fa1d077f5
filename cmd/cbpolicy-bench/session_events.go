package main

import (
	"context"
	"fmt"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// told is what a session is told, or asked, again and again.
type told struct {
	name string
	run  func()
}

// sessionCalls is how long a session is that keeps the outputs itself: it finds each
// in what it keeps, so that one without an end would measure the machine's memory.
const sessionCalls = 4096

// callIDs are as many ids as a session that keeps its outputs makes calls.
func callIDs() []string {
	ids := make([]string, sessionCalls)
	for i := range ids {
		ids[i] = fmt.Sprint("call-", i)
	}
	return ids
}

// decideWithID decides on calls that have an id each, which a store remembers.
func decideWithID(reg *registry.Registry, args *registry.Values) func() {
	ids, n, ctx := callIDs(), 0, context.Background()
	var decider session.Decider
	var v registry.Verdict
	return func() {
		if n%sessionCalls == 0 {
			decider = session.Decider{Registry: reg, Store: memory.New(memory.Options{})}
		}
		decider.Decide(ctx, &registry.Step{Ability: "web.fetch", Session: "s", CallID: ids[n%sessionCalls], Args: args}, &v)
		n++
	}
}

// kept makes calls of sessions that keep the outputs themselves; ids may be nil.
func kept(reg *registry.Registry, args *registry.Values, ids []string) func() {
	ctx, out, n := context.Background(), registry.Text("fine"), 0
	var s *session.Session
	var v registry.Verdict
	return func() {
		if n%sessionCalls == 0 {
			s = newSession(reg)
		}
		st := &session.Step{Call: session.Call{Ability: "web.fetch", Args: args}}
		if ids != nil {
			st.Call.ID = ids[n%sessionCalls]
		}
		n++
		s.Before(ctx, st, &v)
		if err := s.After(ctx, session.Outcome{Step: st, Output: &out}); err != nil {
			panic(err)
		}
	}
}

// events are those of every type, under the built-in rules, of which those about
// loops hold where calls are equal.
func events() (kinds []told) {
	fine, failure := registry.Text("fine"), &session.Failure{Class: session.ClassTool, Message: "no such table"}
	args, err := registry.ParseValues([]byte(`{"url":"https://example.com/","n":17,"ids":[1,2]}`))
	if err != nil {
		panic(err)
	}
	use := session.Event{Type: session.ToolUse, Ability: "web.fetch", CallID: "c", Args: args}
	messages := make([]session.Event, 1<<12) // more than are remembered
	for i := range messages {
		messages[i] = session.Event{Type: session.Usage, MessageID: fmt.Sprint("m", i), Tokens: meter.Tokens{Input: 10}, Cost: 1, HasCost: true}
	}
	for _, k := range []struct {
		name   string
		events []session.Event
	}{
		{"heartbeat", []session.Event{{Type: session.Heartbeat, Phase: session.Working}}},
		{"user and assistant", []session.Event{{Type: session.UserSaid, Text: "go on"}, {Type: session.AgentSaid, Text: "I do"}, {Type: session.AgentSaid, Text: "it is done"}}},
		{"equal calls", []session.Event{use, {Type: session.ToolResult, CallID: "c", Output: &fine}}},
		{"failed calls", []session.Event{use, {Type: session.ToolResult, CallID: "c", Error: failure}}},
		{"delegations", []session.Event{{Type: session.Delegate, Worker: "coder", CallID: "c", Args: args}, {Type: session.ToolResult, CallID: "c", Output: &fine}}},
		{"usage", messages},
	} {
		far := registry.BuiltinLimit{Value: "1e15"}
		reg := &registry.Registry{}
		if err := reg.TuneBuiltins(registry.Builtins{Limits: map[string]registry.BuiltinLimit{"tool_call_limit": far, "token_spend_limit": far, "output_loop": {Value: "1"}}}); err != nil {
			panic(err)
		}
		s, ctx, n := newSession(reg), context.Background(), 0
		tell := func() {
			s.Observe(ctx, &k.events[n%len(k.events)])
			n++
		}
		for range k.events { // what is made once for all sessions is none of theirs
			tell()
		}
		kinds = append(kinds, told{"an event: " + k.name, tell})
	}
	return kinds
}

func newSession(reg *registry.Registry) *session.Session {
	s, err := session.New(session.Options{ID: "s", Registry: reg, Store: memory.New(memory.Options{})})
	if err != nil {
		panic(err)
	}
	return s
}
