package eval_test

import (
	"encoding/json"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

// verdictJSON is the part of a printed verdict that other programs match on.
type verdictJSON struct {
	Decision     string `json:"decision"`
	RetryAfterMS int64  `json:"retry_after_ms"`
	Fired        []struct {
		Rule   string `json:"rule"`
		Action string `json:"action"`
		Mode   string `json:"mode"`

		Explain string `json:"explain"`
	} `json:"fired"`
}

// engine is all that these tests know of the program: policy text goes in,
// then a line at a time, and printed verdicts come out.
func engine(t testing.TB, policy string) func(line []byte) verdictJSON {
	t.Helper()
	parsed, findings := dsl.ParsePolicy("test.cbp", []byte(policy))
	if len(findings) > 0 {
		t.Fatalf("parse: %v\n%s", findings, policy)
	}
	reg := new(registry.Registry)
	if err := reg.Load(parsed); err != nil {
		t.Fatalf("load: %v\n%s", err, policy)
	}
	e := eval.New(eval.Options{Registry: reg})
	return func(line []byte) verdictJSON {
		v := e.Line(t.Context(), line)
		text, err := json.Marshal(&v)
		if err != nil {
			t.Fatalf("print: %v", err)
		}
		var out verdictJSON
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("read %s: %v", text, err)
		}
		return out
	}
}
