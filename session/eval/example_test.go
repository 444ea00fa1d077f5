package eval_test

import (
	"context"
	"fmt"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

// Steps given as JSON are decided one after the other, on one state.
func ExampleEvaluator_Line() {
	policy, _ := dsl.ParsePolicy("limits.cbp", []byte(`B:frequency>1/1m|throttle|"Once a minute"|id=slow`))
	rules := new(registry.Registry)
	if err := rules.Load(policy); err != nil {
		fmt.Println(err)
		return
	}
	e := eval.New(eval.Options{Registry: rules})
	for _, line := range []string{
		`{"chain":"trade","ability":"buy","now":"2026-01-05T09:00:00Z"}`,
		`{"chain":"trade","ability":"buy","now":"2026-01-05T09:00:18Z"}`,
	} {
		v := e.Line(context.Background(), []byte(line))
		fmt.Println(v.Decision, v.RetryAfter)
	}
	// Output:
	// allow 0s
	// throttle 42s
}
