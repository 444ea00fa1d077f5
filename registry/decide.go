package registry

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// Decide completes the verdict about a planned step with what the store
// found. It is pure: the same plan and tally give the same verdict. The plan
// must be of this set, the tally of this plan.
func (s *Set) Decide(st *Step, p *Plan, t *Tally, v *Verdict) {
	v.Reset(st)
	for i := range p.held {
		p.decideHeld(&p.held[i], t, v)
	}
	for need, at := range t.At {
		if at >= 0 {
			p.decideWindows(need, t, v)
		}
	}
	if len(v.Fired) > 1 {
		slices.SortFunc(v.Fired, func(a, b Fired) int { return compareRules(a.Rule, b.Rule) })
	}
	if t.Away != nil {
		v.Notes = p.awayNotes(t.Away)
	}
	v.conclude()
}

// compareRules orders rules by origin, then as they were registered.
func compareRules(a, b *Rule) int {
	return cmp.Or(cmp.Compare(a.Scope.Origin, b.Scope.Origin), cmp.Compare(a.ordinal, b.ordinal))
}

// decideHeld fires a rule whose other atoms hold if its windows are exceeded.
func (p *Plan) decideHeld(h *held, t *Tally, v *Verdict) {
	f := Fired{Rule: h.rule, Why: h.found.why, Actual: h.found.actual, Limit: h.found.limit, Reason: h.reason, Atom: h.atom}
	wait := waitNone
	if len(h.windows) > 0 && !t.counted(h.rule) {
		return
	}
	for i, ref := range h.windows {
		c := t.Count(ref)
		limit := t.Away.Limit(p.Needs[ref.Need].Windows[ref.Window].Limit)
		if c.N <= limit {
			return
		}
		wait = sooner(wait, c.Free, t.Now)
		if f.Atom < 0 || h.rule.tellsLess(f.Atom) {
			f.Atom, f.Why = h.rule.freqs[i].atom, Exceeded
			f.Actual, f.Limit = strconv.FormatInt(c.N, 10), strconv.FormatInt(limit, 10)
		}
	}
	f.Approved = h.guard >= 0 && h.guard < len(t.Approved) && t.Approved[h.guard]
	f.setWait(wait)
	v.Fired = append(v.Fired, f)
}

// tellsLess reports whether an atom explains less than a frequency atom does.
func (r *Rule) tellsLess(atom int) bool {
	c := r.compiled[atom]
	return c != nil && c.tells() < tellsFrequency
}

// decideWindows fires the rules that hang on nothing but a window of the need.
func (p *Plan) decideWindows(need int, t *Tally, v *Verdict) {
	for w, rules := range p.counters[need].rules {
		c := t.Count(WindowRef{Need: need, Window: w})
		limit := t.Away.Limit(p.Needs[need].Windows[w].Limit)
		if len(rules) == 0 || c.N <= limit {
			continue
		}
		for _, r := range rules {
			if !t.counted(r) {
				continue
			}
			f := Fired{Rule: r, Why: Exceeded, Actual: strconv.FormatInt(c.N, 10), Limit: strconv.FormatInt(limit, 10)}
			f.setWait(sooner(waitNone, c.Free, t.Now))
			v.Fired = append(v.Fired, f)
		}
	}
}

// waitNone stands for "no atom of the rule ends by itself".
const waitNone = time.Duration(-1)

// sooner returns the shorter of a wait and the time until a window is free.
func sooner(wait time.Duration, free, now int64) time.Duration {
	if free == 0 {
		return wait
	}
	d := time.Duration(max(free-now, 0))
	if wait == waitNone || d < wait {
		return d
	}
	return wait
}

// setWait notes how long a throttle rule asks to wait.
func (f *Fired) setWait(wait time.Duration) {
	if f.Rule.Action.Kind == dsl.Throttle {
		f.RetryAfter = wait
	}
}

// conclude sets the decision and the longest wait from the fired rules.
func (v *Verdict) conclude() {
	for i := range v.Fired {
		f := &v.Fired[i]
		if !f.Decides() {
			continue
		}
		v.Decision = max(v.Decision, DecisionOf(f.Rule.Action.Kind))
		switch {
		case f.Rule.Action.Kind != dsl.Throttle || v.RetryAfter == waitNone:
		case f.RetryAfter == waitNone:
			v.RetryAfter = waitNone
		default:
			v.RetryAfter = max(v.RetryAfter, f.RetryAfter)
		}
	}
}
