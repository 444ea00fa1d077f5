package chain_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
)

const overwritten = `id: trade
params: [{name: ticker, param_type: text, required: true}, {name: most, param_type: number, default: 100, max: 500}]
circuit_breakers: [{condition: "amount>{{most}}", action: abort}, {condition: "price>9", action: confirm}]
steps:
  - {id: fetch, ability: market.price, args: {symbol: "{{ticker}}"}, output_key: price}
  - {id: news, ability: news.search, args: {q: "{{ticker}}"}, output_key: found}
  - {id: buy, ability: market.buy, args: {symbol: "{{ticker}}", amount: 5}, condition: {ref_key: price, op: is_not_empty}}
`

// A chain that is written anew keeps what guards it.
func TestRewrite(t *testing.T) {
	c := parsed(t, overwritten)
	r, l := c.Rewrite(block(t, "NEW:trade\nP:ticker:str:NVDA\nS:llm.say:hello>said\nS:market.price:symbol=$ticker>price\nS:market.buy:symbol=$ticker amount=7\nS:notify.user:$said at $price\nB:price>5|warn"))
	if r == nil {
		t.Fatal(l)
	}
	var steps []string
	for _, s := range r.Steps {
		steps = append(steps, s.ID)
	}
	if got := strings.Join(steps, " "); got != "said fetch buy step4" || r.ID != "trade" || len(c.Steps) != 3 {
		t.Errorf("steps %s of %s", got, r.ID)
	}
	if r.Steps[2].Condition == nil || r.Steps[1].Added || !r.Steps[0].Added {
		t.Errorf("%+v", r.Steps)
	}
	if len(r.Rules) != 2 || ruleIDs(r.Block.Rules) != "price-gt-5" || r.Param("most") == nil || r.Param("most").Max == nil {
		t.Errorf("%+v", r)
	}
	if values, err := r.Start(nil, chain.Model); err != nil || values["ticker"].Text() != "NVDA" || values["most"].Text() != "100" {
		t.Errorf("%v, %v", values, err)
	}
}

func TestRewrite_Refuses(t *testing.T) {
	c := parsed(t, overwritten)
	const price, buy = "S:market.price:symbol=X>price\n", "S:market.buy:symbol=X amount=7\n"
	for _, tt := range []struct{ lines, want string }{
		{"NEW:other\n" + price + buy, "the block does not write chain trade"},
		{"PATCH:trade\nREMOVE_STEP:news", "the block does not write chain trade"},
		{"NEW:trade", "the chain has no steps"},
		{"NEW:trade\n" + price, "chain trade needs its step buy: it has a condition"},
		{"NEW:trade\n" + buy, "chain trade needs its step fetch: the condition of step buy reads price"},
		{"NEW:trade\n" + buy + price, "chain trade needs its step buy"},
		{"NEW:trade\n" + price + "S:market.buy:symbol=X sum=7", "chain trade needs its step buy"},
		{"NEW:trade\nS:llm.say:1>price\n" + buy, "price cannot be added to chain trade: the condition of step buy reads price"},
		{"NEW:trade\n" + price + buy + "S:llm.say:1>amount", "amount cannot be added to chain trade: rule amount-gt-most reads amount"},
		{"NEW:trade\nP:most:int:100000\n" + price + buy, "a second parameter most"},
		{"NEW:trade\nP:amount:int:1\n" + price + buy, "amount cannot be added to chain trade"},
		{"NEW:trade\nS:market.price:symbol=$ticker>price\n" + buy, "$ticker is no parameter"},
	} {
		r, l := c.Rewrite(block(t, tt.lines))
		if r != nil || !strings.Contains(l.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.lines, l, tt.want)
		}
	}
}
