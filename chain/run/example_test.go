package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

const tradeChain = `
id: trade
params: [{name: amount, param_type: number, required: true}]
circuit_breakers:
  - {condition: "amount>1000", action: abort, reason: "Too much: {{amount}}"}
steps:
  - {id: price, ability: trading.get_price, output_key: price}
  - {id: buy, ability: trading.execute, args: {amount: "{{amount}}"}, output_key: order}
`

// A chain is run with abilities of the host, each step let through by a gate.
func ExampleRunner_Run() {
	c, faults := chain.Parse("trade.yaml", []byte(tradeChain))
	if faults.Err() != nil {
		panic(faults)
	}
	var rules registry.Registry
	s, err := session.New(session.Options{ID: "s1", Registry: &rules, Store: memory.New(memory.Options{})})
	if err != nil {
		panic(err)
	}
	runner, err := run.New(run.Options{
		Chain: c,
		Gate:  &actions.Gate{Session: s, Clock: session.SystemClock()},
		Abilities: run.AbilityFunc(func(_ context.Context, name string, args json.RawMessage) (run.Output, error) {
			return run.Text("done: " + name + " " + string(args)), nil
		}),
	})
	if err != nil {
		panic(err)
	}
	for _, amount := range []string{"900", "1500"} {
		result, err := runner.Run(context.Background(), map[string]chain.Value{"amount": chain.Text(amount)}, chain.Host)
		fmt.Println(result.Status, len(result.Steps))
		var stop *actions.StopError
		if errors.As(err, &stop) {
			fmt.Println(stop.Rule, stop.Actual, stop.Limit, stop.Reason)
		}
	}
	// Output:
	// completed 2
	// aborted 1
	// amount-gt-1000 1500 1000 Too much: 1500
}

// A dry run calls nothing: it plays back a recording, on the recording's time.
func ExampleDryRun() {
	c, faults := chain.Parse("trade.yaml", []byte(tradeChain))
	if faults.Err() != nil {
		panic(faults)
	}
	rec, faults := run.ParseRecording("rec.yaml", []byte(`
chain: trade
params: {amount: "900"}
start: 2026-01-05T09:00:00Z
steps:
  - {step: price, output: "182.50", took: 1.5s}
  - {step: buy, error: {class: NetworkError, message: "502"}, took: 30s}
`))
	if faults.Err() != nil {
		panic(faults)
	}
	result, err := run.DryRun(context.Background(), run.DryRunOptions{Chain: c, Recording: rec})
	for _, step := range result.Steps {
		fmt.Println(step.At, step.Step, step.Outcome, step.Verdict.Decision)
	}
	fmt.Println(result.Status, err)
	// Output:
	// 0 price ran allow
	// 1500 buy failed allow
	// failed chain trade: step buy (trading.execute) failed: NetworkError: 502
}
