package lint_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

func TestUndeclaredDependency(t *testing.T) {
	for _, c := range []struct {
		name, last string
		want       []string
		hint       string
	}{
		{"depends on it", `params: {t: "{{one.output}}"}, depends_on: [one]`, nil, ""},
		{"depends on it over another", `params: {t: "{{one.output}}{{two.output}}"}, depends_on: [two]`, nil, ""},
		{"depends on another", `params: {t: "{{two.output}}"}, depends_on: [one]`, []string{"c.yaml:5 warning? undeclared-dependency «depends_on»"}, "add two to depends_on of step last"},
		{"depends on none", `params: {t: "{{two.output}} {{two.output.x}}"}`, []string{"c.yaml:5 warning? undeclared-dependency «{{two.output}}»"}, "add two to depends_on of step last"},
		{"in a condition", `params: {}, condition: {ref_key: two.output, op: is_not_empty}`, []string{"c.yaml:5 warning? undeclared-dependency «two.output»"}, "add two to depends_on of step last"},
		{"on two", `params: {t: "{{one.output}}{{two.output}}{{one.output}}"}`, []string{"c.yaml:5 warning? undeclared-dependency «{{one.output}}»", "c.yaml:5 warning? undeclared-dependency «{{two.output}}»"}, ""},
		{"an input", `params: {t: "{{input.x}}"}`, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := lint.Run([]lint.File{file("c.yaml", "id: c\nsteps:\n"+
				"  - {id: one, ability: a.b}\n"+
				"  - {id: two, ability: a.c, depends_on: [one]}\n"+
				"  - {id: last, ability: notify.user, "+c.last+"}\n")}).Findings
			expect(t, found, c.want...)
			if len(found) == 1 && found[0].Hint != c.hint {
				t.Errorf("hint %q, want %q", found[0].Hint, c.hint)
			}
		})
	}
	t.Run("a chain in the order of the file", func(t *testing.T) {
		expect(t, lint.Run([]lint.File{file("c.yaml", "id: c\nsteps:\n  - {id: one, ability: a.b}\n  - {id: two, ability: a.c, params: {t: \"{{one.output}}\"}}\n")}).Findings)
	})
}
