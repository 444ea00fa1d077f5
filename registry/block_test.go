package registry_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

// block registers the rules of a block and returns its chain's id.
func block(t *testing.T, reg *registry.Registry, text string) string {
	t.Helper()
	raw, fault := dsl.ExtractBlock("model.txt", []byte(text))
	if fault != nil {
		t.Fatal(fault)
	}
	b, faults := dsl.ParseBlock(raw)
	if b == nil {
		t.Fatal(faults)
	}
	if err := reg.Register(registry.BlockRules(b, "s1")); err != nil {
		t.Fatal(err)
	}
	return b.ChainID()
}

func TestGrantsAreAnExactAllowList(t *testing.T) {
	var reg registry.Registry
	chain := block(t, &reg, "<nyaya>\nD:trading|medium\nG:ability:trading.execute\nG:trading.get_price\n"+
		"B:amount>1000|abort|\"limit\"|missing=skip\n</nyaya>")
	if chain != "nyaya/trading" {
		t.Fatal(chain)
	}
	for _, c := range []struct{ session, chain, ability, want string }{
		{"s1", chain, "trading.execute", ""},
		{"s1", chain, "trading.get_price", ""},
		{"s1", chain, "Trading.Execute", registry.NotGranted}, // a permission is narrow
		{"s1", chain, "trading.execute.all", registry.NotGranted},
		{"s1", chain, "email.send", registry.NotGranted},
		{"s2", chain, "email.send", ""}, // a block binds its own session only
		{"s1", "other", "email.send", ""},
	} {
		e := eval.New(eval.Options{Registry: &reg})
		v := e.Line(t.Context(), []byte(`{"chain":"`+c.chain+`","session":"`+c.session+`","ability":"`+c.ability+`"}`))
		got := ""
		if f := v.Blocking(); f != nil {
			got = f.Rule.ID
		}
		if got != c.want {
			t.Errorf("%v: stopped by %q", c, got)
		}
		if c.want != "" && !strings.Contains(v.Fired[0].Explain(), c.ability) {
			t.Errorf("%v: %s", c, v.Fired[0].Explain())
		}
	}
}

func TestOwnRulesOfABlockHold(t *testing.T) {
	var reg registry.Registry
	chain := block(t, &reg, "<nyaya>\nD:trading|medium\nB:amount>1000|abort|\"limit\"\n</nyaya>")
	e := eval.New(eval.Options{Registry: &reg})
	v := e.Line(t.Context(), []byte(`{"chain":"`+chain+`","session":"s1","ability":"x","args":{"amount":1001}}`))
	if v.Decision != registry.Abort || v.Fired[0].Rule.Scope.Origin != registry.Model {
		t.Errorf("got %v", v.Decision)
	}
}
