package file

import (
	"encoding/binary"
	"math"
	"sort"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// counterKey names a counter. All counters of a subject are neighbours, so that
// the claim of a chain changes few pages.
type counterKey struct{ subject, spec hash }

func counterKeyOf(id *registry.CounterID) counterKey {
	return counterKey{hashOf(id.Subject), hashOf(id.Spec)}
}

func (k counterKey) record() []byte { return key(kindCounter, k.subject, k.spec) }

func (k counterKey) chunk(number int64) []byte {
	return appendInt64(key(kindChunk, k.subject, k.spec), number)
}

// chunkSize is how many entries are written together once they are that many:
// an entry is written twice, whatever the length of the history is.
const chunkSize = 64

// counter is one sliding history: the times of the newest entries in ascending
// order, at most dsl.MaxHistory of them. Entries have positions, which go on
// for ever; chunk i holds the positions from i×chunkSize. The chunk that is
// being filled is in the counter's own record.
type counter struct {
	t   *txn
	key counterKey

	longest     int64   // the longest window anybody has asked for, in nanoseconds
	first, next int64   // the positions of the oldest entry, and of the one to come
	tail        []int64 // the times of the chunk being filled, up to next; what is before first is 0
	dirty       bool
	created     bool // not in the file yet
	taken       bool // this claim has added its entry; false between claims

	loaded int64  // the number of the chunk in memory
	chunk  []byte // nil: none is
}

// counter returns the counter of a key, or nil.
func (t *txn) counter(k counterKey) *counter {
	if c := t.counters[k]; c != nil {
		return c
	}
	rec := k.record()
	v := t.get(rec)
	if v == nil {
		return nil
	}
	f := t.fields(rec, v)
	c := &counter{t: t, key: k, longest: f.int64(), first: f.int64(), next: f.int64()}
	if c.first < 0 || c.next < c.first || c.next-c.first > dsl.MaxHistory {
		f.damaged()
		c.first, c.next = 0, 0
	}
	c.tail = make([]int64, c.next%chunkSize)
	for i := range c.tail {
		c.tail[i] = f.int64()
	}
	f.end()
	t.counters[k] = c
	return c
}

// newCounter makes the counter of a key that has none.
func (t *txn) newCounter(k counterKey) *counter {
	c := &counter{t: t, key: k, dirty: true, created: true}
	t.counters[k] = c
	return c
}

// save writes the counter's own record if it has changed.
func (c *counter) save(t *txn) {
	if !c.dirty {
		return
	}
	v := make([]byte, 0, 24+8*len(c.tail))
	v = appendInt64(appendInt64(appendInt64(v, c.longest), c.first), c.next)
	for _, at := range c.tail {
		v = appendInt64(v, at)
	}
	if c.created {
		t.add(c.key.record(), v)
	} else {
		t.put(c.key.record(), v)
	}
	c.dirty, c.created = false, false
}

func (c *counter) len() int { return int(c.next - c.first) }

// newest returns the k-th newest entry, from 1.
func (c *counter) newest(k int) int64 { return c.at(c.next - int64(k)) }

// at returns the entry at a position, which must be one.
func (c *counter) at(position int64) int64 {
	number, i := position/chunkSize, int(position%chunkSize)
	if number == c.next/chunkSize {
		return c.tail[i]
	}
	if c.chunk == nil || c.loaded != number {
		rec := c.key.chunk(number)
		c.loaded, c.chunk = number, c.t.get(rec)
		if len(c.chunk) != 8*chunkSize {
			c.t.fields(rec, nil).damaged()
			c.chunk = make([]byte, 8*chunkSize)
		}
	}
	return int64(binary.BigEndian.Uint64(c.chunk[8*i:]))
}

// after returns how many entries are later than t.
func (c *counter) after(t int64) int {
	return c.len() - sort.Search(c.len(), func(i int) bool { return c.at(c.first+int64(i)) > t })
}

// ask remembers how far back a need looks.
func (c *counter) ask(n *registry.Need) {
	for i := range n.Windows {
		if span := int64(n.Windows[i].Span); span > c.longest {
			c.longest, c.dirty = span, true
		}
	}
}

// add enters the time of an admitted claim and drops what no window reaches any more.
func (c *counter) add(now int64) {
	cut := sub(now, c.longest)
	if c.len() > 0 && c.at(c.first) <= cut {
		c.advance(c.next - int64(c.after(cut)))
	}
	if c.len() == dsl.MaxHistory {
		c.advance(c.first + 1)
	}
	c.push(now)
}

// push adds an entry that is not earlier than any other.
func (c *counter) push(at int64) {
	c.dirty = true
	c.tail = append(c.tail, at)
	c.next++
	if len(c.tail) < chunkSize {
		return
	}
	v := make([]byte, 0, 8*chunkSize)
	for _, at := range c.tail {
		v = appendInt64(v, at)
	}
	c.t.put(c.key.chunk(c.next/chunkSize-1), v)
	c.tail, c.chunk = c.tail[:0], nil
}

// advance drops the entries before a position, and chunks with them.
func (c *counter) advance(first int64) {
	c.dirty = true
	for number := c.first / chunkSize; number < first/chunkSize; number++ {
		c.t.delete(c.key.chunk(number))
	}
	c.first = first
	c.chunk = nil
}

// remove takes out one entry of exactly time t. It writes those after it anew,
// which are few: calls are released soon or not at all.
func (c *counter) remove(t int64) {
	position := c.next - int64(c.after(t)) - 1 // the last that is not later
	if position < c.first || c.at(position) != t {
		return
	}
	var later []int64
	for p := position + 1; p < c.next; p++ {
		later = append(later, c.at(p))
	}
	begin := position - position%chunkSize
	tail := make([]int64, position-begin)
	for i := range tail {
		if p := begin + int64(i); p >= c.first {
			tail[i] = c.at(p)
		}
	}
	for number := begin / chunkSize; number < c.next/chunkSize; number++ {
		c.t.delete(c.key.chunk(number))
	}
	c.tail, c.next, c.chunk, c.dirty = tail, position, nil, true
	for _, at := range later {
		c.push(at)
	}
}

// linger keeps counters of very short windows from being made anew at every claim.
const linger = int64(time.Second)

// useless reports whether no window reaches any entry, so that nothing is lost
// with the counter.
func (c *counter) useless(now int64) bool {
	return c.len() == 0 || add(c.newest(1), max(c.longest, linger)) <= now
}

// drop removes the counter from the file.
func (c *counter) drop() {
	c.t.deleteAll(key(kindChunk, c.key.subject, c.key.spec))
	c.t.delete(c.key.record())
	delete(c.t.counters, c.key)
}

// exceeded reports whether a window is, with some entries added. It looks at
// one entry, however many there are. A nil counter holds none.
func (c *counter) exceeded(w *registry.Window, now, added int64) bool {
	rank := int(w.Limit + 1 - added) // this many entries inside are one too many
	if rank == 0 {
		return true
	}
	return c != nil && rank <= c.len() && c.newest(rank) > sub(now, int64(w.Span))
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

// later returns how many of the ascending times are later than t.
func later(times []int64, t int64) int {
	return len(times) - sort.Search(len(times), func(i int) bool { return times[i] > t })
}

// keyOfRecord is the key of the counter with a record.
func keyOfRecord(rec []byte) (k counterKey) {
	copy(k.subject[:], rec[1:])
	copy(k.spec[:], rec[1+len(k.subject):])
	return k
}
