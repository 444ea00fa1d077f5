package policytest

import (
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// merged lays fields over defaults: a field stands before the default of its
// name, and of args, outputs, params and meters member by member. Everything
// keeps the place at which it was written. Either may be nil.
func merged(defaults, own *document.Node) *document.Node {
	if defaults == nil || defaults.Kind != jsonv.Object {
		return own
	}
	if own == nil {
		return defaults
	}
	if own.Kind != jsonv.Object {
		return own // whoever reads it reports it
	}
	out := &document.Node{Kind: jsonv.Object, Pos: own.Pos}
	for i, name := range own.Names {
		item := own.Items[i]
		if d := member(defaults, name.Text); d != nil && ofMembers(name.Text) && d.Kind == jsonv.Object && item.Kind == jsonv.Object {
			item = overlaid(d, item)
		}
		out.Names, out.Items = append(out.Names, name), append(out.Items, item)
	}
	return addMissing(out, defaults)
}

// overlaid is merged for a value of named members, which are not merged themselves.
func overlaid(defaults, own *document.Node) *document.Node {
	out := &document.Node{Kind: jsonv.Object, Pos: own.Pos}
	out.Names, out.Items = append(out.Names, own.Names...), append(out.Items, own.Items...)
	return addMissing(out, defaults)
}

// addMissing adds the members of from that n has not.
func addMissing(n, from *document.Node) *document.Node {
	for i, name := range from.Names {
		if member(n, name.Text) == nil {
			n.Names, n.Items = append(n.Names, name), append(n.Items, from.Items[i])
		}
	}
	return n
}

// ofMembers reports whether a field of a step holds named values.
func ofMembers(field string) bool {
	return field == "args" || field == "outputs" || field == "params" || field == "meters"
}

// member returns a field of an object, or nil.
func member(n *document.Node, name string) *document.Node {
	for i := range n.Names {
		if n.Names[i].Text == name {
			return n.Items[i]
		}
	}
	return nil
}
