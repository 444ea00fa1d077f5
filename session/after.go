package session

import (
	"context"
	"fmt"

	"github.com/cbpolicy/cbpolicy/internal/reading"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// After reports the result of an admitted step, so that later ones can be
// judged by it. An error means that the store could not be told; the
// session's own history has the result all the same. A second report of a step
// changes nothing.
func (s *Session) After(ctx context.Context, o Outcome) (err error) {
	s.mu.Lock()
	defer s.unlock()
	defer errorOnPanic(&err)
	if o.Step.reported {
		return nil
	}
	o.Step.reported = true
	s.finish(&o)
	if o.Output != nil {
		s.remember(o.Output)
		if o.Step.Outputs == nil {
			s.outputs.BindCall(o.Step.Ability, o.Step.number, *o.Output)
		}
	}
	if err = s.settle(ctx, &o); err != nil {
		return fmt.Errorf("session %s: settle call %s: %w", s.id, o.Step.Call.ID, err)
	}
	return nil
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
	if o.Step.task == nil {
		return
	}
	r := meter.Result{
		ID: o.Step.Call.ID, Failed: o.Failed, Output: o.Message, Counts: countsAgainstTool(o.Class), Cancelled: o.Failed && o.Class == ClassCancelled,
		Cost: o.Cost, Settled: o.Settled,
	}
	if o.Output != nil {
		s.put(&r, o.Output)
	}
	if !o.Step.task.UnderWay(o.Step.flight) && !s.late(o, r) {
		return
	}
	s.done(o.Step.task, o.Step.flight, r, o.Class, s.at(0))
}

// late counts what a call came to whose task was closed, or begun anew, in
// between: its money, in the place of what was counted for it then, and the
// failure of its worker. False: it was reported before, by another Step that repeats it, and
// counts no more.
func (s *Session) late(o *Outcome, r meter.Result) bool {
	counted, lost := o.Step.task.Late(o.Step.flight)
	if !lost {
		return false
	}
	at := s.at(0)
	if o.Settled {
		o.Step.task.Recount(counted, max(o.Cost, 0), at)
	}
	worker := WorkerOf(&registry.Step{Ability: o.Step.Ability, Worker: o.Step.Worker})
	if worker == "" {
		return true
	}
	spell(&r)
	why := r.Output
	if !r.Failed {
		why, r.Gave = s.delegations.gave(r.Output)
	}
	if r.Fails() {
		s.tasks.tree.FailWorker(worker, at)
		s.failed(worker, why)
	}
	return true
}
