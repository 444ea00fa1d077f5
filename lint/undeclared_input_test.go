package lint_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

func TestUndeclaredInput(t *testing.T) {
	tests := []struct {
		name, rules, args string
		want              string // "": nothing
		hint              string
	}{
		{"a parameter", "", `{x: "{{city}}"}`, "", ""},
		{"an output", "", `{x: "{{found}} {{ first.output }}"}`, "", ""},
		{"neither", "", `{x: "in {{region}}"}`, "a.yaml:5 warning undeclared-input «{{region}}»", "declare region under params"},
		{"misspelt", "", `{x: "in {{ ciyt }}"}`, "a.yaml:5 warning undeclared-input «{{ ciyt }}»", "did you mean city?"},
		{"deep inside", "", `{x: [1, {y: "{{region.code}}"}]}`, "a.yaml:5 warning undeclared-input «{{region.code}}»", "declare region under params"},
		{"the value of a condition", "", `{}, condition: {ref_key: found, op: equals, value: "{{region}}"}`, "a.yaml:5 warning undeclared-input «{{region}}»", "declare region under params"},
		{"a limit", `{condition: "n>{{top}}", action: abort}`, `{n: 1}`, "a.yaml:6 warning undeclared-input «{{top}}»", "declare top under params"},
		{"a limit that is an output", `{condition: "n>{{found}}", action: abort}`, `{n: 1}`, "a.yaml:6 warning undeclared-input «{{found}}»", "a limit is a number or a parameter; compare the output itself in when:"},
		{"in a reason", `{condition: "n>1", action: abort, reason: "{{n}} of {{tpo}} in {{city}}, {{found}}; {{}}"}`, `{n: 1}`, "a.yaml:6 warning undeclared-input «{{tpo}}»", "declare tpo under params"},
		{"in a reason of its own line", "{condition: \"n>1\", action: abort,\n  reason: \"é {{tpo}}\"}", `{n: 1}`, "a.yaml:7 warning undeclared-input «{{tpo}}»", "declare tpo under params"},
		{"a meter in a reason", `{condition: "n>1", action: abort, reason: "{{task.tool_calls}} calls"}`, `{n: 1}`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "id: a\nparams: [{name: city, required: true}]\nsteps:\n" +
				"  - {id: first, ability: a.find, output_key: found}\n" +
				"  - {id: last, ability: notify.user, args: " + tt.args + "}\n"
			if tt.rules != "" {
				text += "circuit_breakers: [" + tt.rules + "]\n"
			}
			found := lint.Run([]lint.File{file("a.yaml", text)}).Findings
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
