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
	defer func() { p.final = false; p.drop() }()
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
		tuned := st.Tuning.of(r)
		if tuned == nil || tuned.Action.Kind != dsl.Abort && heldBefore[r.Key()] || !r.stepless {
			continue
		}
		p.judge(st, r)
	}
}

// reads notes what the judging without a step depends on, once the rule is compiled.
func (r *Rule) reads() {
	r.key, r.stepless = "", true
	r.key = r.Key()
	for i, a := range r.Condition {
		switch a := a.(type) {
		case *dsl.Ability, *dsl.Frequency:
			r.stepless = false
		case *dsl.Match:
			if a.Subject == dsl.Arg {
				r.stepless = false
			}
		case *dsl.Threshold:
			switch scope := a.Key.Segments()[0]; scope {
			case "worker", "tool":
				r.stepless = false
			case "task", "session":
				r.taskMeter = r.taskMeter || scope == "task"
				r.sessionMeter = r.sessionMeter || scope == "session"
			}
		case *dsl.When:
			w := r.compiled[i].(*whenTest)
			r.stepless = r.stepless && !w.stepBound
			r.taskMeter = r.taskMeter || w.taskMeter
			r.sessionMeter = r.sessionMeter || w.sessionMeter
		}
	}
}

// Meters tells whose meters the rule reads.
func (r *Rule) Meters() (task, session bool) { return r.taskMeter, r.sessionMeter }

// Ends tells what an abort by the rule brings to its end: the task, if it
// reads a meter of the task, the session, if it reads one of the session;
// neither, if it also asks about the step, and so concerns one step.
func (r *Rule) Ends() (task, session bool) {
	if r.Action.Kind != dsl.Abort || !r.stepless {
		return false, false
	}
	return r.taskMeter && !r.sessionMeter, r.sessionMeter
}
