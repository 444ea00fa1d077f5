package document

import (
	"strings"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Node is a value with its place. What an alias repeats has the place at
// which it was first written.
type Node struct {
	Kind  jsonv.Kind
	Text  string        // of a scalar: a text's contents, else as jsonv.Value.Text
	Pos   diag.Position // of its first character, a quote included
	Items []*Node       // elements of a list, values of an object
	Names []Name        // of an object, parallel to Items

	inner   diag.Position // of the text's first character; zero unless the source shows the text as it is
	quoted  bool          // a quote stands behind the text
	refused bool          // was reported already; stands for its field only
}

// Name is the name of a member, and its place.
type Name struct {
	Text string
	Pos  diag.Position
}

// Scalar reports whether the node is neither a list nor an object.
func (n *Node) Scalar() bool { return n.Kind != jsonv.List && n.Kind != jsonv.Object }

// Value returns the node without its places.
func (n *Node) Value() jsonv.Value {
	switch n.Kind {
	case jsonv.Bool:
		return jsonv.OfBool(n.Text == "true")
	case jsonv.Number:
		return jsonv.OfNumber(n.Text)
	case jsonv.String:
		return jsonv.OfText(n.Text)
	case jsonv.List, jsonv.Object:
		items := make([]jsonv.Value, len(n.Items))
		for i, item := range n.Items {
			items[i] = item.Value()
		}
		if n.Kind == jsonv.List {
			return jsonv.OfList(items)
		}
		names := make([]string, len(n.Names))
		for i := range n.Names {
			names[i] = n.Names[i].Text
		}
		return jsonv.OfObject(names, items)
	}
	return jsonv.Value{}
}

// TextPos returns the place of a character of the text, by its offset in
// bytes. Where the source writes the text with escapes or over several lines
// there is no simple answer: it is then the place of the node, and exact is false.
func (n *Node) TextPos(offset int) (pos diag.Position, exact bool) {
	if n.inner == (diag.Position{}) {
		return n.Pos, false
	}
	pos = n.inner
	before := n.Text[:min(offset, len(n.Text))]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		return n.Pos, false // the next line's indent is not known
	}
	pos.Column += utf8.RuneCountInString(before)
	return pos, true
}

// End returns the first place after the text, or the zero Position if that
// is not known.
func (n *Node) End() diag.Position {
	pos, exact := n.TextPos(len(n.Text))
	if !exact {
		return diag.Position{}
	}
	if n.quoted {
		pos.Column++
	}
	return pos
}

// locate finds out whether the source shows the text as it is, right at the
// node or behind a quote.
func (d *Document) locate(n *Node) {
	rest := d.from(n.Pos)
	quote := firstQuote(rest)
	if strings.HasPrefix(rest, quote+n.Text+quote) {
		n.inner, n.quoted = n.Pos, quote != ""
		n.inner.Column += len(quote)
	}
}

// locateBlock does the same for a text behind | or >, if it is one line.
func (d *Document) locateBlock(n *Node) {
	line := d.line(n.Pos.Line + 1)
	text := strings.TrimLeft(line, " ")
	if text != "" && text == strings.TrimRight(n.Text, "\n") {
		n.inner = diag.Position{Line: n.Pos.Line + 1, Column: len(line) - len(text) + 1}
	}
}

func firstQuote(s string) string {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		return s[:1]
	}
	return ""
}
