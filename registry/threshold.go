package registry

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// thresholdTest compares every binding of a key with a limit.
type thresholdTest struct {
	key   *keyRef
	op    dsl.Op
	limit decimal.Decimal
	shown string // the limit as text
	param *path  // the limit is a chain parameter
}

// keyRef is a key made ready for look-up. It is shared by the rules of a group.
type keyRef struct {
	name  dsl.Key
	path  *path
	meter bool
}

func newKeyRef(k dsl.Key) *keyRef {
	return &keyRef{name: k, path: newPath(string(k)), meter: k.IsMeter()}
}

func compileThreshold(a *dsl.Threshold) (*thresholdTest, error) {
	t := &thresholdTest{key: newKeyRef(a.Key), op: a.Op}
	if a.Value.Param != "" {
		t.param = newPath(string(a.Value.Param))
		return t, nil
	}
	limit, ok := a.Value.Number.TimesInt(a.Value.Unit.Seconds())
	if !ok {
		return nil, fmt.Errorf("%s%c is too large to be turned into seconds exactly", a.Value.Number, a.Value.Unit)
	}
	t.limit, t.shown = limit, limit.String()
	return t, nil
}

func (t *thresholdTest) tells() int { return tellsThreshold }

func (t *thresholdTest) holds(p *Plan, st *Step, r *Rule, f *found) bool {
	limit, shown, ok := t.limitFor(st, r)
	if !ok {
		*f = found{why: Malformed, actual: t.param.key, limit: shown}
		return true
	}
	c := comparison{texts: &p.texts, op: t.op, limit: limit, shown: shown, found: f}
	if len(t.key.path.splits) == 1 && !t.key.meter {
		name := t.key.path.splits[0].name
		for _, values := range [...]*Values{st.Args, st.Outputs, st.Params} {
			if !c.plain(values, name) {
				break
			}
		}
	} else {
		t.key.each(st, c.binding)
	}
	if c.bound {
		return c.hit
	}
	if p.final || !missingHolds(t.key.declared(st, r), r, st) {
		return false
	}
	*f = found{why: Missing, limit: c.limitText()}
	return true
}

// comparison holds the bindings of a key against a limit.
type comparison struct {
	texts      *texts
	op         dsl.Op
	limit      decimal.Decimal
	shown      string // the limit as text; "": it is made when it is shown
	found      *found
	bound, hit bool
}

// binding compares one binding and reports whether to go on: a number beyond
// the limit tells more than a malformed value, and ends the search.
func (c *comparison) binding(text string, n decimal.Decimal, isNumber bool) bool {
	c.bound = true
	switch {
	case !isNumber:
		*c.found = found{why: Malformed, actual: text, limit: c.limitText()}
		c.hit = true
	case compare(n, c.op, c.limit):
		if text == "" {
			text = c.texts.of(n)
		}
		*c.found = found{why: Exceeded, actual: text, limit: c.limitText()}
		c.hit = true
		return false
	}
	return true
}

func (c *comparison) limitText() string {
	if c.shown == "" {
		c.shown = c.texts.of(c.limit)
	}
	return c.shown
}

// plain compares what a name without dots is bound to.
func (c *comparison) plain(values *Values, name string) bool {
	if values == nil {
		return true
	}
	if v, ok := values.bound[name]; ok {
		return c.value(&v.Value)
	}
	if text, ok := values.texts[name]; ok {
		n, isNumber := decimal.Parse(text)
		return c.binding(text, n, isNumber)
	}
	return true
}

func (c *comparison) value(v *Value) bool {
	if v.kind == kindNumber {
		return c.binding(v.text, v.num, true)
	}
	return c.binding(v.String(), decimal.Decimal{}, false)
}

// limitFor returns the number to compare with, also as text, but for a limit of
// the task's own, whose text is "". A parameter that is not bound to exactly one
// number gives none.
func (t *thresholdTest) limitFor(st *Step, r *Rule) (limit decimal.Decimal, shown string, ok bool) {
	if t.param == nil {
		if st.Tuning != nil && r.Scope.Origin == Builtin && t.key.meter {
			if limit, ok := st.Tuning.Limits[r.ID]; ok {
				return limit, "", true
			}
		}
		return t.limit, t.shown, true
	}
	count, numbers := 0, 0
	t.param.find(st.Params, func(v *Value) bool {
		count++
		if v.kind == kindNumber {
			numbers++
			limit, shown = v.num, v.text
		}
		return true
	})
	if count != 1 || numbers != 1 {
		return limit, "{{" + t.param.key + "}}", false
	}
	return limit, shown, true
}

// each calls f for every binding of the key: its source text, and its number
// if it is one. The text of a meter is "".
func (k *keyRef) each(st *Step, f func(text string, n decimal.Decimal, isNumber bool) bool) {
	if k.meter {
		if st.Meters != nil {
			if n, ok := st.Meters.Meter(k.name); ok {
				f("", n, true) // its text is made when it is shown
			}
		}
		return
	}
	visit := func(v *Value) bool {
		if v.kind == kindNumber {
			return f(v.text, v.num, true)
		}
		return f(v.String(), decimal.Decimal{}, false)
	}
	for _, values := range [...]*Values{st.Args, st.Outputs, st.Params} {
		if !k.path.find(values, visit) {
			return
		}
	}
}

// declared tells what is known of the unbound key, as far as the rule may rely on it.
func (k *keyRef) declared(st *Step, r *Rule) Declared {
	if st.Declared == nil || k.meter {
		return Undeclared
	}
	d := st.Declared.Declared(k.name)
	if d == Pending && st.modelChain() && r.Scope.Origin != Model {
		return Undeclared // a model's declaration keeps no other rule waiting
	}
	return d
}

// missingHolds says whether a threshold holds while its key is unbound.
func missingHolds(d Declared, r *Rule, st *Step) bool {
	missing := r.Options.Missing
	switch d {
	case Pending:
		return missing == dsl.MissingFire || missing == dsl.MissingWait && r.ability && r.coversAbility(st)
	case Judged:
		return missing == dsl.MissingFire
	}
	return missing != dsl.MissingSkip
}

// coversAbility reports whether every positive ability atom matches the step.
func (r *Rule) coversAbility(st *Step) bool {
	for _, c := range r.compiled {
		if a, ok := c.(*abilityTest); ok && !a.not && !a.covers(st) {
			return false
		}
	}
	return true
}

func compare(n decimal.Decimal, op dsl.Op, limit decimal.Decimal) bool {
	switch c := n.Cmp(limit); op {
	case dsl.Greater:
		return c > 0
	case dsl.GreaterEqual:
		return c >= 0
	case dsl.Less:
		return c < 0
	case dsl.LessEqual:
		return c <= 0
	case dsl.Equal:
		return c == 0
	default:
		return c != 0
	}
}
