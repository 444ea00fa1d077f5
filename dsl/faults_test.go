package dsl_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// The tests of this file are named after faults of an earlier implementation
// of the same notation. Each shows that the fault is not here.

func refuse(t *testing.T, text, message string) {
	t.Helper()
	r, f := dsl.ParseRule("", start, text)
	if f == nil {
		t.Errorf("%s: accepted as %s", text, r)
	} else if !strings.Contains(f.Message, message) {
		t.Errorf("%s: %s, want %s", text, f.Error(), message)
	}
}

// The documented four-field form was an "unknown breaker condition".
func TestFault01_OutputContainsParses(t *testing.T) {
	for _, text := range []string{`output:key|contains:pat|abort|"r"`, `output:key|contains:"pat"|abort|"r"`, "output:key|contains:`pat`|abort|\"r\""} {
		m, ok := mustParse(t, text).Condition[0].(*dsl.Match)
		if !ok || m.Key != "key" || m.Kind != dsl.Contains || m.Pattern != "pat" {
			t.Errorf("%s: %+v", text, m)
		}
	}
	if r := mustParse(t, mustParse(t, `output:key|contains:"a|b"|abort`).String()); r.Condition[0].(*dsl.Match).Pattern != "a|b" {
		t.Errorf("the quoted form does not survive printing: %s", r)
	}
}

// "amount >1000" got the key "amount ", which never exists; other operators were refused.
func TestFault02_BlanksAndOperators(t *testing.T) {
	for op, want := range map[string]dsl.Op{">": dsl.Greater, ">=": dsl.GreaterEqual, "<": dsl.Less, "<=": dsl.LessEqual, "==": dsl.Equal, "!=": dsl.NotEqual} {
		for _, text := range []string{"amount" + op + "1000|abort", " amount " + op + " 1000 | abort ", "amount\t" + op + "\t1000|abort"} {
			a := mustParse(t, text).Condition[0].(*dsl.Threshold)
			if a.Key != "amount" || a.Op != want || a.Value.String() != "1000" {
				t.Errorf("%q: %s", text, a)
			}
		}
	}
}

// A blank before the name, a wildcard or another letter case never matched.
func TestFault03_AbilityNames(t *testing.T) {
	for text, name := range map[string]string{`ability: email.send|abort`: "email.send", `ability:email.*|abort`: "email.other", `ability:Email.Send|abort`: "email.send"} {
		a := mustParse(t, text).Condition[0].(*dsl.Ability)
		if !a.Name.Fold().Match(dsl.Fold(name)) {
			t.Errorf("%s does not cover %s", text, name)
		}
	}
}

// A missing window meant an hour, and a window of nothing was accepted.
func TestFault04_WindowIsRequired(t *testing.T) {
	refuse(t, `frequency>10|throttle`, "a window is required")
	refuse(t, `frequency>10/|throttle`, "missing after the slash")
	refuse(t, `frequency>10/0s|throttle`, "a window of 0")
	refuse(t, `frequency>10/1|throttle`, "no unit")
}

// A multi-byte last character crashed the process; long windows overflowed.
func TestFault05_MultiByteWindowSuffix(t *testing.T) {
	refuse(t, `frequency>10/1時|throttle`, "unknown unit")
	refuse(t, `frequency>10/時|throttle`, "expected a window")
	refuse(t, `frequency>10/213503982334602d|throttle`, "too long")
	refuse(t, `frequency>10/99999999999999999999d|throttle`, "too large")
	refuse(t, `a>1|throttle(1時)`, "unknown unit")
}

// Rules against NaN and infinity never fired.
func TestFault06_NonFiniteThresholds(t *testing.T) {
	for _, v := range []string{"NaN", "nan", "-NaN", "inf", "+Inf", "Infinity", "-infinity"} {
		refuse(t, `amount>`+v+`|abort`, "is not a number that a rule can compare with")
	}
	refuse(t, `amount>1e999999999|abort`, "exponent too large")
}

// A count that the capped history can never show was accepted.
func TestFault11_UnobservableFrequency(t *testing.T) {
	_, f := dsl.ParseRule("", start, `frequency>20000/1d|throttle`)
	if f == nil || f.ID != dsl.UnobservableID {
		t.Errorf("got %v", f)
	}
	mustParse(t, `frequency>9999/1d|throttle`)
}

// The scope of a counter could not be said.
func TestFault13_FrequencyScope(t *testing.T) {
	for text, want := range map[string]dsl.Scope{`frequency>3/1h|abort`: dsl.ScopeChain, `frequency@session>3/1h|abort`: dsl.ScopeSession, `frequency@all>3/1h|abort`: dsl.ScopeAll} {
		if a := mustParse(t, text).Condition[0].(*dsl.Frequency); a.Scope != want {
			t.Errorf("%s: %v", text, a.Scope)
		}
	}
}

// Calls of one ability could not be counted, only runs of the chain.
func TestFault14_FrequencyOfAnAbility(t *testing.T) {
	if a := mustParse(t, `frequency:email.*>3/1h|abort`).Condition[0].(*dsl.Frequency); a.Name != "email.*" {
		t.Errorf("name %q", a.Name)
	}
}

// All quotes were stripped from a reason and nothing could be escaped.
func TestFault17_ReasonQuotes(t *testing.T) {
	if r := mustParse(t, `a>1|abort|"say \"no\""`); r.Reason != `say "no"` {
		t.Errorf("reason %q", r.Reason)
	}
	refuse(t, `a>1|abort|"say "no""`, "the reason ends before")
	refuse(t, `a>1|abort|no quotes`, "double quotes")
	if r := mustParse(t, `a>1|abort`); r.Reason != "" {
		t.Errorf("a rule without a reason has %q", r.Reason)
	}
}

func block(t *testing.T, text string) (*dsl.Block, error) {
	t.Helper()
	raw, f := dsl.ExtractBlock("m.txt", []byte(text))
	if f != nil {
		return nil, f
	}
	b, l := dsl.ParseBlock(raw)
	return b, l.Err()
}

// A bad B: line was logged and the chain ran without it.
func TestFault25_BadRuleRefusesTheBlock(t *testing.T) {
	b, err := block(t, "<nyaya>\nNEW:trade\nB:amount>1000|abort\nB:amount>>1000|abort\nS:trading.execute:x>y\n</nyaya>")
	if b != nil || err == nil || !strings.Contains(err.Error(), "m.txt:4:9: unknown comparison") {
		t.Errorf("got %v, %v", b, err)
	}
}

// Rules were unlimited in number and length.
func TestFault26_RulesOfABlockAreBounded(t *testing.T) {
	rules := func(n int) string {
		return "<nyaya>\nNEW:x\n" + strings.Repeat("B:a>1|abort\n", n) + "</nyaya>"
	}
	if b, err := block(t, rules(100)); err != nil || len(b.Rules) != 100 {
		t.Errorf("100 rules: %v", err)
	}
	if _, err := block(t, rules(101)); err == nil || !strings.Contains(err.Error(), "too many rules") {
		t.Errorf("101 rules: %v", err)
	}
	if _, err := block(t, "<nyaya>\nNEW:x\nB:a>1|abort|\""+strings.Repeat("x", 5000)+"\"\n</nyaya>"); err == nil || !strings.Contains(err.Error(), "at most 4096") {
		t.Errorf("a long rule: %v", err)
	}
}

// The documented block began with D: and was discarded without a word.
func TestFault29_DocumentedBlockParses(t *testing.T) {
	b, err := block(t, `<nyaya>
D:trading|medium
G:ability:trading.execute,ability:trading.get_price
B:amount>1000|abort|"Transaction exceeds $1000 limit"
B:frequency>5/1h|throttle|"Max 5 trades per hour"
B:ability:trading.execute|confirm|"Confirm before executing trade"
</nyaya>`)
	if err != nil {
		t.Fatal(err)
	}
	if b.ChainID() != "nyaya/trading" || b.Risk != dsl.RiskMedium || len(b.Grants) != 2 || len(b.Rules) != 3 {
		t.Errorf("got %+v", b)
	}
	if _, f := dsl.ExtractBlock("", []byte("<nyaya>\nX:y")); f == nil {
		t.Error("an unclosed block is dropped")
	}
}
