package importer

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/prices"
)

// litellmSample is the key that shows the fields and is no model.
const litellmSample = "sample_spec"

// litellmKinds are the fields that hold rates, in dollars for a token. Each
// may have a limit behind it, as in input_cost_per_token_above_200k_tokens.
var litellmKinds = []struct {
	field string
	kind  prices.Kind
}{
	{"input_cost_per_token", prices.Input},
	{"output_cost_per_token", prices.Output},
	{"cache_read_input_token_cost", prices.CacheRead},
	{"cache_creation_input_token_cost_above_1hr", prices.CacheWrite1h}, // before the one that it begins with
	{"cache_creation_input_token_cost", prices.CacheWrite5m},
}

// litellmReasoning is the rate of output that is reasoning. It counts for all
// output where it is the higher one.
const litellmReasoning = "output_cost_per_reasoning_token"

// litellm reads model_prices_and_context_window.json: models by name, each
// with its provider and rates.
func (c *collector) litellm(root *document.Node) {
	if !c.object(root, "a file of litellm") {
		return
	}
	for i, name := range root.Names {
		if name.Text == litellmSample {
			continue
		}
		model, provider := root.Items[i], ""
		if f := field(model, "litellm_provider"); f != nil && f.Kind == jsonv.String {
			provider = f.Text
		}
		c.model(provider, strings.TrimPrefix(name.Text, provider+"/"), func() { c.litellmEntry(name, provider, model) })
	}
}

// litellmEntry reads a model that is wanted.
func (c *collector) litellmEntry(name document.Name, provider string, model *document.Node) {
	if !c.object(model, "a model") {
		return
	}
	switch {
	case c.optionalText(model, "litellm_provider") == "": // reports one that is no text
		c.leaveOut(name.Pos, name.Text, "it has no litellm_provider")
	case !c.wanted(provider):
	case field(model, "tiered_pricing") != nil:
		c.leaveOut(name.Pos, name.Text, "its tiered_pricing is not understood")
	default:
		c.litellmModel(name, provider, model)
	}
}

func (c *collector) litellmModel(name document.Name, provider string, model *document.Node) {
	byLimit := map[int64]prices.Rates{}
	unknown := ""
	for i, f := range model.Names {
		if field(model, f.Text) == nil {
			continue
		}
		switch kind, above, use := litellmField(f.Text); use {
		case used:
			rates := byLimit[above]
			rates[kind] = dearer(rates[kind], c.rate(model.Items[i], f.Text, ofDollarsPerToken))
			byLimit[above] = rates
		case notUnderstood:
			unknown = f.Text
		}
	}
	e := prices.Entry{
		Provider: provider, Model: strings.TrimPrefix(name.Text, provider+"/"),
		Source: c.optionalText(model, "source"), Price: prices.Price{Rates: byLimit[0]},
	}
	reasoning := c.rateOf(model, litellmReasoning, ofDollarsPerToken)
	e.Price.Rates[prices.Output] = dearer(e.Price.Rates[prices.Output], reasoning)
	if !e.Price.Rates[prices.Input].Listed || !e.Price.Rates[prices.Output].Listed {
		c.leaveOut(name.Pos, e.Of(), noPrice)
		return
	}
	if unknown != "" {
		c.leaveOut(name.Pos, e.Of(), "its "+document.Quote(unknown)+" is not understood")
		return
	}
	delete(byLimit, 0)
	for _, above := range slices.SortedFunc(maps.Keys(byLimit), cmp.Compare[int64]) {
		before := e.Price.Rates
		if n := len(e.Price.Tiers); n > 0 {
			before = e.Price.Tiers[n-1].Rates
		}
		rates := over(before, byLimit[above])
		rates[prices.Output] = dearer(rates[prices.Output], reasoning)
		e.Price.Tiers = append(e.Price.Tiers, prices.Tier{Above: above, Rates: rates})
	}
	c.add(name.Pos, e)
}

// What is made of a field.
const (
	passedOver = iota
	used
	notUnderstood // it may hold a dearer rate
)

// litellmField tells what a field is the rate of, and above how many tokens
// of the prompt; 0 for every prompt. Other ends, such as _batches and
// _priority, are of services that cost more or less.
func litellmField(name string) (kind prices.Kind, above int64, use int) {
	for _, k := range litellmKinds {
		rest, found := strings.CutPrefix(name, k.field)
		if !found {
			continue
		}
		if rest == "" {
			return k.kind, 0, used
		}
		limit, from := strings.CutPrefix(rest, "_above_")
		if !from {
			return k.kind, 0, passedOver
		}
		digits, service, to := strings.Cut(limit, "_tokens")
		if to && service != "" {
			return k.kind, 0, passedOver
		}
		if above = litellmTokens(digits); !to || above == 0 {
			return k.kind, 0, notUnderstood
		}
		return k.kind, above, used
	}
	return 0, 0, passedOver
}

// litellmTokens reads a number of tokens such as 200k; 0: it is none.
func litellmTokens(text string) int64 {
	unit := int64(1)
	text = strings.ToLower(text)
	if digits, thousands := strings.CutSuffix(text, "k"); thousands {
		text, unit = digits, 1000
	} else if digits, millions := strings.CutSuffix(text, "m"); millions {
		text, unit = digits, 1_000_000
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0
	}
	return int64(n) * unit
}
