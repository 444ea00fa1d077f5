// Package memory is the home of the state in this process: exact sliding
// windows to the nanosecond, approvals, leases, accounts and cells.
//
// It owns the counting and the taking, all or nothing. It keeps nothing when
// the process ends, runs no goroutine, and judges no rule. Its memory follows
// what is in its counters; what is no longer needed is dropped a little at
// every claim.
package memory

import (
	"hash/maphash"
	"time"

	"github.com/cbpolicy/cbpolicy/state"
)

// The defaults of Options.
const (
	DefaultForget       = 24 * time.Hour
	DefaultMaxCalls     = 1 << 18
	DefaultMaxRuns      = 1 << 22
	DefaultMaxApprovals = 1000
)

// Options set up a Store. Values of 0 or less mean the default.
type Options struct {
	// Now is the clock, in Unix nanoseconds, for requests that bring no time
	// of their own. nil: the wall clock at the start, moved on by the
	// machine's monotonic clock. Time never goes back, whatever Now returns.
	Now func() int64
	// Forget is how long the store remembers what nobody ends: a call that is
	// not settled (from its admission), a run and the approvals of a session
	// (from the last claim that named them), the id of a settled amount. A
	// run and an id may be remembered up to twice as long. A forgotten call
	// or run counts as a new one. Default: DefaultForget.
	Forget time.Duration
	// MaxCalls and MaxRuns bound how many calls in flight, and how many runs
	// (and as many ids of settled amounts), are remembered; above, the
	// earliest are forgotten before their time. Each shard of the store has
	// an equal part. Defaults: DefaultMaxCalls, DefaultMaxRuns.
	MaxCalls, MaxRuns int
	// MaxApprovals bounds the approvals held in one session; above, the
	// oldest is dropped. Default: DefaultMaxApprovals.
	MaxApprovals int
}

// Store keeps the state in memory. It is safe for any number of goroutines.
type Store struct {
	shards [numShards]shard // first, so that each begins a cache line

	clock        *clock
	forget       int64
	maxCalls     int // a shard
	maxRuns      int // a shard; of ids of settled amounts too
	maxApprovals int // a session
	seed         maphash.Seed
}

var _ state.Store = (*Store)(nil)

// New returns an empty store. It needs no closing.
func New(o Options) *Store {
	return &Store{
		clock:        newClock(o.Now),
		forget:       positive(int64(o.Forget), int64(DefaultForget)),
		maxCalls:     max(1, int(positive(int64(o.MaxCalls), DefaultMaxCalls)/numShards)),
		maxRuns:      max(1, int(positive(int64(o.MaxRuns), DefaultMaxRuns)/numShards)),
		maxApprovals: int(positive(int64(o.MaxApprovals), DefaultMaxApprovals)),
		seed:         maphash.MakeSeed(),
	}
}

func positive(v, def int64) int64 {
	if v > 0 {
		return v
	}
	return def
}

// Stats tells how much a store holds.
type Stats struct {
	Counters  int // counters with entries, or not yet swept
	Entries   int // entries in them, some of which may have left every window
	Runs      int // runs remembered
	Calls     int // calls admitted and not settled
	Approvals int // approvals held
	Leases    int // leases live, or not yet swept
	Accounts  int
	Cells     int // those that have expired, and are not yet swept, included
}

// Stats counts what the store holds. It looks at every counter, one shard
// after the other, so the numbers need not be of one moment.
func (s *Store) Stats() Stats {
	var st Stats
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		st.Counters += sh.counters.n
		sh.counters.all(func(c *counter) { st.Entries += int(c.n) })
		st.Runs += sh.runs.len()
		st.Calls += sh.calls.len()
		for _, se := range sh.sessions {
			st.Approvals += len(se.approvals)
		}
		st.Leases += len(sh.leases)
		st.Accounts += len(sh.accounts)
		st.Cells += len(sh.cells)
		sh.mu.Unlock()
	}
	return st
}

// Ephemeral implements state.Ephemeral.
func (s *Store) Ephemeral() bool { return true }
