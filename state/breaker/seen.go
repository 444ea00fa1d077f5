package breaker

// Seen is a breaker as a session has seen it in its store.
type Seen struct {
	State  State
	Config Config // with its defaults
	At     int64  // the store's time at which it was known to be so, Unix nanoseconds
}

// before reports whether a breaker was seen like this before it was seen as in t. A
// higher generation is a later one, unless the breaker was forgotten in between and
// began anew: that may be no sooner than Forget after it opened, and a generation
// is at least the time of that.
func (s *Seen) before(t *Seen) bool {
	switch {
	case s.State.Generation < t.State.Generation:
		return !t.State.forgotten(s.At)
	case s.State.Generation > t.State.Generation:
		return s.State.forgotten(t.At)
	}
	return s.At < t.At
}

// forgotten reports whether a state with another generation that was seen at a time
// may be that of a breaker which was this one, and was forgotten.
func (s State) forgotten(at int64) bool {
	return at > 0 && uint64(at) >= s.Generation && uint64(at)-s.Generation >= uint64(Forget)
}

// at is the breaker at a time, if nothing has moved it since it was told of.
func (t *tracked) at(now int64) State {
	since := t.told
	if t.State.Opened != 0 {
		since = t.State.Opened
	}
	if keep := t.State.Keep(t.Config); keep > 0 && now-since >= int64(keep) {
		return State{}
	}
	return t.State
}
