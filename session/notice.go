package session

import (
	"log/slog"

	"github.com/cbpolicy/cbpolicy/registry"
)

// note keeps something to be told once the session is unlocked: who is told
// may call back.
func (s *Session) note(f func()) { s.notices = append(s.notices, f) }

// unlock ends what a method does with the session and tells what came of it.
func (s *Session) unlock() {
	notices := s.notices
	s.notices = nil
	s.mu.Unlock()
	for _, f := range notices {
		tell(f)
	}
}

// tell calls a listener, whose panic is not the host's.
func tell(f func()) {
	defer func() { _ = recover() }()
	f()
}

// logger is where a session logs; without one, nowhere.
func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// warn logs, once the session is unlocked: its id, and args. Where nobody reads
// the log, nothing is made for it.
func (s *Session) warn(msg string, args func() []any) {
	if s.logs {
		all := args()
		s.note(func() { s.log.Warn(msg, append([]any{"session", s.id}, all...)...) })
	}
}

// logEnded logs that a rule has ended a task, or the session.
func (s *Session) logEnded(task string, f *registry.Fired) {
	s.warn("task ended", func() []any {
		return []any{"task", task, "rule", f.Rule.ID, "reason", f.ReasonText(), "explain", f.Explain()}
	})
}

// logRefused logs that a worker was not given a task, once for each refusal.
func (s *Session) logRefused(worker string, f *registry.Fired) {
	s.warn("delegation refused", func() []any {
		return []any{"worker", worker, "rule", f.Rule.ID, "explain", f.Explain()}
	})
}

// changed tells of a breaker that moved.
func (s *Session) changed(c *BreakerChange) {
	change := *c
	s.warn("breaker changed", func() []any {
		return []any{"ability", change.Ability, "from", change.From.String(), "to", change.To.String(), "trips", change.Trips}
	})
	if s.onBreaker != nil {
		s.note(func() { s.onBreaker(change) })
	}
}
