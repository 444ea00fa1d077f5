package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

func TestNeverProduced_Rules(t *testing.T) {
	tests := []struct {
		name, condition, more string
		want                  string // "": nothing
	}{
		{"an argument", "amount>1", "", ""},
		{"an output that will come", "trade_result>1", "", ""},
		{"a parameter", "max_spend>1", "", ""},
		{"nobody's key", "limit>1", "", "trade.yaml:3 error never-produced «limit>1»"},
		{"nobody's key, which is skipped", "limit>1", "    missing: skip\n", ""},
		{"nobody's key in one step", "ability:trading.execute & limit>1", "", "trade.yaml:3 error never-produced «limit>1»"},
		{"nobody's key in a step that is not there", "ability:email.send & limit>1", "", ""},
		{"an output of a later step", "ability:trading.get_price & trade_result>1", "", "trade.yaml:3 error never-produced «trade_result>1»"},
		{"an argument of another step", "'ability:trading.get_price & amount>1'", "", "trade.yaml:3 error never-produced «amount>1»"},
		{"an argument of all but some steps", "'!ability:trading.execute & amount>1 & current_price>2'", "", ""},
		{"an output of the step itself", "ability:trading.execute & trade_result>1", "", "trade.yaml:3 error never-produced «trade_result>1»"},
		{"an output of the step before", "ability:trading.execute & current_price>1", "", ""},
		{"beside something that may fail to hold", "limit>1 & output:current_price|contains:x", "", "trade.yaml:3 warning? never-produced «limit>1»"},
		{"beside a frequency", "limit>1 & frequency>5/1h", "", "trade.yaml:3 warning? never-produced «limit>1»"},
		{"in an expression", "'ability:trading.get_price & when: args.amount > 3'", "", "trade.yaml:3 error never-produced «when: args.amount > 3»"},
		{"in an expression that tests it", "'ability:trading.get_price & when: has(args.amount) && args.amount > 3'", "", ""},
		{"in an expression, a later output", "'ability:trading.execute & when: outputs.trade_result == 3 ? true : false'", "", "trade.yaml:3 error never-produced «when: outputs.trade_result == 3 ? true : false»"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := trade(tt.condition, tt.more)
			found := only(lint.Run([]lint.File{f}).Findings, lint.NeverProducedID)
			if tt.want == "" {
				expect(t, found)
				return
			}
			expect(t, found, tt.want)
			if len(found) != 1 || !strings.Contains(tt.want, "error") {
				return
			}
			// What is proved can be seen: the witness makes the rule fire.
			if fired := firedBy(t, found[0].Witness, f); len(fired) != 1 {
				t.Errorf("at %s fire %v", found[0].Witness, fired)
			}
		})
	}
}

func TestNeverProduced_OperatorRuleForTheChain(t *testing.T) {
	policy := file("p.cbp", "CHAIN:trade\nB:ability:trading.get_price & amount>1|abort|id=early\n")
	c := trade("amount>1", "")
	f := one(t, lint.NeverProducedID, policy, c)
	expect(t, diag.List{f}, "p.cbp:2 error never-produced «amount>1»")
	if fired := firedBy(t, f.Witness, policy, c); !slices.Contains(fired, "early") {
		t.Errorf("at %s fire %v", f.Witness, fired)
	}
}

func TestNeverProduced_Templates(t *testing.T) {
	f := one(t, lint.NeverProducedID, file("a.yaml", `id: a
steps:
  - {id: tell, ability: notify.user, args: {text: ["so: {{ data }}"]}}
  - {id: fetch, ability: a.fetch, output_key: data}
`))
	expect(t, diag.List{f}, "a.yaml:3 error never-produced «{{ data }}»")
	if len(f.Related) != 1 || f.Related[0].Pos.Line != 4 {
		t.Errorf("related: %v", f.Related)
	}
}
