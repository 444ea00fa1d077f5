package eval_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/eval"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// Evaluators that share a store share its counters and go by its time. A step
// without a session is one of its own in all of them.
func TestSharedStore(t *testing.T) {
	parsed, findings := dsl.ParsePolicy("p.cbp", []byte("B:frequency>1/1m|abort|id=all\nB:frequency@session>1/1m|abort|id=own\n"))
	if err := findings.Err(); err != nil {
		t.Fatal(err)
	}
	reg := new(registry.Registry)
	if err := reg.Load(parsed); err != nil {
		t.Fatal(err)
	}
	now := int64(1e18)
	store := memory.New(memory.Options{Now: func() int64 { return now }})
	one := eval.New(eval.Options{Registry: reg, Store: store, Name: "one"})
	two := eval.New(eval.Options{Registry: reg, Store: store, Name: "two"})
	const alone, named = `{"chain":"c","ability":"b"}`, `{"chain":"c","ability":"b","session":"s"}`
	for i, c := range []struct {
		by    *eval.Evaluator
		after int64 // nanoseconds of the store's clock, not the machine's
		line  string
		want  string
	}{
		{one, 0, alone, "allow"},
		{two, 0, alone, "abort all"}, // but not own: it is another session
		{one, 61e9, named, "allow"},
		{two, 0, named, "abort all own"},
		{two, 61e9, named, "allow"},
	} {
		now += c.after
		v := c.by.Line(t.Context(), []byte(c.line))
		if got := ids(&v); got != c.want {
			t.Errorf("line %d: %s, want %s", i+1, got, c.want)
		}
	}
}
