package file

import (
	"math"
	"sort"

	"github.com/cbpolicy/cbpolicy/registry"
)

// sight is a counter as one claim sees it: with the past that only the claim
// knows of and the entry that it would add.
type sight struct {
	need    *registry.Need
	key     counterKey
	counter *counter // nil: it holds nothing
	now     int64
	add     int64  // 1 if the claim would add an entry, else 0
	run     []byte // the key of the run's record; nil: the need does not count runs, or the run has no name
	marked  mark   // the run's record, if there is one
}

// quiet reports whether no window of a need is exceeded. A need without a Front
// is judged on all its windows: nothing else is known to come first.
func (s *sight) quiet() bool {
	n := s.need
	if len(n.Front) == 0 {
		for i := range n.Windows {
			if s.exceeded(&n.Windows[i]) {
				return false
			}
		}
		return true
	}
	for _, f := range n.Front {
		if s.exceeded(&n.Windows[f]) {
			return false
		}
	}
	return true
}

func (s *sight) exceeded(w *registry.Window) bool {
	if len(s.need.Past) > 0 {
		return s.inside(sub(s.now, int64(w.Span))) > w.Limit
	}
	return s.counter.exceeded(w, s.now, s.add)
}

// count tells how many entries are in a window and when there is room again.
func (s *sight) count(w *registry.Window) registry.Count {
	c := registry.Count{N: s.inside(sub(s.now, int64(w.Span)))}
	if rank := w.Limit + 1 - s.add; c.N > w.Limit && rank > 0 {
		c.Free = add(s.newest(int(rank)), int64(w.Span))
	}
	return c
}

// inside counts the entries in (cut, now], with the one to be added.
func (s *sight) inside(cut int64) int64 {
	n := s.add + int64(later(s.need.Past, cut)-later(s.need.Past, s.now))
	if s.counter != nil {
		n += int64(s.counter.after(cut))
	}
	return n
}

// newest returns the k-th newest, from 1, of the entries and the past up to
// now together. There must be that many.
func (s *sight) newest(k int) int64 {
	past := s.need.Past[:len(s.need.Past)-later(s.need.Past, s.now)]
	held := 0
	if s.counter != nil {
		held = s.counter.len()
	}
	// Of the k newest, p are past ones: the least p for which the rest is not
	// later than what was taken of the past.
	p := sort.Search(min(k, len(past)), func(p int) bool {
		taken := k - p // of the counter
		return taken <= held && (taken == 0 || s.counter.newest(taken) >= past[len(past)-1-p])
	})
	t := int64(math.MaxInt64)
	if p > 0 {
		t = past[len(past)-p]
	}
	if k > p && k-p <= held {
		t = min(t, s.counter.newest(k-p))
	}
	return t
}
