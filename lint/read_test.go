package lint_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

// TestRead covers the findings that come from the readers of the formats.
func TestRead(t *testing.T) {
	long := strings.Repeat("y", 4200)
	tests := []struct {
		name string
		file lint.File
		want []string
	}{
		{"syntax in every line", file("p.cbp", "B:a>|abort\nB:a>1|abort\nB:a>1|stop\n"), []string{"p.cbp:1 error syntax «|»", "p.cbp:3 error syntax «stop»"}},
		{"unknown-tag", file("p.cbp", "G:ability:x\nBB:a>1|abort\n"), []string{"p.cbp:1 error unknown-tag «G»", "p.cbp:2 error unknown-tag «BB»"}},
		{"unknown-tag in a block", file("t.md", "<nyaya>\nNEW:x\nCHAIN:y\n</nyaya>\n"), []string{"t.md:3 error unknown-tag «CHAIN»"}},
		{"unknown-field", file("a.yaml", "id: a\nsteps: [{id: s, ability: x, ouput_key: y}]\n"), []string{"a.yaml:2:29 error unknown-field"}},
		{"limit-exceeded", file("p.cbp", "B:output:x|contains:"+long+"|abort\n"), []string{"p.cbp:1 error limit-exceeded «»"}},
		{"limit-exceeded in a block", file("t.md", "<nyaya>\nNEW:x\n"+strings.Repeat("B:a>1|abort\n", 101)+"</nyaya>\n"), []string{"t.md:103 error limit-exceeded «B:a>1|abort»"}},
		{"unobservable-frequency", file("p.cbp", "B:frequency>10000/1d|throttle\nB:frequency>9999/1d|throttle\n"), []string{"p.cbp:1 error unobservable-frequency «10000»"}},
		{"unobservable-frequency in a chain", trade("frequency>10000/1d", ""), []string{"trade.yaml:3 error unobservable-frequency «10000»"}},
		{"a good recording", file("r.json", `{"chain":"a","steps":[{"step":"s","output":"x"}]}`), nil},
		{"a block of every kind", file("t.md", "<nyaya>CACHE:1h</nyaya>\n<nyaya>C:x|1</nyaya>\n"), nil},
		{"an empty policy", file("p.cbp", ""), nil},
		{"an empty chain", file("a.yaml", ""), []string{"a.yaml:1:1 error syntax"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			expect(t, lint.Run([]lint.File{tt.file}).Findings, tt.want...)
		})
	}
}
