package importer

import (
	"cmp"
	"slices"

	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/prices"
)

// genaiReasoning is the rate of output that is reasoning. It counts for all
// output where it is the higher one.
const genaiReasoning = "output_reasoning_mtok"

// step is a rate that holds above a number of tokens.
type step struct {
	above int64
	rate  prices.Rate
}

// genaiRates reads one set of prices. It reports false if it does not price
// input and output tokens.
func (c *collector) genaiRates(n *document.Node) (prices.Price, bool) {
	if !c.object(n, "prices") {
		return prices.Price{}, false
	}
	var p prices.Price
	steps := map[prices.Kind][]step{}
	var limits []int64
	for _, f := range genaiFields {
		p.Rates[f.kind], steps[f.kind] = c.genaiRate(n, f.field)
		for _, s := range steps[f.kind] {
			limits = append(limits, s.above)
		}
	}
	slices.Sort(limits)
	for _, above := range slices.Compact(limits) {
		t := prices.Tier{Above: above, Rates: p.Rates}
		for kind, steps := range steps {
			for _, s := range steps {
				if s.above <= above {
					t.Rates[kind] = s.rate
				}
			}
		}
		p.Tiers = append(p.Tiers, t)
	}
	reasoning, more := c.genaiRate(n, genaiReasoning)
	for _, s := range more {
		reasoning = dearer(reasoning, s.rate)
	}
	p.Rates[prices.Output] = dearer(p.Rates[prices.Output], reasoning)
	for i := range p.Tiers {
		p.Tiers[i].Rates[prices.Output] = dearer(p.Tiers[i].Rates[prices.Output], reasoning)
	}
	return p, p.Rates[prices.Input].Listed && p.Rates[prices.Output].Listed
}

// genaiRate reads the rate in a field: a number, or an object with the rate
// of a short prompt and what holds above limits, returned in their order. Of
// several above one limit the dearest is the last.
func (c *collector) genaiRate(n *document.Node, name string) (prices.Rate, []step) {
	value := field(n, name)
	switch {
	case value == nil:
		return prices.Rate{}, nil
	case value.Kind != jsonv.Object:
		return c.rate(value, name, ofDollarsPerMillion), nil
	}
	base, tiers := c.rateOf(value, "base", ofDollarsPerMillion), field(value, "tiers")
	if !base.Listed || tiers == nil {
		c.doc.Report(document.SyntaxID, value.Pos, name+" is a number, or has a base and tiers", "")
		return base, nil
	}
	var steps []step
	for _, t := range c.doc.List(tiers, "tiers", prices.MaxTiers) {
		start, rate := field(t, "start"), c.rateOf(t, "price", ofDollarsPerMillion)
		if start == nil || !rate.Listed {
			c.doc.Report(document.SyntaxID, t.Pos, "a tier has a start and a price", "")
			continue
		}
		steps = append(steps, step{c.tokens(start, "start"), rate})
	}
	slices.SortStableFunc(steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.above, b.above), cmp.Compare(a.rate.Nano, b.rate.Nano))
	})
	return base, steps
}
