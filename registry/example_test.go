package registry_test

import (
	"context"
	"fmt"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A policy file is put in force; a step is then planned, counted and decided,
// which a Decider does in one call.
func ExampleRegistry_Load() {
	policy, findings := dsl.ParsePolicy("limits.cbp", []byte(`
B:amount>1000|abort|"Transaction exceeds $1000 limit"
`))
	if err := findings.Err(); err != nil {
		fmt.Println(err)
		return
	}
	var rules registry.Registry
	if err := rules.Load(policy); err != nil {
		fmt.Println(err)
		return
	}
	decider := session.Decider{Registry: &rules, Store: memory.New(memory.Options{})}
	step := registry.Step{Chain: "trade", Ability: "trading.execute", Args: registry.Texts(map[string]string{"amount": "1500"})}
	var v registry.Verdict
	decider.Decide(context.Background(), &step, &v)
	fmt.Println(v.Decision, v.Fired[0].Rule.ID)
	fmt.Println(v.Fired[0].Explain())
	// Output:
	// abort amount-gt-1000
	// amount 1500 exceeds 1000
}

// Rules can be added for one chain. A bad rule changes nothing.
func ExampleRegistry_Register() {
	var rules registry.Registry
	trade := registry.Scope{Origin: registry.Chain, Pattern: "trade"}
	for _, line := range []string{`amount>1000|abort|id=limit`, `price<0|abort|id=limit`} {
		rule, finding := dsl.ParseRule("chain.yaml", diag.Position{Line: 3, Column: 5}, line)
		if finding != nil {
			fmt.Println(finding)
			return
		}
		err := rules.Register(registry.Ruleset{Scope: trade, Rules: []registry.RuleDef{{Rule: rule}}})
		fmt.Println(rules.Set().Len(), err != nil)
	}
	fmt.Println(rules.Remove(trade), rules.Set().Len())
	// Output:
	// 1 false
	// 1 true
	// 1 0
}

// The built-in rules read the meters of a session.
func ExampleRegistry_LoadBuiltins() {
	var rules registry.Registry
	if err := rules.LoadBuiltins(); err != nil {
		fmt.Println(err)
		return
	}
	for r := range rules.Set().Rules() {
		if r.ID == "tool_call_limit" {
			fmt.Println(r.Rule.Condition, r.Action.Kind)
		}
	}
	// Output: task.tool_calls>50 abort
}
