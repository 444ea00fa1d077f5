package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
)

// SlugSessionEnded is the rule id of a refusal after End.
const SlugSessionEnded = "session_ended"

// errOver says that a session that has ended does not go on.
func (s *Session) errOver() error {
	if s.over {
		return fmt.Errorf("session %s: it has ended", s.id)
	}
	return nil
}

// End closes the session: the store forgets what it kept for it, every further
// step is refused, and what it remembered of outputs, words and tasks is
// dropped. The tasks that are still open are told to Options.OnTask. An error means
// that the store could not be told: End may be called again for it, and otherwise
// what the store kept runs out by itself.
func (s *Session) End(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.unlock()
	defer errorOnPanic(&err)
	var v registry.Verdict
	v.Refuse(&registry.Step{Session: s.id}, SlugSessionEnded, "the session has ended")
	s.tellAll(s.at(0))
	untold := s.tellResults(ctx)
	s.tasks = newTasks(meter.Options{}, s.at(0))
	s.tasks.ended[""] = &ending{v.Fired[0]}
	s.over = true
	money := s.books.keys()
	s.books = nil
	s.outputs, s.user, s.seen, s.history = &registry.Values{}, registry.Words{}, registry.Words{}, History{}
	s.spareCalls, s.reported = nil, reportedCalls{}
	if err := errors.Join(untold, s.decider.Store.Forget(ctx, state.Ended{Session: s.id, Cells: money})); err != nil {
		return fmt.Errorf("session %s: end: %w", s.id, err)
	}
	return nil
}

// Resume lets an ended task go on; "" is the session. What ended it will end
// it again unless a limit was raised; see Raise.
func (s *Session) Resume(task string) error {
	s.mu.Lock()
	defer s.unlock()
	if err := s.errOver(); err != nil {
		return err
	}
	if _, ended := s.tasks.ended[task]; !ended {
		return fmt.Errorf("session %s: task %q: %w", s.id, task, ErrNotEnded)
	}
	s.goOn(s.tasks.tree.Task(task))
	return nil
}

// goOn lets an ended task go on, and its clocks if it was paused.
func (s *Session) goOn(k *meter.Task) {
	at := s.at(0)
	s.tasks.resume(k.ID())
	s.tasks.hold(k, at)
	k.Back(at) // somebody was there
}

// ErrNotEnded: there is nothing to resume.
var ErrNotEnded = errors.New("it was not ended")
