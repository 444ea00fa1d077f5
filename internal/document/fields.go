package document

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Field is one field that an object may have.
type Field struct {
	Name     string
	Required bool
	Read     func(*Node) // never called with null, unless Null is set
	Null     bool        // null is a value of the field; without it, null is as good as absent
}

// Fields reads an object that may have the fields given and no others. What
// names the object in messages, such as "a step". Hints say what an unknown
// field should have been; a field without one is looked for among the known.
// A required field that an unknown one was meant to be is not missed as well.
// It reports whether all fields are known.
func (d *Document) Fields(n *Node, what string, fields []Field, hints map[string]string) (known bool) {
	if n.Kind != jsonv.Object {
		d.WrongType(n, what+" is a map of fields")
		return false
	}
	known = true
	given := map[string]bool{}
	for i, name := range n.Names {
		f := findField(fields, name.Text)
		if f == nil {
			given[d.unknownField(what, name, fields, hints)] = true
			known = false
			continue
		}
		item := n.Items[i]
		if item.Kind == jsonv.Null && !item.refused && !f.Null {
			continue
		}
		given[name.Text] = true
		if !item.refused {
			f.Read(item)
		}
	}
	for _, f := range fields {
		if f.Required && !given[f.Name] {
			d.Report(SyntaxID, n.Pos, what+" has no "+f.Name, "add "+f.Name+":")
		}
	}
	return known
}

func findField(fields []Field, name string) *Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}

// unknownField reports a field, and returns the one that was meant; "" if that
// is not known.
func (d *Document) unknownField(what string, name Name, fields []Field, hints map[string]string) (meant string) {
	known := make([]string, len(fields))
	for i := range fields {
		known[i] = fields[i].Name
	}
	hint := hints[name.Text]
	if like, found := strings.CutPrefix(hint, "did you mean "); found {
		meant, _, _ = strings.Cut(like, "?")
	}
	if hint == "" {
		if meant = diag.Suggest(name.Text, known); meant != "" {
			hint = "did you mean " + meant + "?"
		} else {
			hint = "known are " + strings.Join(known, ", ")
		}
	}
	d.Report(UnknownFieldID, name.Pos, what+" has no field "+Quote(name.Text), hint)
	return meant
}

// maxShown is how many characters of the input a message repeats.
const maxShown = 40

// Quote repeats a piece of the input in a message: shortened, and with what
// does not show escaped.
func Quote(s string) string {
	if r := []rune(s); len(r) > maxShown {
		s = string(r[:maxShown]) + "…"
	}
	return `"` + diag.Escape(s) + `"`
}

// WrongType reports that a node is not what is wanted, said as "x is y".
func (d *Document) WrongType(n *Node, wanted string) {
	d.Report(WrongTypeID, n.Pos, wanted+", not "+n.Kind.String(), "")
}

// Text returns the text of a scalar other than null. It reports anything else.
func (d *Document) Text(n *Node, what string) (string, bool) {
	if !n.Scalar() || n.Kind == jsonv.Null {
		d.WrongType(n, what+" is a text")
		return "", false
	}
	return n.Text, true
}

// List returns the elements of a list. It reports anything else, and more
// than most elements.
func (d *Document) List(n *Node, what string, most int) []*Node {
	if n.Kind != jsonv.List {
		d.WrongType(n, what+" is a list")
		return nil
	}
	if len(n.Items) > most {
		d.Report(LimitID, n.Items[most].Pos, fmt.Sprintf("%s has %d elements; at most %d are allowed", what, len(n.Items), most), "")
		return n.Items[:most]
	}
	return n.Items
}
