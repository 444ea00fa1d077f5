package registry

import (
	"errors"
	"iter"
	"slices"
	"strconv"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// group is the compiled rules of one scope. It is immutable. Each rule waits
// under the one atom that rules out most steps at least cost: its driver.
type group struct {
	scope    Scope
	keys     *Keys
	rules    []*Rule
	exact    map[string][]*Rule // driver: an ability without "*"
	globs    []*Rule            // driver: an ability pattern
	keyed    []*keyIndex        // driver: a threshold
	matched  []*matchIndex      // driver: a match on a key without "*"
	always   []*Rule            // no driver: judged at every step
	all      []*counter         // of its frequency atoms
	confined *coverage          // of rules confined to a session: their counters

	// While the group is compiled: the indexes by what they index.
	keyAt   map[dsl.Key]*keyIndex
	matchAt map[matchKey]*matchIndex
}

// matchKey is what a match index is found by.
type matchKey struct {
	subject dsl.Subject
	key     string
}

// compileGroup compiles rules in their order. All faults are reported.
func compileGroup(scope Scope, keys *Keys, rules []*Rule) (*group, diag.List) {
	g := &group{scope: scope, keys: keys, rules: rules, exact: map[string][]*Rule{},
		keyAt: map[dsl.Key]*keyIndex{}, matchAt: map[matchKey]*matchIndex{}}
	var faults diag.List
	counters := map[string]*counter{}
	for _, r := range rules {
		if fault := g.compileRule(r, counters); fault != nil {
			faults = append(faults, fault)
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	g.seal(counters)
	return g, nil
}

func (g *group) compileRule(r *Rule, counters map[string]*counter) *diag.Finding {
	r.reason = compileReason(r.Reason)
	r.compiled = make([]compiled, len(r.Condition))
	for i, a := range r.Condition {
		c, err := compileAtom(a, r.Exact, g.keys)
		if err != nil {
			return compileFault(r, a, err)
		}
		r.compiled[i] = c
		if t, ok := a.(*dsl.Ability); ok && !t.Not {
			r.ability = true
		}
		if f, ok := a.(*dsl.Frequency); ok {
			g.addFrequency(r, i, f, counters)
		}
	}
	r.reads()
	r.writes()
	r.pair()
	g.drive(r)
	return nil
}

// addFrequency collects the counter of a frequency atom.
func (g *group) addFrequency(r *Rule, atom int, f *dsl.Frequency, counters map[string]*counter) {
	spec := counterSpec(g.scope, f)
	c := counters[spec]
	if c == nil {
		c = &counter{spec: spec, scope: f.Scope, name: f.Name.Fold(), origin: g.scope.Origin}
		counters[spec] = c
		g.all = append(g.all, c)
	}
	w := Window{Span: f.Window.Time(), Limit: f.Count, Readers: modesOf(r)}
	var pure *Rule
	if r.pure() {
		pure = r
		if w.Refuses = r.deciding(); w.Refuses {
			w.Modes = w.Readers
		}
	}
	c.add(w, pure)
	r.freqs = append(r.freqs, freqRef{atom: atom, counter: c, span: w})
}

// counters yields every counter of the group.
func (g *group) counters() iter.Seq[*counter] { return slices.Values(g.all) }

// pure reports whether the rule consists of one frequency atom, needs no
// approval and has nothing filled in, so that its window alone decides it.
func (r *Rule) pure() bool {
	if len(r.Condition) != 1 || r.reason != nil || r.Action.Kind == dsl.Confirm && r.deciding() {
		return false
	}
	_, ok := r.Condition[0].(*dsl.Frequency)
	return ok
}

// drive files the rule under its driver.
func (g *group) drive(r *Rule) {
	if r.pure() {
		return // hangs on its window
	}
	for i, a := range r.Condition {
		if t, ok := a.(*dsl.Ability); ok && !t.Not {
			if name := r.compiled[i].(*abilityTest).name; name.Literal() {
				g.exact[string(name)] = append(g.exact[string(name)], r)
			} else {
				g.globs = append(g.globs, r)
			}
			return
		}
	}
	for i, a := range r.Condition {
		if _, ok := a.(*dsl.Threshold); ok {
			g.keyIndex(r.compiled[i].(*thresholdTest)).add(r, i)
			return
		}
	}
	for i, a := range r.Condition {
		if m, ok := a.(*dsl.Match); ok && indexable(m) {
			g.matchIndex(m, r.compiled[i].(*matchTest)).add(r, i)
			return
		}
	}
	g.always = append(g.always, r)
}

func (g *group) keyIndex(t *thresholdTest) *keyIndex {
	k := g.keyAt[t.key.name]
	if k == nil {
		k = &keyIndex{key: t.key}
		g.keyAt[t.key.name], g.keyed = k, append(g.keyed, k)
	}
	return k
}

func (g *group) matchIndex(m *dsl.Match, t *matchTest) *matchIndex {
	key := matchKey{m.Subject, t.path.key}
	x := g.matchAt[key]
	if x == nil {
		x = &matchIndex{subject: m.Subject, path: t.path}
		g.matchAt[key], g.matched = x, append(g.matched, x)
	}
	return x
}

// seal fixes the indexes once all rules are in.
func (g *group) seal(counters map[string]*counter) {
	g.keyAt, g.matchAt = nil, nil
	g.screen()
	for _, c := range counters {
		c.seal()
	}
	for _, r := range g.rules {
		for i := range r.freqs {
			r.freqs[i].window = r.freqs[i].counter.index(r.freqs[i].span)
		}
	}
	for _, k := range g.keyed {
		k.seal()
	}
	for _, m := range g.matched {
		m.seal()
	}
	if g.scope.Session != "" {
		g.confined = g.own()
	}
}

// compileFault places what cannot be compiled at its atom.
func compileFault(r *Rule, a dsl.Atom, err error) *diag.Finding {
	f := &diag.Finding{ID: "syntax", File: r.Source.File, Pos: a.Span().Start, End: a.Span().End, Message: "rule " + strconv.Quote(r.ID) + ": " + err.Error()}
	var we *WhenError
	if errors.As(err, &we) {
		f.Pos = we.Atom.ExprAt.Start
		f.Pos.Column += we.Offset
		f.End = diag.Position{}
		f.Message = "in the expression: " + we.Message
	}
	return f
}
