package session

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/session/meter"
)

// MaxReviews is how often a task may be begun anew after a review, if nothing
// else is set. What asks for one more is an abort.
const MaxReviews = 2

// ReviewOf is how a task is reviewed: as set for it, for a task above, or for
// the session. Its Most is a number of reviews, from 0.
func (s *Session) ReviewOf(task string) TaskReview {
	s.mu.Lock()
	defer s.unlock()
	return s.reviewOf(s.tasks.tree.Task(task))
}

func (s *Session) reviewOf(k *meter.Task) TaskReview {
	r := s.review
	if setup := s.tasks.setupOf(k); setup != nil {
		r = setup.review.or(r)
	}
	r.Most = max(cmp.Or(r.Most, MaxReviews), 0)
	return r
}

// NewAttempt lets a task that was reviewed be tried once more: calls, messages,
// context, clocks, similarity and streaks start at 0; money, failures of
// workers, windows, approvals and breakers go on. A task that was ended is
// resumed. The tasks below it that are open begin anew too; what a rule has
// ended among them stays ended. "" is the session's own task. It is refused once
// there were as many reviews as may be.
func (s *Session) NewAttempt(task string) error {
	s.mu.Lock()
	defer s.unlock()
	k, err := s.another(task)
	if err != nil {
		return err
	}
	s.anew(k)
	return nil
}

// Retry is NewAttempt for who has reviewed one attempt of a task, from 1. It is
// refused with [ErrBegunAnew] where another review was quicker, and where a rule
// has ended the task: what was reviewed is not what ended it.
func (s *Session) Retry(task string, attempt int) error {
	s.mu.Lock()
	defer s.unlock()
	k, err := s.another(task)
	if err != nil {
		return err
	}
	if by := s.tasks.endedBy(k); by != nil {
		return fmt.Errorf("session %s: task %q was ended by %s", s.id, task, by.Rule.ID)
	}
	if k.Attempts()+1 != attempt {
		return fmt.Errorf("session %s: task %q: %w", s.id, task, ErrBegunAnew)
	}
	s.anew(k)
	return nil
}

// ErrBegunAnew: the attempt is over, a later one has begun.
var ErrBegunAnew = errors.New("it was begun anew")

// another returns a task that may be begun anew once more.
func (s *Session) another(task string) (*meter.Task, error) {
	if err := s.errOver(); err != nil {
		return nil, err
	}
	k := s.tasks.tree.Task(task)
	if k.ID() != task {
		return nil, fmt.Errorf("session %s: there is no task %q", s.id, task)
	}
	switch most := s.reviewOf(k).Most; {
	case most == 0:
		return nil, fmt.Errorf("session %s: no review of task %q is allowed", s.id, task)
	case s.tasks.reviews(k) >= most:
		return nil, fmt.Errorf("session %s: task %q was begun anew %d times already", s.id, task, s.tasks.reviews(k))
	}
	if by := s.tasks.endedBy(k.Parent()); by != nil {
		return nil, fmt.Errorf("session %s: task %q is below one that was ended by %s", s.id, task, by.Rule.ID)
	}
	return k, nil
}

// anew begins an attempt of a task, and of those below it.
func (s *Session) anew(task *meter.Task) {
	at := s.at(0)
	s.tasks.tree.Below(task, func(k *meter.Task) {
		if _, ended := s.tasks.ended[k.ID()]; ended && k != task {
			return
		}
		s.tasks.recalled.anew(k)
		k.Anew(at)
		s.tasks.resume(k.ID())
	})
	s.tasks.hold(task, at)
}

// TaskOf is the task that a step or an event with this id belongs to: the one
// it names, "" for the session's own where that is not known, and the active one
// that was opened last where it names none.
func (s *Session) TaskOf(id string) string {
	s.mu.Lock()
	defer s.unlock()
	return s.tasks.find(id).ID()
}

// Reviews is how often a task was begun anew after a review: what TaskReview.Most
// bounds. Attempts that a person chose, see Accept, are not among them.
func (s *Session) Reviews(task string) int {
	s.mu.Lock()
	defer s.unlock()
	return s.tasks.reviews(s.tasks.tree.Task(task))
}

// Attempts is how often a task was begun anew.
func (s *Session) Attempts(task string) int {
	s.mu.Lock()
	defer s.unlock()
	return s.tasks.tree.Task(task).Attempts()
}

// resume forgets what ended or stopped a task and what it was told of.
func (t *tasks) resume(id string) {
	delete(t.ended, id)
	delete(t.held, id)
	if n := t.trips[id]; n != nil {
		n.stop, n.also, n.paused, n.notices = nil, nil, false, nil
	}
}
