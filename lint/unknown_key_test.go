package lint_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

func TestUnknownKey_OwnRules(t *testing.T) {
	tests := []struct {
		condition string
		want      string // "": nothing
		hint      string
	}{
		{"amount>1", "", ""},
		{"current_price>1", "", ""},
		{"fetch_price.output>1", "", ""},
		{"current_price.eur.low>1", "", ""},
		{"max_spend>1", "", ""},
		{"task.tool_calls>1", "", ""},
		{"arg:amount|contains:x", "", ""},
		{"arg:*|contains:x", "", ""},
		{"arg:@destinations|contains:x", "", ""},
		{"output:current_*|contains:x", "", ""},
		{"frequency>5/1h", "", ""},
		{"amuont>1", "trade.yaml:3 error unknown-key «amuont»", "did you mean amount?"},
		{"ability:trading.execute & amuont>1", "trade.yaml:3 error unknown-key «amuont»", "did you mean amount?"},
		{"fetch_price_error>1", "trade.yaml:3 error unknown-key «fetch_price_error»", "there are amount, current_price, execute_trade.output, fetch_price.output, max_spend, symbol, ticker, trade_result"},
		{"arg:amuont|contains:x", "trade.yaml:3 error unknown-key «amuont»", "did you mean amount?"},
		{"'!arg:current_price|in:user'", "trade.yaml:3 error unknown-key «current_price»", "there are amount, symbol"},
		{"output:amount|contains:x", "trade.yaml:3 error unknown-key «amount»", "there are current_price, execute_trade.output, fetch_price.output, trade_result"},
		{"'when: has(args.amuont) && args.amount > 3'", "trade.yaml:3 error unknown-key «amuont»", "did you mean amount?"},
	}
	for _, tt := range tests {
		t.Run(tt.condition, func(t *testing.T) {
			found := only(lint.Run([]lint.File{trade(tt.condition, "")}).Findings, lint.UnknownKeyID)
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

func TestUnknownKey_OperatorRules(t *testing.T) {
	other := file("other.yaml", "id: other\nsteps:\n  - {id: mail, ability: email.send, args: {to: x}, output_key: sent}\n")
	tests := []struct{ name, policy, want string }{
		{"known to one of the chains", "B:amount>1|abort\nB:to_address>1|abort|missing=skip\nB:arg:to|contains:x|abort\n", ""},
		{"known to none", "B:amuont>1|abort\n", "p.cbp:1 warning? unknown-key «amuont»"},
		{"a match", "B:output:sennt|contains:x|abort\n", "p.cbp:1 warning? unknown-key «sennt»"},
		{"not known to the chains that have the ability", "B:ability:email.* & amount>1|abort\n", "p.cbp:1 warning? unknown-key «amount»"},
		{"for abilities that none has", "B:ability:bank.pay & sum>1|abort\n", ""},
		{"for chains that are not there", "CHAIN:bank.*\nB:sum>1|abort\n", ""},
		{"for one chain", "CHAIN:other\nB:amount>1|abort\n", "p.cbp:2 warning unknown-key «amount»"},
		{"a meter", "B:session.tool_calls>1|abort\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := only(lint.Run([]lint.File{file("p.cbp", tt.policy), trade("amount>1", ""), other}).Findings, lint.UnknownKeyID)
			if tt.want == "" {
				expect(t, found)
			} else {
				expect(t, found, tt.want)
			}
		})
	}
	t.Run("with a chain that cannot be read", func(t *testing.T) {
		found := lint.Run([]lint.File{file("p.cbp", "B:amuont>1|abort\n"), trade("amount>1", ""), file("x.yaml", "id: x\n")}).Findings
		expect(t, only(found, lint.UnknownKeyID))
	})
	t.Run("without chains", func(t *testing.T) {
		expect(t, lint.Run([]lint.File{file("p.cbp", "B:amuont>1|abort\n")}).Findings)
	})
}
