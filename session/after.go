package session

import (
	"context"

	"github.com/cbpolicy/cbpolicy/internal/reading"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// After reports the result of an admitted step, so that later ones can be
// judged by it. An error means that the store could not be told; the
// session's own history has the result all the same. Call After with the Step again
// then, until there is none: the store is told of the result that was reported
// first. Without that the call's claim, its probe and what it says of its breaker
// are as if it were never reported. That money is still to be told, as the store is
// away and stood in for, is no error: it goes with what comes next, or with Flush.
//
// A second report of a call that was told changes nothing, nor does the first of one
// whose result an event has told of.
func (s *Session) After(ctx context.Context, o Outcome) (err error) {
	s.mu.Lock()
	defer s.unlock()
	defer errorOnPanic(&err)
	if o.Step.reported {
		return s.settleAgain(ctx, o.Step)
	}
	o.Step.reported = true
	u := o.Step.call
	if u != nil && u.flight != o.Step.flight { // an event has told of it, or another Step that repeats it
		return nil
	}
	s.finish(&o)
	if o.Output != nil {
		s.remember(o.Output)
		if o.Step.Outputs == nil {
			number := 0
			if u != nil {
				number = u.number
			}
			s.outputs.BindCall(o.Step.Ability, number, *o.Output)
		}
	}
	if u != nil {
		s.reported.add(u)
	}
	s.keepResults(ctx)
	return s.settleStep(ctx, o.Step, s.ends(u, o.Failed, o.Class))
}

// remember keeps the words of an output, and as they read where that is
// something else: an address behind an escaped line break is there to be copied.
func (s *Session) remember(output *registry.Value) {
	output.Leaves(func(text string) {
		s.seen.Add(text)
		if read, differs := reading.Of(text); differs {
			s.seen.Add(read)
		}
	})
}

// finish tells the meters of a result.
func (s *Session) finish(o *Outcome) {
	u := o.Step.call
	if u == nil {
		return
	}
	r := meter.Result{
		ID: o.Step.Call.ID, Failed: o.Failed, Output: o.Message, Counts: countsAgainstTool(o.Class), Cancelled: o.Failed && o.Class == ClassCancelled,
		Cost: o.Cost, Settled: o.Settled,
	}
	if o.Output != nil {
		s.put(&r, o.Output)
	}
	if at := s.at(0); u.task.UnderWay(u.flight) || s.late(u, r, at) {
		s.done(u.task, u.flight, r, o.Class, at)
	}
}

// late counts what a call came to whose task was closed, or begun anew, in
// between: its money, in the place of what was counted for it then, and the
// failure of its worker. False: the meters know nothing of it any more.
func (s *Session) late(u *underway, r meter.Result, at int64) bool {
	counted, lost := u.task.Late(u.flight)
	if !lost {
		return false
	}
	if r.Settled {
		u.task.Recount(counted, max(r.Cost, 0), at)
	}
	if u.worker == "" {
		return true
	}
	spell(&r)
	why := r.Output
	if !r.Failed {
		why, r.Gave = s.delegations.gave(r.Output)
	}
	if r.Fails() {
		s.tasks.tree.FailWorker(u.worker, at)
		s.failed(u.worker, why)
	}
	return true
}
