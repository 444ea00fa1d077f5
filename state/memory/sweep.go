package memory

// sweeper visits things that become useless by themselves, round and round,
// some at a time, so that no claim pays for all and no goroutine runs. What
// is not due is passed over without touching it.
type sweeper[T any] struct {
	items []sweepItem[T]
	hand  int
}

type sweepItem[T any] struct {
	due   int64 // not before this time is it worth a look
	thing T
}

func (s *sweeper[T]) add(thing T, due int64) {
	s.items = append(s.items, sweepItem[T]{due, thing})
}

// sweep visits up to steps things. Of those that are due at now, gone drops
// what is useless, and returns of others when to look again.
func (s *sweeper[T]) sweep(now int64, steps int, gone func(T) (gone bool, due int64)) {
	for range min(steps, len(s.items)) {
		if s.hand >= len(s.items) {
			s.hand = 0
		}
		it := &s.items[s.hand]
		if it.due > now {
			s.hand++
		} else if dropped, due := gone(it.thing); dropped {
			s.drop(it)
		} else {
			it.due = due
			s.hand++
		}
	}
}

func (s *sweeper[T]) drop(it *sweepItem[T]) {
	last := len(s.items) - 1
	*it = s.items[last]
	s.items[last] = sweepItem[T]{}
	s.items = s.items[:last]
	if cap(s.items) > 64 && last < cap(s.items)/4 {
		s.items = append(make([]sweepItem[T], 0, cap(s.items)/2), s.items...)
	}
}
