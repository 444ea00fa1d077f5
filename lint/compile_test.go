package lint_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

// TestCompile lets nothing pass that the registry would refuse.
func TestCompile(t *testing.T) {
	const block = "<nyaya>\nNEW:x\nB:when: args.x >|abort\n</nyaya>\n"
	tests := []struct {
		name string
		file lint.File
		want string
		hint string
	}{
		{"an expression", file("p.cbp", "B:when: args.a > 1|abort\n"), "", ""},
		{"an expression that does not parse", file("p.cbp", "B:when: args.a >|abort\n"), "p.cbp:1:16 error syntax", "an expression compares what stands in args, outputs, params and meters, such as args.amount > 2 * params.limit"},
		{"an unknown name", file("p.cbp", "B:when: arg.a > 1|abort\n"), "p.cbp:1 error syntax «arg»", "did you mean args?"},
		{"an unknown meter", file("p.cbp", "B:when: task.tool_cals > 1|abort\n"), "p.cbp:1 error syntax «tool_cals»", "did you mean task.tool_calls?"},
		{"in a block", file("t.txt", block), "t.txt:3:16 error syntax", "an expression compares what stands in args, outputs, params and meters, such as args.amount > 2 * params.limit"},
		{"in a chain", trade("'when: params.max_spent > 3'", ""), "trade.yaml:3 error unknown-key «max_spent»", "did you mean max_spend?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := lint.Run([]lint.File{tt.file}).Findings
			if tt.want == "" {
				expect(t, found)
				return
			}
			expect(t, found, tt.want)
			if len(found) == 1 && found[0].Hint != tt.hint {
				t.Errorf("hint %q, want %q", found[0].Hint, tt.hint)
			}
		})
	}
}
