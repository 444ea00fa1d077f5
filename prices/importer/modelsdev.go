package importer

import (
	"cmp"
	"slices"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/prices"
)

// modelsDev reads the api.json of models.dev: providers by id, each with its
// models by id, and costs in dollars for a million tokens.
func (c *collector) modelsDev(root *document.Node) {
	if !c.object(root, "a file of models.dev") {
		return
	}
	for i, name := range root.Names {
		provider := root.Items[i]
		if !c.object(provider, "a provider") {
			continue
		}
		models := field(provider, "models")
		if models == nil {
			c.doc.Report(document.SyntaxID, name.Pos, "the provider "+document.Quote(name.Text)+" has no models", "is the file in another format?")
			continue
		}
		if c.wanted(name.Text) && c.object(models, "models") {
			c.modelsDevProvider(name.Text, c.optionalText(provider, "doc"), models)
		}
	}
}

func (c *collector) modelsDevProvider(provider, doc string, models *document.Node) {
	for i, name := range models.Names {
		c.model(provider, name.Text, func() {
			if model := models.Items[i]; c.object(model, "a model") {
				c.modelsDevModel(prices.Entry{Provider: provider, Model: name.Text, Source: doc}, name.Pos, model)
			}
		})
	}
}

// modelsDevModel reads the price of a model.
func (c *collector) modelsDevModel(e prices.Entry, pos diag.Position, model *document.Node) {
	cost := field(model, "cost")
	if cost == nil {
		c.leaveOut(pos, e.Of(), noPrice)
		return
	}
	if !c.object(cost, "cost") {
		return
	}
	e.Price.Rates = c.modelsDevRates(cost)
	if !e.Price.Rates[prices.Input].Listed || !e.Price.Rates[prices.Output].Listed {
		c.leaveOut(pos, e.Of(), noPrice)
		return
	}
	e.Price.Tiers = c.modelsDevTiers(cost, e.Price.Rates)
	c.add(pos, e)
}

// modelsDevRates reads the rates of a cost or a tier. Reasoning is output.
func (c *collector) modelsDevRates(n *document.Node) prices.Rates {
	const scale = ofDollarsPerMillion
	return prices.Rates{
		prices.Input:        c.rateOf(n, "input", scale),
		prices.Output:       dearer(c.rateOf(n, "output", scale), c.rateOf(n, "reasoning", scale)),
		prices.CacheRead:    c.rateOf(n, "cache_read", scale),
		prices.CacheWrite5m: c.rateOf(n, "cache_write", scale),
	}
}

// modelsDevTiers reads the tiers of a cost. The older context_over_200k is
// made from the tiers, whatever their limit, and counts only without them.
func (c *collector) modelsDevTiers(cost *document.Node, base prices.Rates) []prices.Tier {
	var tiers []prices.Tier
	if list := field(cost, "tiers"); list != nil {
		for _, n := range c.doc.List(list, "tiers", prices.MaxTiers) {
			if t, ok := c.modelsDevTier(n, base); ok {
				tiers = append(tiers, t)
			}
		}
	} else if n := field(cost, "context_over_200k"); n != nil && c.object(n, "context_over_200k") {
		tiers = append(tiers, prices.Tier{Above: 200_000, Rates: over(base, c.modelsDevRates(n))})
	}
	slices.SortFunc(tiers, func(a, b prices.Tier) int { return cmp.Compare(a.Above, b.Above) })
	return tiers
}

func (c *collector) modelsDevTier(n *document.Node, base prices.Rates) (prices.Tier, bool) {
	if !c.object(n, "a tier") {
		return prices.Tier{}, false
	}
	limit := field(n, "tier")
	if limit == nil || limit.Kind != jsonv.Object || field(limit, "size") == nil {
		c.doc.Report(document.SyntaxID, n.Pos, "a tier does not say from how many tokens on it holds", `want "tier": {"type": "context", "size": 200000}`)
		return prices.Tier{}, false
	}
	if kind := c.optionalText(limit, "type"); kind != "context" {
		c.doc.Report(document.WrongTypeID, limit.Pos, "a tier by "+document.Quote(kind)+" is not understood", "want context")
		return prices.Tier{}, false
	}
	return prices.Tier{Above: c.tokens(field(limit, "size"), "size"), Rates: over(base, c.modelsDevRates(n))}, true
}
