package document

import (
	"errors"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// parseJSON reads the text as JSON. It reports false if the text is not JSON
// and need not be, so that YAML is to be tried.
func (d *Document) parseJSON(must bool) bool {
	v, offsets, err := jsonv.ParseOffsets(d.text, jsonv.Limits{Depth: d.limits.Depth, Values: d.limits.Nodes})
	if err == nil {
		r := jsonReader{document: d, offsets: offsets, at: diag.Position{Line: 1, Column: 1}}
		d.Root = r.node(v)
		return true
	}
	var fault *jsonv.Error
	if !errors.As(err, &fault) {
		return false
	}
	id := SyntaxID
	if fault.TooDeep || fault.TooMany {
		id = LimitID
	} else if !must {
		return false
	}
	message := fault.Message
	if fault.Path != "" {
		message += " in " + fault.Path
	}
	d.Report(id, diag.Position{Line: fault.Line, Column: fault.Column}, message, "")
	return true
}

// jsonReader gives the parts of a JSON value their places. As offsets only
// grow, the place is found by walking the text once.
type jsonReader struct {
	document *Document
	offsets  jsonv.Offsets
	offset   int
	at       diag.Position
}

// next returns the place of the next part.
func (r *jsonReader) next() diag.Position {
	to := r.offsets[0]
	r.offsets = r.offsets[1:]
	for text := r.document.text; r.offset < to; {
		c, size := utf8.DecodeRuneInString(text[r.offset:])
		r.offset += size
		if r.at.Column++; c == '\n' {
			r.at = diag.Position{Line: r.at.Line + 1, Column: 1}
		}
	}
	return r.at
}

func (r *jsonReader) node(v jsonv.Value) *Node {
	n := &Node{Kind: v.Kind(), Text: v.Text(), Pos: r.next()}
	if n.Scalar() {
		r.locate(n)
		return n
	}
	for i := range v.Len() {
		if n.Kind == jsonv.Object {
			n.Names = append(n.Names, Name{Text: v.Key(i), Pos: r.next()})
		}
		n.Items = append(n.Items, r.node(v.Elem(i)))
	}
	return n
}

// locate is Document.locate without looking for the line again.
func (r *jsonReader) locate(n *Node) {
	rest := r.document.text[r.offset:]
	if n.Kind != jsonv.String {
		n.inner = n.Pos
		return
	}
	if end := 1 + len(n.Text); end < len(rest) && rest[1:end] == n.Text && rest[end] == '"' {
		n.quoted = true
		n.inner = diag.Position{Line: n.Pos.Line, Column: n.Pos.Column + 1}
	}
}
