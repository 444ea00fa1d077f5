package session

import (
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Pricing says what usage costs that comes without a cost. The zero Pricing
// prices nothing.
type Pricing struct {
	Table *prices.Table // nil: usage without a cost is not counted as money
	// Unknown is what a model costs that the table does not know: by default
	// as much as the dearest one that it does.
	Unknown prices.OnUnknown
	// MaxOutput is how many tokens an answer of the model may have. Where it is
	// above 0, a step without an Estimate reserves what the turn after it may
	// cost: the context so far as input, at the dearest rate that input has, and
	// an answer of that length. What the call itself adds to the context is not
	// known before and not in it, nor is a model that the task has not used yet.
	// It is given back with the call's result or the task's next usage, and
	// nothing of it counts as spent: usage does. What a process that died had
	// reserved is given back with the next usage of the task as well, in whichever
	// process that has looked at the session's money. 0: nothing is reserved.
	MaxOutput int64
}

// SlugUnknownPrice is the rule id of a refusal because a model has no price
// and prices.Deny is set.
const SlugUnknownPrice = "unknown_price"

// maxNotes bounds what is noted of models without a price, and the models
// whose quotes are remembered: their names come from the agent's host.
const maxNotes = 20

// Cost is what an event of usage cost, in nano-dollars, as a session counts it.
// The error says that it has no price and may not be counted in another way.
func (p Pricing) Cost(e *Event) (int64, error) {
	if !p.asked(e) {
		return e.Cost, nil
	}
	q, err := p.Table.Quote(e.Model, p.Unknown)
	if err != nil {
		return 0, err
	}
	return atPrice(q, e), nil
}

// Note says how a model without a price was counted in the cost of an event,
// and is "" where it has one, or where none was asked for.
func (p Pricing) Note(e *Event) string {
	if !p.asked(e) {
		return ""
	}
	q, err := p.Table.Quote(e.Model, p.Unknown)
	if err != nil {
		return err.Error()
	}
	return q.Note
}

// asked reports whether an event has to be priced.
func (p Pricing) asked(e *Event) bool {
	return !e.HasCost && p.Table != nil && e.Tokens != (meter.Tokens{})
}

// atPrice is what an event costs at a price.
func atPrice(q prices.Quote, e *Event) int64 {
	usual, hour := e.Tokens.CacheWrites()
	nano, _ := q.Price.Cost(prices.Usage{
		Input: e.Tokens.Input, Output: e.Tokens.Output, CacheRead: e.Tokens.CacheRead, CacheWrite5m: usual, CacheWrite1h: hour,
	})
	return nano
}

// cost is what a message comes to with an event of usage: an event may tell
// only what has changed since another told of the message, and tokens cost by
// how many there are of them in all. Quotes are remembered, and what they note.
func (s *Session) cost(k *meter.Task, e *Event) (nano int64, denied error) {
	if !s.pricing.asked(e) {
		return e.Cost, nil
	}
	whole, model := *e, e.Model
	before := k.Reported(e.MessageID)
	if whole.Tokens = e.Tokens.Greatest(before); model == "" && before != (meter.Tokens{}) {
		model = s.tasks.models[k.ID()]
	}
	q, err := s.quote(model)
	if err != nil {
		return 0, err
	}
	return atPrice(q, &whole), nil
}

// quote is the price of a model, remembered.
func (s *Session) quote(model string) (prices.Quote, error) {
	if q, known := s.quotes[model]; known {
		return q, nil
	}
	q, err := s.pricing.Table.Quote(model, s.pricing.Unknown)
	if err != nil {
		return q, err
	}
	if s.quotes == nil || len(s.quotes) >= meter.MaxNames {
		s.quotes = map[string]prices.Quote{}
	}
	s.quotes[model] = q
	if q.Note != "" && len(s.priceNotes) < maxNotes {
		s.priceNotes = append(s.priceNotes, q.Note)
	}
	return q, nil
}

// noPrice ends a task whose money cannot be counted.
func (s *Session) noPrice(k *meter.Task, why error, at int64) {
	if s.tasks.endedBy(k) != nil {
		return
	}
	var v registry.Verdict
	v.Refuse(&registry.Step{Session: s.id, Task: k.ID()}, SlugUnknownPrice, why.Error())
	s.tasks.ended[k.ID()] = &ending{v.Fired[0]}
	s.logEnded(k.ID(), &v.Fired[0])
	s.unpriced = append(s.unpriced, Halt{Task: k.ID(), At: at, Action: v.Fired[0].Rule.Action.Kind, Ended: true, Fired: v.Fired[0]})
}

// notePrices has a verdict say how models without a price were counted: all of
// them where a rule over money fired, and each in the first verdict after it was.
func (s *Session) notePrices(v *registry.Verdict) {
	from := s.pricesTold
	if s.pricesTold = len(s.priceNotes); s.pricesTold > 0 && moneyFired(v) {
		from = 0
	}
	switch notes := s.priceNotes[from:]; {
	case len(notes) == 0:
	case len(v.Notes) == 0:
		v.Notes = slices.Clip(notes) // nothing in it changes
	default:
		v.Notes = append(v.Notes, notes...)
	}
}

func moneyFired(v *registry.Verdict) bool {
	return slices.ContainsFunc(v.Fired, func(f registry.Fired) bool { return readsMoney(f.Rule) })
}

func readsMoney(r *registry.Rule) bool {
	return slices.ContainsFunc(r.Condition, func(a dsl.Atom) bool {
		switch a := a.(type) {
		case *dsl.Threshold:
			return strings.HasSuffix(string(a.Key), ".spend_cents")
		case *dsl.When:
			return strings.Contains(a.Expr, "spend_cents")
		}
		return false
	})
}
