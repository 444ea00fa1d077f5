package registry

import (
	"math"
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

// keyGroup is the indexes of one key in all groups of a coverage, with the
// limits beyond which one of them has something to say.
type keyGroup struct {
	key      *keyRef
	name     string // the key, if it has no dots, is no meter, and no rule asks for more than a limit
	indexes  []*keyIndex
	hasUpper bool
	hasLower bool
	leastUp  decimal.Decimal // of upper limits
	greatLow decimal.Decimal // of lower limits
	// A number whose size lies between these is within all limits.
	minSize, maxSize int
}

func newKeyGroup(k *keyRef) *keyGroup {
	g := &keyGroup{key: k, minSize: decimal.NoSize, maxSize: math.MaxInt}
	if len(k.path.splits) == 1 && !k.meter {
		g.name = string(k.name)
	}
	return g
}

func (g *keyGroup) add(k *keyIndex) {
	g.indexes = append(g.indexes, k)
	if len(k.other) > 0 {
		g.name = ""
	}
	if len(k.upper) > 0 {
		if l := k.upper[0].test.limit; !g.hasUpper || l.Cmp(g.leastUp) < 0 {
			g.hasUpper, g.leastUp, g.maxSize = true, l, l.Size()
		}
	}
	if len(k.lower) > 0 {
		if l := k.lower[0].test.limit; !g.hasLower || l.Cmp(g.greatLow) > 0 {
			g.hasLower, g.greatLow, g.minSize = true, l, l.Size()
		}
	}
}

// plan judges the rules that wait for the key.
func (g *keyGroup) plan(p *Plan, st *Step) {
	if g.name != "" && g.silent(st) {
		return
	}
	b := g.key.bindings(st)
	for _, k := range g.indexes {
		k.plan(p, st, &b)
	}
}

// silent reports whether the key is bound, and every binding is a number
// within all limits. It is what most steps come to.
func (g *keyGroup) silent(st *Step) bool {
	bound := false
	if st.Args != nil && !g.silentIn(st.Args, &bound) {
		return false
	}
	if st.Outputs != nil && !g.silentIn(st.Outputs, &bound) {
		return false
	}
	return (st.Params == nil || g.silentIn(st.Params, &bound)) && bound
}

func (g *keyGroup) silentIn(values *Values, bound *bool) bool {
	if v, ok := values.bound[g.name]; ok {
		*bound = true
		return v.kind == kindNumber && (g.between(v.num.Size()) || g.within(&v.num))
	}
	if text, ok := values.texts[g.name]; ok {
		*bound = true
		if size, ok := decimal.PlainSize(text); ok && g.between(size) {
			return true
		}
		n, isNumber := decimal.Parse(text)
		return isNumber && g.within(&n)
	}
	return true
}

func (g *keyGroup) between(size int) bool { return size > g.minSize && size < g.maxSize }

// within reports whether a number is inside all limits.
func (g *keyGroup) within(n *decimal.Decimal) bool {
	return (!g.hasUpper || n.Below(&g.leastUp)) && (!g.hasLower || g.greatLow.Below(n))
}

// plan judges the rules of one index.
func (k *keyIndex) plan(p *Plan, st *Step, b *bounds) {
	switch {
	case !b.bound:
		k.unbound(p, st)
	case b.odd, k.key.meter && st.Tuning != nil: // the limits may be others than those of the index
		p.judgeAll(st, k.all)
	default:
		for _, l := range k.upper {
			if c := b.greatest.Cmp(l.test.limit); c < 0 {
				break
			} else if c > 0 || l.test.op == dsl.GreaterEqual {
				p.judge(st, l.rule)
			}
		}
		for _, l := range k.lower {
			if c := b.least.Cmp(l.test.limit); c > 0 {
				break
			} else if c < 0 || l.test.op == dsl.LessEqual {
				p.judge(st, l.rule)
			}
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

// bindings reads the key once for all its rules, whatever group they are in.
func (k *keyRef) bindings(st *Step) (b bounds) {
	if splits := k.path.splits; len(splits) == 1 && !k.meter {
		name := splits[0].name
		b.plain(st.Args, name)
		b.plain(st.Outputs, name)
		b.plain(st.Params, name)
		return b
	}
	return k.walk(st)
}

// walk reads a key that has dots, or is a meter.
func (k *keyRef) walk(st *Step) (b bounds) {
	k.each(st, func(_ string, n decimal.Decimal, isNumber bool) bool {
		b.include(n, isNumber)
		return true
	})
	return b
}

// plain reads a key without dots, which needs no walk and no closure.
func (b *bounds) plain(values *Values, name string) {
	if values == nil {
		return
	}
	if values.bound != nil {
		if v, ok := values.bound[name]; ok {
			b.include(v.num, v.kind == kindNumber)
			return
		}
	}
	if text, ok := values.texts[name]; ok {
		n, isNumber := decimal.Parse(text)
		b.include(n, isNumber)
	}
}

func (b *bounds) include(n decimal.Decimal, isNumber bool) {
	switch {
	case !isNumber:
		b.bound, b.odd = true, true
	case !b.bound:
		b.least, b.greatest, b.bound = n, n, true
	case n.Cmp(b.least) < 0:
		b.least = n
	case n.Cmp(b.greatest) > 0:
		b.greatest = n
	}
}
