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

// claimOneSeen is claimOne by one cell as it was seen, such as that of a closed
// breaker. A cell that is another it leaves to claim.
func (s *Store) claimOneSeen(c *state.Claim, now int64, g *state.Grant) bool {
	e := &c.Expects[0]
	if n := &c.Needs[0]; len(n.Past) > 0 || len(n.Front) == 0 || e.Key == "" || e.Version < 0 {
		return false
	}
	number, hash := s.ofCounter(&c.Needs[0].Counter)
	beside := s.of(e.Key)
	set := shards(0).with(number).with(beside)
	s.lock(set)
	ok := s.enterOneSeen(c, &s.shards[number], &s.shards[beside], hash, now, g)
	s.unlock(set) // as in claimOne
	return ok
}

// enterOneSeen is claimOneSeen under the locks of the counter's shard and of the
// cell's, which may be one.
func (s *Store) enterOneSeen(c *state.Claim, sh, beside *shard, hash uint64, now int64, g *state.Grant) bool {
	e := &c.Expects[0]
	now = max(now, sh.latest, beside.latest)
	is := beside.cell(e.Key, now)
	if is.Version != e.Version || !bytes.Equal(is.Value, e.Value) || now >= beside.turn || (beside.claims+1)%sweepEvery == 0 {
		return false
	}
	if !s.enterOne(c, sh, hash, now, g) {
		return false
	}
	if beside != sh {
		beside.latest = now
		beside.claims++
	}
	return true
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
