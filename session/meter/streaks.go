package meter

// MaxBetween is how many messages may come between two calls that are in a row.
// With one more, what was called before is no longer what the agent does again
// and again: detectors of the field look back over 20 events.
const MaxBetween = 19

// streaks are what a task does again and again.
type streaks struct {
	calls    callLog
	edits    editStreak
	messages monologue
	between  int // messages since the latest call, or its result
}

// message notes a message of any kind.
func (s *streaks) message() {
	if s.between++; s.between > MaxBetween {
		s.calls, s.edits = callLog{}, editStreak{}
	}
}

// said notes what the agent said.
func (s *streaks) said(text print) { s.messages.add(text) }

// began notes that a call is under way.
func (s *streaks) began() { s.messages, s.between = monologue{}, 0 }

// done notes a call that has ended, and how many bytes it has written; -1: it
// is no edit.
func (s *streaks) done(c callDone, edit int64) {
	s.calls.add(c)
	if edit >= 0 {
		s.edits.add(edit)
	}
	s.between = 0
}

// editStreak follows edits of which each writes more than the one before.
type editStreak struct {
	last int64 // bytes
	n    int64
}

func (e *editStreak) add(bytes int64) {
	e.n = e.with(bytes)
	e.last = bytes
}

// with is the streak with one more edit.
func (e *editStreak) with(bytes int64) int64 { return grown(e.n, e.n > 0 && bytes > e.last) }

// monologue follows messages of the agent that are the same, with no call
// between them.
type monologue struct {
	last print
	n    int64
}

func (m *monologue) add(text print) {
	m.n = grown(m.n, m.n > 0 && m.last == text)
	m.last = text
}
