package registry_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
)

// final gives the verdict after a chain's last step.
func final(t *testing.T, reg *registry.Registry, st registry.Step, before map[string]bool) string {
	t.Helper()
	st.Now = start.UnixNano()
	var v registry.Verdict
	deciderOf(reg).Final(t.Context(), &st, before, &v)
	return brief(&v)
}

func TestFinal_WhatApplies(t *testing.T) {
	st := registry.Step{
		Chain: "trade", Outputs: values(t, `{"amount":5000,"log":"it failed"}`),
		Meters: meters{"task.tool_calls": 51, "worker.failures": 5, "tool.failures": 5},
	}
	for rule, want := range map[string]string{
		`amount>1000|abort|id=r`:                                    "abort r",
		`amount>1000|warn|id=r`:                                     "warn r",
		`output:log|contains:fail|abort|id=r`:                       "abort r",
		`!output:log|contains:fine|abort|id=r`:                      "abort r",
		`task.tool_calls>50|abort|id=r`:                             "abort r",
		`when:outputs.amount > 5 && task.tool_calls > 5|abort|id=r`: "abort r",
		`when:chain == "trade" && not has(outputs.x)|abort|id=r`:    "abort r",
		`amount>9999|abort|id=r`:                                    "allow",
		`amount>1000 & ability:*|abort|id=r`:                        "allow", // asks about a step
		`amount>1000 & !ability:pay.*|abort|id=r`:                   "allow",
		`amount>1000 & !arg:x|contains:y|abort|id=r`:                "allow",
		`amount>1000 & frequency>0/1h|abort|id=r`:                   "allow",
		`frequency:pay.*>0/1h|abort|id=r`:                           "allow",
		`worker.failures>=2|abort|id=r`:                             "allow",
		`tool.failures>=2|abort|id=r`:                               "allow",
		`when:ability == ""|abort|id=r`:                             "allow",
		`when:step == ""|abort|id=r`:                                "allow",
		`when:not has(args.x)|abort|id=r`:                           "allow",
		`when:worker.failures > 1|abort|id=r`:                       "allow",
		`price>5|abort|id=r`:                                        "allow", // nobody is left who could bind it
		`price>5|abort|missing=fire,id=r`:                           "allow",
		`!output:price|contains:5|abort|id=r`:                       "allow",
		`output:price|contains:5|abort|id=r`:                        "allow",
		`when:outputs.price > 5|abort|id=r`:                         "allow",
		`when:outputs.log > 5|abort|id=r`:                           "abort r",
		`log>5|abort|id=r`:                                          "abort r",
	} {
		if got := final(t, load(t, "B:"+rule), st, nil); got != want {
			t.Errorf("%s: got %s, want %s", rule, got, want)
		}
	}
}

func TestFinal_FiresOnceUnlessItAborts(t *testing.T) {
	reg := load(t, "B:amount>1|warn|id=w\nB:amount>1|confirm|id=c\nB:amount>1|abort|id=a")
	before := map[string]bool{}
	for r := range reg.Set().Rules() {
		before[r.Key()] = true
	}
	st := registry.Step{Chain: "trade", Outputs: values(t, `{"amount":5}`)}
	if got := final(t, reg, st, before); got != "abort a" {
		t.Errorf("all held before: %s", got)
	}
	if got := final(t, reg, st, nil); got != "abort w c a" {
		t.Errorf("none held before: %s", got)
	}
}

func TestFinal_Scopes(t *testing.T) {
	reg := load(t, "B:amount>1|abort|id=all\nCHAIN:tr*\nB:amount>1|abort|id=glob\nCHAIN:ops\nB:amount>1|abort|id=ops")
	if err := reg.Register(registry.Ruleset{Scope: modelTrade, Rules: defs(t, `amount>1|abort|id=model`)}); err != nil {
		t.Fatal(err)
	}
	out := values(t, `{"amount":5}`)
	for _, c := range []struct {
		st   registry.Step
		want string
	}{
		{registry.Step{Chain: "trade"}, "abort all glob"},
		{registry.Step{Chain: "ops"}, "abort all ops"},
		{registry.Step{Chain: "nyaya/trade", Session: "s"}, "abort all model"},
		{registry.Step{Chain: "nyaya/trade", Session: "t"}, "abort all"},
		{registry.Step{}, "abort all"},
	} {
		c.st.Outputs = out
		if got := final(t, reg, c.st, nil); got != c.want {
			t.Errorf("chain %q, session %q: got %s, want %s", c.st.Chain, c.st.Session, got, c.want)
		}
	}
}
