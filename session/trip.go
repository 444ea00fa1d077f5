package session

import (
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// trip is what rules over a task's meters have said of it.
type trip struct {
	recommended, triggered bool
	rule, explain          string
	at                     int64
	warnings               []string
	before                 bool             // it was reviewed before it began
	also                   []registry.Fired // what ended it together with what stands in tasks.ended
	paused                 bool             // a person has paused it, which ended it
	chosen                 int              // how often a person had it begun anew
	notices                []string         // what it was told of the tasks below
	stop                   *stop            // the last of them; nil: there was none
}

// stop is what a host has said of a task: that it is stopped for good.
type stop struct {
	fired registry.Fired
	cause error
	begun int64 // calls until then
}

// maxWarnings bounds the different warnings that are kept of a task.
const maxWarnings = 20

// tripped notes a rule that fired.
func (t *tasks) tripped(id string, f *registry.Fired, at int64) {
	task, session := f.Rule.Meters()
	if !f.Decides() || !task && !session {
		return
	}
	n := t.trip(id)
	switch f.Rule.Action.Kind {
	case dsl.Warn:
		n.recommended = true
		n.warn(f.ReasonText())
	case dsl.Review:
		n.recommended = true
		n.trigger(f, at)
	case dsl.Abort:
		n.trigger(f, at)
	}
}

func (t *tasks) trip(id string) *trip {
	n := t.trips[id]
	if n == nil {
		n = &trip{}
		t.trips[id] = n
	}
	return n
}

func (n *trip) warn(reason string) {
	if len(n.warnings) < maxWarnings && !contains(n.warnings, reason) {
		n.warnings = append(n.warnings, reason)
	}
}

func (n *trip) trigger(f *registry.Fired, at int64) {
	if !n.triggered {
		n.triggered, n.rule, n.explain, n.at = true, f.Rule.ID, f.Explain(), at
	}
}

// Stopped notes that a host has stopped a task for good by a rule that itself
// does not: one that asks for a review which was not given, because of the cause
// (nil: there is nobody to give it). The task is halted by it, unless it is
// resumed, begun anew or makes another call. It refuses nothing. A task that is
// not known is the session's own.
func (s *Session) Stopped(task string, f *registry.Fired, cause error) {
	s.mu.Lock()
	defer s.unlock()
	k := s.tasks.tree.Task(task)
	n := s.tasks.trip(k.ID())
	n.trigger(f, s.at(0))
	n.stop = &stop{*f, cause, k.Begun()}
}

// ReviewedBefore notes that the work of a task had to be reviewed before it
// began, and whether it was.
func (s *Session) ReviewedBefore(task string, given bool) {
	s.mu.Lock()
	defer s.unlock()
	n := s.tasks.trip(s.tasks.tree.Task(task).ID())
	n.recommended, n.before = true, given
}

// haltedBy is the rule that ended a task or by which the host stopped it, with
// what the host says of it; nil: it goes on.
func (t *tasks) haltedBy(k *meter.Task) (*registry.Fired, error) {
	if by := t.endedBy(k); by != nil {
		return by, nil
	}
	if n := t.trips[k.ID()]; n != nil && n.stop != nil && n.stop.begun == k.Begun() {
		return &n.stop.fired, n.stop.cause
	}
	return nil, nil
}
