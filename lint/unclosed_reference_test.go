package lint_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

func TestUnclosedReference(t *testing.T) {
	for _, c := range []struct{ reason, marked string }{
		{"{{amount}} is too much", ""}, {"{{ amount }} and {{note}}", ""}, {"a { b } c", ""}, {"}} first", ""}, {"{{two words}}", ""},
		{"{{amount} is too much", "{{amount"}, {"{{amount is too much", "{{amount"}, {"so {{amount} of {{note}}", "{{amount"},
		{"{{amount}} of {{note", "{{note"}, {"{{ amount", "{{ amount"}, {"{{", "{{"},
	} {
		for name, f := range map[string]lint.File{
			"p.cbp": file("p.cbp", "B:amount>3|abort|\""+c.reason+"\"\n"),
			"c.yaml": file("c.yaml", "id: c\ncircuit_breakers:\n  - condition: amount>3\n    action: abort\n    reason: '"+c.reason+
				"'\nsteps:\n  - {id: a, ability: pay.x, args: {amount: 1}}\n"),
		} {
			var want []string
			if line := map[string]string{"p.cbp": "1", "c.yaml": "5"}[name]; c.marked != "" {
				want = []string{name + ":" + line + " warning? unclosed-reference «" + c.marked + "»"}
			}
			expect(t, only(lint.Run([]lint.File{f}).Findings, lint.UnclosedReferenceID), want...)
		}
	}
}
