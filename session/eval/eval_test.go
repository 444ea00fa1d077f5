package eval_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

func evaluator(t testing.TB, policy string, builtins bool) *eval.Evaluator {
	t.Helper()
	parsed, findings := dsl.ParsePolicy("test.cbp", []byte(policy))
	if err := findings.Err(); err != nil {
		t.Fatal(err)
	}
	reg := new(registry.Registry)
	if err := reg.Load(parsed); err != nil {
		t.Fatal(err)
	}
	if builtins {
		if err := reg.LoadBuiltins(); err != nil {
			t.Fatal(err)
		}
	}
	return eval.New(eval.Options{Registry: reg, Builtins: builtins})
}

func ids(v *registry.Verdict) string {
	parts := []string{v.Decision.String()}
	for _, f := range v.Fired {
		parts = append(parts, f.Rule.ID)
	}
	return strings.Join(parts, " ")
}

func TestLine_Malformed(t *testing.T) {
	const ok = `"chain":"c","ability":"a"`
	for line, want := range map[string]string{
		``: "", `nothing`: "", `[]`: "is a list, not an object", `"x"`: "not an object", `null`: "not an object", `{`: "", `{}`: `field "chain" is missing`,
		`{"chain":"c"}`:                             `field "ability" is missing`,
		`{"chain":"","ability":"a"}`:                `field "chain" is missing or empty`,
		`{` + ok + `,"arg":{}}`:                     `did you mean "args"?`,
		`{` + ok + `,"sesion":"s"}`:                 `did you mean "session"?`,
		`{` + ok + `,"Args":{}}`:                    `unknown field`,
		`{` + ok + `,"zzz":{}}`:                     `unknown field`,
		`{` + ok + `,"chain":"d"}`:                  `duplicate`,
		`{` + ok + `,"args":{"a":{"b":1,"b":2}}}`:   `duplicate`,
		`{` + ok + `,"args":[]}`:                    `field "args"`,
		`{` + ok + `,"outputs":"x"}`:                `field "outputs"`,
		`{` + ok + `,"params":5}`:                   `field "params"`,
		`{` + ok + `,"run":5}`:                      `field "run": want a text`,
		`{` + ok + `,"session":null}`:               `field "session": want a text`,
		`{` + ok + `,"call_id":7}`:                  `field "call_id"`,
		`{` + ok + `,"step":true}`:                  `field "step"`,
		`{` + ok + `,"task":[]}`:                    `field "task"`,
		`{` + ok + `,"worker":{}}`:                  `field "worker"`,
		`{` + ok + `,"risk":1}`:                     `field "risk"`,
		`{` + ok + `,"pending":"amount"}`:           `field "pending": want a list`,
		`{` + ok + `,"pending":[5]}`:                `element 1: want a text`,
		`{` + ok + `,"history":["a",null]}`:         `element 2: want a text`,
		`{` + ok + `,"user":"hello"}`:               `field "user": want a list`,
		`{` + ok + `,"executions":["yesterday"]}`:   `"yesterday" is no time`,
		`{` + ok + `,"executions":[1767603600]}`:    `want a text`,
		`{` + ok + `,"now":"2026-01-05"}`:           `is no time such as`,
		`{` + ok + `,"now":"9999-01-01T00:00:00Z"}`: `outside 1970 to 2261`,
		`{` + ok + `,"now":"1970-01-01T00:00:00Z"}`: `outside 1970 to 2261`,
		`{` + ok + `,"now":"0001-01-01T00:00:00Z"}`: `outside 1970 to 2261`,
		`{` + ok + `,"calls":[{}]}`:                 `want "ability" and "at"`,
		`{` + ok + `,"calls":["a"]}`:                `want an object such as`,
		`{` + ok + `,"calls":[{"ability":"a","at":"2026-01-05T09:00:00Z","x":1}]}`: `unknown field "x"`,
		`{` + ok + `,"meters":[]}`:                                                                `want an object of numbers`,
		`{` + ok + `,"meters":{"task.tool_call":5}}`:                                              `did you mean "task.tool_calls"?`,
		`{` + ok + `,"meters":{"task.tool_calls":"5"}}`:                                           `is no number`,
		`{` + ok + `,"args":{"to":1,"To":2}}`:                                                     `differ only in case`,
		`{` + ok + `,"args":{"a":NaN}}`:                                                           ``,
		`{"chain":"c","ability":"a\u200b"}`:                                                       `cannot be seen`,
		"{\"chain\":\"c\",\"ability\":\"a\x00\"}":                                                 ``,
		"{\"chain\":\"c\",\"ability\":\"\xff\"}":                                                  ``,
		`{` + ok + `,"args":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`: ``,
		`{` + ok + `,"args":{"a":` + strings.Repeat(`{"a":`, 100_000) + `1` + strings.Repeat("}", 100_001) + `}`: ``,
		`{` + ok + `,"args":{"a":"` + strings.Repeat("x", 17<<20) + `"}}`:                                        `larger than`,
	} {
		v := evaluator(t, "", false).Line(t.Context(), []byte(line))
		if got := ids(&v); got != "abort malformed_step" || !strings.Contains(v.Fired[0].Explain(), want) {
			t.Errorf("%.90s: %s, %.200s; want %q", line, got, v.Fired[0].Explain(), want)
		}
	}
}

func TestLine_Builtins(t *testing.T) {
	const policy = `B:task.tool_calls>5|warn|id=w,missing=skip`
	for _, c := range []struct {
		builtins     bool
		meters, want string
	}{
		{false, ``, "allow"}, {false, `,"meters":{"task.tool_calls":6}`, "warn w"},
		{true, ``, "allow"}, {true, `,"meters":{"task.tool_calls":51}`, "abort w tool_call_limit"}, {true, `,"meters":{"task.tool_calls":50}`, "warn w"},
	} {
		v := evaluator(t, policy, c.builtins).Line(t.Context(), []byte(`{"chain":"c","ability":"a"`+c.meters+`}`))
		if got := ids(&v); got != c.want {
			t.Errorf("builtins %v%s: got %s, want %s", c.builtins, c.meters, got, c.want)
		}
	}
}

// The meters of a session move with what is admitted.
func TestLine_MetersOfASession(t *testing.T) {
	e := evaluator(t, "B:frequency:never>0/1h|abort|id=never", true)
	for i := range 52 {
		want := "allow"
		if i >= 50 {
			want = "abort tool_call_limit"
		}
		v := e.Line(t.Context(), []byte(`{"chain":"c","ability":"a","session":"s","now":"2026-01-05T09:00:00Z"}`))
		if got := ids(&v); got != want {
			t.Fatalf("call %d: %s, want %s", i+1, got, want)
		}
	}
	for _, tt := range []struct{ line, want string }{
		{`{"chain":"c","ability":"a","session":"t","now":"2026-01-05T09:00:00Z"}`, "allow"},
		{`{"chain":"c","ability":"a","session":"t","now":"2026-01-05T09:30:00Z"}`, "allow"},
		{`{"chain":"c","ability":"a","session":"t","now":"2026-01-05T09:30:00.000000001Z"}`, "abort duration_limit"},
		{`{"chain":"c","ability":"a","session":"t","meters":{"task.duration":0},"now":"2026-01-05T10:00:00Z"}`, "allow"},
		{`{"chain":"c","ability":"never","session":"u"}`, "abort never"},
		{`{"chain":"c","ability":"a","session":"u","meters":{"session.tool_calls":3}}`, "allow"},
	} {
		if v := e.Line(t.Context(), []byte(tt.line)); ids(&v) != tt.want {
			t.Errorf("%s: %s, want %s", tt.line, ids(&v), tt.want)
		}
	}
}

func TestLine_WhatPersists(t *testing.T) {
	e := evaluator(t, "B:after:read & ability:send|abort|id=after\nB:frequency:send@session>1/1h|abort|id=calls\nB:ability:refused|abort|id=no\nB:after:refused|warn|id=never", false)
	for i, c := range []struct{ line, want string }{
		{`{"chain":"c","ability":"refused","session":"s"}`, "abort no"},
		{`{"chain":"c","ability":"send","session":"s","history":["read"]}`, "abort after"},
		{`{"chain":"c","ability":"send","session":"s"}`, "allow"},
		{`{"chain":"c","ability":"send","session":"s"}`, "abort calls"},
		{`{"chain":"c","ability":"read","session":"s"}`, "allow"},
		{`{"chain":"d","ability":"send","session":"s"}`, "abort after calls"},
		{`{"chain":"c","ability":"send","session":"t"}`, "allow"},
		// Without a session every run is one, of its chain; without a run every line.
		{`{"chain":"c","ability":"read","run":"r"}`, "allow"},
		{`{"chain":"c","ability":"send","run":"r"}`, "abort after"},
		{`{"chain":"d","ability":"send","run":"r"}`, "allow"},
		{`{"chain":"d","ability":"send","run":"r"}`, "abort calls"},
		{`{"chain":"c","ability":"read"}`, "allow"},
		{`{"chain":"c","ability":"send"}`, "allow"},
		{`{"chain":"c","ability":"send"}`, "allow"},
	} {
		v := e.Line(t.Context(), []byte(c.line))
		if got := ids(&v); got != c.want {
			t.Errorf("line %d, %s: got %s, want %s", i+1, c.line, got, c.want)
		}
	}
}

func TestLine_Words(t *testing.T) {
	e := evaluator(t, "B:!arg:to|in:user|confirm|id=user\nB:arg:to|in:outputs|warn|id=outputs", false)
	for line, want := range map[string]string{
		`{"chain":"c","ability":"a","args":{"to":"bob"},"user":["ask","Bob!"]}`:                      "allow",
		`{"chain":"c","ability":"a","args":{"to":"bob"},"outputs":{"x":["bob"]}}`:                    "confirm user outputs",
		`{"chain":"c","ability":"a","args":{"to":"ask bob"},"user":["ask","bob"]}`:                   "confirm user",
		`{"chain":"c","ability":"a","args":{"to":"bob"},"user":["bob"],"outputs":{"x":{"y":"bob"}}}`: "warn outputs",
	} {
		v := e.Line(t.Context(), []byte(line))
		if got := ids(&v); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

// read splits a text into steps.
func read(t testing.TB, in io.Reader) (out []string) {
	t.Helper()
	r := eval.NewReader(in)
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(line))
	}
}

func TestReader(t *testing.T) {
	for in, want := range map[string][]string{
		"":                                nil,
		"\n \r\n\t\n":                     nil,
		`{"a":1}`:                         {`{"a":1}`},
		"{\"a\":1}\r\n\n{\"b\":2}\n":      {`{"a":1}`, `{"b":2}`},
		"\n{\n \"a\": [\n1\n]\n}\n":       {"{\n \"a\": [\n1\n]\n}"},
		"{\n\"a\":\"}\"\n}\n{\"b\":2}\n":  {"{\n\"a\":\"}\"\n}", `{"b":2}`},
		"{\"a\":1\n{\"b\":2}\n{\"c\":3}":  {`{"a":1`, `{"b":2}`, `{"c":3}`}, // the first line is faulty, the others are not
		"{\"a\n{\"b\":2}\n":               {`{"a`, `{"b":2}`},
		"nothing\n{\"b\":\n2}\n":          {`nothing`, `{"b":`, `2}`},
		"{\"a\":1}\n{\"b\":\n{\"c\":3}\n": {`{"a":1}`, `{"b":`, `{"c":3}`},
	} {
		got := read(t, strings.NewReader(in))
		if strings.Join(got, "|") != strings.Join(want, "|") || len(got) != len(want) {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestReader_LongLine reads a line of 100 MB: it is cut and refused, and the
// next one is a step.
func TestReader_LongLine(t *testing.T) {
	long := io.LimitReader(repeating('x'), 100<<20)
	in := io.MultiReader(strings.NewReader(`{"chain":"c","ability":"`), long, strings.NewReader("\"}\n{\"chain\":\"c\",\"ability\":\"a\"}\n"))
	r := eval.NewReader(bufio.NewReader(in))
	e := evaluator(t, "", false)
	for i, want := range []string{"abort malformed_step", "allow"} {
		line, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if len(line) > eval.MaxStep+1 {
			t.Errorf("line %d: %d bytes are held", i+1, len(line))
		}
		v := e.Line(t.Context(), line)
		if got := ids(&v); got != want {
			t.Errorf("line %d: got %s, want %s", i+1, got, want)
		}
	}
}

// repeating is an endless text of one character.
type repeating byte

func (b repeating) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

func FuzzStepJSON(f *testing.F) {
	for _, seed := range []string{
		`{"chain":"trade","ability":"pay","args":{"amount":1500,"o":"{\"a\":[1]}"},"pending":["amount"],"now":"2026-01-05T09:00:00Z"}`,
		`{"chain":"c","ability":"a","calls":[{"ability":"b","at":"2026-01-05T08:59:00Z"}],"executions":["2026-01-05T08:59:00Z"],"user":["x"],"meters":{"task.idle":1e9}}`,
		`{"chain":`, "\x00", `{"chain":"c","ability":"a","args":{"a":"` + strings.Repeat("[", 300) + `"}}`,
	} {
		f.Add([]byte(seed))
	}
	const policy = "B:amount>1000|abort\nB:o.a>5|warn\nB:frequency>5/1m|throttle\nB:frequency:pay*@all>2/1m|review\nB:!arg:*|in:user|confirm\nB:arg:*.*|matches:`x+`|warn\nB:when:args.amount > 5 && outputs.x matches \"y\"|abort\nB:task.idle>300|abort"
	f.Fuzz(func(t *testing.T, line []byte) {
		v := evaluator(t, policy, false).Line(t.Context(), line)
		text, err := json.Marshal(&v)
		if err != nil || !json.Valid(text) || v.Decision.Blocks() && v.Blocking() == nil {
			t.Errorf("got %+v, %v", v, err)
		}
	})
}
