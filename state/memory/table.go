package memory

import "github.com/cbpolicy/cbpolicy/registry"

// minTable is the capacity a table starts with and never shrinks below.
const minTable = 8

// table finds counters by their id: a hash table with linear probing. It is
// not a map because the hash is known already, from finding the shard, and
// because a map never gives memory back.
type table struct {
	slots []slot // their number is a power of two, or 0
	n     int
}

type slot struct {
	hash    uint64
	counter *counter // nil: free
}

// get returns the counter of an id, or nil.
func (t *table) get(hash uint64, id *registry.CounterID) *counter {
	if t.n == 0 {
		return nil
	}
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.counter == nil {
			return nil
		}
		if s.hash == hash && s.counter.id == *id {
			return s.counter
		}
	}
}

// put adds a counter that is not there.
func (t *table) put(c *counter) {
	if 4*(t.n+1) > 3*len(t.slots) {
		t.resize(max(2*len(t.slots), minTable))
	}
	t.place(c)
	t.n++
}

// remove takes out a counter that is there.
func (t *table) remove(c *counter) {
	mask := uint64(len(t.slots) - 1)
	i := c.hash & mask
	for t.slots[i].counter != c {
		i = (i + 1) & mask
	}
	// Those behind move up, so that no search stops at a hole in front of them.
	for j := (i + 1) & mask; t.slots[j].counter != nil; j = (j + 1) & mask {
		if (j-t.slots[j].hash)&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = slot{}
	t.n--
	if len(t.slots) > minTable && 8*t.n < len(t.slots) {
		t.resize(len(t.slots) / 4)
	}
}

func (t *table) place(c *counter) {
	mask := uint64(len(t.slots) - 1)
	i := c.hash & mask
	for t.slots[i].counter != nil {
		i = (i + 1) & mask
	}
	t.slots[i] = slot{c.hash, c}
}

func (t *table) resize(capacity int) {
	old := t.slots
	t.slots = make([]slot, max(capacity, minTable))
	for i := range old {
		if old[i].counter != nil {
			t.place(old[i].counter)
		}
	}
}

// all calls f for every counter.
func (t *table) all(f func(*counter)) {
	for i := range t.slots {
		if c := t.slots[i].counter; c != nil {
			f(c)
		}
	}
}
