package chain_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
)

// problems starts a chain and returns what stands in the way, a line each.
func problems(t *testing.T, c *chain.Chain, params string, from chain.Source) string {
	t.Helper()
	got, err := c.Start(values(t, params), from)
	if err == nil {
		return ""
	}
	var start *chain.StartError
	if !errors.As(err, &start) || len(start.Problems) == 0 || got != nil || start.Chain != c.ID {
		t.Fatalf("the error is %#v", err)
	}
	var lines []string
	for _, p := range start.Problems {
		lines = append(lines, p.Message)
	}
	return strings.Join(lines, "\n")
}

func TestStartOfTheDocumentedChain(t *testing.T) {
	c := file(t, "price_alert_trade.yaml")
	for params, want := range map[string]string{
		`{"ticker":"AAPL","max_spend":"500","buy_threshold":180}`:           ``,
		`{"ticker":"AAPL","max_spend":500}`:                                 `step "execute_trade" uses {{buy_threshold}}, which is no parameter and no output of a step before it`,
		`{"max_spend":500,"buy_threshold":1}`:                               `parameter "ticker" is required`,
		`{"ticker":"AAPL","max_spend":500,"buy_threshold":1,"max_spent":2}`: `parameter "max_spent" is not declared, and nothing in the chain uses it; did you mean max_spend?`,
		`{"ticker":["AAPL"],"max_spend":500,"buy_threshold":1}`:             `parameter "ticker": a list is not a text`,
	} {
		if got := problems(t, c, params, chain.Host); got != want {
			t.Errorf("%s: %s, want %s", params, got, want)
		}
	}
}

// A limit is one number or the chain does not start: no text becomes a rule.
func TestLimitsAreNumbers(t *testing.T) {
	typed := file(t, "price_alert_trade.yaml")
	untyped := mustParse(t, "id: c\nparams: [{name: max_spend}]\ncircuit_breakers:\n  - {condition: 'amount>{{max_spend}}', action: abort}\n"+
		"steps: [{id: a, ability: x}]\n")
	dotted := mustParse(t, "id: c\ncircuit_breakers:\n  - {condition: 'amount>{{limits.max}}', action: abort}\nsteps: [{id: a, ability: x}]\n")
	for _, bad := range []string{`"1|confirm|\"x\""`, `"{{other}}"`, `"NaN"`, `"inf"`, `"1e999999999"`, `"$500"`, `""`, `"500 & x>1"`, `"0x10"`, `"1,000"`,
		`true`, `null`, `[500]`, `{"a":500}`, `"５００"`} {
		for name, got := range map[string]string{
			"declared as number": problems(t, typed, `{"ticker":"A","buy_threshold":1,"max_spend":`+bad+`}`, chain.Host),
			"declared as text":   problems(t, untyped, `{"max_spend":`+bad+`}`, chain.Host),
		} {
			if !strings.Contains(got, `rule "amount-gt-max_spend" compares with {{max_spend}}, which is `) || !strings.Contains(got, "not a number") {
				t.Errorf("%s, %s: %q", name, bad, got)
			}
		}
		if got := problems(t, dotted, `{"limits":{"max":`+bad+`}}`, chain.Host); !strings.Contains(got, "not a number") {
			t.Errorf("inside an object, %s: %q", bad, got)
		}
	}
	for _, good := range []string{`500`, `"500"`, `5e2`, `"5e2"`, `" 500\n"`, `-1`, `0.00000000000000000001`} {
		for name, got := range map[string]string{
			"number": problems(t, typed, `{"ticker":"A","buy_threshold":1,"max_spend":`+good+`}`, chain.Host),
			"text":   problems(t, untyped, `{"max_spend":`+good+`}`, chain.Host),
			"object": problems(t, dotted, `{"limits":{"max":`+good+`}}`, chain.Host),
		} {
			if got != "" {
				t.Errorf("%s, %s: %s", name, good, got)
			}
		}
	}
	if got := problems(t, untyped, `{}`, chain.Host); got != `rule "amount-gt-max_spend" compares with {{max_spend}}, which has no value` {
		t.Errorf("an optional limit that is not given: %q", got)
	}
	if got := problems(t, dotted, `{}`, chain.Host); !strings.HasSuffix(got, `{{limits.max}}, which has no value`) {
		t.Errorf("an undeclared limit that is not given: %q", got)
	}
}

func TestStartProblemNamesEverything(t *testing.T) {
	_, err := file(t, "price_alert_trade.yaml").Start(values(t, `{"ticker":"A","buy_threshold":1,"max_spend":"x\u202e"}`), chain.Host)
	var start *chain.StartError
	if !errors.As(err, &start) || len(start.Problems) != 2 {
		t.Fatalf("%v", err)
	}
	if p := start.Problems[0]; p.Param != "max_spend" || p.Rule != "" || p.Pos != at(10, 5) {
		t.Errorf("%+v", p)
	}
	if p := start.Problems[1]; p.Param != "max_spend" || p.Rule != "amount-gt-max_spend" || p.Pos != at(16, 17) {
		t.Errorf("%+v", p)
	}
	if strings.Contains(err.Error(), "\u202e") {
		t.Errorf("the message holds a bidirectional character: %q", err)
	}
}

func TestStartChecksTypes(t *testing.T) {
	c := mustParse(t, `id: c
params:
  - {name: t, param_type: text}
  - {name: n, param_type: number, min: "-1.5", max: 1e3}
  - {name: u, param_type: url}
  - {name: b, param_type: boolean}
  - {name: e, enum: [card, 1.50, true]}
steps: [{id: a, ability: x}]
`)
	for params, want := range map[string]string{
		`{}`: ``, `{"t":"x"}`: ``, `{"t":5}`: ``, `{"t":true}`: ``, `{"t":""}`: ``,
		`{"t":null}`: `parameter "t": null is not a text`, `{"t":{}}`: `parameter "t": an object is not a text`,
		`{"n":-1.5}`: ``, `{"n":"1000"}`: ``, `{"n":1000.00}`: ``,
		`{"n":1000.0000000000000000000001}`: `parameter "n": 1000.0000000000000000000001 is greater than max 1000`,
		`{"n":"-1.51"}`:                     `parameter "n": "-1.51" is less than min -1.5`,
		`{"n":true}`:                        `parameter "n": true is not a number`,
		`{"n":1e401}`:                       `parameter "n": 1e401 is not a number`,
		`{"u":"https://a.b/c"}`:             ``, `{"u":""}`: `parameter "u": "" is not a URL`, `{"u":5}`: `parameter "u": 5 is not a URL`,
		`{"b":false}`: ``, `{"b":"true"}`: ``, `{"b":"yes"}`: `parameter "b": "yes" is not true or false`, `{"b":1}`: `parameter "b": 1 is not true or false`,
		`{"e":"card"}`: ``, `{"e":"1.5"}`: ``, `{"e":"true"}`: ``, `{"e":"Card"}`: `parameter "e": "Card" is none of "card", 1.50, true`,
	} {
		if got := problems(t, c, params, chain.Host); got != want {
			t.Errorf("%s: %s, want %s", params, got, want)
		}
	}
}

func TestStartFillsInDefaults(t *testing.T) {
	got, err := file(t, "refund.yaml").Start(values(t, `{"order_id":7}`), chain.Host)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"order_id": "7", "max_refund": "250.00", "channel": "card", "express": "false"} {
		if v, ok := got[name]; !ok || v.Text() != want {
			t.Errorf("%s is %q, want %q", name, v.Text(), want)
		}
	}
	if _, ok := got["note"]; ok || len(got) != 4 {
		t.Errorf("an optional parameter without a default has a value: %v", got)
	}
	if got, _ := file(t, "refund.yaml").Start(values(t, `{"order_id":7,"max_refund":10}`), chain.Host); got["max_refund"].Text() != "10" {
		t.Errorf("the default outweighs what was given")
	}
}

func TestStartFindsReferences(t *testing.T) {
	chainWith := func(steps string) *chain.Chain { return mustParse(t, "id: c\nparams: [{name: p}]\nsteps:\n"+steps) }
	for name, tt := range map[string]struct{ steps, params, want string }{
		"parameter, not given": {"  - {id: a, ability: x, args: {v: '{{p}}'}}", `{}`, ``},
		"inside a parameter":   {"  - {id: a, ability: x, args: {v: '{{p.q.r}}'}}", `{}`, ``},
		"earlier output":       {"  - {id: a, ability: x, output_key: k}\n  - {id: b, ability: x, args: {v: '{{k}} {{a.output}} {{a.output.z}}'}}", `{}`, ``},
		"later output": {"  - {id: a, ability: x, args: {v: '{{k}}'}}\n  - {id: b, ability: x, output_key: k}", `{}`,
			`step "a" uses {{k}}, which is no parameter and no output of a step before it`},
		"used twice":             {"  - {id: a, ability: x, args: {v: '{{k}} {{k}}'}}", `{}`, `step "a" uses {{k}}, which is no parameter and no output of a step before it`},
		"later output, supplied": {"  - {id: a, ability: x, args: {v: '{{k}}'}}\n  - {id: b, ability: x, output_key: k}", `{"k":1}`, ``},
		"its own output":         {"  - {id: a, ability: x, args: {v: '{{a.output}}'}}", `{}`, `step "a" uses {{a.output}}, which is no parameter and no output of a step before it`},
		"output led back to":     {"  - {id: a, ability: x, args: {v: '{{b.output}}'}}\n  - {id: b, ability: x}\n  - {id: d, ability: x, on_failure: a}", `{}`, ``},
		"error caught":           {"  - {id: a, ability: x, on_failure: b}\n  - {id: b, ability: x, args: {v: '{{a_error}}'}}", `{}`, ``},
		"error not caught":       {"  - {id: a, ability: x}\n  - {id: b, ability: x, args: {v: '{{a_error}}'}}", `{}`, `step "b" uses {{a_error}}, which is no parameter and no output of a step before it`},
		"in a condition":         {"  - {id: a, ability: x, condition: {ref_key: gone, op: equals, value: '{{q}}'}}", `{}`, `step "a" uses {{q}}, which is no parameter and no output of a step before it`},
		"condition's key":        {"  - {id: a, ability: x, condition: {ref_key: gone.x, op: is_empty}}", `{"gone":{}}`, ``},
		"undeclared, supplied":   {"  - {id: a, ability: x, args: {v: '{{input.topic}}'}}", `{"input":{"topic":"x"}}`, ``},
		"undeclared, dotted":     {"  - {id: a, ability: x, args: {v: '{{input.topic}}'}}", `{"input.topic":"x"}`, ``},
		"output cannot be given": {"  - {id: a, ability: x, output_key: k}\n  - {id: b, ability: x, args: {v: '{{k}}'}}", `{"k":1}`, `parameter "k" is not declared, and nothing in the chain uses it`},
	} {
		if got := problems(t, chainWith(tt.steps), tt.params, chain.Host); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestUndeclaredParametersOfRules(t *testing.T) {
	c := mustParse(t, "id: c\ncircuit_breakers:\n  - {condition: 'amount>{{cap}} & price.eur<5', action: abort, reason: 'for {{who}}'}\nsteps: [{id: a, ability: x}]\n")
	if got := problems(t, c, `{"cap":1,"price":{"eur":6},"who":"me"}`, chain.Host); got != "" {
		t.Error(got)
	}
	got, err := c.Start(values(t, `{"cap":1,"amount":2}`), chain.Host)
	if err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

// What a model says moves a limit only within bounds, and only bounds on the
// side on which the rule would stop to guard count.
func TestModelSetsLimitsWithinBounds(t *testing.T) {
	for name, tt := range map[string]struct{ param, condition, value, want string }{
		"no bounds":            {"", "amount>{{p}}", "5", "max"},
		"max":                  {", max: 10", "amount>{{p}}", "5", ""},
		"above max":            {", max: 10", "amount>={{p}}", "11", "greater than max 10"},
		"min only":             {", min: 1", "amount>{{p}}", "5", "max"},
		"min for less":         {", min: 1", "amount<{{p}}", "5", ""},
		"max for less":         {", max: 10", "amount<={{p}}", "5", "min"},
		"max for equal":        {", max: 10", "amount=={{p}}", "5", "min"},
		"both for not equal":   {", min: 1, max: 10", "amount!={{p}}", "5", ""},
		"enum":                 {", enum: [5, 6]", "amount>{{p}}", "5.0", ""},
		"outside enum":         {", enum: [5, 6]", "amount>{{p}}", "7", "none of 5, 6"},
		"second atom":          {"", "ability:x & amount>{{p}}", "5", "max"},
		"not in a rule":        {"", "amount>5", "5", ""},
		"as key, not as limit": {"", "p>5", "5", ""},
	} {
		c := mustParse(t, "id: c\nparams: [{name: p, param_type: number"+tt.param+"}]\ncircuit_breakers: [{condition: '"+tt.condition+"', action: abort}]\nsteps: [{id: a, ability: x}]")
		got := problems(t, c, `{"p":`+tt.value+`}`, chain.Model)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if got := problems(t, c, `{"p":5}`, chain.Host); got != "" {
			t.Errorf("%s: the host may not: %s", name, got)
		}
	}
	c := mustParse(t, "id: c\nparams: [{name: p, param_type: number, default: 5}]\ncircuit_breakers: [{condition: 'amount>{{p}}', action: abort}]\nsteps: [{id: a, ability: x}]")
	if got := problems(t, c, `{}`, chain.Model); got != "" {
		t.Errorf("the chain's own default is refused: %s", got)
	}
	c = mustParse(t, "id: c\ncircuit_breakers: [{condition: 'amount>{{o.p}}', action: abort}]\nsteps: [{id: a, ability: x}]")
	if got := problems(t, c, `{"o":{"p":5}}`, chain.Model); !strings.Contains(got, "declares no bounds") {
		t.Errorf("a limit inside an undeclared parameter: %q", got)
	}
}
