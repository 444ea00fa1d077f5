package lint

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// AddManifest adds the abilities of a plugin's manifest: YAML or JSON with
// abilities: {name: {params: {name: {type, required, default}}}}. Manifests
// are other programs' files: fields that are not known are passed over. The
// findings say what cannot be read; nothing is added then. An ability that
// two manifests describe differently is such a finding, as one of them is wrong.
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
		ab := readAbility(d, name, list.Items[i])
		for _, have := range []*ability{found[dsl.Fold(name.Text)], a.find(name.Text)} {
			if have != nil && !have.listed && !have.same(ab) {
				f := d.Report(document.SyntaxID, name.Pos, fmt.Sprintf("ability %s is described twice, and not in the same way", document.Quote(name.Text)), "leave one of the manifests out")
				f.Related = []diag.Related{{File: have.file, Pos: have.pos, Message: "the other description"}}
			}
		}
		found[dsl.Fold(name.Text)] = ab
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

// readAbility reads one entry of a manifest.
func readAbility(d *document.Document, name document.Name, n *document.Node) *ability {
	ab := &ability{name: name.Text, file: d.File, pos: name.Pos, params: map[string]*abilityParam{}}
	if name.Text == "" || strings.ContainsFunc(name.Text, diag.Invisible) {
		d.Report(document.SyntaxID, name.Pos, document.Quote(name.Text)+" is no name of an ability", "such as trading.execute")
	}
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

// readParam reads one parameter: a map of fields, or its type alone.
func readParam(d *document.Document, name document.Name, n *document.Node) *abilityParam {
	p := &abilityParam{pos: name.Pos}
	switch n.Kind {
	case jsonv.String:
		p.typ = n.Text
	case jsonv.Object:
		if t := member(n, "type"); t != nil && t.Kind != jsonv.Null {
			p.typ, _ = d.Text(t, "the type of a parameter")
		}
		p.required = isTrue(d, member(n, "required")) && member(n, "default") == nil
	case jsonv.Null:
	default:
		d.WrongType(n, "a parameter is a map of fields")
	}
	return p
}

// isTrue reads required, which may be left out.
func isTrue(d *document.Document, n *document.Node) bool {
	if n == nil || n.Kind == jsonv.Null {
		return false
	}
	if n.Kind != jsonv.Bool {
		d.WrongType(n, "required is true or false")
	}
	return n.Kind == jsonv.Bool && n.Text == "true"
}
