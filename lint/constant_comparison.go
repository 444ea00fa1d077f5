package lint

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// constantComparison reports thresholds that always or never hold, as what a
// meter can be, or what the chain declares of a parameter, leaves no other
// outcome: a > where >= was meant is one, where the limit is the greatest
// value allowed. An operator's limit on a parameter is left alone: it may be
// meant to hold whatever the chain declares.
func constantComparison(p *pass) {
	p.everyRule(func(file string, r *dsl.Rule) {
		for _, atom := range r.Condition {
			if t, ok := atom.(*dsl.Threshold); ok && t.Key.IsMeter() {
				p.constant(file, r, t, meterRange(t.Key), "the meter")
			}
		}
	})
	for _, c := range p.chains {
		for i := range c.Rules {
			for _, atom := range c.Rules[i].Condition {
				if t, ok := atom.(*dsl.Threshold); ok && !t.Key.IsMeter() {
					p.constantParam(c, c.Rules[i].Rule, t)
				}
			}
		}
	}
}

// constantParam looks at a key that means a parameter and nothing else.
func (p *pass) constantParam(c *flowChain, r *dsl.Rule, t *dsl.Threshold) {
	param, arg := c.sole(t.Key)
	if param == nil || param.Type != chain.NumberType {
		return
	}
	if r.Options.Missing != dsl.MissingSkip && (arg == nil && !param.Required && param.Default == nil || arg != nil && !c.waitsForArg(r, t.Key)) {
		return // where the key is unbound the rule may fire
	}
	f := p.constant(c.File, r, t, paramRange(param), "parameter "+param.Name)
	if f == nil {
		return
	}
	f.Related = []diag.Related{{File: c.File, Pos: param.Pos, Message: "the parameter"}}
	if arg != nil { // a PATCH may add a step that gives the argument another value
		f.Confidence = diag.Possible
	}
}

// waitsForArg reports whether a rule cannot fire at a step without the
// argument: it waits for the steps that have it, or looks at no others.
func (c *flowChain) waitsForArg(r *dsl.Rule, key dsl.Key) bool {
	for i := range c.Steps {
		if _, arg := c.Declares(i, key); !arg && selects(r, c.Steps[i].Ability) {
			return r.Options.Missing == dsl.MissingWait && !hasAbility(r)
		}
	}
	return true
}

// constant reports a threshold whose outcome a range decides, and returns the
// finding; nil: it decides nothing.
func (p *pass) constant(file string, r *dsl.Rule, t *dsl.Threshold, values valueRange, of string) *diag.Finding {
	limit, ok := t.Value.Number.TimesInt(t.Value.Unit.Seconds())
	if !ok || t.Value.Param != "" {
		return nil
	}
	holds, decided := values.compare(t.Op, limit)
	if !decided {
		return nil
	}
	outcome, hint := "never holds", "compare with a number that can be passed"
	if holds {
		outcome, hint = "always holds", "leave it out, or compare with a number that makes a difference"
	} else if orEqual, ok := map[dsl.Op]dsl.Op{dsl.Greater: dsl.GreaterEqual, dsl.Less: dsl.LessEqual}[t.Op]; ok && values.may(limit) {
		hint = fmt.Sprintf("did you mean %s%s%s?", t.Key, orEqual, t.Value)
	}
	return p.add(&diag.Finding{ID: ConstantComparisonID, Severity: diag.Warning, File: file, Pos: t.At.Start, End: t.At.End,
		Message: fmt.Sprintf("rule %s compares %s with %s, which %s: %s is %s", r.ID(), t.Key, limit, outcome, of, values), Hint: hint})
}

// valueRange is what a value can be: one of a few numbers, or any between
// two. nil bounds are none.
type valueRange struct {
	low, high *decimal.Decimal
	only      []decimal.Decimal // not empty: one of these, and the bounds say nothing
}

// meterRange is what a meter can be. What is spent may be paid back, so it
// has no least value.
func meterRange(meter dsl.Key) valueRange {
	zero, one := decimal.FromInt(0), decimal.FromInt(1)
	switch meter {
	case "task.spend_cents", "session.spend_cents":
		return valueRange{}
	case "task.output_similarity":
		return valueRange{low: &zero, high: &one}
	}
	return valueRange{low: &zero}
}

// paramRange is what a number can be with which a chain starts.
func paramRange(p *chain.Param) valueRange {
	values := valueRange{low: p.Min, high: p.Max}
	for _, v := range p.Enum {
		d, ok := decimal.Parse(v.Text())
		if !ok || v.Kind() != jsonv.Number && v.Kind() != jsonv.String {
			return valueRange{}
		}
		values.only = append(values.only, d)
	}
	return values
}

// String tells the range in words, such as "at most 500".
func (v valueRange) String() string {
	switch {
	case len(v.only) == 1:
		return v.only[0].String()
	case len(v.only) > 1:
		return fmt.Sprintf("one of %d numbers", len(v.only))
	case v.low != nil && v.high != nil:
		return fmt.Sprintf("from %s to %s", v.low, v.high)
	case v.low != nil:
		return fmt.Sprintf("at least %s", v.low)
	case v.high != nil:
		return fmt.Sprintf("at most %s", v.high)
	}
	return "any number"
}

// may reports whether a value can be the limit itself.
func (v valueRange) may(limit decimal.Decimal) bool {
	holds, decided := v.compare(dsl.Equal, limit)
	return holds || !decided
}

// compare tells whether a comparison with the limit holds for every value, or
// for none; decided is false if it depends on the value.
func (v valueRange) compare(op dsl.Op, limit decimal.Decimal) (holds, decided bool) {
	switch op { // each of these is another one's contrary
	case dsl.Less:
		holds, decided = v.compare(dsl.GreaterEqual, limit)
		return !holds, decided
	case dsl.LessEqual:
		holds, decided = v.compare(dsl.Greater, limit)
		return !holds, decided
	case dsl.NotEqual:
		holds, decided = v.compare(dsl.Equal, limit)
		return !holds, decided
	}
	if len(v.only) > 0 {
		return v.compareEach(op, limit)
	}
	above := v.low != nil && v.low.Cmp(limit) > 0   // every value is above the limit
	below := v.high != nil && v.high.Cmp(limit) < 0 // every value is below it
	atLeast := v.low != nil && v.low.Cmp(limit) >= 0
	atMost := v.high != nil && v.high.Cmp(limit) <= 0
	switch op {
	case dsl.Greater:
		return above, above || atMost
	case dsl.GreaterEqual:
		return atLeast, atLeast || below
	}
	return atLeast && atMost, above || below || atLeast && atMost
}

// compareEach is compare for a list of values.
func (v valueRange) compareEach(op dsl.Op, limit decimal.Decimal) (holds, decided bool) {
	for i, value := range v.only {
		c := value.Cmp(limit)
		one := op == dsl.Greater && c > 0 || op == dsl.GreaterEqual && c >= 0 || op == dsl.Equal && c == 0
		if i > 0 && one != holds {
			return false, false
		}
		holds = one
	}
	return holds, true
}
