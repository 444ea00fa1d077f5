package registry

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"iter"
	"maps"
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
	h := sha256.New()
	for r := range s.Rules() {
		writePart(h, r.Key())
		writePart(h, r.Rule.String())
		writePart(h, strconv.FormatBool(r.Exact))
		if r.Standby { // said only then: sets without such rules keep the digests that they had
			writePart(h, "standby")
		}
	}
	return Digest(h.Sum(nil))
}

// writePart hashes a text with its length, so that two lists of parts never
// hash the same by being cut differently.
func writePart(h hash.Hash, s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	h.Write([]byte(s))
}

// ArgsDigest hashes the arguments as they run: names in order, texts and
// numbers by their source.
func (st *Step) ArgsDigest() Digest {
	h := sha256.New()
	st.Args.hash(h)
	return Digest(h.Sum(nil))
}

// Digest hashes everything of the step that rules can read and that is not
// counted or kept elsewhere.
func (st *Step) Digest() Digest {
	h := sha256.New()
	for _, part := range []string{st.Chain, st.Run, st.Session, st.Task, st.ID, st.Ability, st.Worker, st.CallID, st.Risk} {
		writePart(h, part)
	}
	for _, vs := range []*Values{st.Args, st.Outputs, st.Params} {
		vs.hash(h)
	}
	return Digest(h.Sum(nil))
}

// hash writes the values in the order of their names.
func (vs *Values) hash(h hash.Hash) {
	for _, name := range vs.sortedNames() {
		writePart(h, name)
		v, _ := vs.get(name)
		writePart(h, string(v.canonical()))
	}
	writePart(h, "")
}

// String renders the values as a JSON object, in the order of their names.
func (vs *Values) String() string {
	b := []byte{'{'}
	for i, name := range vs.sortedNames() {
		if i > 0 {
			b = append(b, ',')
		}
		v, _ := vs.get(name)
		b = append(append(jsonv.AppendString(b, name), ':'), v.canonical()...)
	}
	return string(append(b, '}'))
}

// sortedNames returns the names in order.
func (vs *Values) sortedNames() []string {
	if vs == nil {
		return nil
	}
	names := slices.AppendSeq(make([]string, 0, vs.Len()), maps.Keys(vs.bound))
	names = slices.AppendSeq(names, maps.Keys(vs.texts))
	slices.Sort(names)
	return names
}

// canonical returns the value as JSON in which a text and a number differ.
func (v *Value) canonical() []byte {
	switch {
	case v.kind == kindOther:
		return v.tree.AppendJSON(nil)
	case v.numeric:
		return []byte(v.text)
	}
	return jsonv.AppendString(nil, v.text)
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
