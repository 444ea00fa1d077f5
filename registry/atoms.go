package registry

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// Truth is what a decision found of one atom. The zero value is Unjudged.
type Truth int

// The truths of an atom.
const (
	Unjudged Truth = iota // an atom before it did not hold
	False
	True
)

// Atoms tells, for every rule that applies to the planned step, what the
// decision found of each atom of its condition. A condition is read from left
// to right, counters last, and up to the first atom that does not hold; those
// behind it are Unjudged. A rule fires if and only if all its atoms are True.
// The slice is reused; a step without an ability is the check after a chain's
// last one. The plan must be of this step, the tally of this plan.
func (p *Plan) Atoms(st *Step, t *Tally, seen func(r *Rule, truth []Truth)) {
	p.final = st.Ability == ""
	defer func() { p.final = false; p.drop() }()
	groups := slices.Clone(p.set.cover(st.Chain).groups)
	for _, g := range p.set.exact[st.Chain] {
		if g.confined != nil && g.scope.Session == st.Session {
			groups = append(groups, g)
		}
	}
	var truth []Truth
	for _, g := range groups {
		for _, r := range g.rules {
			if p.final && !r.stepless {
				continue
			}
			truth = append(truth[:0], make([]Truth, len(r.Condition))...)
			p.truths(st, t, r, truth)
			seen(r, truth)
		}
	}
}

// truths judges the atoms of one rule.
func (p *Plan) truths(st *Step, t *Tally, r *Rule, truth []Truth) {
	for i, c := range r.compiled {
		if c == nil {
			continue // a frequency atom
		}
		var why found
		if truth[i] = truthOf(c.holds(p, st, r, &why)); truth[i] == False {
			return
		}
	}
	for _, f := range r.freqs {
		if truth[f.atom] = truthOf(p.exceeded(f, t)); truth[f.atom] == False {
			return
		}
	}
}

// exceeded reports whether a frequency atom holds: its counter counts the
// step, and the window is over its limit.
func (p *Plan) exceeded(f freqRef, t *Tally) bool {
	need := slices.IndexFunc(p.counters, func(c *counter) bool { return c == f.counter || slices.Contains(c.parts, f.counter) })
	if need < 0 {
		return false
	}
	ref := WindowRef{Need: need, Window: p.counters[need].index(f.span)}
	return t.Count(ref).N > f.span.Limit
}

func truthOf(holds bool) Truth {
	if holds {
		return True
	}
	return False
}

// AppliesTo reports whether the rule is judged at steps of the chain, a
// session that it may be confined to aside.
func (r *Rule) AppliesTo(chain string) bool {
	return r.Scope.Pattern == "" || r.Scope.Pattern == dsl.NamePattern("*") || r.Scope.Pattern.Match(chain)
}

// Stepless reports whether the rule can also be judged where no step is about
// to be done, such as after a chain's last one: it asks about no step, no
// argument and no frequency. It is known once the rule is registered.
func (r *Rule) Stepless() bool { return r.stepless }
