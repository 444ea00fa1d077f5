package chain_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
)

func TestScopeLookup(t *testing.T) {
	s := chain.NewScope(values(t, `{"p":"param","both":"param","o":{"a":"in param"},"fetch":{"output":"in param","x":1}}`))
	for name, json := range map[string]string{
		"both": `"output"`, "o": `{"b":"in output","c.d":{"e":3},"c":{"d":{"f":4}}}`, "fetch.output": `{"z":" {\"deep\":{\"er\":1}}"}`, "list": `[{"a":1}]`,
	} {
		s.Bind(name, value(t, json))
	}
	for key, want := range map[dsl.Key]string{
		"p": `"param"`, "both": `"output"`, // an output stands before a parameter
		"o.b": `"in output"`, "o.a": `"in param"`, // whichever has the member
		"fetch.x":      `1`,
		"fetch.output": `{"z":" {\"deep\":{\"er\":1}}"}`, // the longest name first
		"o.c.d.e":      `3`, "o.c.d.f": `4`,              // names of members may hold dots
		"fetch.output.z.deep.er": `1`, // into a text that is JSON
		"list.a":                 ``, "gone": ``, "o.gone": ``, "p.x": ``, "": ``,
	} {
		v, ok := s.Lookup(key)
		if ok != (want != "") || ok && string(v.AppendJSON(nil)) != want {
			t.Errorf("%s is %s, %v, want %s", key, v.AppendJSON(nil), ok, want)
		}
	}
	s.Unbind("both")
	if v, _ := s.Lookup("both"); v.Text() != "param" {
		t.Errorf("after Unbind: %s", v.Text())
	}
}
