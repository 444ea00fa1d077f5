package session

import (
	"context"
	"slices"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// judge has the rules that need no step judged for a task, and appends those
// that came to hold.
func (s *Session) judge(ctx context.Context, k *meter.Task, at int64, halts []Halt) []Halt {
	return s.judgeBy(ctx, k, at, s.tasks.read(k, at, nil), halts)
}

// judgeBy is judge by meters of the task that were read.
func (s *Session) judgeBy(ctx context.Context, k *meter.Task, at int64, meters registry.Meters, halts []Halt) []Halt {
	if s.tasks.endedBy(k) != nil || k.Parent() == nil && !k.Worked() {
		return halts // a session is no task of its own until something is done in it
	}
	rs := &s.stepless
	*rs = registry.Step{
		Session: s.id, Task: k.ID(), Outputs: s.outputs, History: &s.history, Words: provenance{s}, Now: at,
		Meters: meters, Tuning: s.tasks.tuningOf(k),
	}
	v := &s.noticed
	if s.books != nil && s.decider.endsByMoney(rs, v) {
		s.lookAtMoney(ctx, k)
	}
	s.decider.sweep(ctx, rs, v)
	if turns := circles(v.Fired); turns || !k.Busy() { // what is under way goes on as it was judged before
		k.Stuck(turns)
	}
	held := s.tasks.held[k.ID()]
	if len(v.Fired) == 0 && held == nil {
		return halts
	}
	if held == nil {
		held = &holding{rules: map[string]int{}}
		s.tasks.held[k.ID()] = held
	}
	held.judged++
	for i := range v.Fired {
		f := &v.Fired[i]
		before := held.note(f.Rule.Key())
		s.tasks.tripped(k.ID(), f, at)
		ended := s.tasks.end(k, f)
		if ended {
			s.logEnded(k.ID(), f)
		}
		if ended || !before {
			h := Halt{Task: k.ID(), At: at, Action: f.Rule.Action.Kind, Ended: ended, Fired: *f, Reason: ReasonOf(f), Notes: v.Notes}
			if readsMoney(f.Rule) {
				h.Notes = slices.Concat(h.Notes, s.priceNotes)
			}
			halts = append(halts, h)
		}
	}
	held.drop()
	return halts
}

// holding is the rules that held for a task when it was last judged. It is used
// again and again: while an agent is stuck, every event would cost another.
type holding struct {
	rules  map[string]int // by their Key: the judgement at which each held last
	judged int
}

// note notes that a rule holds, and reports whether it did at the judgement before.
func (h *holding) note(rule string) (before bool) {
	_, before = h.rules[rule]
	h.rules[rule] = h.judged
	return before
}

// drop forgets the rules that hold no more.
func (h *holding) drop() {
	for rule, at := range h.rules {
		if at != h.judged {
			delete(h.rules, rule)
		}
	}
}

// judgeAbove judges the tasks above one whose money is theirs too: with what a
// call is about to spend, or without. A rule that aborts ends the task whose
// limit is reached, and with it all that are below.
func (s *Session) judgeAbove(ctx context.Context, k *meter.Task, at int64, next *meter.Call, halts []Halt) []Halt {
	for p := k.Parent(); p != nil; p = p.Parent() {
		halts = s.judgeBy(ctx, p, at, s.tasks.readAbove(p, at, next), halts)
	}
	return halts
}

// sweep judges the rules that need no step. Only if one holds is the state
// asked, and a record made. A state that does not answer has nothing to say but
// for approvals, and then none is held: a task that has reached a limit is ended
// all the same.
func (d *Decider) sweep(ctx context.Context, rs *registry.Step, v *registry.Verdict) {
	var none Admission
	defer d.refuseOnPanic(rs, v, &none)
	m := memories.Get().(*scratch)
	if d.Registry.Set().PlanFinal(rs, &m.plan, nil); m.plan.Quiet() {
		memories.Put(m)
		v.Reset(rs)
		return
	}
	if d.decidePlanned(ctx, rs, callID(rs), v, nil, nil, nil, m); len(v.Fired) == 1 && v.Fired[0].Rule.ID == registry.SlugStoreError {
		d.alone(rs, v)
	}
}

// endsByMoney reports whether a rule over money is about to end the task.
func (d *Decider) endsByMoney(rs *registry.Step, v *registry.Verdict) bool {
	var none Admission
	defer d.refuseOnPanic(rs, v, &none) // so it is when the task is judged
	set, m := d.Registry.Set(), memories.Get().(*scratch)
	set.PlanFinal(rs, &m.plan, nil)
	quiet := m.plan.Quiet()
	if !quiet {
		set.Decide(rs, &m.plan, &registry.Tally{Now: rs.Now, Approved: make([]bool, len(m.plan.Guards))}, v)
	}
	memories.Put(m)
	return !quiet && v.Decision == registry.Abort && moneyFired(v)
}

// alone judges the rules that need no step without a store: nothing is counted.
func (d *Decider) alone(rs *registry.Step, v *registry.Verdict) {
	set, m := d.Registry.Set(), memories.Get().(*scratch)
	set.PlanFinal(rs, &m.plan, nil)
	tally := registry.Tally{Now: rs.Now, Approved: make([]bool, len(m.plan.Guards))}
	set.Decide(rs, &m.plan, &tally, v)
	v.Notes = append(set.Notes(), v.Notes...)
	d.record(rs, &m.plan, &tally, v)
	memories.Put(m)
}
