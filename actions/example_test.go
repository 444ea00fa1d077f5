package actions_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

func exampleGate(policy string, c actions.Confirmer) *actions.Gate {
	p, _ := dsl.ParsePolicy("limits.cbp", []byte(policy))
	rules := new(registry.Registry)
	if err := rules.Load(p); err != nil {
		panic(err)
	}
	clock := session.SystemClock()
	s, err := session.New(session.Options{ID: "s1", Registry: rules, Store: memory.New(memory.Options{}), Clock: clock})
	if err != nil {
		panic(err)
	}
	return &actions.Gate{Session: s, Clock: clock, Confirmer: c}
}

// A gate waits, asks, or stops the step with an error that names the rule.
func ExampleGate_Enter() {
	gate := exampleGate(`B:amount>1000|abort|"Over the limit"|id=limit`, nil)
	step := &session.Step{Call: session.Call{Ability: "pay", Args: registry.Texts(map[string]string{"amount": "1500"})}}
	_, err := gate.Enter(context.Background(), step)
	var stop *actions.StopError
	if errors.As(err, &stop) {
		fmt.Println(stop.Rule, stop.Actual, stop.Limit, errors.Is(err, actions.ErrAborted))
	}
	fmt.Println(err)
	// Output:
	// limit 1500 1000 true
	// pay aborted by rule limit: Over the limit (1500, limit 1000)
}

// A terminal shows what fired and reads an answer to each rule.
func ExampleNewTerminal() {
	person := actions.NewTerminal(strings.NewReader("yes\n"), io.Discard)
	gate := exampleGate(`B:ability:pay|confirm|"Really?"`, person)
	v, err := gate.Enter(context.Background(), &session.Step{Call: session.Call{Ability: "pay"}})
	fmt.Println(v.Decision, v.Fired[0].Approved, err)
	// Output: allow true <nil>
}

// Risky work is reviewed before it begins; the advice goes to the agent.
func ExampleGate_Begin() {
	gate := exampleGate("", nil)
	gate.Review = actions.Review{Reviewer: review.Rules{}, Name: "rules", Mandatory: &review.Limits{}}
	work := review.Work{Risk: dsl.RiskHigh, Abilities: []string{"db.read"}, Calls: 3}
	advice, err := gate.Begin(context.Background(), "", "", work)
	fmt.Println(err, advice.Analysis)
	gate.Review.Reviewer = nil
	_, err = gate.Begin(context.Background(), "", "", work)
	fmt.Println(err)
	// Output:
	// <nil> The work is medium (44 of 100): the risk is high.
	// the run aborted by rule mandatory_review: this work must be reviewed before it begins: the risk is high: there is nobody to review it
}
