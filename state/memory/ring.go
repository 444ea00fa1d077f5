package memory

import (
	"github.com/cbpolicy/cbpolicy/dsl"
)

// minRing is the capacity a ring starts with and never shrinks below.
const minRing = 4

// ring holds the times of a counter's newest entries in ascending order, at
// most dsl.MaxHistory of them. Its memory follows what is in it.
type ring struct {
	buf  []int64 // circular; its length is the capacity
	head int32   // where the oldest is
	n    int32
}

// oldest returns the i-th oldest entry, from 0.
func (r *ring) oldest(i int) int64 {
	i += int(r.head)
	if i >= len(r.buf) {
		i -= len(r.buf)
	}
	return r.buf[i]
}

// newest returns the k-th newest entry, from 1.
func (r *ring) newest(k int) int64 { return r.oldest(int(r.n) - k) }

// after returns how many entries are later than t.
func (r *ring) after(t int64) int {
	if r.n == 0 || r.buf[r.head] > t {
		return int(r.n) // all of them, as in every window that is longer than the history
	}
	lo, hi := 0, int(r.n) // entries before lo are not later than t, those from hi on are
	for lo < hi {
		mid := (lo + hi) / 2
		if r.oldest(mid) > t {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return int(r.n) - lo
}

// push adds an entry that is not earlier than any other. At the cap the oldest leaves.
func (r *ring) push(t int64) {
	switch {
	case r.n == dsl.MaxHistory:
		r.drop(1)
	case int(r.n) == len(r.buf):
		r.resize(min(len(r.buf)+max(len(r.buf)/2, minRing), dsl.MaxHistory))
	}
	i := int(r.head) + int(r.n)
	if i >= len(r.buf) {
		i -= len(r.buf)
	}
	r.buf[i] = t
	r.n++
}

// expire drops the entries that are not later than t, and memory with them.
func (r *ring) expire(t int64) {
	if r.n == 0 || r.buf[r.head] > t {
		return
	}
	// In a steady flow one entry leaves for each that comes.
	if r.drop(1); r.n > 0 && r.buf[r.head] <= t {
		r.drop(int(r.n) - r.after(t))
	}
	r.shrink()
}

// remove takes out one entry of exactly time t and reports whether there was one.
func (r *ring) remove(t int64) bool {
	i := int(r.n) - r.after(t) - 1 // the last that is not later
	if i < 0 || r.oldest(i) != t {
		return false
	}
	for ; i+1 < int(r.n); i++ {
		r.set(i, r.oldest(i+1))
	}
	r.n--
	r.shrink()
	return true
}

// shrink gives memory back when a quarter is in use, and keeps as much again
// as is, so that a ring whose load swings is not copied at every turn.
func (r *ring) shrink() {
	if len(r.buf) > minRing && int(r.n) <= len(r.buf)/4 {
		r.resize(max(2*int(r.n), minRing))
	}
}

func (r *ring) set(i int, t int64) {
	i += int(r.head)
	if i >= len(r.buf) {
		i -= len(r.buf)
	}
	r.buf[i] = t
}

func (r *ring) drop(k int) {
	head := int(r.head) + k
	if head >= len(r.buf) {
		head -= len(r.buf)
	}
	r.head = int32(head)
	r.n -= int32(k)
}

func (r *ring) resize(capacity int) {
	buf := make([]int64, capacity)
	for i := range int(r.n) {
		buf[i] = r.oldest(i)
	}
	r.buf, r.head = buf, 0
}
