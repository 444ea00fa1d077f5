package memory

import "github.com/cbpolicy/cbpolicy/state"

// claimOne admits a claim of one known counter in which nothing is exceeded,
// by a call, or by a run that is in it: the claims that are made most often.
// Any other it leaves to claim, reporting false and having taken nothing; so
// it does at the times when a claim sweeps.
func (s *Store) claimOne(c *state.Claim, now int64, g *state.Grant) bool {
	n := &c.Needs[0]
	if len(n.Past) > 0 || len(n.Front) == 0 {
		return false
	}
	number, hash := s.ofCounter(&n.Counter)
	sh := &s.shards[number]
	sh.mu.Lock()
	defer sh.mu.Unlock()
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
	for _, f := range n.Front {
		if cn.exceeded(&n.Windows[f], now, adds) {
			return false
		}
	}
	cn.ask(n)
	if adds > 0 {
		cn.add(now)
	}
	sh.latest = now
	sh.claims++
	g.Now, g.Admitted, g.At = now, true, append(g.At, -1)
	return true
}

// ran reports whether a run is in its counter and more than one of its calls
// were admitted, so that another one changes nothing.
func (s *Store) ran(sh *shard, run string, counter uint64) bool {
	key := s.hashRun(run).in(counter)
	m, in := sh.runs.get(key)
	return in && m.joined && !sh.runs.aging(key)
}
