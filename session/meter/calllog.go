package meter

// callDone is a finished call, as far as loops are told by it.
type callDone struct {
	key, ability, output print
	failed               bool
}

// same reports whether two calls were the same, with the same outcome.
func (c callDone) same(d callDone) bool {
	return c.key == d.key && c.output == d.output && c.failed == d.failed
}

// polled reports whether a call asks again what an earlier one asked, and is
// told something else: that is no loop, however often.
func (c callDone) polled(d callDone) bool {
	return c.key == d.key && c.output != d.output && !c.failed && !d.failed
}

// callLog follows the streaks of finished calls. It keeps the last two calls,
// however many there were.
type callLog struct {
	last, before callDone
	n            int // how many of the two are there

	sameCall    int64 // the last call in a row, with equal outcomes
	sameAbility int64
	errors      int64
	alternation int64 // length of the current A,B,A,B…
}

func (l *callLog) add(c callDone) {
	switch {
	case l.n == 0:
		l.sameCall, l.sameAbility, l.alternation = 1, 1, 1
	default:
		l.sameCall = grown(l.sameCall, l.last.same(c))
		l.sameAbility = grown(l.sameAbility, l.last.ability == c.ability && !l.last.polled(c) && !l.before.polled(c))
		l.alternation = l.alternated(c)
	}
	l.errors = grown(l.errors, c.failed)
	if !c.failed {
		l.errors = 0
	}
	l.before, l.last = l.last, c
	l.n = min(l.n+1, 2)
}

// grown is a streak with one more, or the start of a new one.
func grown(streak int64, goesOn bool) int64 {
	if goesOn {
		return streak + 1
	}
	return 1
}

// alternated is the length of the alternation with one more call in it.
func (l *callLog) alternated(c callDone) int64 {
	switch {
	case l.last.key == c.key: // a poll, whatever comes of it
		return 1
	case l.n == 2 && l.before.same(c) && l.alternation >= 2:
		return l.alternation + 1
	}
	return 2
}

// The streaks at a call that is about to be made: what is to come of it is
// not known, so that it goes on with a streak if it is the same call.

func (l *callLog) sameCallWith(key print) int64 {
	return grown(l.sameCall, l.n > 0 && l.last.key == key)
}

func (l *callLog) sameAbilityWith(ability print) int64 {
	return grown(l.sameAbility, l.n > 0 && l.last.ability == ability)
}

// alternationWith is the length of the alternation that the call would go on
// with, itself not counted; 0 if it leaves it.
func (l *callLog) alternationWith(key print) int64 {
	if l.n < 2 || l.before.key != key || l.last.key == key {
		return 0
	}
	return l.alternation
}
