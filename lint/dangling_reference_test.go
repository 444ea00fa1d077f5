package lint_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

func TestDanglingReference(t *testing.T) {
	tests := []struct {
		name, last string
		want       string // "": nothing
		hint       string
	}{
		{"an output by its step", `args: {x: "{{first.output.name}}"}`, "", ""},
		{"a step that is not there", `args: {x: "{{frist.output}}"}`, "a.yaml:5 error dangling-reference «{{frist.output}}»", "did you mean first.output?"},
		{"something else of a step", `args: {x: "{{first.found}}"}`, "a.yaml:5 error dangling-reference «{{first.found}}»", "there are city, first.output, found, last.output"},
		{"the error of a step that may not fail", `args: {x: "{{first_error}}"}`, "a.yaml:5 error dangling-reference «{{first_error}}»", "there are city, first.output, found, last.output"},
		{"a condition on an output", `condition: {ref_key: found, op: is_empty}`, "", ""},
		{"a condition on a parameter", `condition: {ref_key: city, op: equals, value: x}`, "", ""},
		{"a condition on nothing", `condition: {ref_key: fuond, op: is_not_empty}`, "a.yaml:5 warning dangling-reference «fuond»", "did you mean found?"},
		{"a condition on nothing, in quotes", `condition: {ref_key: "fuond", op: is_not_empty}`, "a.yaml:5 warning dangling-reference «fuond»", "did you mean found?"},
		{"an on_failure that names no step", `on_failure: frist`, "a.yaml:5:50 error dangling-reference", "did you mean first?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := lint.Run([]lint.File{file("a.yaml", "id: a\nparams: [{name: city, required: true}]\nsteps:\n"+
				"  - {id: first, ability: a.find, output_key: found}\n"+
				"  - {id: last, ability: notify.user, "+tt.last+"}\n")}).Findings
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

func TestDanglingReference_ByDependsOn(t *testing.T) {
	for _, c := range []struct{ name, one, two, want, hint string }{
		{"what runs before", `depends_on: [two]`, `params: {}`, "", ""},
		{"what runs later", `params: {t: "{{ two.output }}"}`, `depends_on: [zero]`, "a.yaml:4 error dangling-reference «{{ two.output }}»", "add two to depends_on of step one"},
		{"what waits for the step", `params: {t: "{{two.output.x}}"}`, `depends_on: [one]`, "a.yaml:4 error dangling-reference «{{two.output.x}}»", "step two waits for step one: one of them cannot read the other"},
		{"itself", `params: {t: "{{one.output}}"}`, `depends_on: [zero]`, "a.yaml:4 error dangling-reference «{{one.output}}»", "read what a step before it puts out"},
		{"no step", `params: {t: "{{tow.output}}"}`, `depends_on: [zero]`, "a.yaml:4 error dangling-reference «{{tow.output}}»", "did you mean two.output?"},
		{"a dependency on no step", `depends_on: [tow]`, `params: {}`, "a.yaml:4 error dangling-reference «tow»", "did you mean two?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := lint.Run([]lint.File{file("a.yaml", "id: a\nsteps:\n  - {id: zero, ability: a.b}\n"+
				"  - {id: one, ability: a.c, "+c.one+"}\n  - {id: two, ability: a.d, "+c.two+"}\n")}).Findings
			if c.want == "" {
				expect(t, found)
				return
			}
			expect(t, found, c.want)
			if len(found) == 1 && found[0].Hint != c.hint {
				t.Errorf("hint %q, want %q", found[0].Hint, c.hint)
			}
		})
	}
}
