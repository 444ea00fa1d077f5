package chain_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// value reads a value from JSON.
func value(t testing.TB, json string) chain.Value {
	t.Helper()
	v, err := chain.ParseValue([]byte(json))
	if err != nil {
		t.Fatalf("%s: %v", json, err)
	}
	return v
}

// values reads named values from a JSON object.
func values(t testing.TB, json string) map[string]chain.Value {
	t.Helper()
	v := value(t, json)
	m := map[string]chain.Value{}
	for i := range v.Len() {
		m[v.Key(i)] = v.Elem(i)
	}
	return m
}

// argument returns the template of an argument written as YAML.
func argument(t testing.TB, yaml string) chain.Template {
	t.Helper()
	return mustParse(t, "id: c\nsteps:\n  - id: a\n    ability: x\n    args:\n      v: "+yaml).Steps[0].Args[0].Value
}

func TestRender(t *testing.T) {
	look := chain.NewScope(values(t, `{"n":1.50,"s":"a \"b\"","t":true,"z":null,"l":[1,"x"],"o":{"k":{"m":"deep"},"n":2e3},
		"j":"{\"k\":[7,{\"x\":8}],\"m\":0.10}","x.y":"dotted","e":"","tpl":"{{n}}"}`)).Lookup
	for in, want := range map[string]string{
		`plain`:                          `"plain"`,
		`5`:                              `5`,
		`"{{n}}"`:                        `1.50`,
		`"{{ n }}"`:                      `1.50`,
		`" {{n}}"`:                       `" 1.50"`,
		`"{{s}}"`:                        `"a \"b\""`,
		`"{{t}}"`:                        `true`,
		`"{{z}}"`:                        `null`,
		`"{{l}}"`:                        `[1,"x"]`,
		`"{{o}}"`:                        `{"k":{"m":"deep"},"n":2e3}`,
		`"{{j}}"`:                        `"{\"k\":[7,{\"x\":8}],\"m\":0.10}"`,
		`"<{{n}}|{{s}}|{{t}}|{{z}}>"`:    `"<1.50|a \"b\"|true|null>"`,
		`"{{l}} and {{o}}"`:              `"[1,\"x\"] and {\"k\":{\"m\":\"deep\"},\"n\":2e3}"`,
		`"{{o.k.m}}"`:                    `"deep"`,
		`"{{o.n}}"`:                      `2e3`,
		`"{{j.m}}"`:                      `0.10`,
		`"{{j.k}}"`:                      `[7,{"x":8}]`,
		`"{{x.y}}"`:                      `"dotted"`,
		`"{{tpl}}"`:                      `"{{n}}"`,
		`"{{tpl}}{{e}}"`:                 `"{{n}}"`,
		`"${{n}}"`:                       `"$1.50"`,
		`'{"a":{"b":{{n}}}}'`:            `"{\"a\":{\"b\":1.50}}"`,
		`"a }} b"`:                       `"a }} b"`,
		`"{ {n} }"`:                      `"{ {n} }"`,
		`["{{n}}", {k: "{{s}}"}, 1e3]`:   `[1.50,{"k":"a \"b\""},1e3]`,
		`{a: ["{{n}}{{n}}"], b: 0x10}`:   `{"a":["1.501.50"],"b":"0x10"}`,
		`{z: 1, a: {}, m: [], k: ["x"]}`: `{"z":1,"a":{},"m":[],"k":["x"]}`,
		`~`:                              `null`,
	} {
		got, err := argument(t, in).Render(look)
		if err != nil || string(got.AppendJSON(nil)) != want {
			t.Errorf("%s renders to %s, %v, want %s", in, got.AppendJSON(nil), err, want)
		}
	}
}

func TestRenderUnbound(t *testing.T) {
	look := chain.NewScope(values(t, `{"l":[{"k":1}],"o":{"k":1},"s":"text","j":"{\"a\":1,\"a\":2}"}`)).Lookup
	for _, key := range []dsl.Key{"gone", "l.k", "o.x", "o.k.x", "s.x", "j.a", "O"} {
		_, err := argument(t, `["x", "{{l}} {{`+string(key)+`}}"]`).Render(look)
		var unbound *chain.UnboundError
		if !errors.As(err, &unbound) || unbound.Key != key || unbound.Pos != at(6, 23) {
			t.Errorf("{{%s}}: %v, %+v", key, err, unbound)
		}
	}
}

func TestRenderIsBounded(t *testing.T) {
	long := chain.Text(strings.Repeat("x", 1<<20))
	look := func(dsl.Key) (chain.Value, bool) { return long, true }
	for _, in := range []string{`"` + strings.Repeat("{{a}}", 17) + `"`, `[` + strings.Repeat(`"{{a}}",`, 17) + `]`} {
		var size *chain.SizeError
		if _, err := argument(t, in).Render(look); !errors.As(err, &size) || size.Pos.Line != 6 {
			t.Errorf("17 MiB are inserted: %v", err)
		}
	}
	if _, err := argument(t, `"`+strings.Repeat("{{a}}", 15)+`"`).Render(look); err != nil {
		t.Errorf("15 MiB: %v", err)
	}
}

func TestRefsHavePlaces(t *testing.T) {
	c := mustParse(t, `id: c
steps:
  - id: a
    ability: x
    args:
      é: "時 {{a}}{{ b.c }}"
      l: ['{{d}}', {k: "{{e}}"}]
    condition: {ref_key: k, op: equals, value: "{{f}}"}
`)
	want := []chain.Ref{{Key: "a", Pos: at(6, 13)}, {Key: "b.c", Pos: at(6, 18)}, {Key: "d", Pos: at(7, 12)}, {Key: "e", Pos: at(7, 25)}, {Key: "f", Pos: at(8, 49)}}
	if got := c.Steps[0].Refs(); !slices.Equal(got, want) {
		t.Errorf("references %v, want %v", got, want)
	}
}

// Text after a malformed reference is still looked through.
func TestEveryMalformedReferenceIsReported(t *testing.T) {
	_, l := chain.Parse("c.yaml", []byte("id: c\nsteps:\n  - id: a\n    ability: x\n    args:\n      v: '{{a {{b c}} {{d}} {{}} {{e'"))
	var columns []int
	for _, f := range l {
		columns = append(columns, f.Pos.Column)
	}
	if want := []int{11, 15, 29, 34}; !slices.Equal(columns, want) {
		t.Errorf("columns %v, want %v:\n%v", columns, want, l)
	}
}

// What is inserted is data: no value makes a template ask for another key,
// and the text around it stays as it is.
func TestInsertedValuesAreNeverParsed(t *testing.T) {
	tree := argument(t, `["{{x}}", "<{{x}}|{{y}}>", {k: "{{y}}"}]`)
	rapid.Check(t, func(t *rapid.T) {
		hostile := rapid.OneOf(
			rapid.String(),
			rapid.SampledFrom([]string{"{{y}}", "{{other}}", "{{", "}}", "{{x", "1|confirm|\"x\"", "{{ x }}{{y}}", "\"}", "\\", "&", "\n- id: z"}),
			rapid.StringMatching(`[{}xy |"\\]{0,12}`),
		)
		x, y := hostile.Draw(t, "x"), hostile.Draw(t, "y")
		asked := map[dsl.Key]bool{}
		got, err := tree.Render(func(key dsl.Key) (chain.Value, bool) {
			asked[key] = true
			v, ok := map[dsl.Key]string{"x": x, "y": y}[key]
			return chain.Text(v), ok
		})
		want := jsonv.OfList([]chain.Value{
			chain.Text(x), chain.Text("<" + x + "|" + y + ">"), jsonv.OfObject([]string{"k"}, []chain.Value{chain.Text(y)}),
		})
		if err != nil || string(got.AppendJSON(nil)) != string(want.AppendJSON(nil)) {
			t.Fatalf("%q, %q become %s, %v", x, y, got.AppendJSON(nil), err)
		}
		if len(asked) != 2 {
			t.Fatalf("keys asked for: %v", asked)
		}
	})
}
