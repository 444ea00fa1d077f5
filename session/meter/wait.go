package meter

// waiting says for whom a task waits.
type waiting int

const (
	waitNobody waiting = iota
	waitStart          // nothing has happened yet
	waitUser           // the agent has said something and called nothing: its turn may be over
	waitAnswer         // a question about a step is asked
	waitBelow          // a task below it waits, and nothing else goes on
)

// question is what a person is asked about.
type question struct {
	call  string // its id; "": the step has none, or it is not known
	begun bool   // the call is under way, or any that is may be meant; otherwise it waits to begin
}

// answers reports whether the result of a call, by its flight and its id, says
// that the person has answered.
func (k *Task) answers(f Flight, id string) bool {
	if k.question.call != "" {
		return id == k.question.call
	}
	return k.question.begun && k.UnderWay(f)
}

// touch notes that the agent has gone on, without its user: the turn before was
// not over.
func (k *Task) touch(at int64) {
	came := k.waiting == waitAnswer || k.waiting == waitStart
	k.goOn(came, at)
	k.alive(came, at)
	k.tree.total.stir(at, false)
}

// goOn lets the task's clock run again: as if it had never stood still, unless
// somebody was waited for and came.
func (k *Task) goOn(came bool, at int64) {
	switch {
	case k.waiting == waitNobody:
	case came:
		k.clock.resume(at)
	default:
		k.clock.cancel()
	}
	k.waiting = waitNobody
}

// living notes a sign of life of the task, and so of those above it, that lets
// no clock go on.
func (k *Task) living(at int64) {
	for t := k; t != nil; t = t.parent {
		t.last = max(t.last, at)
	}
}

// alive notes a sign of life, which is one of the tasks above too: who waits
// for a part of its work is not idle, and goes on where a part goes on.
func (k *Task) alive(came bool, at int64) {
	for t := k; t != nil; t = t.parent {
		t.last = max(t.last, at)
		if t.waiting == waitBelow {
			t.goOn(came, at)
		}
	}
}

// rest stops the clocks until somebody comes back.
func (k *Task) rest(why waiting, at int64) {
	k.waiting = why
	k.clock.pause(at)
	for p := k.parent; p != nil && p.waiting == waitNobody; p = p.parent {
		p.waiting = waitBelow
		p.clock.pause(at)
	}
	k.tree.total.rest(why, at)
}

// Beat notes a sign of life. It ends no wait for a person: who waits for one is
// alive, and has not gone on.
func (k *Task) Beat(at int64) {
	if k.waiting == waitNobody || k.waiting == waitStart {
		k.touch(at)
		return
	}
	k.living(at)
}

// Tried notes that the agent has gone on to a step, which it was refused.
func (k *Task) Tried(at int64) { k.touch(at) }

// Back notes that a person was there, who said nothing to the agent.
func (k *Task) Back(at int64) {
	k.goOn(true, at)
	k.alive(true, at)
	k.tree.total.stir(at, true)
}

// Asked notes that a person is asked about a call under way, or has stopped the
// agent: the clocks stand still until he is back, the agent goes on, or the call
// has a result. Without the call's id, "", that of any call under way will do.
func (k *Task) Asked(call string, at int64) { k.ask(question{call, true}, at) }

// Held notes that a person is asked about a call before it begins, nil for none:
// results of other calls do not say that he has answered.
func (k *Task) Held(c *Call, at int64) {
	q := question{}
	if c != nil {
		q.call = c.ID
	}
	k.ask(q, at)
}

func (k *Task) ask(q question, at int64) {
	k.touch(at)
	k.question = q
	k.rest(waitAnswer, at)
}

// answered notes a result, by which the agent goes on, unless a person is asked
// about something else.
func (k *Task) answered(f Flight, id string, at int64) {
	if k.waiting == waitAnswer && !k.answers(f, id) {
		k.living(at)
		return
	}
	k.touch(at)
}

// touchUsage is touch for a report of usage, which belongs to the turn before
// it and does not say that the agent has gone on.
func (k *Task) touchUsage(at int64) {
	if k.waiting == waitNobody {
		k.alive(false, at)
	}
}

// idle is the time since the last event, in nanoseconds.
func (k *Task) idle(at int64) int64 {
	if k.clock.held {
		at = min(at, k.clock.paused)
	}
	if !k.open || k.waiting != waitNobody || len(k.flights) > 0 && !k.tree.beats {
		return 0
	}
	return max(at-k.last, 0)
}
