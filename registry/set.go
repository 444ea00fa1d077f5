package registry

import (
	"iter"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Set is an immutable, indexed set of rules. Use it for as long as a decision
// takes: Plan and Decide of one decision belong to one Set. The zero Set
// holds no rules.
type Set struct {
	groups     map[Scope]*group
	everywhere []*group                             // pattern "*"
	exact      map[string][]*group                  // by chain id
	globs      []*group                             // any other pattern
	confined   bool                                 // some rules belong to one session
	own        map[string]*atomic.Pointer[coverage] // of chains with rules of their own, once asked for
	covers     sync.Map                             // of other chains: id → *coverage
	covered    atomic.Int64                         // how many are in covers
	digest     func() Digest
	notes      []string // without room behind them
}

// newSet indexes groups by what their patterns cover.
func newSet(groups map[Scope]*group, notes []string) *Set {
	s := &Set{groups: groups, notes: notes, exact: map[string][]*group{}, own: map[string]*atomic.Pointer[coverage]{}}
	for _, g := range s.sorted() {
		s.confined = s.confined || g.confined != nil
		switch p := g.scope.Pattern; {
		case p == "*":
			s.everywhere = append(s.everywhere, g)
		case p.Literal():
			s.exact[string(p)] = append(s.exact[string(p)], g)
			s.own[string(p)] = new(atomic.Pointer[coverage])
		default:
			s.globs = append(s.globs, g)
		}
	}
	s.digest = sync.OnceValue(s.computeDigest)
	return s
}

// sorted returns the groups in the order of their first rules.
func (s *Set) sorted() []*group {
	out := make([]*group, 0, len(s.groups))
	for _, g := range s.groups {
		if len(g.rules) > 0 {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b *group) int { return compareRules(a.rules[0], b.rules[0]) })
	return out
}

// Rules yields every rule, in the order in which verdicts list them.
func (s *Set) Rules() iter.Seq[*Rule] {
	return func(yield func(*Rule) bool) {
		var all []*Rule
		for _, g := range s.groups {
			all = append(all, g.rules...)
		}
		slices.SortFunc(all, compareRules)
		for _, r := range all {
			if !yield(r) {
				return
			}
		}
	}
}

// Len returns the number of rules.
func (s *Set) Len() int {
	n := 0
	for _, g := range s.groups {
		n += len(g.rules)
	}
	return n
}

// Digest identifies the set: two sets with the same rules in the same scopes
// and order have the same digest. Where the rules were written does not count.
func (s *Set) Digest() Digest {
	if s.digest == nil {
		return s.computeDigest()
	}
	return s.digest()
}

func (s *Set) computeDigest() Digest {
	h := newHasher()
	for r := range s.Rules() {
		h.part(r.Key())
		h.part(r.Rule.String())
		h.part(strconv.FormatBool(r.Exact))
		if r.Standby { // said only then: sets without such rules keep the digests that they had
			h.part("standby")
		}
	}
	return h.done()
}

// String renders the values as a JSON object, in the order of their names.
func (vs *Values) String() string {
	b := []byte{'{'}
	for i, name := range vs.sortedNames() {
		if i > 0 {
			b = append(b, ',')
		}
		v, _ := vs.get(name)
		b = v.appendCanonical(append(jsonv.AppendString(b, name), ':'))
	}
	return string(append(b, '}'))
}

// Covers reports whether some rule of the set applies to the chain.
func (s *Set) Covers(chain string) bool {
	return len(s.everywhere) > 0 || len(s.exact[chain]) > 0 ||
		slices.ContainsFunc(s.globs, func(g *group) bool { return g.scope.Pattern.Match(chain) })
}

// Uses reports whether some rule satisfies the predicate.
func (s *Set) Uses(f func(dsl.Atom) bool) bool {
	for r := range s.Rules() {
		if slices.ContainsFunc(r.Condition, f) {
			return true
		}
	}
	return false
}
