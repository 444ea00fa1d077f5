package session

import (
	"context"
	"fmt"

	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// settleStep is settle for a step. What the store could not be told of stays with
// the step, whose host hears of it and may report it again.
func (s *Session) settleStep(ctx context.Context, st *Step, e *ended) (err error) {
	defer func() {
		if err != nil {
			kept := *e
			st.unsettled = &kept
			err = errUnsettled(s, st, err)
		}
	}()
	defer errorOnPanic(&err)
	return s.settle(ctx, e)
}

// settleAgain tells the store of what it could not be told of when the step was
// reported first. The metrics have the call since then; they are told what became of
// its breaker.
func (s *Session) settleAgain(ctx context.Context, st *Step) error {
	e := st.unsettled
	if e == nil {
		return nil
	}
	if e.askedAgain() && !e.leave() {
		st.unsettled = nil
		return nil
	}
	if err := s.tellEnd(ctx, e); err != nil {
		return errUnsettled(s, st, err)
	}
	st.unsettled = nil
	if e.guarded != nil {
		s.measure(e.guarded, breaker.Neutral)
	}
	return nil
}

// askedAgain reports whether the call is under way again, let through as the same.
func (e *ended) askedAgain() bool {
	if e.task == nil || e.admitted.IsZero() {
		return false // it was never let through, or is the same as no other
	}
	u := attached(e.task, e.task.Find(e.id))
	return u != nil && u.asked && u.admitted == e.admitted
}

// leave leaves the claim of a call, and its lease, to who was let through as the
// same call meanwhile. False: nothing else is to be told.
func (e *ended) leave() bool {
	e.admitted = state.CallID{}
	return e.probe == "" && e.guarded != nil
}

func errUnsettled(s *Session, st *Step, err error) error {
	return fmt.Errorf("session %s: settle call %s: %w", s.id, st.Call.ID, err)
}
