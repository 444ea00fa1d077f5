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
	param *path // the limit is a chain parameter
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
	t.limit = limit
	return t, nil
}

func (t *thresholdTest) tells() int { return tellsThreshold }

func (t *thresholdTest) holds(p *Plan, st *Step, r *Rule, f *found) bool {
	limit, ok := t.limitFor(st)
	if !ok {
		*f = found{why: Malformed, actual: t.param.key, limit: "{{" + t.param.key + "}}"}
		return true
	}
	hit, bound := false, false
	t.key.each(st, func(text string, n decimal.Decimal, isNumber bool) bool {
		bound = true
		switch {
		case !isNumber:
			*f = found{why: Malformed, actual: text, limit: limit.String()}
			hit = true
		case compare(n, t.op, limit):
			*f = found{why: Exceeded, actual: text, limit: limit.String()}
			hit = true
			return false
		}
		return true
	})
	if bound {
		return hit
	}
	if p.final || !missingHolds(t.key.declared(st, r), r, st) {
		return false
	}
	*f = found{why: Missing, limit: limit.String()}
	return true
}

// limitFor returns the number to compare with. A parameter that is not bound
// to exactly one number gives none.
func (t *thresholdTest) limitFor(st *Step) (decimal.Decimal, bool) {
	if t.param == nil {
		return t.limit, true
	}
	var limit decimal.Decimal
	count, numbers := 0, 0
	t.param.find(st.Params, func(v *Value) bool {
		count++
		if v.kind == kindNumber {
			numbers++
			limit = v.num
		}
		return true
	})
	return limit, count == 1 && numbers == 1
}

// each calls f for every binding of the key: its source text, and its number
// if it is one.
func (k *keyRef) each(st *Step, f func(text string, n decimal.Decimal, isNumber bool) bool) {
	if k.meter {
		if st.Meters != nil {
			if n, ok := st.Meters.Meter(k.name); ok {
				f(n.String(), n, true)
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
		if a, ok := c.(*abilityTest); ok && !a.not && !a.name.Match(st.fold()) {
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
