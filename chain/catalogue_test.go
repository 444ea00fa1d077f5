package chain_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
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

// Every chain that people have published is read and can start.
func TestPublishedChains(t *testing.T) {
	root := "../../shared/traces-dev/chains"
	if _, err := os.Stat(root); err != nil {
		t.Skip("the published chains are not beside the repository")
	}
	n := 0
	for _, pattern := range []string{"catalog/*/chains/*.yaml", "demo/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c, l := chain.Parse(name, data)
			if c == nil || len(l) > 0 {
				t.Errorf("%s: %v", name, l)
				continue
			}
			given := map[string]chain.Value{}
			for _, p := range c.Params {
				given[p.Name] = chain.Text("1")
				if p.Type == chain.URLType {
					given[p.Name] = chain.Text("https://example.com/")
				}
				if p.Type == chain.BooleanType {
					given[p.Name] = chain.Text("true")
				}
			}
			if _, err := c.Start(maps.Clone(given), chain.Host); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			n++
		}
	}
	if n != 97 {
		t.Errorf("%d chains, want 65 of the catalogue and 32 demos", n)
	}
}
