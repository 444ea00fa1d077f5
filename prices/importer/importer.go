// Package importer owns the reading of other projects' price files into a
// table of package prices: genai-prices, litellm and models.dev.
//
// It is strict about the fields that it understands and ignores all others,
// which these projects add often. Where a file leaves open which of several
// prices holds, the dearer counts; a model whose price cannot be told is left
// out and so stays unknown. It fetches nothing.
package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/prices"
)

// LeftOutID is the identifier of the findings, of severity info, that say how
// many models were left out and why.
const LeftOutID = "price-left-out"

// BadPriceID is the identifier of the findings, of severity warning, that say
// what is wrong with a model's price, and that the model is left out.
const BadPriceID = "bad-price"

// maxBad is of how many models the price may be bad. In a file of which more
// cannot be read, the format is not what it is taken for.
const maxBad = 100

// Options tune Read.
type Options struct {
	// Date is the day, YYYY-MM-DD, whose prices are taken from a file that has
	// several. It becomes the table's date. Required.
	Date string
	// Providers are those whose models are taken, under any of their names;
	// empty: all.
	Providers []string
	// Source says where the file is from; "": the home of its project.
	Source string
}

// formats are the formats by name.
var formats = []struct {
	name   string
	home   string
	models func(*collector, *document.Node)
}{
	{"genai-prices", "https://github.com/pydantic/genai-prices", (*collector).genaiPrices},
	{"litellm", "https://github.com/BerriAI/litellm", (*collector).litellm},
	{"models.dev", "https://models.dev/api.json", (*collector).modelsDev},
}

// Formats returns the names of the formats.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// limits bound an imported file.
var limits = document.Limits{Bytes: prices.MaxFile, Depth: 32, Nodes: 5_000_000}

// Read reads a file in one of the Formats; any other is an error at no
// position. The table is nil if a finding is an error. A model of which some
// part of the price cannot be read is left out whole, and so stays unknown:
// findings of severity warning say which and why. Those of severity info say
// what was left out because it has no price. The table's version names the format and the
// SHA-256 of the file.
func Read(format, file string, data []byte, o Options) (*prices.Table, diag.List) {
	i := slices.Index(Formats(), format)
	if i < 0 {
		return nil, diag.List{{ID: document.SyntaxID, File: file, Message: "unknown format " + document.Quote(format), Hint: "want genai-prices, litellm or models.dev"}}
	}
	c := &collector{doc: document.Parse(file, data, limits), options: o, source: o.Source, index: map[string]int{}, bad: map[string]bool{}}
	if c.source == "" {
		c.source = formats[i].home
	}
	if c.doc.Root != nil {
		formats[i].models(c, c.doc.Root)
		c.dropBad()
	}
	if findings := c.doc.Findings(); findings.Err() != nil {
		return nil, findings
	}
	c.reportLeftOut()
	sum := sha256.Sum256(data)
	h := prices.Header{Version: format + " sha256:" + hex.EncodeToString(sum[:6]), Source: c.source, Date: o.Date}
	table, err := prices.New(h, c.entries)
	if err != nil {
		pos := diag.Position{}
		if e := (*prices.EntryError)(nil); errors.As(err, &e) {
			pos = c.places[e.Index]
		}
		c.doc.Report(document.SyntaxID, pos, err.Error(), "")
		return nil, c.doc.Findings()
	}
	return table, c.doc.Findings()
}

// collector collects the models of a file.
type collector struct {
	doc     *document.Document
	options Options
	source  string
	entries []prices.Entry
	places  []diag.Position // of the entries
	index   map[string]int  // entries by provider and model
	bad     map[string]bool // those of which a price could not be read
	left    []leftOut
}

// model reads one model. What it reports makes the model a bad one and not the
// file: the model is left out, under whatever other name it comes again too.
func (c *collector) model(provider, name string, read func()) {
	whole, left := c.doc, slices.Clone(c.left)
	c.doc = &document.Document{File: whole.File}
	read()
	faults := c.doc.Findings()
	c.doc = whole
	if len(faults) == 0 {
		return
	}
	c.left = left
	of := name
	if provider != "" {
		of = prices.Entry{Provider: provider, Model: name}.Of()
	}
	c.bad[strings.ToLower(of)] = true
	if len(c.bad) > maxBad {
		return
	}
	for _, f := range faults {
		f.ID, f.Severity, f.Message = BadPriceID, diag.Warning, document.Quote(of)+" is left out: "+f.Message
		whole.Add(f)
	}
}

// dropBad drops the entries of bad models, and reports if they are too many.
func (c *collector) dropBad() {
	if len(c.bad) > maxBad {
		c.doc.Report(document.SyntaxID, diag.Position{Line: 1, Column: 1}, fmt.Sprintf("the prices of %d models cannot be read", len(c.bad)), "is the file in another format?")
	}
	entries, places := c.entries, c.places
	c.entries, c.places = nil, nil
	for i, e := range entries {
		if !c.bad[strings.ToLower(e.Of())] {
			c.entries, c.places = append(c.entries, e), append(c.places, places[i])
		}
	}
}

// leftOut is a reason for which models were left out.
type leftOut struct {
	why   string
	first string // a model, and its place
	pos   diag.Position
	count int
}

// wanted reports whether the options ask for a provider's models.
func (c *collector) wanted(provider string) bool {
	same := func(p string) bool { return prices.CanonicalProvider(p) == prices.CanonicalProvider(provider) }
	return len(c.options.Providers) == 0 || slices.ContainsFunc(c.options.Providers, same)
}

// add adds the price of a model. Of a model that has several, each request
// costs the most that it would by any.
func (c *collector) add(pos diag.Position, e prices.Entry) {
	if e.Source == "" {
		e.Source = c.source
	}
	if err := e.Check(); err != nil {
		c.leaveOut(pos, e.Of(), err.Error())
		return
	}
	if free := zeros(&e.Price); free != "" {
		c.leaveOut(pos, e.Of(), free+" costs 0, which these files also write for what is not known or part of a subscription")
		return
	}
	key := strings.ToLower(e.Of())
	if i, known := c.index[key]; known {
		c.entries[i].Price = c.entries[i].Price.AtLeast(e.Price)
		return
	}
	c.index[key] = len(c.entries)
	c.entries, c.places = append(c.entries, e), append(c.places, pos)
}

// zeros names what of a price is 0 and makes it useless: input or output, of
// which no vendor gives one away to who pays for the other. A cache at 0 is one
// whose rate is not known.
func zeros(p *prices.Price) string {
	zero := func(r *prices.Rates) string {
		for _, k := range []prices.Kind{prices.Input, prices.Output} {
			if r[k].Nano == 0 {
				return k.String()
			}
		}
		for k := range r {
			if r[k].Nano == 0 {
				r[k] = prices.Rate{}
			}
		}
		return ""
	}
	if kind := zero(&p.Rates); kind != "" {
		return kind
	}
	for i := range p.Tiers {
		if kind := zero(&p.Tiers[i].Rates); kind != "" {
			return fmt.Sprintf("%s above %d tokens", kind, p.Tiers[i].Above)
		}
	}
	return ""
}

// leaveOut notes that a model is left out, and why.
func (c *collector) leaveOut(pos diag.Position, model, why string) {
	for i := range c.left {
		if c.left[i].why == why {
			c.left[i].count++
			return
		}
	}
	c.left = append(c.left, leftOut{why, model, pos, 1})
}

func (c *collector) reportLeftOut() {
	for _, l := range c.left {
		what := document.Quote(l.first) + " is left out"
		if l.count > 1 {
			what = fmt.Sprintf("%d models are left out, such as %s", l.count, document.Quote(l.first))
		}
		c.doc.Add(&diag.Finding{ID: LeftOutID, Severity: diag.Info, File: c.doc.File, Pos: l.pos, Message: what + ": " + l.why})
	}
}
