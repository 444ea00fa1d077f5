package session_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

func TestDecodeCall_Reads(t *testing.T) {
	c := call(t, `{"ability":"email.send","call_id":"c7","args":{"to":"x","n":1.50}}`)
	if c.Ability != "email.send" || c.ID != "c7" || c.Args.String() != `{"n":1.50,"to":"x"}` {
		t.Errorf("got %+v, args %s", c, c.Args)
	}
	if c := call(t, `{"ability":"x"}`); c.Args != nil || c.ID != "" {
		t.Errorf("got %+v", c)
	}
}

func TestDecodeCall_RefusesWhatTheHostSays(t *testing.T) {
	for _, field := range []string{"user", "now", "run", "pending", "session", "chain", "history", "meters", "outputs",
		"params", "executions", "calls", "task", "worker", "risk", "step", "id", "Ability", "ARGS", "call_ID", "args ", "", "abi\u200blity"} {
		_, err := session.DecodeCall(fmt.Appendf(nil, `{"ability":"x",%q:"y"}`, field))
		var fe *session.FieldError
		if !errors.As(err, &fe) || fe.Field != field || !strings.Contains(err.Error(), "does not come from the agent") {
			t.Errorf("field %q: got %v", field, err)
		}
	}
}

func TestDecodeCall_RefusesWhatCanBeReadTwoWays(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	for raw, want := range map[string]string{
		`{"ability":"x","ability":"y"}`:                      "duplicate",
		`{"ability":"x","args":{"a":1,"a":2}}`:               "duplicate",
		`{"ability":"x","args":{"a":1,"\u0061":2}}`:          "duplicate",
		`{"ability":"x","args":{"a":{"b":[{"c":1,"c":2}]}}}`: "duplicate",
		`{"ability":"x","args":[]}`:                          "args",
		`{"ability":"x","args":"{}"}`:                        "args",
		`{"ability":"x","args":null}`:                        "args",
		`{"ability":5}`:                                      "ability is not a text",
		`{"ability":"x","call_id":7}`:                        "call_id is not a text",
		`[]`:                                                 "not a JSON object",
		``:                                                   "cannot be read",
		`{"ability":"x"} {}`:                                 "cannot be read",
		`{"ability":"x",}`:                                   "cannot be read",
		`{"ability":NaN}`:                                    "cannot be read",
		`{"ability":"x","args":{"a":NaN}}`:                   "cannot be read",
		"{\"ability\":\"x\x00\"}":                            "cannot be read",
		"{\"ability\":\"\xff\"}":                             "cannot be read",
		`{"ability":"x","args":` + deep + `}`:                "cannot be read",
		`{"ability":"` + strings.Repeat("x", 17<<20) + `"}`:  "larger than",
	} {
		_, err := session.DecodeCall([]byte(raw))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: got %v, want %q", raw, err, want)
		}
	}
}

func TestBefore_RefusesVariantsAndInvisibleNames(t *testing.T) {
	a := newAgent(t, "")
	for _, raw := range []string{
		`{"ability":""}`, `{}`,
		`{"ability":"x","args":{"to":1,"To":2}}`,
		`{"ability":"x","args":{"straße":1,"STRASSE":2}}`,
		`{"ability":"x","args":{"\u00e9":1,"e\u0301":2}}`,
		`{"ability":"x\u0000"}`, `{"ability":"x\u200b"}`, `{"ability":"x\u202ey"}`, `{"ability":"x\u034f"}`, `{"ability":"x\u3164"}`,
		`{"ability":"x\ufe0f"}`, `{"ability":"x\ufffd"}`, `{"ability":"x\u00ad"}`,
		`{"ability":"x","args":{"a\u200d":1}}`, `{"ability":"x","args":{"a":[{"b\u2066":1}]}}`,
	} {
		if _, got := a.before(raw); got != "abort malformed_step" {
			t.Errorf("%s: got %s", raw, got)
		}
	}
	for _, raw := range []string{`{"ability":"x","args":{"to":1,"too":2}}`, `{"ability":"e\u0301.send"}`, `{"ability":"x","args":{"o":{"a":1,"A":2}}}`} {
		if _, got := a.before(raw); got != "allow" {
			t.Errorf("%s: got %s", raw, got)
		}
	}
}

func FuzzDecodeCall(f *testing.F) {
	for _, seed := range []string{`{"ability":"x","args":{"a":[1,"{}"]},"call_id":"c"}`, `{"user":1}`, `{"a`, "\x00", `{"ability":"x","ability":"y"}`} {
		f.Add([]byte(seed))
	}
	a := newAgent(f, "B:amount>5|abort|missing=skip\nB:arg:*|contains:x|warn")
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := session.DecodeCall(raw)
		if err != nil {
			return
		}
		var v registry.Verdict
		a.Before(t.Context(), &session.Step{Call: c}, &v)
		if _, err := v.MarshalJSON(); err != nil || v.Decision == registry.Abort && v.Blocking() == nil {
			t.Errorf("got %+v, %v", v, err)
		}
	})
}
