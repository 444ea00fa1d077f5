package registry_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
)

// TestKeyTable goes through the table of the language's reference: what a
// threshold does with a key, for each way to treat one that is missing.
func TestKeyTable(t *testing.T) {
	type answers struct{ wait, fire, skip bool }
	always, never := answers{true, true, true}, answers{}
	rows := []struct {
		name string
		args string
		d    registry.Declared
		want answers
	}{
		{"a number over the limit", `{"amount":1500}`, registry.Pending, always},
		{"a number within", `{"amount":500}`, registry.Undeclared, never},
		{"text that is no number", `{"amount":"$1,200"}`, registry.Pending, always},
		{"NaN", `{"amount":"NaN"}`, registry.Judged, always},
		{"an exponent out of range", `{"amount":"1e999999999"}`, registry.Judged, always},
		{"empty text", `{"amount":""}`, registry.Judged, always},
		{"null", `{"amount":null}`, registry.Judged, always},
		{"true", `{"amount":true}`, registry.Judged, always},
		{"an object", `{"amount":{}}`, registry.Judged, always},
		{"undeclared", `{}`, registry.Undeclared, answers{true, true, false}},
		{"a step to come declares it", `{}`, registry.Pending, answers{false, true, false}},
		{"judged where it was an argument, or skipped", `{}`, registry.Judged, answers{false, true, false}},
		{"declared as output and not produced", `{}`, registry.NotProduced, answers{true, true, false}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			for missing, want := range map[string]bool{"wait": row.want.wait, "fire": row.want.fire, "skip": row.want.skip} {
				d := deciderOf(load(t, "B:amount>1000|abort|id=r,missing="+missing))
				got := judge(t, d, registry.Step{Args: values(t, row.args), Declared: declared(row.d)})
				if (got == "abort r") != want || !want && got != "allow" {
					t.Errorf("missing=%s: got %s, want it to hold: %v", missing, got, want)
				}
			}
		})
	}
}

func TestKeyTable_NothingIsDeclaredOutsideAChain(t *testing.T) {
	d := deciderOf(load(t, "B:amount>1000|abort|id=r\nB:amount>2000|abort|id=s,missing=skip"))
	if got := judge(t, d, registry.Step{}); got != "abort r" {
		t.Errorf("got %s", got)
	}
}

func TestKeyTable_PositiveAbilityTreatsWaitAsFire(t *testing.T) {
	cases := []struct{ rule, ability, want string }{
		{`amount>1000 & ability:pay.*|abort|id=r`, "pay.send", "abort r"},
		{`amount>1000 & ability:pay.*|abort|id=r`, "mail.send", "allow"},
		{`amount>1000 & !ability:mail.*|abort|id=r`, "pay.send", "allow"},
		{`amount>1000 & ability:pay.* & !ability:pay.refund|abort|id=r`, "pay.send", "abort r"},
		{`amount>1000 & ability:pay.*|abort|id=r,missing=skip`, "pay.send", "allow"},
	}
	for _, c := range cases {
		d := deciderOf(load(t, "B:"+c.rule))
		if got := judge(t, d, registry.Step{Ability: c.ability, Declared: declared(registry.Pending)}); got != c.want {
			t.Errorf("%s, step %s: got %s, want %s", c.rule, c.ability, got, c.want)
		}
	}
	judged := registry.Step{Declared: declared(registry.Judged)}
	if got := judge(t, deciderOf(load(t, `B:amount>1000 & ability:pay.*|abort`)), judged); got != "allow" {
		t.Errorf("a key that was judged is no key that waits: %s", got)
	}
}

func TestKeyTable_ModelDeclarationsKeepOnlyModelRulesWaiting(t *testing.T) {
	reg := load(t, `B:amount>1000|abort|id=operator`)
	if err := reg.Register(registry.Ruleset{Scope: modelTrade, Rules: defs(t, `amount>10|abort|id=model`)}); err != nil {
		t.Fatal(err)
	}
	d := deciderOf(reg)
	for _, c := range []struct {
		d    registry.Declared
		want string
	}{
		{registry.Pending, "abort operator"},
		{registry.Judged, "allow"},
		{registry.NotProduced, "abort operator model"},
		{registry.Undeclared, "abort operator model"},
	} {
		if got := judge(t, d, registry.Step{Chain: "nyaya/trade", Session: "s", Declared: declared(c.d)}); got != c.want {
			t.Errorf("declared %d: got %s, want %s", c.d, got, c.want)
		}
	}
}

func TestKeyTable_EveryBindingIsCompared(t *testing.T) {
	d := deciderOf(load(t, `B:amount>1000|abort|id=r`))
	five, much := values(t, `{"amount":5}`), values(t, `{"amount":"2000"}`)
	for name, st := range map[string]registry.Step{
		"arguments": {Args: much, Outputs: five, Params: five},
		"outputs":   {Args: five, Outputs: much, Params: five},
		"params":    {Args: five, Outputs: five, Params: much},
	} {
		if got := judge(t, d, st); got != "abort r" {
			t.Errorf("over the limit in %s: %s", name, got)
		}
	}
	if got := judge(t, d, registry.Step{Args: five, Outputs: five, Params: five}); got != "allow" {
		t.Errorf("all within: %s", got)
	}
}

func TestThreshold_LimitFromAParameter(t *testing.T) {
	d := deciderOf(load(t, `B:amount>{{max}}|abort|id=r`))
	for params, want := range map[string]string{
		`{"max":1000}`: "allow", `{"max":"499"}`: "abort r", `{}`: "abort r", `{"max":"NaN"}`: "abort r", `{"max":[1000]}`: "abort r",
	} {
		if got := judge(t, d, registry.Step{Args: values(t, `{"amount":500}`), Params: values(t, params)}); got != want {
			t.Errorf("params %s: got %s, want %s", params, got, want)
		}
	}
}

func TestMeters_UnboundWithoutASession(t *testing.T) {
	d := deciderOf(load(t, `B:task.tool_calls>50|abort|id=r`))
	for name, c := range map[string]struct {
		m    registry.Meters
		want string
	}{
		"no session": {nil, "abort r"}, "50": {meters{"task.tool_calls": 50}, "allow"}, "51": {meters{"task.tool_calls": 51}, "abort r"},
	} {
		args := values(t, `{"task":{"tool_calls":1},"task.tool_calls":1}`) // arguments are no meters
		if got := judge(t, d, registry.Step{Meters: c.m, Args: args}); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
