package eval_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

// faultLine is a line so many seconds after the start, with more fields.
func faultLine(second float64, fields string) string {
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).Add(time.Duration(second * float64(time.Second)))
	if fields != "" && !strings.HasPrefix(fields, ",") {
		fields = "," + fields
	}
	if !strings.Contains(fields, `"ability"`) {
		fields += `,"ability":"pay.send"`
	}
	if !strings.Contains(fields, `"chain"`) {
		fields += `,"chain":"trade"`
	}
	return `{"now":"` + at.Format(time.RFC3339Nano) + `"` + fields + `}`
}

// verdicts judges lines under a policy and compares them with what is wanted.
func verdicts(t *testing.T, policy string, pairs ...string) {
	t.Helper()
	e := evaluator(t, policy, false)
	for i := 0; i < len(pairs); i += 2 {
		v := e.Line(t.Context(), []byte(pairs[i]))
		if got := ids(&v); got != pairs[i+1] {
			t.Errorf("%s\nline %d, %s: got %s, want %s", policy, i/2+1, pairs[i], got, pairs[i+1])
		}
	}
}

func refused(t *testing.T, policy string) {
	t.Helper()
	p, findings := dsl.ParsePolicy("test.cbp", []byte(policy))
	if len(findings) == 0 && new(registry.Registry).Load(p) == nil {
		t.Errorf("%s is in force", policy)
	}
}

func TestFault02_BlanksAndOperators(t *testing.T) {
	for rule, within := range map[string]string{
		`amount > 1000`: "1000", `amount >1000`: "1000", `amount>=1000`: "999", `amount >= 1000`: "999", ` amount  ==  5 `: "4", `amount != 5`: "5", `amount <= 5`: "6", `amount< 5`: "5",
	} {
		out := map[string]string{"1000": "1000.01", "999": "1000", "4": "5", "5": "4", "6": "5"}[within]
		verdicts(t, "B:"+rule+"|abort|id=r", faultLine(0, `"args":{"amount":`+within+`}`), "allow", faultLine(0, `"args":{"amount":`+out+`}`), "abort r")
	}
}

func TestFault03_AbilityIsMatchedWhateverItsSpelling(t *testing.T) {
	for _, rule := range []string{`ability: email.send`, `ability:email.*`, `ability:Email.SEND`, ` ability : email.s*`, `ability:*`} {
		verdicts(t, "B:"+rule+"|abort|id=r", faultLine(0, `"ability":"email.send"`), "abort r", faultLine(0, `"ability":"EMAIL.Send"`), "abort r")
	}
}

func TestFault04_WindowIsRequired(t *testing.T) {
	for _, c := range []string{`frequency>10`, `frequency>10/`, `frequency>10/0s`, `frequency>10/h`, `frequency>10/-1h`} {
		refused(t, "B:"+c+"|abort")
	}
	verdicts(t, `B:frequency>0/1h|abort|id=never`, faultLine(0, ""), "abort never")
}

func TestFault05_MultiByteWindowSuffix(t *testing.T) {
	for _, w := range []string{"1時", "1ｈ", "١h", "9223372036854775807d", "99999999999999999999s", "1hh", "1\u200bh"} {
		refused(t, "B:frequency>1/"+w+"|abort")
	}
}

func TestFault06_LimitThatIsNoNumber(t *testing.T) {
	for _, n := range []string{"NaN", "inf", "-Infinity", "1e401", "0x10", "1,000", ""} {
		refused(t, "B:amount>"+n+"|abort")
	}
}

func TestFault07_ValueThatIsNoNumberFailsClosed(t *testing.T) {
	e := evaluator(t, `B:amount>1000|abort|id=r`, false)
	for value, why := range map[string]registry.Why{`"NaN"`: registry.Malformed, `"$1,200"`: registry.Malformed, `1e999`: registry.Malformed, `1500`: registry.Exceeded} {
		v := e.Line(t.Context(), []byte(faultLine(0, `"args":{"amount":`+value+`}`)))
		if ids(&v) != "abort r" || v.Fired[0].Why != why {
			t.Errorf("%s: %s, %v", value, ids(&v), v.Fired)
		}
	}
	v := e.Line(t.Context(), []byte(faultLine(0, `"args":{"amount":" 750"}`)))
	if ids(&v) != "allow" {
		t.Errorf(`" 750": %s`, ids(&v))
	}
}

func TestFault08_KeyOfALaterStep(t *testing.T) {
	verdicts(t, `B:amount>1000|abort|id=r`,
		faultLine(0, `"pending":["amount"]`), "allow",
		faultLine(0, `"args":{"amount":1500}`), "abort r", // arguments are looked at
		faultLine(0, `"outputs":{"amount":"1500"}`), "abort r",
		faultLine(0, ``), "abort r")
}

func TestFault09_MoreThanNAdmitsN(t *testing.T) {
	verdicts(t, `B:frequency>3/1h|abort|id=r`, faultLine(0, ""), "allow", faultLine(1, ""), "allow", faultLine(2, ""), "allow", faultLine(3, ""), "abort r")
}

func TestFault10_RefusedAttemptsDoNotFillTheWindow(t *testing.T) {
	lines := []string{faultLine(0, ""), "allow"}
	for s := range 59 {
		lines = append(lines, faultLine(float64(s)+1, ""), "abort r")
	}
	verdicts(t, `B:frequency>1/1m|abort|id=r`, append(lines, faultLine(60, ""), "allow")...)
}

func TestFault11_CountThatCannotBeReached(t *testing.T) {
	refused(t, `B:frequency>20000/1d|abort`)
	refused(t, `B:frequency>10000/1d|abort`)
	e := evaluator(t, `B:frequency>9999/1d|abort|id=r`, false)
	for i := range 10_000 {
		v := e.Line(t.Context(), []byte(faultLine(float64(i)/1000, "")))
		if want := map[bool]string{true: "abort r", false: "allow"}[i == 9999]; ids(&v) != want {
			t.Fatalf("step %d: %s", i+1, ids(&v))
		}
	}
}

func TestFault12_WindowEdgeToTheNanosecond(t *testing.T) {
	const policy = `B:frequency>1/1m|throttle|id=r`
	verdicts(t, policy, faultLine(0.000000001, ""), "allow", faultLine(60, ""), "throttle r", faultLine(60.000000001, ""), "allow")
	verdicts(t, policy, faultLine(100, ""), "allow", faultLine(50, ""), "throttle r", faultLine(159, ""), "throttle r") // time never goes back
}

func TestFault13_ScopeOfTheCounterIsInTheRule(t *testing.T) {
	var chain, all []string
	for i := range 5 {
		line := faultLine(float64(i), fmt.Sprintf(`"chain":"c%d"`, i))
		chain = append(chain, line, "allow")
		all = append(all, line, map[bool]string{true: "abort r", false: "allow"}[i >= 3])
	}
	verdicts(t, `B:frequency>3/1h|abort|id=r`, chain...)
	verdicts(t, `B:frequency@all>3/1h|abort|id=r`, all...)
}

func TestFault14_LoopInsideOneRun(t *testing.T) {
	var lines []string
	for i := range 50 {
		lines = append(lines, faultLine(float64(i), `"run":"r1"`), map[bool]string{true: "abort r", false: "allow"}[i >= 10])
	}
	verdicts(t, "B:frequency>1/1h|abort|id=runs\nB:frequency:pay.*>10/1h|abort|id=r", lines...)
}

func TestFault15_SameRulesTwice(t *testing.T) {
	refused(t, "B:amount>1|abort\nB:amount>1|abort")
	refused(t, "B:amount>1|abort|id=x\nB:price>1|abort|id=x")
	verdicts(t, "B:amount>1|abort\nB:amount>1|abort|id=second", faultLine(0, `"args":{"amount":2}`), "abort amount-gt-1 second")
	p, _ := dsl.ParsePolicy("test.cbp", []byte("CHAIN:a_b\nB:c>1|abort\nCHAIN:a\nB:b_c>1|abort"))
	reg := new(registry.Registry)
	for range 3 { // the same file again and again leaves one copy of each
		if err := reg.Load(p); err != nil {
			t.Fatal(err)
		}
	}
	if n := reg.Set().Len(); n != 2 {
		t.Errorf("%d rules are in force", n)
	}
}

func TestFault16_OtherRulesAreNotInTheWay(t *testing.T) {
	policy := "B:amount>1000|abort|id=r\n"
	for i := range 300 {
		policy += fmt.Sprintf("B:ability:other.a%d & amount>0|abort\nB:amount>%d|abort|id=m%d\n", i, 10_000+i, i)
	}
	policy += "CHAIN:elsewhere\nB:ability:*|abort"
	verdicts(t, policy, faultLine(0, `"args":{"amount":1500}`), "abort r", faultLine(0, `"args":{"amount":10001}`), "abort r m0", faultLine(0, `"args":{"amount":5}`), "allow")
}

func TestFault17_ReasonKeepsItsQuotes(t *testing.T) {
	e := evaluator(t, `B:amount>1|abort|"say \"no\" | & wait\n"|id=r`+"\n"+`B:amount>2|abort|id=plain`, false)
	v := e.Line(t.Context(), []byte(faultLine(0, `"args":{"amount":5}`)))
	if got := v.JSON().Fired; len(got) != 2 || got[0].Reason != "say \"no\" | & wait\n" || got[1].Reason != "rule plain" {
		t.Errorf("got %+v", got)
	}
}

func TestFault24_OneVerdictWithEveryRule(t *testing.T) {
	policy := "B:amount>1|abort|id=a\nB:ability:pay.*|confirm|id=c\nB:frequency>0/1h|throttle|id=f\nB:when:args.amount > 2|warn|id=w\nB:arg:*|contains:x|review|id=m,mode=observe"
	verdicts(t, policy, faultLine(0, `"args":{"amount":5,"note":"x"}`), "abort a c f w m")
	e := evaluator(t, policy, false)
	v := e.Line(t.Context(), []byte(faultLine(0, `"args":{"amount":5}`)))
	for _, f := range v.JSON().Fired {
		if f.Rule == "" || f.Source == "" || f.Explain == "" || f.Origin != "operator" {
			t.Errorf("a rule that fired without its name, place, reason or origin: %+v", f)
		}
	}
}

// A step that cannot be read is a decision, and leaves a record of when it came.
func TestLine_MalformedIsRecorded(t *testing.T) {
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	var records []*session.Record
	e := eval.New(eval.Options{
		Registry: new(registry.Registry), Clock: session.NewVirtualClock(at),
		Record: func(r *session.Record) error { records = append(records, r); return nil },
	})
	lines := []string{"{", `{"chain":"c","ability":"a","session":"s","nonsense":1}`, `{"chain":"c","ability":"a"}`}
	for _, line := range lines {
		v := e.Line(t.Context(), []byte(line))
		want, err := v.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if r := records[len(records)-1]; string(r.Verdict) != string(want) || !r.At.Equal(at) {
			t.Errorf("%s: recorded at %s\n%s, want\n%s", line, r.At, r.Verdict, want)
		}
	}
	if len(records) != len(lines) || records[1].Session != "s" {
		t.Errorf("%d records of %d steps: %+v", len(records), len(lines), records[1])
	}
}
