package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Abilities is what is known of the abilities that a host offers. The zero
// Abilities know nothing, and no finding comes of them.
type Abilities struct {
	known map[string]*ability
	// plugins are the first segments of the names in manifests: a plugin
	// that has a manifest has no other abilities than those in it.
	plugins  map[string]bool
	complete bool // a list was given: there are no others at all
}

// ability is one of them.
type ability struct {
	name   string
	params map[string]*abilityParam
	listed bool // by its name only: nothing is known of its parameters
	file   string
	pos    diag.Position
}

type abilityParam struct {
	typ      string // as the manifest says; "": it does not
	required bool   // and it has no default
	pos      diag.Position
}

// AddManifest adds the abilities of a plugin's manifest: YAML or JSON with
// abilities: {name: {params: {name: {type, required, default}}}}. Manifests
// are other programs' files: fields that are not known are passed over. The
// findings say what cannot be read; nothing is added then.
func (a *Abilities) AddManifest(file string, data []byte) diag.List {
	d := document.Parse(file, data, document.Limits{Bytes: document.MaxYAML, Depth: maxDepth, Nodes: maxNodes})
	if d.Root == nil {
		return d.Findings()
	}
	var list *document.Node
	if d.Root.Kind == jsonv.Object {
		list = member(d.Root, "abilities")
	}
	if list == nil || list.Kind != jsonv.Object {
		d.Report(document.SyntaxID, d.Root.Pos, "a manifest has no map of abilities", "abilities: {name: {params: {…}}}")
		return d.Findings()
	}
	found := map[string]*ability{}
	for i, name := range list.Names {
		found[dsl.Fold(name.Text)] = readAbility(d, name, list.Items[i])
	}
	if findings := d.Findings(); findings.Err() != nil {
		return findings
	}
	a.add(found)
	if a.plugins == nil {
		a.plugins = map[string]bool{}
	}
	for name := range found {
		a.plugins[plugin(name)] = true
	}
	return d.Findings()
}

// AddList adds a complete list of abilities: one name a line, "#" for
// comments; or a document as AddManifest reads it. With a list every ability
// that is not known is an error.
func (a *Abilities) AddList(file string, data []byte) diag.List {
	kind := KindOf(file)
	if kind == Chain {
		findings := a.AddManifest(file, data)
		a.complete = a.complete || findings.Err() == nil
		return findings
	}
	found, line := map[string]*ability{}, 0
	var findings diag.List
	for text := range bytes.Lines(data) {
		line++
		name := strings.TrimSpace(string(text))
		if name == "" || name[0] == '#' {
			continue
		}
		pos := diag.Position{Line: line, Column: 1}
		if strings.ContainsAny(name, " \t") || strings.ContainsFunc(name, diag.Invisible) {
			findings = append(findings, &diag.Finding{ID: dsl.SyntaxID, File: file, Pos: pos, Text: strings.TrimRight(string(text), "\r\n"),
				Message: "a list of abilities has one name a line", Hint: "such as trading.execute"})
			continue
		}
		found[dsl.Fold(name)] = &ability{name: name, listed: true, file: file, pos: pos}
	}
	if len(findings) > 0 {
		return findings
	}
	a.add(found)
	a.complete = true
	return nil
}

func (a *Abilities) add(found map[string]*ability) {
	if a.known == nil {
		a.known = map[string]*ability{}
	}
	for name, ab := range found {
		if have := a.known[name]; have == nil || have.listed {
			a.known[name] = ab
		}
	}
}

// readAbility reads one entry of a manifest.
func readAbility(d *document.Document, name document.Name, n *document.Node) *ability {
	ab := &ability{name: name.Text, file: d.File, pos: name.Pos, params: map[string]*abilityParam{}}
	if n.Kind == jsonv.Null {
		return ab
	}
	if n.Kind != jsonv.Object {
		d.WrongType(n, "an ability is a map of fields")
		return ab
	}
	params := member(n, "params")
	if params == nil || params.Kind == jsonv.Null {
		return ab
	}
	if params.Kind != jsonv.Object {
		d.WrongType(params, "the params of an ability are a map")
		return ab
	}
	for i, p := range params.Names {
		ab.params[p.Text] = readParam(d, p, params.Items[i])
	}
	return ab
}

func readParam(d *document.Document, name document.Name, n *document.Node) *abilityParam {
	p := &abilityParam{pos: name.Pos}
	switch n.Kind {
	case jsonv.String: // the type alone
		p.typ = n.Text
	case jsonv.Object:
		if t := member(n, "type"); t != nil && t.Kind == jsonv.String {
			p.typ = t.Text
		}
		required := member(n, "required")
		p.required = required != nil && required.Kind == jsonv.Bool && required.Text == "true" && member(n, "default") == nil
	case jsonv.Null:
	default:
		d.WrongType(n, "a parameter is a map of fields")
	}
	return p
}

// plugin is the first segment of an ability's name.
func plugin(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

// find returns what is known of an ability, or nil.
func (a *Abilities) find(name string) *ability { return a.known[dsl.Fold(name)] }

// missing says why there is no such ability; "" if there is, or may be.
func (a *Abilities) missing(name string) string {
	folded := dsl.Fold(name)
	switch {
	case a.known[folded] != nil:
	case a.complete:
		return fmt.Sprintf("there is no ability %s", name)
	case a.plugins[plugin(folded)]:
		return fmt.Sprintf("plugin %s has no ability %s", plugin(name), name)
	}
	return ""
}

// names returns the abilities that one could be a slip for, sorted.
func (a *Abilities) names() []string {
	names := make([]string, 0, len(a.known))
	for _, ab := range a.known {
		names = append(names, ab.name)
	}
	slices.Sort(names)
	return names
}
