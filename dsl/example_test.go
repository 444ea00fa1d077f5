package dsl_test

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

func ExampleParseRule() {
	rule, finding := dsl.ParseRule("demo.cbp", diag.Position{Line: 1, Column: 1}, `amount > 1000 | abort | "Too much"`)
	fmt.Println(rule, finding == nil)
	fmt.Println(rule.ID(), rule.Action.Kind, rule.Condition[0].(*dsl.Threshold).Key)

	_, finding = dsl.ParseRule("demo.cbp", diag.Position{Line: 1, Column: 1}, `frequency>10|throttle`)
	fmt.Println(finding)
	// Output:
	// amount>1000|abort|"Too much" true
	// amount-gt-1000 abort amount
	// demo.cbp:1:13: a window is required (such as frequency>10/1h)
}

func ExampleParsePolicy() {
	policy, findings := dsl.ParsePolicy("demo.cbp", []byte(`
# For every chain
B:ability:shell.execute|abort|"Shell execution is forbidden"

CHAIN:trade
B:amount>1000|abort
B:amount>500|confrim
`))
	for _, section := range policy.Sections {
		fmt.Println(section.Pattern, section.Rules)
	}
	fmt.Println(findings)
	// Output:
	// * [ability:shell.execute|abort|"Shell execution is forbidden"]
	// trade [amount>1000|abort]
	// demo.cbp:7:14: unknown action "confrim" (did you mean confirm?)
}

func ExampleFormatPolicy() {
	policy, _ := dsl.ParsePolicy("demo.cbp", []byte("CHAIN: trade\n\n\n  # the limit\nB: amount > 1000 | abort"))
	text, err := dsl.FormatPolicy(policy)
	fmt.Print(string(text), err)
	// Output:
	// CHAIN:trade
	//
	// # the limit
	// B:amount>1000|abort
	// <nil>
}

func ExampleParseBlock() {
	raw, finding := dsl.ExtractBlock("answer.txt", []byte(`I will do that.
<nyaya>
D:trading|medium
G:ability:trading.execute
B:amount>1000|abort|"Too much"
</nyaya>`))
	if finding != nil {
		fmt.Println(finding)
		return
	}
	block, findings := dsl.ParseBlock(raw)
	fmt.Println(block.ChainID(), block.Risk, block.Grants[0].Name, block.Rules[0], len(findings))
	// Output:
	// nyaya/trading medium trading.execute amount>1000|abort|"Too much" 0
}
