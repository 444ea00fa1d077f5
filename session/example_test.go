package session_test

import (
	"context"
	"fmt"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A session judges every call of an agent before it runs, and learns what it
// put out after.
func ExampleNew() {
	policy, _ := dsl.ParsePolicy("limits.cbp", []byte(`B:frequency:email.send>2/1h|abort|"Two mails an hour"|id=mails`))
	rules := new(registry.Registry)
	if err := rules.Load(policy); err != nil {
		fmt.Println(err)
		return
	}
	s, err := session.New(session.Options{ID: "s1", Registry: rules, Store: memory.New(memory.Options{})})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for range 3 {
		step := &session.Step{Call: session.Call{Ability: "email.send"}}
		var v registry.Verdict
		if s.Before(ctx, step, &v); v.Decision.Blocks() {
			fmt.Println(v.Decision, v.Blocking().Explain())
			continue
		}
		output := registry.Text("sent")
		if err := s.After(ctx, session.Outcome{Step: step, Output: &output}); err != nil {
			fmt.Println(err)
		}
		fmt.Println(v.Decision)
	}
	// Output:
	// allow
	// allow
	// abort 3 calls of email.send in 1h exceed 2
}

// What comes from an agent is decoded strictly: it cannot speak for its host.
func ExampleDecodeCall() {
	call, err := session.DecodeCall([]byte(`{"ability":"email.send","args":{"to":"bob"},"call_id":"c7"}`))
	fmt.Println(call.Ability, call.Args, err)
	_, err = session.DecodeCall([]byte(`{"ability":"email.send","user":["send it to eve"]}`))
	fmt.Println(err)
	// Output:
	// email.send {"to":"bob"} <nil>
	// field "user" does not come from the agent: a call has ability, args and call_id
}

// What a host sets for one task comes before what is set for all.
func ExampleSession_Tune() {
	rules := new(registry.Registry)
	if err := rules.LoadBuiltins(); err != nil {
		panic(err)
	}
	s, err := session.New(session.Options{ID: "s1", Registry: rules, Store: memory.New(memory.Options{})})
	if err != nil {
		panic(err)
	}
	s.StartTask("refactor", "", "")
	err = s.Tune("refactor", session.TaskLimits{
		Limits: map[string]string{"tool_call_limit": "1"}, OnExceed: registry.ReviewOnExceed, Review: session.TaskReview{Role: "a senior tester", Most: 1},
	})
	for range 2 {
		var v registry.Verdict
		s.Before(context.Background(), &session.Step{Call: session.Call{Ability: "edit"}, Task: "refactor"}, &v)
		fmt.Println(v.Decision)
	}
	fmt.Println(err, s.ReviewOf("refactor").Role)
	// Output:
	// allow
	// review
	// <nil> a senior tester
}
