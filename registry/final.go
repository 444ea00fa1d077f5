package registry

import "github.com/cbpolicy/cbpolicy/dsl"

// PlanFinal judges the rules that apply when no step is about to be done:
// after a chain's last step, whose output no later step would let them see.
// A rule that asks about a step, an argument or a frequency does not apply,
// nor one whose key is unbound. Of the rules in heldBefore, by their Key,
// only an abort fires again: all others were answered when they first held.
func (s *Set) PlanFinal(st *Step, p *Plan, heldBefore map[string]bool) {
	p.reset(s)
	p.final = true
	defer func() { p.final = false }()
	for _, g := range s.cover(st.Chain).groups {
		g.planFinal(st, p, heldBefore)
	}
	for _, g := range s.exact[st.Chain] {
		if g.confined != nil && g.scope.Session == st.Session {
			g.planFinal(st, p, heldBefore)
		}
	}
}

func (g *group) planFinal(st *Step, p *Plan, heldBefore map[string]bool) {
	for _, r := range g.rules {
		if r.Action.Kind != dsl.Abort && heldBefore[r.Key()] || !r.stepless() {
			continue
		}
		p.judge(st, r)
	}
}

// stepless reports whether the rule can be judged without a step.
func (r *Rule) stepless() bool {
	for i, a := range r.Condition {
		switch a := a.(type) {
		case *dsl.Ability, *dsl.Frequency:
			return false
		case *dsl.Match:
			if a.Subject == dsl.Arg {
				return false
			}
		case *dsl.Threshold:
			if s := a.Key.Segments()[0]; s == "worker" || s == "tool" {
				return false
			}
		case *dsl.When:
			if r.compiled[i].(*whenTest).stepBound {
				return false
			}
		}
	}
	return true
}
