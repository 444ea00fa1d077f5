package registry

import (
	"iter"
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// coverage is what of a set applies to one chain: the groups, and their
// counters, of which those that count the same are joined into one.
type coverage struct {
	groups   []*group
	runs     []*counter
	calls    map[string][]*counter
	callGlob []*counter
	keys     []*keyGroup
}

// maxCoverages is how many chains without rules of their own a set remembers.
const maxCoverages = 4096

// cover returns what applies to a chain, apart from rules confined to a
// session. It is worked out once for each chain with rules of its own, and
// for a bounded number of others.
func (s *Set) cover(chain string) *coverage {
	if own := s.own[chain]; own != nil {
		if c := own.Load(); c != nil {
			return c
		}
		c := s.newCoverage(chain)
		own.Store(c)
		return c
	}
	return s.coverOther(chain)
}

// coverOther is cover for a chain without rules of its own.
func (s *Set) coverOther(chain string) *coverage {
	if c, ok := s.covers.Load(chain); ok {
		return c.(*coverage)
	}
	if len(s.globs) == 0 {
		chain = "" // no chain is called so with rules of its own: all that only "*" covers share it
		if c, ok := s.covers.Load(chain); ok {
			return c.(*coverage)
		}
	}
	c := s.newCoverage(chain)
	if s.covered.Add(1) <= maxCoverages {
		s.covers.Store(chain, c)
	}
	return c
}

func (s *Set) newCoverage(chain string) *coverage {
	c := &coverage{calls: map[string][]*counter{}}
	c.groups = append(c.groups, s.everywhere...)
	for _, g := range s.exact[chain] {
		if g.scope.Session == "" {
			c.groups = append(c.groups, g)
		}
	}
	for _, g := range s.globs {
		if g.scope.Pattern.Match(chain) {
			c.groups = append(c.groups, g)
		}
	}
	c.index()
	return c
}

// index joins what the groups have in common.
func (c *coverage) index() {
	var specs []string // in the order in which they come up
	same := map[string][]*counter{}
	keys := map[dsl.Key]*keyGroup{}
	for _, g := range c.groups {
		for _, k := range g.keyed {
			if keys[k.key.name] == nil {
				keys[k.key.name] = newKeyGroup(k.key)
				c.keys = append(c.keys, keys[k.key.name])
			}
			keys[k.key.name].add(k)
		}
		for x := range g.counters() {
			if same[x.spec] == nil {
				specs = append(specs, x.spec)
			}
			same[x.spec] = append(same[x.spec], x)
		}
	}
	for _, spec := range specs {
		c.add(join(same[spec]))
	}
}

// add files a counter under the steps that it counts.
func (c *coverage) add(x *counter) {
	switch {
	case x.name == "":
		c.runs = append(c.runs, x)
	case x.name.Literal():
		c.calls[string(x.name)] = append(c.calls[string(x.name)], x)
	default:
		c.callGlob = append(c.callGlob, x)
	}
}

// join makes one counter of several that count the same for different groups.
func join(same []*counter) *counter {
	if len(same) == 1 {
		return same[0]
	}
	first := same[0]
	joined := &counter{spec: first.spec, scope: first.scope, name: first.name, origin: first.origin}
	for _, part := range same {
		for w, window := range part.windows {
			joined.add(window, nil)
			i := joined.index(window)
			joined.rules[i] = append(joined.rules[i], part.rules[w]...)
		}
	}
	joined.seal()
	joined.parts = same
	return joined
}

// plan judges what applies to the step and collects what to count.
func (c *coverage) plan(p *Plan, st *Step, ability string) {
	c.count(p, st, ability)
	for _, k := range c.keys {
		k.plan(p, st)
	}
	for _, g := range c.groups {
		g.plan(st, ability, p)
	}
}

// count adds the counters that a step enters to the plan.
func (c *coverage) count(p *Plan, st *Step, ability string) {
	for _, x := range c.runs {
		p.count(x, st)
	}
	for _, x := range c.calls[ability] {
		p.count(x, st)
	}
	for _, x := range c.callGlob {
		if st.covered(x.name) {
			p.count(x, st)
		}
	}
}

// counters yields every counter that a step of the chain may enter.
func (c *coverage) counters() iter.Seq[*counter] {
	return func(yield func(*counter) bool) {
		for _, list := range c.calls {
			for _, x := range list {
				if !yield(x) {
					return
				}
			}
		}
		for _, x := range append(slices.Clone(c.runs), c.callGlob...) {
			if !yield(x) {
				return
			}
		}
	}
}

// own is the coverage of one group by itself, for rules confined to a session.
func (g *group) own() *coverage {
	c := &coverage{groups: []*group{g}, calls: map[string][]*counter{}}
	c.index()
	return c
}

// counterSpec names what is counted so that it is the same counter in every
// process and after every reload. Within a chain, rules of all origins but a
// model's count the same; a wider scope is that of the rules' own chains.
func counterSpec(scope Scope, f *dsl.Frequency) string {
	what := "runs"
	if f.Name != "" {
		what = "calls " + string(f.Name.Fold())
	}
	if scope.Origin == Model || f.Scope != dsl.ScopeChain {
		what = scope.Origin.String() + " " + string(scope.Pattern) + " " + what
	}
	return f.Scope.String() + " " + what
}
