package chain_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
)

func parsed(t *testing.T, text string) *chain.Chain {
	t.Helper()
	c, l := chain.Parse("c.yaml", []byte(text))
	if c == nil {
		t.Fatal(l)
	}
	return c
}

func ruleIDs(rules []*dsl.Rule) string {
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.ID())
	}
	return strings.Join(ids, " ")
}

// guarded reads names that nobody in it declares: only a host may supply them.
const guarded = `id: pay
circuit_breakers:
  - {condition: "amount>{{limit}}", action: abort}
  - {condition: "!output:approved|equals:yes & ability:pay.*", action: abort, id: approval}
  - {condition: "when:has(params.vip) && params.vip == 'no'", action: abort, id: vip}
steps:
  - {id: check, ability: bank.check, args: {account: "{{account}}"}, on_failure: continue}
  - {id: send, ability: pay.send, args: {amount: 5}, condition: {ref_key: cleared, op: is_not_empty}}
  - {id: note, ability: log.write}
`

// A rule over a class of arguments reads every name of that class.
func TestPatch_ShadowsNoNameOfAClass(t *testing.T) {
	c := parsed(t, `id: pay
circuit_breakers:
  - {condition: "ability:pay.* & !arg:@destinations|in:user", action: confirm, id: where}
steps:
  - {id: send, ability: pay.send, args: {amount: 5}}
`)
	if _, l := c.Patch(block(t, "PATCH:pay\nADD_PARAM:payee_email:str:eve")); !strings.Contains(l.Error(), "rule where reads @destinations") {
		t.Error(l)
	}
	if _, l := c.Patch(block(t, "PATCH:pay\nADD_PARAM:note:str:hello")); l.Err() != nil {
		t.Error(l)
	}
}

// What a patch adds never stands for a name that the chain reads from elsewhere.
func TestPatch_ShadowsNoName(t *testing.T) {
	c := parsed(t, guarded)
	for _, tt := range []struct{ line, want string }{
		{"ADD_PARAM:limit:int:1000000", "rule amount-gt-limit reads limit"},
		{"ADD_PARAM:amount:int:0", "rule amount-gt-limit reads amount"},
		{"ADD_PARAM:account:str:mine", "step check reads account"},
		{"ADD_PARAM:cleared:str:yes", "the condition of step send reads cleared"},
		{"ADD_PARAM:vip:str:yes", "rule vip"},
		{"ADD_STEP:before:send|approved|llm.say|yes", "rule approval reads approved"},
		{"ADD_STEP:before:send|ask|llm.say|yes>approved", "rule approval reads approved"},
		{"ADD_STEP:before:send|ask|llm.say|yes>cleared", "the condition of step send reads cleared"},
		{"ADD_STEP:before:check|ask|llm.say|mine>account", "step check reads account"},
		{"ADD_STEP:after:check|continue|llm.say|x", `"continue" says what follows a failure`},
		{"ADD_STEP:after:check|abort|llm.say|x", `"abort" says what follows a failure`},
	} {
		p, l := c.Patch(block(t, "PATCH:pay\n"+tt.line))
		if p != nil || !strings.Contains(l.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.line, l, tt.want)
		}
	}
	// What the host supplies to the chain it may supply to the copy.
	p, l := c.Patch(block(t, "PATCH:pay\nADD_STEP:after:note|again|log.write|done"))
	if p == nil {
		t.Fatal(l)
	}
	given := map[string]chain.Value{"account": chain.Text("a"), "cleared": chain.Text("y"), "limit": chain.Text("10")}
	if _, err := p.Start(given, chain.Host); err != nil {
		t.Error(err)
	}
	if _, err := p.Start(given, chain.Model); err == nil {
		t.Error("a model sets a limit without bounds")
	}
}

// A patch of what a model wrote keeps the rules and the grants of that.
func TestPatch_OfAModelsChain(t *testing.T) {
	c, l := chain.FromBlock(block(t, "NEW:x\nD:money|high\nG:a.b,c.d\nB:n>5|abort|\"five\"\nS:a.b:n=1>out\nS:c.d:$out!confirm"))
	if c == nil {
		t.Fatal(l)
	}
	p, l := c.Patch(block(t, "PATCH:x\nG:a.b\nB:n>5|abort|\"five\"\nB:n>3|confirm\nADD_STEP:after:out|more|a.b|$out!confirm"))
	if p == nil {
		t.Fatal(l)
	}
	if got := ruleIDs(p.Block.Rules); got != "n-gt-5 confirm-c-d n-gt-3 confirm-a-b" {
		t.Errorf("rules %s", got)
	}
	if len(p.Block.Grants) != 1 || p.Block.Risk != dsl.RiskHigh {
		t.Errorf("grants %v, risk %s", p.Block.Grants, p.Block.Risk)
	}
	if got := ruleIDs(c.Block.Rules); got != "n-gt-5 confirm-c-d" || len(c.Block.Grants) != 2 {
		t.Errorf("the chain itself was changed: %s, %v", got, c.Block.Grants)
	}
	if q, _ := p.Patch(block(t, "PATCH:x\nREMOVE_STEP:more")); q == nil || len(q.Block.Grants) != 1 || len(q.Block.Rules) != 4 {
		t.Errorf("a patch of a patch: %+v", q)
	}
	for _, tt := range []struct{ lines, want string }{
		{"G:a.b,e.f", "m.txt:3:7: the chain is not granted e.f"},
		{"B:n>5|warn", `a second rule "n-gt-5"`},
		{"REMOVE_STEP:out", "step step2 reads out"},
	} {
		if p, l := c.Patch(block(t, "PATCH:x\n"+tt.lines)); p != nil || !strings.Contains(l.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.lines, l, tt.want)
		}
	}
}

// No rule that a block asks for is lost to another of the same name.
func TestBlockRulesKeepTheirNames(t *testing.T) {
	c, l := chain.FromBlock(block(t, "NEW:x\nB:n>5|warn|id=confirm-a-b\nS:a.b:n=1!confirm\nS:a.b:n=2!confirm"))
	if c == nil {
		t.Fatal(l)
	}
	if got := ruleIDs(c.Block.Rules); got != "confirm-a-b confirm-a-b-2" || c.Block.Rules[1].Action.Kind != dsl.Confirm {
		t.Errorf("rules %s", got)
	}
	for _, tt := range []struct{ lines, want string }{
		{"B:n>{{max}}|abort", "m.txt:3:3: rule n-gt-max compares with {{max}}, which is no parameter"},
		{"P:max:str:many\nB:n>{{max}}|abort", "m.txt:4:3: rule n-gt-max compares with {{max}}, which is no number"},
	} {
		c, l := chain.FromBlock(block(t, "NEW:x\n"+tt.lines+"\nS:a.b:n=1"))
		if c != nil || !strings.Contains(l.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.lines, l, tt.want)
		}
	}
}

// A block that runs a known chain brings its rules along.
func TestPatch_OfARun(t *testing.T) {
	c := parsed(t, base)
	b := block(t, "C:sentiment|@musk\nG:x.search\nB:score>3|confirm")
	p, l := c.Patch(b)
	if p == nil {
		t.Fatal(l)
	}
	if p.ID != c.ID || ruleIDs(p.Block.Rules) != "score-gt-3" || len(p.Block.Grants) != 1 || len(p.Steps) != len(c.Steps) {
		t.Errorf("%+v", p)
	}
	if _, l := c.Call(block(t, "C:other|x")); !strings.Contains(l.Error(), "the block does not run chain sentiment") {
		t.Errorf("of another chain: %v", l)
	}
	if _, l := c.Call(block(t, "NOCACHE")); len(l) == 0 {
		t.Error("a block that runs nothing gives parameters")
	}
}
