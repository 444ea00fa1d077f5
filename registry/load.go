package registry

import "github.com/cbpolicy/cbpolicy/dsl"

// Load puts the rules of policy files in the place of all operator rules.
// Reloading keeps windows as they are: a counter is named by what it counts,
// not by when its rule was read. What was noted of the rules before is gone; see
// [Registry.Note]. The error is a [diag.List] over all files.
func (r *Registry) Load(policies ...*dsl.Policy) error {
	return r.change(func(old *Set, e *edit) {
		e.notes = nil
		for scope := range old.groups {
			if scope.Origin == Operator {
				e.draft(scope)
			}
		}
		for _, p := range policies {
			for _, s := range PolicyRules(p) {
				e.add(s)
			}
		}
	})
}

// PolicyRules returns the rules of a policy file as operator rulesets.
func PolicyRules(p *dsl.Policy) []Ruleset {
	var sets []Ruleset
	for _, section := range p.Sections {
		set := Ruleset{Scope: Scope{Origin: Operator, Pattern: section.Pattern}.normal()}
		for _, rule := range section.Rules {
			set.Rules = append(set.Rules, RuleDef{Rule: rule, Source: Source{File: p.File, Pos: rule.Pos.Start}})
		}
		sets = append(sets, set)
	}
	return sets
}
