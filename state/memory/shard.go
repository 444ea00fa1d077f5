package memory

import (
	"hash/maphash"
	"math/bits"
	"strings"
	"sync"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// shardBits is the binary logarithm of the number of shards, so that a set of
// shards is one word.
const (
	shardBits = 6
	numShards = 1 << shardBits
)

// Now and then a claim sweeps: its own shard, and another one, so that shards
// without traffic give their memory back too.
const (
	sweepEvery = 64 // claims
	sweepSteps = 64 // in each of the two
)

// staleLook is how long a cell that expires is at most passed over by the sweep.
const staleLook = time.Hour

// maxFreeCalls is how many call records a shard keeps for reuse.
const maxFreeCalls = 64

// shard holds what hashes to it, under one lock.
type shard struct {
	mu     sync.Mutex
	latest int64  // the time of the latest request
	turn   int64  // when the generations of what ages change
	claims uint64 // to sweep at some of them

	counters table
	idle     sweeper[*counter]
	runs     aging[runKey, runMark]

	calls aging[state.CallID, *call]
	free  []*call

	sessions map[string]*session
	quiet    sweeper[*session]

	leases  map[string]*lease
	expired sweeper[*lease]

	accounts map[string]*account
	settled  aging[amountID, struct{}]

	cells map[string]*cell
	stale sweeper[*cell]

	// A shard is a whole number of cache lines, so that what every claim
	// touches, the fields up to counters, is one line, and no other shard's.
	_ [24]byte
}

// shards is a set of shards by number.
type shards uint64

func (m shards) with(i uint8) shards { return m | 1<<i }

// of returns the number of the shard that a key belongs to.
func (s *Store) of(key string) uint8 {
	return uint8(maphash.String(s.seed, key) >> (64 - shardBits))
}

// ofCounter returns the shard of a counter, and its hash. All counters of one
// subject are together, so that a claim of one chain takes one lock; those of
// no subject are spread. A subject has few counters, so that their specs need
// no keyed hash to be told apart.
func (s *Store) ofCounter(id *registry.CounterID) (uint8, uint64) {
	if id.Subject == "" {
		hash := maphash.String(s.seed, id.Spec)
		return uint8(hash >> (64 - shardBits)), hash
	}
	subject := maphash.String(s.seed, id.Subject)
	return uint8(subject >> (64 - shardBits)), subject ^ mix(id.Spec)
}

// mix hashes a text by its length and its two ends.
func mix(s string) uint64 {
	const odd1, odd2 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	if n := len(s); n >= 8 {
		h := (ends(s[:8]) ^ uint64(n)) * odd1
		return (h ^ h>>32 ^ ends(s[n-8:])) * odd2
	}
	h := uint64(len(s))
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * odd1
	}
	return h
}

// ends reads eight bytes as a number.
func ends(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func (s *Store) ofCall(id *state.CallID) uint8 {
	return uint8(maphash.Bytes(s.seed, id[:]) >> (64 - shardBits))
}

// lock takes the locks of a set in the order of their numbers, as everybody does.
func (s *Store) lock(set shards) {
	for m := uint64(set); m != 0; m &= m - 1 {
		s.shards[bits.TrailingZeros64(m)].mu.Lock()
	}
}

func (s *Store) unlock(set shards) {
	for m := uint64(set); m != 0; m &= m - 1 {
		s.shards[bits.TrailingZeros64(m)].mu.Unlock()
	}
}

// enter makes now the time of the locked shards, or a later one that they
// have already seen: a request may have overtaken this one at the lock.
func (s *Store) enter(set shards, now int64) int64 {
	for m := uint64(set); m != 0; m &= m - 1 {
		now = max(now, s.shards[bits.TrailingZeros64(m)].latest)
	}
	for m := uint64(set); m != 0; m &= m - 1 {
		sh := &s.shards[bits.TrailingZeros64(m)]
		if sh.latest = now; now >= sh.turn {
			sh.age(now, s.forget)
		}
	}
	return now
}

// age moves on the generations of all that is forgotten after a time.
func (sh *shard) age(now, forget int64) {
	idle := now >= add(sh.turn, forget) // for two turns
	sh.calls.advance(idle)
	sh.runs.advance(idle)
	sh.settled.advance(idle)
	sh.turn = add(now, forget)
}

// tidy gives back memory in the locked shards, and in one other, at some claims.
func (s *Store) tidy(set shards, now int64) {
	for m := uint64(set); m != 0; m &= m - 1 {
		sh := &s.shards[bits.TrailingZeros64(m)]
		if sh.claims++; sh.claims%sweepEvery != 0 {
			continue
		}
		sh.sweep(now, s.forget)
		n := uint8(sh.claims / sweepEvery % numShards)
		if other := &s.shards[n]; set.with(n) != set && other.mu.TryLock() {
			// What is dropped has left its windows by now: a claim with an
			// earlier reading of the clock must not come after.
			other.latest = max(other.latest, now)
			other.sweep(other.latest, s.forget)
			other.mu.Unlock()
		}
	}
}

// sweep takes some steps over each kind of thing that becomes useless by itself.
func (sh *shard) sweep(now, forget int64) {
	if now >= sh.turn {
		sh.age(now, forget)
	}
	sh.idle.sweep(now, sweepSteps, func(c *counter) (bool, int64) {
		if due := c.due(); due > now {
			return false, due
		}
		sh.counters.remove(c)
		return true, 0
	})
	if len(sh.quiet.items) > 0 {
		sh.quiet.sweep(now, sweepSteps, func(se *session) (bool, int64) { return sh.dropIdle(se, now, forget) })
	}
	if len(sh.expired.items) > 0 {
		sh.expired.sweep(now, sweepSteps, func(l *lease) (bool, int64) {
			if l.until > now {
				return false, l.until
			}
			delete(sh.leases, l.key)
			return true, 0
		})
	}
	if len(sh.stale.items) > 0 {
		sh.stale.sweep(now, sweepSteps, func(c *cell) (bool, int64) { return sh.dropStale(c, now) })
	}
}

// newCounter makes the counter of an id that has none.
func (sh *shard) newCounter(hash uint64, id registry.CounterID, now int64) *counter {
	// The subject may be a part of a long text, which must not live on with it.
	id.Subject = strings.Clone(id.Subject)
	c := &counter{id: id, hash: hash}
	sh.counters.put(c)
	sh.idle.add(c, now)
	return c
}
