package lint

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// unknownAbility reports steps that call, and rules and grants that are about,
// an ability that the host does not offer: a rule that is misspelt guards
// nothing. Without manifests or a list nothing is known.
func unknownAbility(p *pass) {
	p.eachStep(func(c *flowChain, i int) {
		s := &c.Steps[i]
		if why := p.abilities.missing(s.Ability); why != "" {
			p.unknownAbility(&diag.Finding{File: c.fileOf(s), Pos: s.AbilityPos,
				Message: fmt.Sprintf("step %s calls %s, but %s", s.ID, s.Ability, why)}, s.Ability)
		}
	})
	p.everyRule(func(file string, r *dsl.Rule) {
		for _, atom := range r.Condition {
			name, at := abilityOf(atom)
			if name == "" {
				continue
			}
			if why := p.abilities.unmatched(name); why != "" {
				p.unknownAbility(&diag.Finding{File: file, Pos: at.Start, End: at.End,
					Message: fmt.Sprintf("rule %s is about %s, but %s", r.ID(), name, why)}, string(name))
			}
		}
	})
	for _, b := range p.blocks {
		for _, g := range b.Grants {
			if why := p.abilities.missing(g.Name); why != "" {
				p.unknownAbility(&diag.Finding{File: b.File, Pos: g.At.Start, End: g.At.End,
					Message: fmt.Sprintf("the block grants %s, but %s", g.Name, why)}, g.Name)
			}
		}
	}
}

func (p *pass) unknownAbility(f *diag.Finding, name string) {
	f.ID = UnknownAbilityID
	f.Hint = didYouMean(dsl.Key(name), p.abilities.names(), "name an ability that the host offers")
	p.addKey(f, dsl.Key(name), false)
}

// abilityOf is the ability that an atom names, if it names one.
func abilityOf(atom dsl.Atom) (dsl.NamePattern, dsl.Span) {
	switch a := atom.(type) {
	case *dsl.Ability:
		return a.Name, a.At
	case *dsl.After:
		return a.Name, a.At
	case *dsl.Frequency:
		return a.Name, a.At
	}
	return "", dsl.Span{}
}

// everyRule calls f for every rule of every file.
func (p *pass) everyRule(f func(file string, r *dsl.Rule)) {
	for _, policy := range p.policies {
		for _, s := range policy.Sections {
			for _, r := range s.Rules {
				f(policy.File, r)
			}
		}
	}
	for _, c := range p.chains {
		for i := range c.Rules {
			f(c.File, c.Rules[i].Rule)
		}
	}
	for _, b := range p.blocks {
		for _, r := range b.Rules {
			f(b.File, r)
		}
	}
}
