package chain_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// mustParse reads a chain that has no fault.
func mustParse(t testing.TB, text string) *chain.Chain {
	t.Helper()
	c, l := chain.Parse("c.yaml", []byte(text))
	if c == nil || len(l) > 0 {
		t.Fatalf("refused:\n%v", l)
	}
	return c
}

// file reads a chain from testdata.
func file(t testing.TB, name string) *chain.Chain {
	t.Helper()
	path := filepath.Join("testdata", name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, l := chain.Parse(path, data)
	if c == nil || len(l) > 0 {
		t.Fatalf("refused:\n%v", l)
	}
	return c
}

func at(line, column int) diag.Position { return diag.Position{Line: line, Column: column} }

func TestDocumentedChain(t *testing.T) {
	c := file(t, "price_alert_trade.yaml")
	if c.ID != "price_alert_trade" || c.Name != "Price Alert with Auto-Trade" || len(c.Params) != 2 || len(c.Rules) != 3 || len(c.Steps) != 2 {
		t.Fatalf("read as %+v", c)
	}
	if p := c.Params[1]; p.Name != "max_spend" || p.Type != chain.NumberType || !p.Required || p.Pos != at(10, 5) {
		t.Errorf("parameter %+v", p)
	}
	rule := c.Rules[0]
	threshold, ok := rule.Condition[0].(*dsl.Threshold)
	if !ok || threshold.Value.Param != "max_spend" || threshold.Key != "amount" {
		t.Errorf("the limit is no reference: %v", rule.Condition[0])
	}
	if rule.Pos != at(16, 17) || threshold.At.Start != at(16, 17) || rule.Rule.Pos.End != at(16, 38) {
		t.Errorf("rule at %v, atom at %v, end %v", rule.Pos, threshold.At, rule.Rule.Pos.End)
	}
	if rule.Reason != "Trade amount exceeds maximum spend of ${{max_spend}}" {
		t.Errorf("reason %q", rule.Reason)
	}
	if got := []dsl.ActionKind{c.Rules[0].Action.Kind, c.Rules[1].Action.Kind, c.Rules[2].Action.Kind}; !slices.Equal(got, []dsl.ActionKind{dsl.Abort, dsl.Throttle, dsl.Confirm}) {
		t.Errorf("actions %v", got)
	}
	execute := c.Steps[1]
	if execute.ID != "execute_trade" || execute.Ability != "trading.execute" || execute.OutputKey != "trade_result" || execute.Pos != at(33, 5) || execute.AbilityPos != at(34, 14) {
		t.Errorf("step %+v", execute)
	}
	if a := execute.Args[1]; a.Name != "amount" || a.Pos != at(37, 7) || !slices.Equal(a.Value.Refs(), []chain.Ref{{Key: "max_spend", Pos: at(37, 16)}}) {
		t.Errorf("argument %+v", a)
	}
	if cond := execute.Condition; cond.RefKey != "current_price" || cond.Op != chain.OpLessThan || !slices.Equal(cond.Value.Keys(), []dsl.Key{"buy_threshold"}) {
		t.Errorf("condition %+v", cond)
	}
}

func TestEveryFieldIsRead(t *testing.T) {
	c := file(t, "refund.yaml")
	limit := c.Params[1]
	if limit.Default.Text() != "250.00" || limit.Min.String() != "0" || limit.Max.String() != "1000" {
		t.Errorf("parameter %+v", limit)
	}
	if p := c.Params[2]; p.Default != nil || p.Required {
		t.Errorf("a default of null is a default: %+v", p)
	}
	if p := c.Params[3]; len(p.Enum) != 2 || p.Enum[1].Text() != "voucher" {
		t.Errorf("enum %+v", p.Enum)
	}
	var ids []string
	for _, r := range c.Rules {
		ids = append(ids, r.ID())
	}
	if ids[0] != "large-refund" || len(ids) != 3 {
		t.Errorf("rules %v", ids)
	}
	if o := c.Rules[1].Options; o.Mode != dsl.Observe || o.Missing != dsl.MissingWait {
		t.Errorf("options %+v", o)
	}
	if o := c.Rules[2].Options; o.Mode != dsl.Enforce || o.Missing != dsl.MissingSkip {
		t.Errorf("options %+v", o)
	}
	if m := c.Rules[2].Condition[0].(*dsl.Match); m.Pattern != "chargeback" || m.At.Start != at(22, 17) {
		t.Errorf("match %+v", m)
	}
	if f := c.Rules[1].Condition[0]; f.Span().Start != at(19, 7) {
		t.Errorf("the rule in a block stands at %v", f.Span().Start)
	}
	if c.Rules[0].Action.Limit.N != 10 {
		t.Errorf("action %+v", c.Rules[0].Action)
	}
	if c.Steps[1].OnFailure != "voucher" || c.Steps[2].OnFailure != "" {
		t.Errorf("on_failure %q, %q", c.Steps[1].OnFailure, c.Steps[2].OnFailure)
	}
}

func TestAllFaultsAreReported(t *testing.T) {
	_, l := chain.Parse("c.yaml", []byte(`id: a b
colour: red
params: [{name: p, param_type: x}]
circuit_breakers:
  - {condition: "amount>>5", action: abort}
  - {condition: amount>5, action: stop}
steps:
  - {id: a, ability: "", on_failure: z}
  - {id: a, ability: x}
`))
	var lines []int
	for _, f := range l {
		lines = append(lines, f.Pos.Line)
	}
	if want := []int{1, 2, 3, 5, 6, 8, 8, 9}; !slices.Equal(lines, want) {
		t.Errorf("findings in lines %v, want %v:\n%v", lines, want, l)
	}
}

func TestSecondPlacesAreNamed(t *testing.T) {
	for in, want := range map[string]diag.Position{
		head + "circuit_breakers:\n  - {condition: a>5, action: abort}\n  - {condition: a>5, action: warn}": at(5, 17),
		"id: c\nsteps:\n  - {id: a, ability: x}\n  - {id: a, ability: y}":                                   at(3, 5),
		head + "params: [{name: p}, {name: p}]":                                                             at(4, 10),
	} {
		_, l := chain.Parse("c.yaml", []byte(in))
		if len(l) != 1 || len(l[0].Related) != 1 || l[0].Related[0].Pos != want || l[0].Related[0].File != "c.yaml" {
			t.Errorf("%s: %+v", in, l)
		}
	}
}

// A chain never runs with fewer rules than were written.
func TestFault25_BadRuleRefusesTheChain(t *testing.T) {
	good := "  - {condition: amount>5, action: abort}\n"
	mustParse(t, head+"circuit_breakers:\n"+good)
	for _, bad := range []string{
		"  - {condition: amount>five, action: abort}\n", "  - {condition: amount>5, action: stop}\n", "  - {condition: 'a>5|abort', action: warn}\n",
		"  - {condition: frequency>3, action: abort}\n", "  - ~\n", "  - {}\n",
	} {
		if c, l := chain.Parse("c.yaml", []byte(head+"circuit_breakers:\n"+good+bad)); c != nil || l.Err() == nil {
			t.Errorf("the chain is read without %s", bad)
		}
	}
}

func TestFault27_RulesOfAChainAreRead(t *testing.T) {
	c := mustParse(t, head+"circuit_breakers:\n  - {condition: amount>5, action: abort, reason: \"a|b \\\"c\\\"\"}\n")
	if len(c.Rules) != 1 || c.Rules[0].Reason != `a|b "c"` {
		t.Errorf("rules %+v", c.Rules)
	}
}

// An escaped condition has no columns of its own: everything stands where it begins.
func TestEscapedConditionKeepsItsPlace(t *testing.T) {
	c := mustParse(t, head+`circuit_breakers: [{condition: "output:a|contains:\"b\" & x>1", action: warn}]`)
	for _, atom := range c.Rules[0].Condition {
		if atom.Span().Start != at(4, 32) {
			t.Errorf("%s stands at %v", atom, atom.Span())
		}
	}
	_, l := chain.Parse("c.yaml", []byte(head+`circuit_breakers: [{condition: "output:a|contains:\"b\" & x>>1", action: warn}]`))
	if len(l) != 1 || l[0].Pos != at(4, 32) || l[0].End != at(0, 0) {
		t.Errorf("%+v", l)
	}
}

func TestJSONIsRead(t *testing.T) {
	c, l := chain.Parse("c.json", []byte(`{"id":"c","steps":[{"id":"a","ability":"x","args":{"n":1.50,"s":"\ud83d\ude00"}}]}`))
	if c == nil {
		t.Fatal(l)
	}
	v, err := c.Steps[0].Args[1].Value.Render(nil)
	if err != nil || v.Text() != "😀" {
		t.Errorf("%v, %v", v, err)
	}
	if v, _ := c.Steps[0].Args[0].Value.Render(nil); v.Text() != "1.50" {
		t.Errorf("the number became %s", v.Text())
	}
}

// The older field was documented and read by nobody; here it sets up a breaker.
func TestFault29_OlderBreakerFieldIsRead(t *testing.T) {
	c, l := chain.Parse("c.yaml", []byte(head+"circuit_breaker:\n  failure_threshold: 3\n  reset_timeout_secs: 300\n  half_open_max: 1\n"))
	if c == nil || c.Breaker == nil || c.Breaker.FailureThreshold != 3 || c.Breaker.ResetTimeout != 5*time.Minute {
		t.Errorf("%v, %v", c, l)
	}
}
