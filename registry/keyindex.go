package registry

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// keyIndex holds the rules that wait for one key to pass a limit. While the
// greatest binding is not above the least upper limit, and the least not
// below the greatest lower one, no rule need be looked at.
type keyIndex struct {
	key   *keyRef
	upper []limited // > and >=, by rising limit
	lower []limited // < and <=, by falling limit
	other []limited // ==, !=, and limits that are parameters
	all   []limited
	// wantsFire: some rule asks for missing=fire, so an unbound key is never silent.
	wantsFire bool
}

// limited is a rule with its threshold.
type limited struct {
	rule *Rule
	atom int
	test *thresholdTest
}

func (k *keyIndex) add(r *Rule, atom int) {
	l := limited{rule: r, atom: atom, test: r.compiled[atom].(*thresholdTest)}
	k.all = append(k.all, l)
	k.wantsFire = k.wantsFire || r.Options.Missing == dsl.MissingFire
	switch {
	case l.test.param != nil:
		k.other = append(k.other, l)
	case l.test.op == dsl.Greater || l.test.op == dsl.GreaterEqual:
		k.upper = append(k.upper, l)
	case l.test.op == dsl.Less || l.test.op == dsl.LessEqual:
		k.lower = append(k.lower, l)
	default:
		k.other = append(k.other, l)
	}
}

func (k *keyIndex) seal() {
	slices.SortStableFunc(k.upper, func(a, b limited) int { return a.test.limit.Cmp(b.test.limit) })
	slices.SortStableFunc(k.lower, func(a, b limited) int { return b.test.limit.Cmp(a.test.limit) })
}

// bounds are what a key is bound to, as far as the index needs to know.
type bounds struct {
	least, greatest decimal.Decimal
	bound, odd      bool // odd: some binding is no number
}

// plan judges the rules that wait for the key.
func (k *keyIndex) plan(p *Plan, st *Step) {
	b := k.bindings(st)
	switch {
	case !b.bound:
		k.unbound(p, st)
	case b.odd:
		p.judgeAll(st, k.all)
	default:
		for _, l := range k.upper {
			if c := b.greatest.Cmp(l.test.limit); c < 0 || c == 0 && l.test.op == dsl.Greater {
				if c < 0 {
					break
				}
				continue
			}
			p.judge(st, l.rule)
		}
		for _, l := range k.lower {
			if c := b.least.Cmp(l.test.limit); c > 0 || c == 0 && l.test.op == dsl.Less {
				if c > 0 {
					break
				}
				continue
			}
			p.judge(st, l.rule)
		}
		p.judgeAll(st, k.other)
	}
}

// unbound judges the rules of a key that nothing binds. Where it is only not
// there yet, the rules that wait need not be looked at one by one: none of
// them has an ability atom, which would drive it instead.
func (k *keyIndex) unbound(p *Plan, st *Step) {
	if !k.wantsFire && st.Declared != nil && !k.key.meter {
		switch d := st.Declared.Declared(k.key.name); {
		case d == Judged, d == Pending && !st.modelChain():
			if len(k.other) > 0 {
				p.judgeAll(st, k.other)
			}
			return
		}
	}
	p.judgeAll(st, k.all)
}

// bindings reads the key once for all its rules.
func (k *keyIndex) bindings(st *Step) bounds {
	if splits := k.key.path.splits; len(splits) == 1 && !k.key.meter {
		return k.plain(st, splits[0].name)
	}
	var b bounds
	k.key.each(st, func(_ string, n decimal.Decimal, isNumber bool) bool {
		b.include(n, isNumber)
		return true
	})
	return b
}

// plain reads a key without dots, which needs no walk and no closure.
func (k *keyIndex) plain(st *Step, name string) bounds {
	var b bounds
	for _, values := range [...]*Values{st.Args, st.Outputs, st.Params} {
		if values == nil {
			continue
		}
		if v, ok := values.bound[name]; ok {
			b.include(v.num, v.kind == kindNumber)
		} else if text, ok := values.texts[name]; ok {
			n, isNumber := decimal.Parse(text)
			b.include(n, isNumber)
		}
	}
	return b
}

func (b *bounds) include(n decimal.Decimal, isNumber bool) {
	if !isNumber {
		b.bound, b.odd = true, true
		return
	}
	if !b.bound || n.Cmp(b.least) < 0 {
		b.least = n
	}
	if !b.bound || n.Cmp(b.greatest) > 0 {
		b.greatest = n
	}
	b.bound = true
}
