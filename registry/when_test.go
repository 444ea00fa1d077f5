package registry_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/registry"
)

// holds reports whether the expression holds for the step.
func holds(t *testing.T, expression string, st registry.Step) bool {
	t.Helper()
	return judge(t, deciderOf(load(t, "B:when:"+expression+"|abort|id=r")), st) == "abort r"
}

func TestWhen_Environment(t *testing.T) {
	st := registry.Step{
		Chain: "trade", ID: "execute", Ability: "pay.send", Risk: "high",
		Args:    values(t, `{"amount":1500,"text":"12","list":[1,2,{"n":3}],"json":"{\"deep\":[7]}","flag":true,"none":null,"word":"buy","n":3}`),
		Outputs: values(t, `{"price":"182.50"}`), Params: values(t, `{"max":10}`),
		Meters: meters{"task.tool_calls": 51, "worker.failures": 2, "tool.failures": 1, "session.duration": 9},
	}
	for expression, want := range map[string]bool{
		`chain == "trade" && step == "execute" && ability == "pay.send" && risk == "high"`: true,
		`args.amount > 1000`: true, `args.amount > 1500`: false,
		`args.text + 1 == 13`:                              true, // text that is a number is one
		`outputs.price > 182 && outputs.price < 183`:       true,
		`params.max == 10`:                                 true,
		`args.list[2].n == 3`:                              true,
		`args.list[-1].n == 3`:                             true,
		`args.json.deep[0] == 7`:                           true,
		`args["amount"] == 1500`:                           true,
		`args.flag`:                                        true,
		`args.none == nil`:                                 true,
		`args.word == "sell"`:                              false,
		`args.word + "!" == "buy!"`:                        true,
		`len(args.list) == 3`:                              true,
		`any([1, 2, args.n], # > 2)`:                       true,
		`sum([1, 2], # * 2) == 6 && sum([args.n, 1]) == 4`: true,
		`task.tool_calls > 50`:                             true,
		`worker.failures == 2 && tool.failures == 1`:       true,
		`session.duration > 9`:                             false,
		`abs(-args.n) == 3 && int("12") == 12 && float("1.5") == 1.5`: true,
		`args.word matches "^b"`: true,
		`split("a,b", ",") == ["a", "b"] && join(["a", "b"], "-") == "a-b" && replace("aa", "a", "b") == "bb"`: true,
	} {
		if got := holds(t, expression, st); got != want {
			t.Errorf("%s: got %v, want %v", expression, got, want)
		}
	}
}

func TestWhen_AbsentKeys(t *testing.T) {
	st := registry.Step{Args: values(t, `{"order":{"n":1}}`)}
	for expression, want := range map[string]bool{
		`has(args.order)`: true, `has(args.order.n)`: true, `has(args.order.x)`: false, `has(args.amount)`: false,
		`has(args.amount.net.deep)`: false,
		`has(outputs.price)`:        false, `has(params.max)`: false, `has(task.idle)`: false,
		`"order" in args`: true, `"amount" in args`: false,
		`has(args.amount) && args.amount > 5`: false,
		`args.amount > 5`:                     true, // reading it is an error, and an error holds
		`args.amount < 5`:                     true,
		`not (args.amount < 5)`:               true,
		`args.order.x == 1`:                   true,
		`outputs.price == nil`:                true,
		`task.idle > 300`:                     true,
		`args.order[0] == 1`:                  true,
	} {
		if got := holds(t, expression, st); got != want {
			t.Errorf("%s: got %v, want %v", expression, got, want)
		}
	}
}

func TestWhen_RefusedWhenCompiled(t *testing.T) {
	keys := &registry.Keys{Args: []string{"amount"}, Outputs: []string{"price"}, Params: []string{}}
	for expression, want := range map[string]string{
		`nothing > 5`:               "unknown name nothing",
		`task.nothing > 5`:          "unknown meter task.nothing",
		`task[args.amount] > 5`:     "a meter is named directly",
		`args.price > 5`:            "unknown key args.price",
		`has(outputs.amount)`:       "unknown key outputs.amount",
		`params.max > 5`:            "unknown key params.max",
		`any([1], any([2], # > 1))`: "a closure inside a closure",
		`filter([[1]], len(filter(#, # > 1)) > 0) == []`: "a closure inside a closure",
		`now() > now()`:                            "unknown name now",
		`date("2026-01-01").Year() > 5`:            "unknown name date",
		`duration("1h") > duration("1m")`:          "unknown name duration",
		`timezone("UTC") == nil`:                   "unknown name timezone",
		`len(keys(args.amount)) > 1`:               "unknown name keys",
		`len(values(args.amount)) > 1`:             "unknown name values",
		`len(toPairs(args.amount)) > 1`:            "unknown name toPairs",
		`len(repeat("a", 9)) > 1`:                  "unknown name repeat",
		`$env["args"] == nil`:                      "$env is not allowed",
		`get(args, "price") == 5`:                  "unknown name get",
		`__get(args, "price") == 5`:                "unknown name __get",
		`__opt(args, "price") == 5`:                "unknown name __opt",
		`has(args)`:                                "has() takes one key",
		`has(5)`:                                   "has() takes one key",
		`len("x")`:                                 "bool",
		`args.amount >`:                            "unexpected token",
		`"x" matches args.amount`:                  "the pattern of matches is a text in quotes",
		`"x" matches "("`:                          "error parsing regexp",
		strings.Repeat("1 > 2 || ", 400) + "1 > 2": "maximum allowed nodes",
	} {
		rules := defs(t, "when:"+expression+"|abort")
		err := new(registry.Registry).Register(registry.Ruleset{Scope: chainTrade, Rules: rules, Keys: keys})
		wantError(t, err, want)
	}
}

func TestWhen_FaultsHaveAPosition(t *testing.T) {
	for line, column := range map[string]int{
		`B:when:1 > 2 && nothing > 5|abort`:           17,
		`B:  when:   nothing > 5|abort`:               13,
		`B:amount>5 & when: has(5)|abort`:             20,
		`B:amount>5 & when:"ü" == "" || nope()|abort`: 32,
	} {
		err := new(registry.Registry).Load(parse(t, "\n"+line))
		var list diag.List
		if !errors.As(err, &list) || len(list) != 1 {
			t.Fatalf("%s: got %v, want one finding", line, err)
		}
		if want := (diag.Position{Line: 2, Column: column}); list[0].Pos != want || list[0].ID != "syntax" {
			t.Errorf("%s: got %s at %v, want it at %v: %s", line, list[0].ID, list[0].Pos, want, list[0].Message)
		}
	}
}

// TestWhen_BoundsHold gives each expression more than its bounds allow, or a
// number that would come out wrong: every one holds.
func TestWhen_BoundsHold(t *testing.T) {
	long := strings.Repeat("x", 9000)
	many := "[" + strings.TrimSuffix(strings.Repeat("1,", 10_001), ",") + "]"
	st := registry.Step{Args: values(t, fmt.Sprintf(`{"long":%[1]q,"longer":"%[1]s%[1]s","many":%[2]s,"max":9223372036854775807,"min":-9223372036854775808,
		"zero":0,"nan":"NaN","huge":"1e400","big":1e308,"word":"ten"}`, long, many))}
	for _, expression := range []string{
		`len(args.many) < 5`,
		`any(args.many, # > 5)`,
		`len(1..20000) < 5`,
		`len(map(1..9000, 1)) + len(map(1..9000, 2)) < 5`,
		`reduce(1..60, concat(#acc, #acc), [1]) == []`,
		`reduce(1..60, #acc + #acc, "x") == ""`,
		`let a = args.long + args.long; len(a) < 5`,
		`replace(args.long, "", args.long) == ""`,
		`replace(args.long, "x", "xx") == ""`,
		`len(split(args.longer, "")) < 5`,
		`len(join(map(1..9000, args.long))) < 5`,
		`args.max + 1 > 0`,
		`args.max * 2 > 0`,
		`args.min - 1 < 0`,
		`-args.min > 0`,
		`abs(args.min) > 0`,
		`sum([args.max, 1]) > 0`,
		`args.zero / args.zero > 5`,
		`1 / args.zero < 5`,
		`1 % args.zero < 5`,
		`args.big * args.big < 5`,
		`10 ** args.big < 5`,
		`float(args.nan) > 5`,
		`int(args.nan) > 5`,
		`float("inf") < 5`,
		`float("0x10") > 50`,
		`int("1.5") > 5`,
		`int(args.big) < 5`,
		`args.nan > 5`,
		`args.huge < 5`,
		`args.word > 5`,
		`args.word`,
		`upper(args.zero) == ""`,
	} {
		if !holds(t, expression, st) {
			t.Errorf("%s does not hold", expression)
		}
	}
	if holds(t, `len(args.many[0:3]) > 5 && false`, registry.Step{Args: values(t, `{"many":[1,2,3,4]}`)}) {
		t.Error("a short list holds")
	}
}

func TestWhen_TenThousandItemsAreRead(t *testing.T) {
	list := "[" + strings.TrimSuffix(strings.Repeat("1,", 10_000), ",") + "]"
	st := registry.Step{Args: values(t, `{"list":`+list+`}`)}
	if holds(t, `len(args.list) > 10000`, st) || !holds(t, `len(args.list) == 10000`, st) || holds(t, `any(args.list, # > 1)`, st) {
		t.Error("10,000 items are within the bounds")
	}
}

func TestWhen_ExplainsItsFault(t *testing.T) {
	d := deciderOf(load(t, `B:when:args.amount > 5|abort`))
	var v registry.Verdict
	d.Decide(t.Context(), &registry.Step{Chain: "trade", Ability: "pay", Now: start.UnixNano()}, &v)
	want := "the expression failed and counts as holding: amount is not there (test it with has())"
	if len(v.Fired) != 1 || v.Fired[0].Why != registry.Faulted || !strings.HasPrefix(v.Fired[0].Explain(), want) {
		t.Errorf("got %+v", v.Fired)
	}
}
