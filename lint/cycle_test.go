package lint_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

func TestCycle(t *testing.T) {
	for _, c := range []struct{ name, one, two, want string }{
		{"none", "[]", "[one]", ""},
		{"two steps", "[two]", "[one]", "c.yaml:3:42 error cycle"},
		{"a step and itself", "[]", "[two]", "c.yaml:4:42 error cycle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := lint.Run([]lint.File{file("c.yaml", "id: c\nsteps:\n"+
				"  - {id: one, ability: a.b, depends_on: "+c.one+"}\n"+
				"  - {id: two, ability: a.c, depends_on: "+c.two+"}\n")}).Findings
			if c.want == "" {
				expect(t, found)
				return
			}
			expect(t, found, c.want)
		})
	}
	// Each target of an on_failure is jumped to once in a run: that is no cycle.
	expect(t, lint.Run([]lint.File{file("c.yaml", "id: c\nsteps:\n  - {id: one, ability: a.b, on_failure: two}\n  - {id: two, ability: a.c, on_failure: one}\n")}).Findings)
}
