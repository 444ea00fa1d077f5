package session

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/session/meter"
)

// FinishTask closes a task, says how it went, and returns it in figures. A
// task that a rule ended, or that was Stopped by one, is halted, whatever is
// said. "" is the session's own: its work is over, which is told once; it is
// closed by End only. The error says that there is no such task or it was closed
// already, or that the status is none; nothing is closed then.
func (s *Session) FinishTask(id string, status Status, reason string) (Metadata, error) {
	s.mu.Lock()
	defer s.unlock()
	switch status {
	case "", Completed, Failed, Halted:
	default:
		return Metadata{}, fmt.Errorf("session %s: task %q: %q is no status; it is completed, failed or halted, or empty where nobody says", s.id, id, status)
	}
	if err := s.errOver(); err != nil {
		return Metadata{}, err
	}
	k := s.tasks.tree.Task(id)
	switch {
	case k.ID() != id:
		return Metadata{}, fmt.Errorf("session %s: there is no task %q", s.id, id)
	case !k.Open() || k.Parent() == nil && s.tasks.told:
		return Metadata{}, fmt.Errorf("session %s: task %q was closed already", s.id, id)
	}
	at := s.at(0)
	return s.closeAs(k, status, reason, at), nil
}

// closeAs closes an open task and tells of it.
func (s *Session) closeAs(k *meter.Task, status Status, reason string, at int64) Metadata {
	m := s.metadata(k, status, reason, at)
	s.tell(m)
	s.tasks.told = s.tasks.told || k.Parent() == nil
	s.closeTask(k.ID(), at)
	return m
}

// endTask closes a task of which an event, or the host, says that it is over.
// One that is not open is left alone, and so is the session's own.
func (s *Session) endTask(id string, status Status, reason string, at int64) {
	k := s.tasks.tree.Task(id)
	if s.onTask != nil && k.ID() == id && k.Parent() != nil && k.Open() {
		s.tell(s.metadata(k, status, reason, at))
	}
	s.closeTask(id, at)
}

func (s *Session) closeTask(id string, at int64) {
	if forgotten := s.tasks.tree.End(id, at); forgotten != "" {
		s.tasks.forget(forgotten)
		s.books.forget(forgotten)
	}
	if id != "" {
		delete(s.tasks.held, id)
	}
}

// tellAll tells of every task that is open, the latest first; of the session's
// own only if anything was done in it, or refused, and it was not told of.
func (s *Session) tellAll(at int64) {
	if s.onTask == nil {
		return
	}
	var open []*meter.Task
	s.tasks.tree.Active(func(k *meter.Task) { open = append(open, k) })
	for _, k := range slices.Backward(open) {
		used := k.Worked() || k.Attempts() > 0 || s.tasks.trips[k.ID()] != nil
		if k.Parent() != nil || used && !s.tasks.told {
			s.tell(s.metadata(k, "", "", at))
		}
	}
}

// tell tells the host of a task that is over.
func (s *Session) tell(m Metadata) {
	if s.onTask != nil {
		s.note(func() { s.onTask(m) })
	}
}
