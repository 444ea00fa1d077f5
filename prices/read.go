package prices

import (
	"errors"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// MaxFile is the most bytes of a table's file that are read.
const MaxFile = 32 << 20

// fileLimits bound the file of a table.
var fileLimits = document.Limits{Bytes: MaxFile, Depth: 8, Nodes: 2_000_000}

// Unit is what a file says its rates are in. Files hold dollars for a million
// tokens, as vendors print them, with at most nine digits behind the point, so
// that each is a whole number of nano-dollars.
const Unit = "usd per million tokens"

// rateScale turns a file's dollars into nano-dollars.
const rateScale = 9

// Parse reads the file of a table, JSON or YAML. The file is the name under
// which findings speak of it. The table is nil if there are findings.
func Parse(file string, data []byte) (*Table, diag.List) {
	r := reader{doc: document.Parse(file, data, fileLimits)}
	var h Header
	var entries []Entry
	var nodes []*document.Node
	if root := r.doc.Root; root != nil {
		r.doc.Fields(root, "a table of prices", []document.Field{
			{Name: "version", Required: true, Read: r.text("version", &h.Version)},
			{Name: "source", Required: true, Read: r.text("source", &h.Source)},
			{Name: "date", Required: true, Read: r.text("date", &h.Date)},
			{Name: "unit", Required: true, Read: r.unit},
			{Name: "models", Required: true, Read: func(n *document.Node) { nodes = r.doc.List(n, "models", MaxEntries) }},
		}, nil)
		for _, n := range nodes {
			entries = append(entries, r.entry(n, h.Source))
		}
	}
	if findings := r.doc.Findings(); len(findings) > 0 {
		return nil, findings
	}
	t, err := New(h, entries)
	if err != nil {
		pos := diag.Position{Line: 1, Column: 1}
		if e := (*EntryError)(nil); errors.As(err, &e) {
			pos, err = nodes[e.Index].Pos, e.Err
		}
		r.doc.Report(document.SyntaxID, pos, err.Error(), "")
		return nil, r.doc.Findings()
	}
	return t, nil
}

// reader reads the parts of a table's file.
type reader struct{ doc *document.Document }

func (r reader) text(what string, into *string) func(*document.Node) {
	return func(n *document.Node) { *into, _ = r.doc.Text(n, what) }
}

func (r reader) unit(n *document.Node) {
	if text, ok := r.doc.Text(n, "unit"); ok && text != Unit {
		r.doc.Report(document.WrongTypeID, n.Pos, "the unit "+document.Quote(text)+" is not known", `want "`+Unit+`"`)
	}
}

func (r reader) entry(n *document.Node, source string) Entry {
	e := Entry{Source: source}
	fields := append([]document.Field{
		{Name: "provider", Required: true, Read: r.text("provider", &e.Provider)},
		{Name: "model", Required: true, Read: r.text("model", &e.Model)},
		{Name: "names", Read: func(n *document.Node) { e.Names = r.names(n) }},
		{Name: "source", Read: r.text("source", &e.Source)},
		{Name: "tiers", Read: func(n *document.Node) { e.Price.Tiers = r.tiers(n) }},
	}, r.rates(&e.Price.Rates)...)
	r.doc.Fields(n, "a price", fields, nil)
	return e
}

func (r reader) names(n *document.Node) []string {
	var names []string
	for _, item := range r.doc.List(n, "names", MaxNames) {
		if name, ok := r.doc.Text(item, "a name"); ok {
			names = append(names, name)
		}
	}
	return names
}

func (r reader) tiers(n *document.Node) []Tier {
	var tiers []Tier
	for _, item := range r.doc.List(n, "tiers", MaxTiers) {
		var t Tier
		fields := append([]document.Field{
			{Name: "above", Required: true, Read: func(n *document.Node) { t.Above = r.tokens(n) }},
		}, r.rates(&t.Rates)...)
		r.doc.Fields(item, "a tier", fields, nil)
		tiers = append(tiers, t)
	}
	return tiers
}

func (r reader) tokens(n *document.Node) int64 {
	d, ok := decimal.Parse(n.Text)
	tokens, whole := d.Int()
	if n.Kind != jsonv.Number || !ok || !whole {
		r.doc.Report(document.WrongTypeID, n.Pos, "above is a whole number of tokens", "such as 200000")
	}
	return tokens
}

// rates are the fields that rates are read from.
func (r reader) rates(into *Rates) []document.Field {
	var fields []document.Field
	for _, k := range Kinds() {
		fields = append(fields, document.Field{Name: k.String(), Required: k == Input || k == Output, Read: func(n *document.Node) {
			into[k] = r.rate(n, k)
		}})
	}
	return fields
}

func (r reader) rate(n *document.Node, k Kind) Rate {
	d, ok := decimal.Parse(n.Text)
	if n.Kind != jsonv.Number || !ok {
		r.doc.Report(document.WrongTypeID, n.Pos, k.String()+" is a number of dollars for a million tokens", "such as 3.75")
		return Rate{}
	}
	nano, fits := d.CeilScaled(rateScale)
	if !fits || decimal.Scaled(nano, -rateScale) != d {
		r.doc.Report(document.WrongTypeID, n.Pos, k.String()+" has more than nine digits behind the point, or is too large", "round it up")
		return Rate{}
	}
	return PerMillion(nano)
}
