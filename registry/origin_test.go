package registry_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

var (
	operatorAll = registry.Scope{Origin: registry.Operator}
	chainTrade  = registry.Scope{Origin: registry.Chain, Pattern: "trade"}
	modelTrade  = registry.Scope{Origin: registry.Model, Pattern: "nyaya/trade", Session: "s"}
)

func TestScope_WhoMayApplyWhere(t *testing.T) {
	cases := []struct {
		name  string
		scope registry.Scope
		want  string // a part of the error; "": allowed
	}{
		{"operator, every chain", operatorAll, ""},
		{"operator, a pattern", registry.Scope{Pattern: "nyaya/*"}, ""},
		{"operator, a model-written chain", registry.Scope{Pattern: "nyaya/trade"}, ""},
		{"operator, one session", registry.Scope{Pattern: "*", Session: "s"}, "not confined to a session"},
		{"built in, every chain", registry.Scope{Origin: registry.Builtin}, ""},
		{"chain, itself", chainTrade, ""},
		{"chain, every chain", registry.Scope{Origin: registry.Chain}, "belong to that chain alone"},
		{"chain, a pattern", registry.Scope{Origin: registry.Chain, Pattern: "tr*"}, "belong to that chain alone"},
		{"chain, a model-written one", registry.Scope{Origin: registry.Chain, Pattern: "nyaya/x"}, "belong to that chain alone"},
		{"model, its chain in its session", modelTrade, ""},
		{"model, no session", registry.Scope{Origin: registry.Model, Pattern: "nyaya/trade"}, "of one session"},
		{"model, every chain", registry.Scope{Origin: registry.Model, Session: "s"}, "model-written rules belong"},
		{"model, all model-written chains", registry.Scope{Origin: registry.Model, Pattern: "nyaya/*", Session: "s"}, "model-written rules belong"},
		{"an origin that does not exist", registry.Scope{Origin: 99}, "no such origin"},
		{"a negative origin", registry.Scope{Origin: -1}, "no such origin"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := new(registry.Registry).Register(registry.Ruleset{Scope: c.scope, Rules: defs(t, `amount>5|abort`)})
			wantError(t, err, c.want)
		})
	}
}

func TestTrust_WhatARuleMaySay(t *testing.T) {
	cases := []struct {
		name  string
		scope registry.Scope
		rule  string
		want  string
	}{
		{"operator, on_store_error", operatorAll, `frequency>5/1h|abort|on_store_error=allow`, ""},
		{"chain, on_store_error", chainTrade, `frequency>5/1h|abort|on_store_error=allow`, "operator rules only"},
		{"model, on_store_error", modelTrade, `frequency>5/1h|abort|on_store_error=deny`, "operator rules only"},
		{"chain, a store-wide counter", chainTrade, `frequency@all>5/1h|abort`, ""},
		{"model, its own counter", modelTrade, `frequency>5/1h|abort`, ""},
		{"model, a store-wide counter", modelTrade, `frequency@all>5/1h|abort`, "no wider scope"},
		{"model, a session's counter", modelTrade, `frequency:pay.*@session>5/1h|abort`, "no wider scope"},
		{"model, observing itself", modelTrade, `amount>5|abort|mode=observe`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := new(registry.Registry).Register(registry.Ruleset{Scope: c.scope, Rules: defs(t, c.rule)})
			wantError(t, err, c.want)
		})
	}
}

func TestTrust_ModelRulesTouchNothingElse(t *testing.T) {
	reg := load(t, `B:amount>1000|abort|id=limit`)
	err := reg.Register(registry.Ruleset{Scope: modelTrade, Rules: defs(t,
		`amount>1000000|warn|id=limit,mode=observe`, `ability:*|abort|id=own`)})
	if err != nil {
		t.Fatal(err)
	}
	d := deciderOf(reg)
	big := values(t, `{"amount":5000}`)
	for _, c := range []struct {
		name string
		st   registry.Step
		want string
	}{
		{"its own chain and session", registry.Step{Chain: "nyaya/trade", Session: "s", Args: big}, "abort limit own"},
		{"another session", registry.Step{Chain: "nyaya/trade", Session: "t", Args: big}, "abort limit"},
		{"another chain", registry.Step{Chain: "nyaya/other", Session: "s", Args: big}, "abort limit"},
		{"an operator's chain", registry.Step{Chain: "trade", Session: "s", Args: big}, "abort limit"},
	} {
		if got := judge(t, d, c.st); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestRegister_RefusesWhatHoldsAlways(t *testing.T) {
	def := registry.RuleDef{Rule: &dsl.Rule{Action: dsl.Action{Kind: dsl.Abort}}}
	err := new(registry.Registry).Register(registry.Ruleset{Scope: operatorAll, Rules: []registry.RuleDef{def}})
	wantError(t, err, "without a condition")
}

func TestDuplicateID(t *testing.T) {
	reg := new(registry.Registry)
	err := reg.Register(registry.Ruleset{Scope: operatorAll, Rules: defs(t, `amount>5|abort`, `price>5|abort|id=amount-gt-5`)})
	wantError(t, err, `rule "amount-gt-5" is there twice`)
	var list diag.List
	if !errors.As(err, &list) || list[0].ID != "duplicate-rule" || list[0].Pos.Line != 2 || list[0].Related[0].Pos.Line != 1 {
		t.Errorf("got %+v, want a duplicate-rule on line 2 that points at line 1", list)
	}
	same := []registry.Ruleset{
		{Scope: operatorAll, Rules: defs(t, `amount>5|abort`)},
		{Scope: registry.Scope{Pattern: "trade"}, Rules: defs(t, `amount>5|abort`)},
		{Scope: chainTrade, Rules: defs(t, `amount>5|abort`)},
		{Scope: registry.Scope{Origin: registry.Builtin}, Rules: defs(t, `amount>5|abort`)},
	}
	if err := reg.Register(same...); err != nil {
		t.Errorf("equal ids in different scopes: %v", err)
	}
	wantError(t, reg.Register(same[0]), "twice")
}

// wantError checks for a part of an error's text; "" wants no error.
func wantError(t testing.TB, err error, part string) {
	t.Helper()
	switch {
	case part == "" && err != nil:
		t.Errorf("got error %v, want none", err)
	case part != "" && (err == nil || !strings.Contains(err.Error(), part)):
		t.Errorf("got error %v, want one with %q", err, part)
	}
}
