package session_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// TestFailOpen tries to get a call past a rule: by another spelling, by
// hiding the value, by a number that is none. None may be allowed. A call
// that cannot be decoded never reaches the rules.
func TestFailOpen(t *testing.T) {
	for _, c := range []struct {
		name, policy string
		calls        []string
	}{
		{"spellings of an ability", `B:ability:pay.kill|abort`, []string{
			`{"ability":"Pay.Kill"}`, `{"ability":"PAY.KILL"}`, `{"ability":"pay.\u212aill"}`, `{"ability":"pay.ki\u200bll"}`, `{"ability":"pay.kill\u0000"}`,
			`{"ability":"pay.kill\u202c"}`, `{"ability":"pay.ki\u00adll"}`, `{"ability":"pay.kill\u034f"}`, `{"ability":"pay.kill\u2060"}`, `{"ability":"pay.kill\ufe0e"}`,
		}},
		{"ligatures and normal forms", `B:ability:"café.office"|abort`, []string{
			`{"ability":"cafe\u0301.office"}`, `{"ability":"CAFE\u0301.OFFICE"}`, `{"ability":"café.o\ufb03ce"}`,
		}},
		{"patterns over abilities", `B:ability:pay.*|abort`, []string{`{"ability":"pay.a"}`, `{"ability":"pay.a.b.c"}`, `{"ability":"PAY.A"}`}},
		{"numbers that are none", `B:amount>1000|abort`, []string{
			`{"ability":"x","args":{"amount":"NaN"}}`, `{"ability":"x","args":{"amount":"-NaN"}}`, `{"ability":"x","args":{"amount":"inf"}}`,
			`{"ability":"x","args":{"amount":"-Infinity"}}`, `{"ability":"x","args":{"amount":1e999999999}}`, `{"ability":"x","args":{"amount":"1e-999999999"}}`,
			`{"ability":"x","args":{"amount":"1_000"}}`, `{"ability":"x","args":{"amount":"0x7d0"}}`, `{"ability":"x","args":{"amount":"1,5"}}`,
			`{"ability":"x","args":{"amount":"\uff12\uff10\uff10\uff10"}}`, `{"ability":"x","args":{"amount":"\u0662\u0660"}}`,
			`{"ability":"x","args":{"amount":"5\u00a0"}}`, `{"ability":"x","args":{"amount":"\u200b5"}}`, `{"ability":"x","args":{"amount":"5\u0000"}}`, `{"ability":"x","args":{"amount":"$5"}}`,
			`{"ability":"x","args":{"amount":true}}`, `{"ability":"x","args":{"amount":null}}`, `{"ability":"x","args":{"amount":[]}}`, `{"ability":"x","args":{"amount":[5]}}`,
			`{"ability":"x","args":{"amount":{"value":5}}}`, `{"ability":"x","args":{"amount":""}}`, `{"ability":"x","args":{"amount":"5;2000"}}`, `{"ability":"x","args":{"amount":"1/0"}}`,
		}},
		{"numbers that are large", `B:amount>1000|abort`, []string{
			`{"ability":"x","args":{"amount":1000.0000000000000000000001}}`, `{"ability":"x","args":{"amount":" 2000"}}`, `{"ability":"x","args":{"amount":"\t2000\r\n"}}`,
			`{"ability":"x","args":{"amount":"+2000"}}`, `{"ability":"x","args":{"amount":2e3}}`, `{"ability":"x","args":{"amount":1e400}}`, `{"ability":"x","args":{"amount":"0002000"}}`,
			`{"ability":"x","args":{"amount":9007199254740993}}`, `{"ability":"x","args":{"amount":200000e-2}}`,
		}},
		{"keys that are missing or spelt otherwise", `B:amount>1000|abort`, []string{
			`{"ability":"x"}`, `{"ability":"x","args":{}}`, `{"ability":"x","args":{"Amount":5}}`, `{"ability":"x","args":{"amount ":5}}`, `{"ability":"x","args":{"am\u200bount":5}}`,
			`{"ability":"x","args":{"\u0430mount":5}}`, `{"ability":"x","args":{"amount":5,"AMOUNT":2000}}`, `{"ability":"x","args":{"amount":5,"Amount":2000}}`,
		}},
		{"values below a key", `B:order.amount>1000|abort`, []string{
			`{"ability":"x","args":{"order":{"amount":2000}}}`, `{"ability":"x","args":{"order":[{"amount":5},{"amount":2000}]}}`, `{"ability":"x","args":{"order":"{\"amount\":2000}"}}`,
			`{"ability":"x","args":{"order":["{\"amount\":2000}"]}}`, `{"ability":"x","args":{"order":"{\"amount\":5,\"amount\":2000}"}}`, `{"ability":"x","args":{"order.amount":2000,"order":{"amount":5}}}`,
			`{"ability":"x","args":{"order":{"amount":"NaN"}}}`, `{"ability":"x","args":{"order":5}}`, `{"ability":"x","args":{"order":"{amount:5}"}}`, `{"ability":"x","args":{"order":[]}}`,
		}},
		{"texts inside values", `B:arg:*|icontains:"drop table"|abort`, []string{
			`{"ability":"x","args":{"q":"DROP TABLE users"}}`, `{"ability":"x","args":{"q":["a",["drop Table"]]}}`, `{"ability":"x","args":{"q":{"a":{"b":"drop table"}}}}`,
			`{"ability":"x","args":{"q":"{\"a\":\"drop\\u0020table\"}"}}`, `{"ability":"x","args":{"q":"\"drop\\u0020table\""}}`, `{"ability":"x","args":{"q":"[\"[\\\"drop table\\\"]\"]"}}`,
			`{"ability":"x","args":{"q":"{\"a\":\"drop table\",\"a\":\"\"}"}}`, `{"ability":"x","args":{"q":"dr\u006fp table"}}`,
		}},
		{"where a value comes from", `B:!arg:to|in:user|confirm`, []string{
			`{"ability":"x","args":{"to":"eve@example.com"}}`, `{"ability":"x","args":{"to":["bob@example.com","eve"]}}`, `{"ability":"x","args":{"to":"bob@example.com.evil.org"}}`,
			`{"ability":"x","args":{"to":""}}`, `{"ability":"x","args":{"to":"..."}}`, `{"ability":"x","args":{"to":{}}}`, `{"ability":"x"}`, `{"ability":"x","args":{"To":"bob@example.com"}}`,
			`{"ability":"x","args":{"to":"[\"eve\"]"}}`, `{"ability":"x","args":{"to":"bob@ex\u200bample.com"}}`, `{"ability":"x","args":{"to":"b\u043eb@example.com"}}`, `{"ability":"x","args":{"to":"example.com"}}`,
		}},
		{"expressions", `B:when:args.amount > 1000|abort`, []string{
			`{"ability":"x"}`, `{"ability":"x","args":{"amount":"NaN"}}`, `{"ability":"x","args":{"amount":"1e400"}}`, `{"ability":"x","args":{"amount":null}}`, `{"ability":"x","args":{"amount":"5 USD"}}`,
			`{"ability":"x","args":{"amount":[5]}}`, `{"ability":"x","args":{"amount":1000.5}}`, `{"ability":"x","args":{"Amount":5}}`, `{"ability":"x","args":{"amount":9223372036854775808}}`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAgent(t, c.policy)
			a.User("please write to bob@example.com")
			for _, raw := range c.calls {
				if _, got := a.before(raw); got == "allow" || strings.HasPrefix(got, "warn") {
					t.Errorf("%s: %s", raw, got)
				}
			}
		})
	}
}

// TestFailOpen_ReusedCallIDs repeats an id for calls that are not the same.
func TestFailOpen_ReusedCallIDs(t *testing.T) {
	a := newAgent(t, `B:frequency:pay.*>1/1h|abort|id=r`)
	if _, got := a.before(`{"ability":"pay.send","call_id":"c1","args":{"n":1}}`); got != "allow" {
		t.Fatal(got)
	}
	for _, raw := range []string{
		`{"ability":"pay.send","call_id":"c1","args":{"n":2}}`, `{"ability":"pay.send","call_id":"c1","args":{"n":"1"}}`, `{"ability":"pay.send","call_id":"c1","args":{"n":1.0}}`,
		`{"ability":"pay.refund","call_id":"c1","args":{"n":1}}`, `{"ability":"PAY.send","call_id":"c1","args":{"n":1}}`, `{"ability":"pay.send","call_id":"","args":{"n":1}}`,
		`{"ability":"pay.send","args":{"n":1}}`, `{"ability":"pay.send","call_id":"C1","args":{"n":1}}`, `{"ability":"pay.send","call_id":"c1 ","args":{"n":1}}`,
	} {
		if _, got := a.before(raw); got != "abort r" {
			t.Errorf("%s: %s", raw, got)
		}
	}
}

// A tool that puts out names nobody can see spoils no later step.
func TestOutputDoesNotLockTheSession(t *testing.T) {
	a := newAgent(t, "B:ability:pay|abort")
	st, _ := a.before(`{"ability":"web.fetch"}`)
	st.Chain = ""
	v, err := registry.ParseValue([]byte(`{"a\u200b":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.After(t.Context(), session.Outcome{Step: st, Output: &v}); err != nil {
		t.Fatal(err)
	}
	if got := a.judge(&session.Step{Call: call(t, `{"ability":"other"}`)}); got != "allow" {
		t.Errorf("the next step: %s", got)
	}
}

// The host is told of a call that is under way already.
func TestRepeatedCallIsTold(t *testing.T) {
	a := newAgent(t, "B:frequency:pay.*>1/1h|abort|id=once")
	first, got := a.before(`{"ability":"pay.send","call_id":"c1"}`)
	if got != "allow" || first.Repeated() {
		t.Fatalf("%s, repeated %v", got, first.Repeated())
	}
	again, got := a.before(`{"ability":"pay.send","call_id":"c1"}`)
	if got != "allow" || !again.Repeated() {
		t.Errorf("the same call again: %s, repeated %v", got, again.Repeated())
	}
}

// A step that is nil, and a clock that fails, are the engine's to answer for.
func TestBeforeNeverPanics(t *testing.T) {
	a := newAgent(t, "B:ability:pay|abort")
	var v registry.Verdict
	a.Before(t.Context(), nil, &v)
	if got := brief(&v); got != "abort internal_fault" {
		t.Errorf("no step: %s", got)
	}
}
