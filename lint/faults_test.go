package lint_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

// The tests here are named after faults of the first implementation.

func TestFault02_KeyThatNothingDeclares(t *testing.T) {
	expect(t, only(lint.Run([]lint.File{trade(`"amont > 1000"`, "")}).Findings, lint.UnknownKeyID),
		"trade.yaml:3 error unknown-key «amont»")
	expect(t, lint.Run([]lint.File{trade(`"amount > 1000"`, "")}).Findings)
}

func TestFault08_KeyOfALaterStepOrAnArgument(t *testing.T) {
	expect(t, lint.Run([]lint.File{trade("trade_result>1", "  - {condition: amount>5, action: abort}\n")}).Findings)
}

func TestFault11_CountThatCannotBeReached(t *testing.T) {
	expect(t, lint.Run([]lint.File{trade("frequency>20000/1d", "")}).Findings,
		"trade.yaml:3 error unobservable-frequency «20000»")
}

func TestFault15_SameRuleThreeTimes(t *testing.T) {
	expect(t, lint.Run([]lint.File{file("p.cbp", strings.Repeat("B:a>1|abort\n", 3))}).Findings,
		"p.cbp:2 error duplicate-rule «a>1|abort»", "p.cbp:3 error duplicate-rule «a>1|abort»")
}

func TestFault25_BadLineOfABlock(t *testing.T) {
	r := lint.Run([]lint.File{file("t.txt", "<nyaya>\nNEW:x\nB:a>1|abort\nB:b>|abort\n</nyaya>\n")})
	expect(t, r.Findings, "t.txt:4 error syntax «|»")
	if r.Rules != 0 {
		t.Errorf("%d rules of a refused block count", r.Rules)
	}
}

func TestFault26_TooManyRulesInABlock(t *testing.T) {
	expect(t, lint.Run([]lint.File{file("t.txt", "<nyaya>\nNEW:x\n"+strings.Repeat("B:a>1|abort\n", 200)+"</nyaya>\n")}).Findings,
		"t.txt:103 error limit-exceeded «B:a>1|abort»")
}

// The older field is read, and what would make it weaker than it looks is refused.
func TestFault29_BreakerInAChainThatNobodyReads(t *testing.T) {
	expect(t, lint.Run([]lint.File{file("a.yaml", "id: a\nsteps: [{id: s, ability: x}]\ncircuit_breaker: {failure_threshold: 5, half_open_max: 2}\n")}).Findings,
		"a.yaml:3 error syntax «2»")
}
