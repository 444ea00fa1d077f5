package meter

import "time"

// Anew begins a new attempt of the task: its calls, messages, tokens, clocks,
// outputs and streaks start at 0. Its money, the failures of workers and of
// tools, and what the session counts go on. What is still under way belongs to
// the attempt before.
func (k *Task) Anew(at int64) {
	k.lose()
	k.earlier.Calls += k.calls
	k.earlier.Messages += k.messages
	k.earlier.Duration += time.Duration(k.clock.elapsed(at))
	k.calls, k.turn, k.messages = 0, 0, 0
	k.usage = usage{byMessage: k.usage.byMessage, order: k.usage.order} // one that is told again costs nothing more
	k.streaks, k.outputs = streaks{}, outputs{}
	k.Stuck(false)
	k.waiting, k.worked = waitNobody, false
	k.clock.start(at)
	k.last = at
	k.attempts++
}

// Attempts is how often the task was begun anew.
func (k *Task) Attempts() int { return k.attempts }

// Earlier is what the attempts of a task came to that are over.
type Earlier struct {
	Calls, Messages int64
	Duration        time.Duration
}

// Earlier returns what the attempts before the current one came to; the zero
// value in the first.
func (k *Task) Earlier() Earlier { return k.earlier }

// Begun is how many calls the task has begun in all its attempts.
func (k *Task) Begun() int64 { return k.earlier.Calls + k.calls }
