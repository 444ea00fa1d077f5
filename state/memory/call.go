package memory

import (
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// call is what an admitted call has taken, until it is settled or released.
type call struct {
	admitted  int64  // when
	shards    shards // where what it took lies
	entries   []entry
	approvals []registry.Digest // those it consumed
	leases    []held
	reserves  []amountID
	cells     []written
}

// entry is one slot of a call in a counter.
type entry struct {
	counter registry.CounterID
	at      int64
	run     runKey // not zero: the execution of this run, which the call entered
}

// held is a lease that a call took.
type held struct{ key, holder string }

// written is a cell that a call wrote, and the version it then had.
type written struct {
	key     string
	version int64
}

// inFlight returns the call of an id if it was admitted and is not settled,
// or nil. It is forgotten after a time, as its caller may have died.
func (sh *shard) inFlight(id state.CallID, now, forget int64) *call {
	if id.IsZero() {
		return nil
	}
	c, ok := sh.calls.get(id)
	if !ok || add(c.admitted, forget) <= now {
		return nil
	}
	return c
}

// newCall returns an empty record, an old one if there is one.
func (sh *shard) newCall() *call {
	n := len(sh.free)
	if n == 0 {
		return &call{}
	}
	c := sh.free[n-1]
	sh.free = sh.free[:n-1]
	return c
}

// end forgets a call.
func (sh *shard) end(id state.CallID) {
	c, ok := sh.calls.get(id)
	if !ok {
		return
	}
	sh.calls.delete(id)
	// A record that grew large is left to the garbage collector.
	if len(sh.free) < maxFreeCalls && cap(c.entries) <= 16 {
		clear(c.entries) // its strings must not live on
		*c = call{entries: c.entries[:0]}
		sh.free = append(sh.free, c)
	}
}

// entered reports whether the call has its entry in a counter. A nil call has none.
func (c *call) entered(id *registry.CounterID) bool {
	return c != nil && slices.ContainsFunc(c.entries, func(e entry) bool { return e.counter == *id })
}

// enteredRun reports whether it was the call that entered a run in its counter.
func (c *call) enteredRun(run runKey) bool {
	return c != nil && slices.ContainsFunc(c.entries, func(e entry) bool { return e.run == run })
}

// consumed reports whether the call has consumed an approval.
func (c *call) consumed(d registry.Digest) bool {
	return c != nil && slices.Contains(c.approvals, d)
}

// wrote reports whether the call gave a cell its present version.
func (c *call) wrote(key string, version int64) bool {
	return c != nil && slices.Contains(c.cells, written{key, version})
}

// note remembers what a claim took beside entries and approvals.
func (c *call) note(cl *state.Claim) {
	for i := range cl.Leases {
		if h := (held{cl.Leases[i].Key, cl.Leases[i].Holder}); !slices.Contains(c.leases, h) {
			c.leases = append(c.leases, held{strings.Clone(h.key), strings.Clone(h.holder)})
		}
	}
	for i := range cl.Reserves {
		if r := (amountID{cl.Reserves[i].Account, cl.Reserves[i].ID}); !slices.Contains(c.reserves, r) {
			c.reserves = append(c.reserves, amountID{strings.Clone(r.account), strings.Clone(r.id)})
		}
	}
}
