package memory

import "github.com/cbpolicy/cbpolicy/state"

// claimOne admits a claim of one known counter in which nothing is exceeded:
// the claim that is made most often. Any other it leaves to claim, reporting
// false and having taken nothing; so it does at the times when a claim sweeps.
func (s *Store) claimOne(c *state.Claim, g *state.Grant) bool {
	n := &c.Needs[0]
	number, hash := s.ofCounter(&n.Counter)
	now := s.clock.now(c.Now)
	sh := &s.shards[number]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	now = max(now, sh.latest)
	cn := sh.counters.get(hash, &n.Counter)
	if cn == nil || now >= sh.turn || (sh.claims+1)%sweepEvery == 0 {
		return false
	}
	for _, f := range n.Front {
		if cn.exceeded(&n.Windows[f], now, 1) {
			return false
		}
	}
	cn.ask(n)
	cn.add(now)
	sh.latest = now
	sh.claims++
	g.Now, g.Admitted, g.At = now, true, append(g.At, -1)
	return true
}
