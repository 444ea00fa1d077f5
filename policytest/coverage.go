package policytest

import (
	"cmp"
	"slices"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Coverage collects what tests have seen of rules and their atoms. A rule is
// covered once it fired; an atom once it was seen to hold and seen not to.
// Atoms are judged as a condition reads: one behind an atom that does not hold
// is not judged. Built-in rules are left out. A nil Coverage collects nothing.
// It is not safe for concurrent use.
type Coverage struct {
	rules map[ruleKey]*ruleSeen
}

// ruleKey tells rules of different suites apart: the same line of a policy
// that several test files name is one rule.
type ruleKey struct {
	source registry.Source
	key    string
}

type ruleSeen struct {
	rule  *registry.Rule
	fired bool
	atoms []atomSeen
}

type atomSeen struct{ held, failed bool }

// NewCoverage returns an empty coverage.
func NewCoverage() *Coverage { return &Coverage{rules: map[ruleKey]*ruleSeen{}} }

// register adds rules of which nothing was seen yet.
func (c *Coverage) register(s *registry.Set) {
	if c == nil {
		return
	}
	for r := range s.Rules() {
		c.seen(r)
	}
}

// seen returns what was seen of a rule; nil for a built-in one.
func (c *Coverage) seen(r *registry.Rule) *ruleSeen {
	if r.Scope.Origin == registry.Builtin {
		return nil
	}
	k := ruleKey{r.Source, r.Key()}
	s := c.rules[k]
	if s == nil {
		s = &ruleSeen{rule: r, atoms: make([]atomSeen, len(r.Condition))}
		c.rules[k] = s
	}
	return s
}

// judged is the listener that sees every decision; nil if nothing is collected.
func (c *Coverage) judged() func(*registry.Step, *registry.Plan, *registry.Tally) {
	if c == nil {
		return nil
	}
	return func(st *registry.Step, p *registry.Plan, t *registry.Tally) { p.Atoms(st, t, c.add) }
}

func (c *Coverage) add(r *registry.Rule, truth []registry.Truth) {
	s := c.seen(r)
	if s == nil {
		return
	}
	fired := true
	for i, t := range truth {
		s.atoms[i].held = s.atoms[i].held || t == registry.True
		s.atoms[i].failed = s.atoms[i].failed || t == registry.False
		fired = fired && t == registry.True
	}
	s.fired = s.fired || fired
}

// CoverageReport is a coverage as data. Of every rule there is one thing to
// see, that it fires; of every atom two, that it holds and that it does not.
type CoverageReport struct {
	Seen  int            `json:"seen"`
	Total int            `json:"total"`
	Rules []RuleCoverage `json:"rules"` // by place
}

// RuleCoverage is what was seen of one rule.
type RuleCoverage struct {
	Rule string `json:"rule"`
	File string `json:"file"`
	diag.Position
	Fired bool           `json:"fired"`
	Atoms []AtomCoverage `json:"atoms"`
}

// AtomCoverage is what was seen of one atom. One that was never judged is
// neither seen to hold nor seen not to.
type AtomCoverage struct {
	Atom string `json:"atom"`
	diag.Position
	True  bool `json:"true"`
	False bool `json:"false"`
}

// Report says what was seen so far.
func (c *Coverage) Report() *CoverageReport {
	out := &CoverageReport{Rules: []RuleCoverage{}}
	for _, s := range c.rules {
		r := s.rule
		rc := RuleCoverage{Rule: r.ID, File: r.Source.File, Position: r.Source.Pos, Fired: s.fired}
		out.count(s.fired)
		for i, a := range s.atoms {
			rc.Atoms = append(rc.Atoms, AtomCoverage{
				Atom: r.Condition[i].String(), Position: r.Condition[i].Span().Start, True: a.held, False: a.failed,
			})
			out.count(a.held)
			out.count(a.failed)
		}
		out.Rules = append(out.Rules, rc)
	}
	slices.SortFunc(out.Rules, func(a, b RuleCoverage) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
	return out
}

func (r *CoverageReport) count(seen bool) {
	r.Total++
	if seen {
		r.Seen++
	}
}

// Percent is how much of what there is to see was seen; 100 where there is nothing.
func (r *CoverageReport) Percent() float64 {
	if r.Total == 0 {
		return 100
	}
	return 100 * float64(r.Seen) / float64(r.Total)
}

// Fired returns how many rules fired.
func (r *CoverageReport) Fired() int {
	n := 0
	for i := range r.Rules {
		if r.Rules[i].Fired {
			n++
		}
	}
	return n
}
