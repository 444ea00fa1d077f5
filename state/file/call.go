package file

import (
	"bytes"
	"slices"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// call is what an admitted call has taken, until it is settled or released.
type call struct {
	admitted  int64 // when
	entries   []entry
	approvals []registry.Digest // those it consumed
	leases    []held
	reserves  []amountID
	cells     []written
}

// entry is one slot of a call in a counter.
type entry struct {
	counter counterKey
	at      int64
	run     []byte // the key of the run's record, which the call entered; nil: none
}

// held is a lease that a call took.
type held struct {
	key    hash
	holder string
}

// written is a cell that a call wrote, and the version it then had.
type written struct {
	key     hash
	version int64
}

func callKey(id *state.CallID) []byte { return key(kindCall, hashOf(string(id[:]))) }

// inFlight returns the call of an id if it was admitted and is not settled, or
// nil. It is forgotten after a time, as its caller may have died.
func (t *txn) inFlight(id *state.CallID) *call {
	if id.IsZero() {
		return nil
	}
	c := t.call(callKey(id))
	if c == nil || add(c.admitted, t.store.forget) <= t.latest {
		return nil
	}
	return c
}

// call reads the record of a call; nil: there is none.
func (t *txn) call(rec []byte) *call {
	v := t.get(rec)
	if v == nil {
		return nil
	}
	f := t.fields(rec, v)
	c := &call{admitted: f.int64()}
	for range f.len(45) {
		e := entry{counter: counterKey{f.hash(), f.hash()}, at: f.int64(), run: bytes.Clone(f.bytes(f.len(1)))}
		if len(e.run) == 0 {
			e.run = nil
		}
		c.entries = append(c.entries, e)
	}
	for range f.len(32) {
		var d registry.Digest
		copy(d[:], f.bytes(len(d)))
		c.approvals = append(c.approvals, d)
	}
	for range f.len(20) {
		c.leases = append(c.leases, held{f.hash(), f.text()})
	}
	for range f.len(32) {
		c.reserves = append(c.reserves, amountID{f.hash(), f.hash()})
	}
	for range f.len(24) {
		c.cells = append(c.cells, written{f.hash(), f.int64()})
	}
	f.end()
	return c
}

// putCall writes the record of a call.
func (t *txn) putCall(rec []byte, c *call) {
	v := appendInt64(nil, c.admitted)
	v = appendLen(v, len(c.entries))
	for i := range c.entries {
		e := &c.entries[i]
		v = append(append(v, e.counter.subject[:]...), e.counter.spec[:]...)
		v = appendText(appendInt64(v, e.at), string(e.run))
	}
	v = appendLen(v, len(c.approvals))
	for i := range c.approvals {
		v = append(v, c.approvals[i][:]...)
	}
	v = appendLen(v, len(c.leases))
	for i := range c.leases {
		v = appendText(append(v, c.leases[i].key[:]...), c.leases[i].holder)
	}
	v = appendLen(v, len(c.reserves))
	for i := range c.reserves {
		v = append(append(v, c.reserves[i].account[:]...), c.reserves[i].id[:]...)
	}
	v = appendLen(v, len(c.cells))
	for i := range c.cells {
		v = appendInt64(append(v, c.cells[i].key[:]...), c.cells[i].version)
	}
	t.add(rec, v)
}

// entered reports whether the call has its entry in a counter. A nil call has none.
func (c *call) entered(k counterKey) bool {
	return c != nil && slices.ContainsFunc(c.entries, func(e entry) bool { return e.counter == k })
}

// enteredRun reports whether it was the call that entered a run in its counter.
func (c *call) enteredRun(run []byte) bool {
	return c != nil && slices.ContainsFunc(c.entries, func(e entry) bool { return bytes.Equal(e.run, run) })
}

// consumed reports whether the call has consumed an approval.
func (c *call) consumed(d registry.Digest) bool { return c != nil && slices.Contains(c.approvals, d) }

// wrote reports whether the call gave a cell its present version.
func (c *call) wrote(w written) bool { return c != nil && slices.Contains(c.cells, w) }

// note remembers what a claim took beside entries and approvals.
func (c *call) note(cl *state.Claim) {
	for i := range cl.Leases {
		if h := (held{hashOf(cl.Leases[i].Key), cl.Leases[i].Holder}); !slices.Contains(c.leases, h) {
			c.leases = append(c.leases, h)
		}
	}
	for i := range cl.Reserves {
		if r := (amountID{hashOf(cl.Reserves[i].Account), hashOf(cl.Reserves[i].ID)}); !slices.Contains(c.reserves, r) {
			c.reserves = append(c.reserves, r)
		}
	}
}
