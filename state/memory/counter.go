package memory

import (
	"math"
	"sort"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
)

// counter is one sliding history and how far back anybody has asked for it.
type counter struct {
	ring
	longest int64 // the longest window any claim has asked of it, in nanoseconds
	id      registry.CounterID
	hash    uint64
	taken   bool     // this claim has added its entry; false between claims
	_       [40]byte // two cache lines, not parts of three
}

// ask remembers how far back a need looks.
func (c *counter) ask(n *registry.Need) {
	for i := range n.Windows {
		c.longest = max(c.longest, int64(n.Windows[i].Span))
	}
}

// add enters the time of an admitted claim and drops what no window reaches any more.
func (c *counter) add(now int64) {
	c.expire(sub(now, c.longest))
	c.push(now)
}

// linger keeps counters of very short windows from being made anew at every claim.
const linger = int64(time.Second)

// due is when the last entry has left the longest window, so that nothing is
// lost with the counter; 0 if it is empty.
func (c *counter) due() int64 {
	if c.n == 0 {
		return 0
	}
	return add(c.newest(1), max(c.longest, linger))
}

// exceeded reports whether a window is, with some entries added. It looks at
// one entry, however many there are. A nil counter holds none.
func (c *counter) exceeded(w *registry.Window, now, added int64) bool {
	rank := int(w.Limit + 1 - added) // this many entries inside are one too many
	if rank == 0 {
		return true
	}
	return c != nil && rank <= int(c.n) && c.newest(rank) > sub(now, int64(w.Span))
}

// sight is a counter as one claim sees it: with the past that only the claim
// knows of and the entry that it would add.
type sight struct {
	need    *registry.Need
	counter *counter // nil: it holds nothing
	now     int64
	hash    uint64 // of the counter's id
	add     int64  // 1 if the claim would add an entry, else 0
	run     runKey // if the need counts runs and the run has a name
	shard   uint8
}

// exceeded reports whether a window is.
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
	n := s.add
	if s.counter != nil {
		n += int64(s.counter.after(cut))
	}
	return n + int64(later(s.need.Past, cut)-later(s.need.Past, s.now))
}

// newest returns the k-th newest, from 1, of the entries and the past up to
// now together. There must be that many.
func (s *sight) newest(k int) int64 {
	var r ring
	if s.counter != nil {
		r = s.counter.ring
	}
	past := s.need.Past[:len(s.need.Past)-later(s.need.Past, s.now)]
	if len(past) == 0 {
		return r.newest(k)
	}
	// Of the k newest, p are past ones: the least p for which the rest of the
	// ring is not later than what was taken of the past.
	p := sort.Search(min(k, len(past)), func(p int) bool {
		taken := k - p // of the ring
		return taken <= int(r.n) && (taken == 0 || r.newest(taken) >= past[len(past)-1-p])
	})
	t := int64(math.MaxInt64)
	if p > 0 {
		t = past[len(past)-p]
	}
	if k > p {
		t = min(t, r.newest(k-p))
	}
	return t
}

// later returns how many of the ascending times are later than t.
func later(times []int64, t int64) int {
	return len(times) - sort.Search(len(times), func(i int) bool { return times[i] > t })
}

// sub and add stop at the ends of time instead of wrapping round.
func sub(t, d int64) int64 {
	if t < math.MinInt64+d {
		return math.MinInt64
	}
	return t - d
}

func add(t, d int64) int64 {
	if t > math.MaxInt64-d {
		return math.MaxInt64
	}
	return t + d
}
