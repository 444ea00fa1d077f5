package lint_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

func TestMaybeUnset_Rules(t *testing.T) {
	tests := []struct {
		name, condition, more string
		want                  string // "": nothing
	}{
		{"waits", "current_price>1", "", ""},
		{"waits for a step to come, not for another", "'!ability:trading.get_price & amount>1'", "", ""},
		{"fires at the first step", "current_price>1", "    missing: fire\n", "trade.yaml:3 warning maybe-unset «current_price>1»"},
		{"an argument of one of the steps", "ability:trading.* & amount>1", "", "trade.yaml:3 warning maybe-unset «amount>1»"},
		{"an argument of one of the steps, which is skipped", "ability:trading.* & amount>1", "    missing: skip\n", ""},
		{"an argument of one of the steps, beside another atom", "ability:trading.* & amount>1 & after:x", "", "trade.yaml:3 warning? maybe-unset «amount>1»"},
		{"in an expression", "'when: args.amount > 3'", "", "trade.yaml:3 warning maybe-unset «when: args.amount > 3»"},
		{"in an expression that asks for the step first", `'when: step == "execute_trade" && args.amount > 3'`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := trade(tt.condition, tt.more)
			found := only(lint.Run([]lint.File{f}).Findings, lint.MaybeUnsetID)
			if tt.want == "" {
				expect(t, found)
				return
			}
			expect(t, found, tt.want)
			if len(found) != 1 || found[0].Confidence != diag.Proved {
				return
			}
			if fired := firedBy(t, found[0].Witness, f); len(fired) != 1 {
				t.Errorf("at %s fire %v", found[0].Witness, fired)
			}
		})
	}
}

func TestMaybeUnset_Paths(t *testing.T) {
	tests := []struct{ name, steps, want string }{
		{"a step that may be skipped", `
  - {id: check, ability: a.check, output_key: state}
  - {id: look, ability: a.look, output_key: details, condition: {ref_key: state, op: equals, value: bad}}
  - {id: tell, ability: notify.user, args: {text: "{{details}}"}}
`, "a.yaml:5 warning? maybe-unset «{{details}}»"},
		{"under another condition", `
  - {id: check, ability: a.check, output_key: state}
  - {id: look, ability: a.look, output_key: details, condition: {ref_key: state, op: equals, value: bad}}
  - {id: tell, ability: notify.user, args: {text: "{{details}}"}, condition: {ref_key: state, op: equals, value: good}}
`, "a.yaml:5 warning? maybe-unset «{{details}}»"},
		{"under the same condition, whose key changes", `
  - {id: check, ability: a.check, output_key: state}
  - {id: look, ability: a.look, output_key: details, condition: {ref_key: state, op: equals, value: bad}}
  - {id: again, ability: a.check, output_key: state}
  - {id: tell, ability: notify.user, args: {text: "{{details}}"}, condition: {ref_key: state, op: equals, value: bad}}
`, "a.yaml:6 warning? maybe-unset «{{details}}»"},
		{"a step that is jumped over", `
  - {id: fetch, ability: a.fetch, output_key: data, on_failure: tell}
  - {id: sum, ability: a.sum, args: {of: "{{data}}"}, output_key: total}
  - {id: tell, ability: notify.user, args: {text: "the total is {{total}}"}}
`, "a.yaml:5 warning? maybe-unset «{{total}}»"},
		{"an error that may not have been", `
  - {id: fetch, ability: a.fetch, output_key: data, on_failure: tell}
  - {id: tell, ability: notify.user, args: {text: "{{fetch_error}}"}}
`, "a.yaml:4 warning? maybe-unset «{{fetch_error}}»"},
		{"a condition that is tested too early", `
  - {id: tell, ability: notify.user, condition: {ref_key: data, op: is_not_empty}}
  - {id: fetch, ability: a.fetch, output_key: data}
`, "a.yaml:3 warning maybe-unset «data»"},
		{"a condition on what may be missing", `
  - {id: fetch, ability: a.fetch, output_key: data, on_failure: tell}
  - {id: tell, ability: notify.user, condition: {ref_key: fetch_error, op: not_equals, value: "{{data}}"}}
`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := lint.Run([]lint.File{file("a.yaml", "id: a\nsteps:"+tt.steps)}).Findings
			if tt.want == "" {
				expect(t, found)
			} else {
				expect(t, found, tt.want)
			}
		})
	}
}

func TestMaybeUnset_NamesBothPlaces(t *testing.T) {
	f := one(t, lint.MaybeUnsetID, file("a.yaml", `id: a
steps:
  - {id: fetch, ability: a.fetch, output_key: data, on_failure: tell}
  - {id: tell, ability: notify.user, args: {text: "{{fetch_error}}"}}
`))
	want := diag.Related{File: "a.yaml", Pos: diag.Position{Line: 3, Column: 5}, Message: "step fetch binds fetch_error when it fails"}
	if len(f.Related) != 1 || f.Related[0] != want {
		t.Errorf("related: %+v", f.Related)
	}
}
