package registry_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

func TestReasonsAreFilledIn(t *testing.T) {
	for reason, want := range map[string]string{
		"more than ${{max}}":    "more than $500",
		"{{gone}} of {{ max }}": "{{gone}} of 500",
		"{{t}}":                 "{{max}}", // what is filled in is not filled in again
		"{{order.to}}":          "bob",
		"{{both}}":              "args", // arguments before outputs before parameters
		"{{":                    "{{",
		"{{a b}} {{max}}":       "{{a b}} 500",
		"{{max":                 "{{max",
		"plain":                 "plain",
		"{{long}}":              strings.Repeat("x", 200) + "…",
	} {
		for _, condition := range []string{"ability:a", "frequency>0/1h"} {
			line := condition + "|abort|" + dsl.Quote(reason)
			p, faults := dsl.ParsePolicy("p.cbp", []byte("B:"+line+"\n"))
			if faults.Err() != nil {
				t.Fatal(faults)
			}
			var reg registry.Registry
			if err := reg.Load(p); err != nil {
				t.Fatal(err)
			}
			v := eval.New(eval.Options{Registry: &reg}).Line(t.Context(), []byte(`{"chain":"c","ability":"a",
				"args":{"t":"{{max}}","order":{"to":"bob"},"both":"args","long":"`+strings.Repeat("x", 300)+`"},
				"outputs":{"both":"outputs"},"params":{"max":500,"both":"params"}}`))
			if got := v.JSON().Fired[0].Reason; got != want {
				t.Errorf("%s: %q becomes %q, want %q", condition, reason, got, want)
			}
		}
	}
}
