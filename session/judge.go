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
	s.decider.sweep(ctx, rs, v)
	if len(v.Fired) == 0 {
		delete(s.tasks.held, k.ID())
		return halts
	}
	before, now := s.tasks.held[k.ID()], make(map[string]bool, len(v.Fired))
	for i := range v.Fired {
		f := &v.Fired[i]
		key := f.Rule.Key()
		now[key] = true
		s.tasks.tripped(k.ID(), f, at)
		ended := s.tasks.end(k, f)
		if ended {
			s.logEnded(k.ID(), f)
		}
		if ended || !before[key] {
			h := Halt{Task: k.ID(), At: at, Action: f.Rule.Action.Kind, Ended: ended, Fired: *f, Reason: ReasonOf(f), Notes: v.Notes}
			if readsMoney(f.Rule) {
				h.Notes = slices.Concat(h.Notes, s.priceNotes)
			}
			halts = append(halts, h)
		}
	}
	s.tasks.held[k.ID()] = now
	return halts
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
// asked, and a record made.
func (d *Decider) sweep(ctx context.Context, rs *registry.Step, v *registry.Verdict) {
	var none Admission
	defer d.refuseOnPanic(rs, v, &none)
	m := memories.Get().(*scratch)
	d.Registry.Set().PlanFinal(rs, &m.plan, nil)
	quiet := m.plan.Quiet()
	memories.Put(m)
	if quiet {
		v.Reset(rs)
		return
	}
	d.Final(ctx, rs, nil, v)
}
