package chain_test

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/chain"
)

const trade = `id: trade
params:
  - {name: max_spend, param_type: number, required: true}
circuit_breakers:
  - condition: "amount>{{max_spend}}"
    action: abort
    reason: "Trade amount exceeds ${{max_spend}}"
steps:
  - id: execute
    ability: trading.execute
    args: {amount: "{{max_spend}}", memo: "at most {{max_spend}} dollars"}
`

func ExampleParse() {
	c, findings := chain.Parse("trade.yaml", []byte(trade))
	fmt.Println(c.ID, len(c.Rules), len(c.Steps), findings.Err())

	_, findings = chain.Parse("bad.yaml", []byte("id: bad\nstep:\n  - id: a\n"))
	fmt.Println(findings)
	// Output:
	// trade 1 1 <nil>
	// bad.yaml:2:1: a chain has no field "step" (did you mean steps?)
}

func ExampleChain_Start() {
	c, _ := chain.Parse("trade.yaml", []byte(trade))

	params, err := c.Start(map[string]chain.Value{"max_spend": chain.Text("500")}, chain.Host)
	fmt.Println(params["max_spend"].Text(), err)

	_, err = c.Start(map[string]chain.Value{"max_spend": chain.Text(`1|confirm|"x"`)}, chain.Host)
	fmt.Println(err)
	// Output:
	// 500 <nil>
	// chain trade cannot start:
	//   parameter "max_spend": "1|confirm|"x"" is not a number
	//   rule "amount-gt-max_spend" compares with {{max_spend}}, which is "1|confirm|"x"", not a number
}

func ExampleTemplate_Render() {
	c, _ := chain.Parse("trade.yaml", []byte(trade))
	scope := chain.NewScope(map[string]chain.Value{"max_spend": chain.Text("{{ticker}}")})
	for _, arg := range c.Steps[0].Args {
		v, err := arg.Value.Render(scope.Lookup)
		fmt.Println(arg.Name, v.Text(), err)
	}
	// Output:
	// amount {{ticker}} <nil>
	// memo at most {{ticker}} dollars <nil>
}
