package memory

import (
	"bytes"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// claimOne admits a claim of one known counter in which nothing is exceeded,
// by a call, or by a run that is in it: the claims that are made most often.
// Any other it leaves to claim, reporting false and having taken nothing: so
// it does at the times when a claim sweeps, and with a need that makes no sense.
func (s *Store) claimOne(c *state.Claim, now int64, g *state.Grant) bool {
	n := &c.Needs[0]
	if len(n.Past) > 0 || len(n.Front) == 0 {
		return false
	}
	number, hash := s.ofCounter(&n.Counter)
	sh := &s.shards[number]
	sh.mu.Lock()
	ok := s.enterOne(c, sh, hash, now, g)
	sh.mu.Unlock() // not deferred: this is the shortest way, and it calls nobody's code
	return ok
}

// bySeen reports whether a claim asks for nothing but counters, by a cell as it
// was seen.
func bySeen(c *state.Claim) bool {
	return len(c.Guards)|len(c.Leases)|len(c.Reserves)|len(c.Cells) == 0 && c.Call.IsZero()
}

// claimSeen admits a claim by one cell as it was seen, such as that of a closed
// breaker, of no counter or of one as claimOne does. All else it leaves to claim.
func (s *Store) claimSeen(c *state.Claim, now int64, g *state.Grant) bool {
	e := &c.Expects[0]
	if e.Key == "" || e.Version < 0 {
		return false
	}
	number := s.of(e.Key)
	sh, set := &s.shards[number], shards(0).with(number)
	if len(c.Needs) == 0 {
		sh.mu.Lock()
		ok := sh.asSeen(e, now)
		if ok {
			sh.passed(max(now, sh.latest), g)
		}
		sh.mu.Unlock() // as in claimOne
		return ok
	}
	n := &c.Needs[0]
	if len(n.Past) > 0 || len(n.Front) == 0 {
		return false
	}
	counting, hash := s.ofCounter(&n.Counter)
	set = set.with(counting)
	s.lock(set)
	now = max(now, sh.latest)
	ok := sh.asSeen(e, max(now, s.shards[counting].latest)) && s.enterOne(c, &s.shards[counting], hash, now, g)
	if ok && counting != number {
		sh.passed(g.Now, g)
	}
	s.unlock(set)
	return ok
}

// asSeen reports whether a cell is as it was seen, and the shard need not sweep.
func (sh *shard) asSeen(e *state.Expect, now int64) bool {
	now = max(now, sh.latest)
	is := sh.cell(e.Key, now)
	return is.Version == e.Version && bytes.Equal(is.Value, e.Value) && now < sh.turn && (sh.claims+1)%sweepEvery != 0
}

// passed notes that a claim was admitted by what the shard holds.
func (sh *shard) passed(now int64, g *state.Grant) {
	sh.latest = now
	sh.claims++
	g.Now, g.Admitted = now, true
}

// enterOne is claimOne under the lock of the shard.
func (s *Store) enterOne(c *state.Claim, sh *shard, hash uint64, now int64, g *state.Grant) bool {
	n := &c.Needs[0]
	now = max(now, sh.latest)
	cn := sh.counters.get(hash, &n.Counter)
	if cn == nil || now >= sh.turn || (sh.claims+1)%sweepEvery == 0 {
		return false
	}
	adds := int64(1)
	if n.Run && c.Run != "" {
		if !s.ran(sh, c.Run, hash) {
			return false
		}
		adds = 0
	}
	longest, ok := cn.reach(n)
	if !ok || !cn.quiet(n, now, adds) {
		return false
	}
	cn.longest = longest
	if adds > 0 {
		cn.add(now)
	}
	sh.latest = now
	sh.claims++
	g.Now, g.Admitted, g.At = now, true, append(g.At, -1)
	return true
}

// reach returns how far back anybody has asked, this need included; false if
// one of its windows makes no sense.
func (c *counter) reach(n *registry.Need) (int64, bool) {
	longest := c.longest
	for i := range n.Windows {
		w := &n.Windows[i]
		if w.Span <= 0 || uint64(w.Limit) >= dsl.MaxHistory {
			return 0, false
		}
		longest = max(longest, int64(w.Span))
	}
	return longest, true
}

// quiet reports whether no window of a need's front, which must not be past
// its windows, is exceeded.
func (c *counter) quiet(n *registry.Need, now, adds int64) bool {
	for _, f := range n.Front {
		if uint(f) >= uint(len(n.Windows)) || c.exceeded(&n.Windows[f], now, adds) {
			return false
		}
	}
	return true
}

// ran reports whether a run is in its counter and more than one of its calls
// were admitted, so that another one changes nothing.
func (s *Store) ran(sh *shard, run string, counter uint64) bool {
	key := s.hashRun(run).in(counter)
	m, in := sh.runs.get(key)
	return in && m.joined && !sh.runs.aging(key)
}
