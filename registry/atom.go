package registry

import (
	"errors"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/prefilter"
)

// compiled is an atom made ready to be judged. Frequency atoms are not among
// them: they ask a store.
type compiled interface {
	// holds judges the atom; if it holds, f says why.
	holds(p *Plan, st *Step, r *Rule, f *found) bool
	// tells ranks how much the atom explains when several of a rule hold.
	tells() int
}

// found is why an atom holds.
type found struct {
	why           Why
	actual, limit string
}

// How much an atom explains, from little to much.
const (
	tellsAbility = iota
	tellsAfter
	tellsMatch
	tellsProvenance // which value is from elsewhere
	tellsWhen
	tellsFrequency
	tellsThreshold
)

// compileAtom returns nil for a frequency atom.
func compileAtom(a dsl.Atom, exact bool, keys *Keys) (compiled, error) {
	switch a := a.(type) {
	case *dsl.Threshold:
		return compileThreshold(a)
	case *dsl.Ability:
		if exact {
			return &abilityTest{name: a.Name, not: a.Not, exact: true}, nil
		}
		return &abilityTest{name: a.Name.Fold(), not: a.Not}, nil
	case *dsl.After:
		return &afterTest{name: a.Name.Fold(), not: a.Not}, nil
	case *dsl.Match:
		return compileMatch(a)
	case *dsl.When:
		return compileWhen(a, keys)
	}
	return nil, nil
}

type abilityTest struct {
	name  dsl.NamePattern
	not   bool
	exact bool // name is not folded, nor is what it is compared with
}

// covers reports whether the name matches the step's ability.
func (t *abilityTest) covers(st *Step) bool {
	if t.exact {
		return t.name.Match(st.Ability)
	}
	return st.covered(t.name)
}

func (t *abilityTest) tells() int { return tellsAbility }

func (t *abilityTest) holds(_ *Plan, st *Step, _ *Rule, f *found) bool {
	if t.covers(st) == t.not {
		return false
	}
	*f = found{actual: st.Ability}
	return true
}

type afterTest struct {
	name dsl.NamePattern
	not  bool
}

func (t *afterTest) tells() int { return tellsAfter }

func (t *afterTest) holds(_ *Plan, st *Step, _ *Rule, f *found) bool {
	admitted := st.History != nil && st.History.Admitted(t.name)
	if admitted == t.not {
		return false
	}
	*f = found{actual: string(t.name)}
	return true
}

func (w *whenTest) tells() int { return tellsWhen }

func (w *whenTest) holds(p *Plan, st *Step, _ *Rule, f *found) bool {
	holds, err := w.run(p.environment(st))
	if err != nil {
		if absent := (*absentError)(nil); p.final && errors.As(err, &absent) {
			return false // nobody is left who could bind it
		}
		*f = found{why: Faulted, actual: err.Error()}
		return true
	}
	*f = found{}
	return holds
}

// matchTest looks at the leaves of values that a key pattern names.
type matchTest struct {
	not     bool
	subject dsl.Subject
	kind    dsl.MatchKind
	text    string // folded for IContains
	re      *prefilter.Regexp
	path    *path          // a literal key
	glob    dsl.KeyPattern // otherwise
	reads   bool           // a leaf also hits as a reader sees it
	// Of a regular expression of which it is known what a match contains.
	screen   *screen
	screenAt int // among those of the screen
}

func compileMatch(a *dsl.Match) (*matchTest, error) {
	t := &matchTest{not: a.Not, subject: a.Subject, kind: a.Kind, text: a.Pattern, glob: a.Key, reads: reads(a)}
	switch a.Kind {
	case dsl.IContains:
		t.text = dsl.Fold(a.Pattern)
	case dsl.Matches:
		re, err := prefilter.Compile(a.Pattern)
		if err != nil {
			return nil, err
		}
		t.re = re
	}
	if a.Key.Literal() {
		t.path = newPath(string(a.Key))
	}
	return t, nil
}

// reads reports whether a match looks at a leaf as a reader sees it, besides as
// it is written: what is looked for in an output may be escaped there. It may
// only make a rule hold: a negated match, which that would keep from holding,
// takes the leaf as it is written.
func reads(a *dsl.Match) bool {
	return a.Subject == dsl.Output && !a.Not && a.Kind != dsl.Equals
}

func (t *matchTest) tells() int {
	if t.not && (t.kind == dsl.InUser || t.kind == dsl.InOutputs) {
		return tellsProvenance
	}
	return tellsMatch
}

func (t *matchTest) holds(p *Plan, st *Step, _ *Rule, f *found) bool {
	values := st.Outputs
	if t.subject == dsl.Arg {
		values = st.Args
	}
	if p.final && !t.bound(values) {
		return false
	}
	broken := false
	var hit bool
	var actual string
	switch t.kind {
	case dsl.InUser, dsl.InOutputs:
		actual, hit, broken = t.everyLeafIn(st, values)
	default:
		actual, hit, broken = t.anyLeaf(p, values)
	}
	if broken && (!hit || t.not) {
		*f = found{why: Malformed}
		return true
	}
	if hit == t.not {
		return false
	}
	*f = found{actual: actual}
	return true
}

// bound reports whether the key names any value.
func (t *matchTest) bound(values *Values) (found bool) {
	t.each(values, func(*Value) bool { found = true; return false })
	return found
}

// anyLeaf looks for a leaf that hits. Which one is found does not depend on
// the order of a map.
func (t *matchTest) anyLeaf(p *Plan, values *Values) (actual string, hit, broken bool) {
	look := func(v *Value) (quiet bool) {
		quiet = true
		unread := v.leaves(func(leaf string) bool {
			if t.hits(p, leaf) {
				quiet = false
				if !hit || leaf < actual {
					actual, hit = leaf, true
				}
			}
			return true
		})
		broken = broken || unread
		return quiet && !unread
	}
	if t.path == nil {
		values.search(p, t, look)
	} else {
		t.path.find(values, func(v *Value) bool { look(v); return true })
	}
	return actual, hit, broken
}

// everyLeafIn asks for the provenance of every leaf of every value named, and
// returns the least of those that are from elsewhere: which one it is does not
// depend on the order of a map.
func (t *matchTest) everyLeafIn(st *Step, values *Values) (elsewhere string, hit, broken bool) {
	in := func(string) bool { return false }
	switch {
	case st.Words == nil:
	case t.kind == dsl.InUser:
		in = st.Words.InUser
	default:
		in = st.Words.InOutputs
	}
	any, all, found := false, true, false
	t.each(values, func(v *Value) bool {
		leaves := 0
		unread := v.leaves(func(leaf string) bool {
			leaves++
			if (!found || leaf < elsewhere) && !in(leaf) {
				elsewhere, found = leaf, true
			}
			return !found || t.not
		})
		broken = broken || unread
		any, all = true, all && !found && leaves > 0
		return all || t.not // only what is from elsewhere is looked for to the end
	})
	return elsewhere, any && all, broken
}

// hits looks at a leaf as it is written, and as it reads.
func (t *matchTest) hits(p *Plan, leaf string) bool {
	if t.hitsText(p, leaf) {
		return true
	}
	if !t.reads {
		return false
	}
	read, differs := p.readings.of(leaf)
	return differs && t.hitsText(p, read)
}

func (t *matchTest) hitsText(p *Plan, leaf string) bool {
	switch t.kind {
	case dsl.Contains:
		return strings.Contains(leaf, t.text)
	case dsl.IContains:
		return strings.Contains(dsl.Fold(leaf), t.text)
	case dsl.Equals:
		return leaf == t.text
	case dsl.Matches:
		return t.may(p, leaf) && t.re.MatchString(leaf, &p.reader)
	}
	return false
}

// each calls f for every value that the key names, until it returns false.
func (t *matchTest) each(values *Values, f func(*Value) bool) {
	if t.path != nil {
		t.path.find(values, f)
		return
	}
	values.each(func(name string, v *Value) bool { return eachCovered(t.glob, name, v, f) })
}
