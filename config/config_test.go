package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/dsl"
)

func TestParse(t *testing.T) {
	c, l := config.Parse("conf/cbpolicy.yaml", []byte(`check:
  sources: [mail.read, "browser.*"]
  sinks: [mail.send]
  plugins: [plugins, /abs]
  abilities: [abilities.txt]
  fail_on: error
`))
	if c == nil {
		t.Fatal(l)
	}
	c.Resolve("conf/cbpolicy.yaml")
	want := &config.Config{Check: config.Check{
		Sources: []dsl.NamePattern{"mail.read", "browser.*"}, Sinks: []dsl.NamePattern{"mail.send"},
		Plugins: []string{"conf/plugins", "/abs"}, Abilities: []string{"conf/abilities.txt"}, FailOn: "error",
	}}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
	if c, l := config.Parse("c.yaml", []byte("{}")); c == nil || len(l) > 0 {
		t.Errorf("nothing said: %v", l)
	}
}

func TestParse_Refuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"chek: {}", `1:1: a configuration has no field "chek"`},
		{"check: {fail-on: error}", "did you mean fail_on?"},
		{"check: {fail_on: info}", `1:18: fail_on cannot be "info"`},
		{"check: {sources: mail.read}", "1:18: "},
		{"check: {sinks: ['a b']}", `1:17: "a b" is no pattern of abilities`},
		{"check: {sinks: ['x&y>1']}", "is no pattern of abilities"},
		{"check: {plugins: ['']}", "1:19: an entry of plugins is empty"},
		{"[1, 2]", "1:1: a configuration is a map"},
		{"check: {", "1:"},
	} {
		got, l := config.Parse("c.yaml", []byte(c.text))
		if got != nil || !strings.Contains(l.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, l, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("check: {sources: [a.b], fail_on: error}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, l := config.Parse("c.yaml", data)
		if (c == nil) != (l.Err() != nil) {
			t.Errorf("%v, %v", c, l)
		}
	})
}
