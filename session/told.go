package session

import (
	"context"
	"errors"
	"slices"

	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// maxUntold bounds the results that are kept for the store to be told of.
const maxUntold = 1024

// resultTold takes in the result of a call of which an event tells, and settles the
// call as After would.
func (s *Session) resultTold(ctx context.Context, e *Event, k *meter.Task, at int64) {
	flight := k.Find(e.CallID)
	u := attached(k, flight)
	if flight == 0 {
		lost := k.FindLost(e.CallID)
		if u = attached(k, lost); u != nil {
			flight = lost
		}
	}
	r, class := meter.Result{ID: e.CallID, Failed: e.Error != nil}, ""
	if e.Error != nil {
		class = e.Error.Class
		r.Output, r.Counts, r.Cancelled = e.Error.Message, countsAgainstTool(class), class == ClassCancelled
	}
	if e.Output != nil {
		s.remember(e.Output)
		if u != nil && u.binds {
			s.outputs.BindCall(u.ability, u.number, *e.Output)
		}
		s.put(&r, e.Output)
	}
	if u != nil && !k.UnderWay(flight) {
		s.late(u, r, at)
	}
	s.done(k, flight, r, class, at)
	if u != nil {
		s.keepResult(ctx, s.ends(u, r.Failed, class))
	}
}

// keepResult is settle where nobody waits for an error: what could not be told is
// told with what comes next.
func (s *Session) keepResult(ctx context.Context, e *ended) {
	if e.nothing() {
		return
	}
	var err error
	if len(s.untold) == 0 { // otherwise the store was just asked, and has not answered
		func() {
			defer errorOnPanic(&err)
			err = s.settle(ctx, e)
		}()
		if err == nil {
			return
		}
		s.warnUntold(e, err)
	} else if e.guarded != nil {
		s.measure(e.guarded, e.result)
	}
	s.tellLater(e)
}

// tellLater keeps a result for the store to be told of.
func (s *Session) tellLater(e *ended) {
	if len(s.untold) == maxUntold {
		s.warnLost(&s.untold[0], errors.New("too many results are still to be told"))
		s.untold = slices.Delete(s.untold, 0, 1)
	}
	s.untold = append(s.untold, *e)
}

// keepResults tells the store of the results that it could not be told of, where
// nobody waits for an error.
func (s *Session) keepResults(ctx context.Context) {
	if len(s.untold) > 0 {
		_ = s.tellResults(ctx) // which logs it
	}
}

// tellResults tells the store of the results that it could not be told of, the
// earliest first.
func (s *Session) tellResults(ctx context.Context) (err error) {
	defer errorOnPanic(&err)
	for len(s.untold) > 0 {
		e := &s.untold[0]
		switch err := s.tellEnd(ctx, e); {
		case err == nil:
			if e.guarded != nil {
				s.measure(e.guarded, breaker.Neutral) // the call was measured already, and the breaker has moved
			}
		case e.guarded != nil && errors.Is(err, breaker.ErrFormat):
			s.warnLost(e, err)
			e.guarded, e.probe = nil, "" // there is no breaker to tell; the call's id is still to be ended
			continue
		case errors.Is(err, state.ErrInvalid):
			s.warnLost(e, err)
		default:
			s.warnUntold(e, err)
			return err
		}
		s.untold = slices.Delete(s.untold, 0, 1)
	}
	return nil
}

// askedAgain notes that a call was let through: what is still to be told of an
// earlier one of its id ends neither this one nor its lease.
func (s *Session) askedAgain(id *state.CallID) {
	if len(s.untold) == 0 || id.IsZero() {
		return
	}
	s.untold = slices.DeleteFunc(s.untold, func(e ended) bool {
		return e.admitted == *id && (e.probe != "" || e.guarded == nil)
	})
	for i := range s.untold {
		if e := &s.untold[i]; e.admitted == *id {
			e.admitted = state.CallID{}
		}
	}
}

func (s *Session) warnUntold(e *ended, err error) {
	s.warn("the state was not told of a result", func() []any { return []any{"ability", e.ability, "error", err} })
}

func (s *Session) warnLost(e *ended, err error) {
	s.warn("a result is lost to the state", func() []any { return []any{"ability", e.ability, "error", err} })
}
