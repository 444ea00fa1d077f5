package chain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
)

const catalogue = `id: send-email
description: Compose and send an email
steps:
  - id: send
    ability: gmail.send
    params: {to: '{{input.to}}', body: '{{compose.output}}'}
    depends_on: [compose, look]
    on_failure: abort
  - id: compose
    ability: llm.query
    params: {prompt: 'To {{input.to}}, about {{input.mail.subject}}'}
    on_failure: continue
  - {id: look, ability: contacts.find, params: {}}
circuit_breakers:
  - {condition: "to=={{input.forbidden}}", action: abort}
`

func TestCatalogue(t *testing.T) {
	c, l := chain.Parse("c.yaml", []byte(catalogue))
	if c == nil {
		t.Fatal(l)
	}
	var order []string
	for _, s := range c.Steps {
		order = append(order, s.ID)
	}
	if want := []string{"compose", "look", "send"}; !slices.Equal(order, want) || c.Dialect != chain.Catalogue {
		t.Errorf("%v in dialect %v, want %v", order, c.Dialect, want)
	}
	if next, _ := c.AfterFailure(0); next != 1 {
		t.Errorf("after compose fails: %d, want 1", next)
	}
	if next, _ := c.AfterFailure(2); next != -1 {
		t.Errorf("after send fails: %d, want the end", next)
	}
	var names []string
	for _, p := range c.Params {
		if !p.Implicit || !p.Required {
			t.Errorf("%s is not implicit and required", p.Name)
		}
		names = append(names, p.Name)
	}
	slices.Sort(names)
	if want := []string{"forbidden", "mail", "to"}; !slices.Equal(names, want) {
		t.Errorf("parameters %v, want %v", names, want)
	}
}

func TestCatalogueStart(t *testing.T) {
	c, l := chain.Parse("c.yaml", []byte(catalogue))
	if c == nil {
		t.Fatal(l)
	}
	given := map[string]chain.Value{"to": chain.Text("bob@example.com"), "forbidden": chain.Text("7")}
	if _, err := c.Start(given, chain.Host); err == nil || !strings.Contains(err.Error(), `parameter "mail" is required`) {
		t.Errorf("without mail: %v", err)
	}
	given["mail"], _ = chain.ParseValue([]byte(`{"subject":"lunch"}`))
	if _, err := c.Start(given, chain.Model); err == nil || !strings.Contains(err.Error(), "declares no bounds") && !strings.Contains(err.Error(), "a model may not set") {
		t.Errorf("a model sets a limit without bounds: %v", err)
	}
	values, err := c.Start(given, chain.Host)
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.Steps[0].Args[0].Value.Render(chain.NewScope(values).Lookup)
	if err != nil || v.Text() != "To bob@example.com, about lunch" {
		t.Errorf("%q, %v", v.Text(), err)
	}
	given["recipient"] = chain.Text("eve")
	if _, err := c.Start(given, chain.Host); err == nil || !strings.Contains(err.Error(), `"recipient" is not declared`) {
		t.Errorf("a parameter that nothing uses: %v", err)
	}
}

// An output never stands in the place of an input of the same name.
func TestCatalogueInputIsNoOutput(t *testing.T) {
	c, l := chain.Parse("c.yaml", []byte("id: c\nsteps:\n  - {id: a, ability: x, output_key: to, params: {}}\n  - {id: b, ability: y, params: {to: '{{input.to}}'}}\n"))
	if c == nil {
		t.Fatal(l)
	}
	values, err := c.Start(map[string]chain.Value{"to": chain.Text("me")}, chain.Host)
	if err != nil {
		t.Fatal(err)
	}
	scope := chain.NewScope(values)
	scope.Bind("to", chain.Text("somebody else"))
	if v, err := c.Steps[1].Args[0].Value.Render(scope.Lookup); err != nil || v.Text() != "me" {
		t.Errorf("%q, %v", v.Text(), err)
	}
}

// In {{input.x}} the parameter is called x: templates, conditions, rules and
// reasons may use either name, and the caller supplies the short one.
func TestInputsHaveOneName(t *testing.T) {
	const steps = "id: c\nsteps:\n  - {id: a, ability: y, params: {%}}\n"
	for name, tt := range map[string]struct{ text, given, want string }{
		"in a template":          {strings.ReplaceAll(steps, "%", "v: '{{input.x}}'"), "x=1", ""},
		"deep in a value":        {strings.ReplaceAll(steps, "%", "v: [{w: 'a {{input.x.y}}'}]"), "x=1", ""},
		"in a condition":         {strings.ReplaceAll(steps, "%", "}, condition: {ref_key: input.x, op: is_empty"), "x=1", ""},
		"in a condition's value": {strings.ReplaceAll(steps, "%", "}, condition: {ref_key: a.output, op: equals, value: '{{input.x}}'"), "x=1", ""},
		"as a rule's key":        {strings.ReplaceAll(steps, "%", "") + "circuit_breakers: [{condition: input.x>5, action: abort}]", "x=1", ""},
		"as a rule's limit":      {strings.ReplaceAll(steps, "%", "") + "circuit_breakers: [{condition: 'y>{{input.x}}', action: abort}]", "x=1", ""},
		"a limit that is none":   {strings.ReplaceAll(steps, "%", "") + "circuit_breakers: [{condition: 'y>{{input.x}}', action: abort}]", "x=z", `compares with {{input.x}}, which is "z", not a number`},
		"in a reason":            {strings.ReplaceAll(steps, "%", "") + "circuit_breakers: [{condition: y>1, action: abort, reason: 'above {{input.x}}'}]", "x=1", ""},
		"a reason needs no one":  {strings.ReplaceAll(steps, "%", "") + "circuit_breakers: [{condition: y>1, action: abort, reason: 'above {{input.x}}'}]", "", ""},
		"not supplied":           {strings.ReplaceAll(steps, "%", "v: '{{input.x}}'"), "", `parameter "x" is required`},
		"supplied by both":       {strings.ReplaceAll(steps, "%", "v: '{{input.x}}'"), "x=1 input.x=2", `parameter "input.x" is called "x" by who supplies it`},
		"declared":               {strings.ReplaceAll(steps, "%", "v: '{{input.x}}'") + "params: [{name: x, default: 7}]", "", ""},
		"declared with bounds":   {strings.ReplaceAll(steps, "%", "v: '{{input.x}}'") + "params: [{name: x, param_type: number, max: 7}]", "x=8", "8\" is greater than max 7"},
		"not an input":           {strings.ReplaceAll(steps, "%", "v: '{{x}}'"), "", `step "a" uses {{x}}, which is no parameter`},
		"the documented dialect": {"id: c\nsteps: [{id: a, ability: y, args: {v: '{{input.x}}'}}]", "x=1", `step "a" uses {{input.x}}, which is no parameter`},
	} {
		c := mustParse(t, tt.text)
		given := map[string]chain.Value{}
		for _, word := range strings.Fields(tt.given) {
			param, value, _ := strings.Cut(word, "=")
			given[param] = chain.Text(value)
		}
		values, err := c.Start(given, chain.Host)
		if err == nil && tt.want != "" || err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if x, ok := values["x"]; ok && values["input.x"].Text() != x.Text() {
			t.Errorf("%s: values %v", name, values)
		}
	}
}

func TestDialectIsToldBySteps(t *testing.T) {
	for text, want := range map[string]chain.Dialect{
		"id: c\nsteps: [{id: a, ability: x}]":                                  chain.Documented,
		"id: c\nsteps: [{id: a, ability: x, args: {params: 1}}]":               chain.Documented,
		"id: c\nparams: [{name: p}]\nsteps: [{id: a, ability: x}]":             chain.Documented,
		"id: c\nsteps: [{id: depends_on, ability: params}]":                    chain.Documented,
		"id: c\nsteps: [{id: a, ability: x}, {id: b, ability: x, params: {}}]": chain.Catalogue,
		"id: c\nsteps: [{id: a, ability: x, depends_on: []}]":                  chain.Catalogue,
		`{"id": "c", "steps": [{"id": "a", "ability": "x", "params": null}]}`:  chain.Catalogue,
		"id: c\nparams: [{name: p}]\ncircuit_breakers: [{condition: p>1, action: warn}]\nsteps: [{id: a, ability: x, params: {}, output_key: k, condition: {ref_key: p, op: is_empty}}]": chain.Catalogue,
	} {
		if got := mustParse(t, text).Dialect; got != want {
			t.Errorf("%s: dialect %v, want %v", text, got, want)
		}
	}
}

// abort and continue are words in both dialects, unless a step is called so.
func TestWordsOfOnFailure(t *testing.T) {
	for _, arguments := range []string{"args", "params"} {
		steps := "id: c\nsteps:\n  - {id: a, ability: x, " + arguments + ": {}, on_failure: %}\n  - {id: b, ability: x}\n  - {id: #, ability: x}\n"
		for _, tt := range []struct {
			word, third string
			next        int
			jump        bool
		}{
			{"abort", "z", -1, false}, {"continue", "z", 1, false}, {"z", "z", 2, true},
			{"abort", "abort", 2, true}, {"continue", "continue", 2, true},
		} {
			c := mustParse(t, strings.NewReplacer("%", tt.word, "#", tt.third).Replace(steps))
			if next, jump := c.AfterFailure(0); next != tt.next || jump != tt.jump {
				t.Errorf("%s, on_failure: %s beside a step %s: %d, %v", arguments, tt.word, tt.third, next, jump)
			}
		}
	}
}

// What a step may read is told by the order in which the steps run.
func TestCatalogueFlow(t *testing.T) {
	c := mustParse(t, `id: c
steps:
  - {id: last, ability: x, params: {v: "{{first.output}}"}, depends_on: [middle]}
  - {id: first, ability: x, on_failure: continue}
  - {id: middle, ability: x, on_failure: abort, depends_on: [first]}
`)
	f := c.Flow()
	for _, tt := range []struct {
		step      int
		key       dsl.Key
		may, must bool
	}{
		{0, "first.output", false, false}, {1, "first.output", true, true}, {2, "middle.output", true, true},
		{1, "first_error", true, false}, {2, "last.output", false, false}, {2, "middle_error", false, false}, {3, "last.output", true, true},
	} {
		if may, must := f.May(tt.step, tt.key), f.Must(tt.step, tt.key); may != tt.may || must != tt.must {
			t.Errorf("%s before step %d: may %v, must %v", tt.key, tt.step, may, must)
		}
	}
	if got := c.CanRunFrom(1, nil); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("from middle on %v can run", got)
	}
	_, err := mustParse(t, "id: c\nsteps:\n  - {id: a, ability: x, params: {v: '{{b.output}}'}}\n  - {id: b, ability: x}\n").Start(nil, chain.Host)
	if err == nil || !strings.Contains(err.Error(), "{{b.output}}, which is no parameter and no output of a step before it") {
		t.Errorf("an output of a later step: %v", err)
	}
}
