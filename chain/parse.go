package chain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Identifiers of the findings that this package makes beside those of the
// rules it reads.
const (
	SyntaxID        = document.SyntaxID
	UnknownFieldID  = document.UnknownFieldID
	WrongTypeID     = document.WrongTypeID
	LimitID         = document.LimitID
	DuplicateRuleID = "duplicate-rule"
	DanglingID      = "dangling-reference"
	CycleID         = "cycle"
)

// Parse reads a chain document: YAML, or JSON. Every fault of it is a finding.
// The chain is nil if and only if one of them is an error.
//
// A plain scalar is null, true, false or a number where JSON would write it
// so; anything else, such as yes, 0x10, 007 or a date, is a text. Numbers keep
// their source.
func Parse(file string, data []byte) (*Chain, diag.List) {
	d := document.Parse(file, data, document.Limits{Bytes: MaxFile, Depth: MaxDepth, Nodes: MaxNodes})
	if d.Root == nil {
		return nil, d.Findings()
	}
	r := reader{Document: d, chain: &Chain{File: file, Dialect: dialect(d.Root)}}
	r.read(d.Root)
	findings := d.Findings()
	if findings.Err() != nil {
		return nil, findings
	}
	return r.chain, findings
}

// reader reads the parts of a chain and collects findings.
type reader struct {
	*document.Document
	chain    *Chain
	failures []*document.Node // of each step: its on_failure, or nil
	// dependencies are the entries of depends_on of each step, in the order of the file.
	dependencies [][]dependency

	references int // in templates, so far
	dependsOns int // entries of depends_on, so far
}

const riskHint = "a block says its risk, D:domain|high; of a chain what its abilities do and how many steps it has counts"

// chainHints say what a field of another dialect or version should be.
var chainHints = map[string]string{
	"breakers": "rules stand in circuit_breakers",
	"rules":    "rules stand in circuit_breakers",
	"inputs":   "did you mean params? In the catalogue dialect {{input.x}} needs no declaration",
	"version":  "leave it out",
	"risk":     riskHint, "risk_level": riskHint,
}

func (r *reader) read(n *document.Node) {
	c := r.chain
	r.Fields(n, "a chain", []document.Field{
		{Name: "id", Required: true, Read: r.id},
		{Name: "name", Read: func(n *document.Node) { c.Name, _ = r.Text(n, "the name") }},
		{Name: "description", Read: func(n *document.Node) { c.Description, _ = r.Text(n, "the description") }},
		{Name: "params", Read: r.params},
		{Name: "circuit_breakers", Read: r.rules},
		{Name: "circuit_breaker", Read: r.breaker},
		{Name: "steps", Required: true, Read: r.steps},
	}, chainHints)
	if c.Dialect == Catalogue {
		r.implicit()
	}
}

// chainID is a name without wildcards, as CHAIN: could give it without quotes.
var chainID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\p{L}0-9_/:-]+(\.[\p{L}0-9_/:-]+)*$`)
})

func (r *reader) id(n *document.Node) {
	text, ok := r.Text(n, "the id")
	switch {
	case !ok:
	case !chainID().MatchString(text):
		r.fault(n, 0, len(text), document.Quote(text)+" cannot be the id of a chain", `letters, digits, "_", "-", "/" and ":", with "." between`)
	case strings.HasPrefix(dsl.Fold(text), ModelPrefix):
		r.fault(n, 0, len(ModelPrefix), "ids that begin with "+ModelPrefix+" belong to chains that a model writes", "choose another id")
	}
	r.chain.ID = text
}

// fault reports a fault in a scalar, between two offsets of its text.
func (r *reader) fault(n *document.Node, from, to int, message, hint string) {
	pos, exact := n.TextPos(from)
	f := r.Report(SyntaxID, pos, message, hint)
	if exact {
		f.End, _ = n.TextPos(to)
	}
}

// word reads one of a few words.
func (r *reader) word(n *document.Node, what string, known []string) (string, bool) {
	text, ok := r.Text(n, what)
	if !ok || slices.Contains(known, text) {
		return text, ok
	}
	hint := "write one of " + strings.Join(known, ", ")
	if like := diag.Suggest(text, known); like != "" {
		hint = "did you mean " + like + "?"
	}
	r.fault(n, 0, len(text), fmt.Sprintf("%s cannot be %s", what, document.Quote(text)), hint)
	return "", false
}

// name reads a name that is one segment of a key.
func (r *reader) name(n *document.Node, what string) (string, bool) {
	text, ok := r.Text(n, what)
	if ok && !isSegment(text) {
		r.fault(n, 0, len(text), what+" cannot be "+document.Quote(text), fmt.Sprintf(`a letter or "_", then letters, digits, "_" and "-", at most %d`, maxKey))
		return "", false
	}
	return text, ok
}

// bindingName reads a name that outputs are bound to.
func (r *reader) bindingName(n *document.Node, what string) (string, bool) {
	text, ok := r.name(n, what)
	if ok && dsl.IsReserved(text) {
		r.fault(n, 0, len(text), what+" cannot be "+document.Quote(text)+", which begins conditions of rules", "choose another name")
		return "", false
	}
	if ok && text == inputName && r.chain.Dialect == Catalogue {
		r.fault(n, 0, len(text), what+" cannot be "+document.Quote(text)+": {{input.x}} is a parameter", "choose another name")
		return "", false
	}
	return text, ok
}

// template reads a value whose texts may hold references.
func (r *reader) template(n *document.Node) Template {
	switch n.Kind {
	case jsonv.String:
		return r.templateText(n)
	case jsonv.List, jsonv.Object:
		return r.templateTree(n)
	}
	return Template{fixed: n.Value()}
}

func (r *reader) templateText(n *document.Node) Template {
	pieces, faults := splitText(n.Text)
	for _, f := range faults {
		r.fault(n, f.from, f.to, f.message, f.hint)
	}
	t := Template{fixed: n.Value()}
	if !slices.ContainsFunc(pieces, func(p piece) bool { return p.key != "" }) {
		return t
	}
	pos, exact := n.TextPos(0)
	for _, p := range pieces {
		t.parts = append(t.parts, part{text: p.text, ref: Ref{Key: p.key, Pos: pos}})
		if p.key != "" {
			r.reference(pos)
		}
		// As in Node.TextPos, but without counting from the start each time.
		if exact = exact && !strings.Contains(p.text, "\n"); exact {
			pos.Column += utf8.RuneCountInString(p.text)
		} else {
			pos = n.Pos
		}
	}
	return t
}

// reference counts a reference, and reports the first that is one too many.
func (r *reader) reference(pos diag.Position) {
	if r.references++; r.references == MaxRefs+1 {
		r.Report(LimitID, pos, fmt.Sprintf("more than %d references", MaxRefs), "")
	}
}

func (r *reader) templateTree(n *document.Node) Template {
	t := Template{kind: n.Kind}
	references := false
	for i, item := range n.Items {
		if n.Kind == jsonv.Object {
			r.argName(n.Names[i])
			t.names = append(t.names, n.Names[i].Text)
		}
		child := r.template(item)
		t.items = append(t.items, child)
		references = references || child.parts != nil || child.items != nil
	}
	if !references {
		return Template{fixed: n.Value()}
	}
	return t
}
