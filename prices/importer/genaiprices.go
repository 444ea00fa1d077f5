package importer

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/prices"
)

// genaiFields are the fields that hold rates, in dollars for a million tokens.
var genaiFields = []struct {
	field string
	kind  prices.Kind
}{
	{"input_mtok", prices.Input},
	{"output_mtok", prices.Output},
	{"cache_read_mtok", prices.CacheRead},
	{"cache_write_mtok", prices.CacheWrite5m},
	{"cache_write_1h_mtok", prices.CacheWrite1h},
}

// genaiPrices reads data.json or data_slim.json of genai-prices: a list of
// providers, each with a list of models.
func (c *collector) genaiPrices(root *document.Node) {
	if root.Kind != jsonv.List {
		c.doc.WrongType(root, "a file of genai-prices is a list of providers")
		return
	}
	for _, p := range root.Items {
		if !c.object(p, "a provider") {
			continue
		}
		provider := c.requiredText(p, "a provider", "id")
		models := field(p, "models")
		if models == nil {
			c.doc.Report(document.SyntaxID, p.Pos, "a provider has no models", "is the file in another format?")
			continue
		}
		if !c.wanted(provider) {
			continue
		}
		source := c.firstURL(p)
		for _, m := range c.doc.List(models, "models", prices.MaxEntries) {
			name := ""
			if f := field(m, "id"); f != nil {
				name = f.Text
			}
			c.model(provider, name, func() {
				if c.object(m, "a model") {
					c.genaiModel(provider, source, m)
				}
			})
		}
	}
}

// firstURL is the first page on which the provider's prices are to be found.
func (c *collector) firstURL(provider *document.Node) string {
	urls := field(provider, "pricing_urls")
	if urls == nil {
		return ""
	}
	for _, n := range c.doc.List(urls, "pricing_urls", prices.MaxEntries) {
		if text, ok := c.doc.Text(n, "a URL"); ok {
			return text
		}
	}
	return ""
}

func (c *collector) genaiModel(provider, source string, m *document.Node) {
	e := prices.Entry{Provider: provider, Model: c.requiredText(m, "a model", "id"), Source: source}
	node := field(m, "prices")
	if e.Model == "" || node == nil {
		c.leaveOut(m.Pos, e.Of(), noPrice)
		return
	}
	if match := field(m, "match"); match != nil {
		for _, name := range c.genaiNames(match) {
			if prices.ValidName(trimStar(name)) && name != e.Model && !slices.Contains(e.Names, name) {
				e.Names = append(e.Names, name)
			}
		}
	}
	var priced bool
	if e.Price, priced = c.genaiPrice(node); !priced {
		c.leaveOut(m.Pos, e.Of(), noPrice)
		return
	}
	c.add(m.Pos, e)
}

// genaiPrice reads the prices of a model: an object, or a list of them with
// the constraints under which they hold, of which the last one that does
// counts. A date is compared with that of the import. Of prices that hold at
// some hours, and under constraints not known here, the dearest counts.
func (c *collector) genaiPrice(n *document.Node) (p prices.Price, ok bool) {
	if n.Kind != jsonv.List {
		return c.genaiRates(n)
	}
	found := false
	for i, item := range slices.Backward(c.doc.List(n, "prices", prices.MaxEntries)) {
		if !c.object(item, "a price") {
			return prices.Price{}, false
		}
		holds := c.genaiHolds(field(item, "constraint"))
		if holds == never && i > 0 { // without any other the first holds
			continue
		}
		rates := field(item, "prices")
		if rates == nil {
			c.doc.Report(document.SyntaxID, item.Pos, "a price has no prices", "")
			return prices.Price{}, false
		}
		if holds == never && found {
			break
		}
		q, ok := c.genaiRates(rates)
		if !ok {
			return prices.Price{}, false
		}
		if found {
			q = q.AtLeast(p)
		}
		p, found = q, true
		if holds == always {
			break
		}
	}
	return p, found
}

// When a constraint holds.
const (
	always = iota
	sometimes
	never
)

func (c *collector) genaiHolds(constraint *document.Node) int {
	if constraint == nil {
		return always
	}
	switch start := c.optionalText(constraint, "start_date"); {
	case start == "":
		return sometimes
	case start <= c.options.Date: // both are YYYY-MM-DD
		return always
	}
	return never
}
