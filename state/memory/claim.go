package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// Claim implements state.Store.
//
// A need without Front is judged on all its windows: nothing else is known to
// come first.
func (s *Store) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	g.Counts, g.At, g.Approved, g.Expected, g.Now = g.Counts[:0], g.At[:0], g.Approved[:0], g.Expected[:0], 0
	g.Admitted, g.Repeated, g.Lease, g.LeaseUntil, g.Reserve = false, false, -1, 0, -1
	if err := reachable(ctx); err != nil {
		return err
	}
	if len(c.Needs) <= 1 && !c.Refused && c.Now >= 0 {
		if len(c.Needs) == 1 && c.CountsOnly() && s.claimOne(c, s.clock.now(c.Now), g) {
			return nil
		}
		if len(c.Expects) == 1 && bySeen(c) && s.claimSeen(c, s.clock.now(c.Now), g) {
			return nil
		}
	}
	if err := c.Check(); err != nil {
		return err
	}
	now := s.clock.now(c.Now)
	if len(c.Needs) <= 2 {
		var few [2]sight
		return s.claim(c, few[:len(c.Needs)], now, g)
	}
	var some [16]sight
	if len(c.Needs) <= len(some) {
		return s.claim(c, some[:len(c.Needs)], now, g)
	}
	return s.claim(c, make([]sight, len(c.Needs)), now, g)
}

// claim is Claim after the formalities, with room for a sight of each need.
func (s *Store) claim(c *state.Claim, sights []sight, now int64, g *state.Grant) error {
	set := s.locate(c, sights)
	s.lock(set)
	defer s.unlock(set)
	g.Now = s.enter(set, now)
	err := s.decide(c, sights, set, g)
	s.tidy(set, g.Now)
	return err
}

// decide judges a claim and takes what it asks for, under the locks of its shards.
func (s *Store) decide(c *state.Claim, sights []sight, set shards, g *state.Grant) (err error) {
	if c.CountsOnly() {
		if g.Admitted = !s.judgeNeeds(c, sights, nil, g) && !c.Refused; g.Admitted {
			s.enterCounters(sights, nil)
		}
		return nil
	}
	var before *call // the same call, if it is in flight
	if !c.Call.IsZero() {
		before = s.shards[s.ofCall(&c.Call)].inFlight(c.Call, g.Now, s.forget)
		g.Repeated = before != nil
	}
	if len(c.Cells)|len(c.Expects) > 0 {
		if err = s.judgeCells(c.Cells, before, g.Now); err == nil {
			err = s.judgeExpects(c.Expects, g.Now)
		}
		if err != nil {
			s.expected(c.Expects, g)
			return err
		}
	}
	refused := s.judgeNeeds(c, sights, before, g)
	refused = s.judgeGuards(c, before, g) || refused || c.Refused
	if g.Reserve, err = s.judgeReserves(c.Reserves); err != nil {
		return err
	}
	if g.Lease, g.LeaseUntil = s.judgeLeases(c.Leases, g.Now); refused || g.Lease >= 0 || g.Reserve >= 0 {
		return nil
	}
	s.take(c, sights, before, set, g)
	g.Admitted = true
	return nil
}

// locate finds the shards that a claim concerns, before any lock is taken.
func (s *Store) locate(c *state.Claim, sights []sight) shards {
	var set shards
	for i := range sights {
		si := &sights[i]
		si.need = &c.Needs[i]
		si.shard, si.hash = s.ofCounter(&si.need.Counter)
		set = set.with(si.shard)
	}
	if c.CountsOnly() {
		return set
	}
	if !c.Call.IsZero() {
		set = set.with(s.ofCall(&c.Call))
	}
	for i := range c.Guards {
		if c.Guards[i].Approval != (registry.Digest{}) {
			set = set.with(s.of(c.Session))
			break
		}
	}
	for i := range c.Leases {
		set = set.with(s.of(c.Leases[i].Key))
	}
	for i := range c.Reserves {
		set = set.with(s.of(c.Reserves[i].Account))
	}
	for i := range c.Cells {
		set = set.with(s.of(c.Cells[i].Key))
	}
	for i := range c.Expects {
		set = set.with(s.of(c.Expects[i].Key))
	}
	return set
}

// judgeNeeds counts what the needs ask and reports whether a window refuses by itself.
func (s *Store) judgeNeeds(c *state.Claim, sights []sight, before *call, g *state.Grant) bool {
	refused := false
	var hash runHash
	if c.Run != "" {
		hash = s.hashRun(c.Run)
	}
	for i := range sights {
		si := &sights[i]
		n, sh := si.need, &s.shards[si.shard]
		si.counter, si.now, si.add = sh.counters.get(si.hash, &n.Counter), g.Now, 1
		if n.Run && c.Run != "" {
			si.run = hash.in(si.hash)
			if _, in := sh.runs.get(si.run); in {
				si.add = 0
			}
		} else if before.entered(&n.Counter) {
			si.add = 0
		}
		if si.counter != nil {
			si.counter.ask(n)
		}
		if si.quiet() {
			g.At = append(g.At, -1)
			continue
		}
		g.At = append(g.At, len(g.Counts))
		for j := range n.Windows {
			w := &n.Windows[j]
			count := si.count(w)
			g.Counts = append(g.Counts, count)
			refused = refused || w.Refuses && count.N > w.Limit
		}
	}
	return refused
}

// quiet reports whether no window of a need is exceeded.
func (s *sight) quiet() bool {
	n := s.need
	if len(n.Front) == 0 {
		for i := range n.Windows {
			if s.exceeded(&n.Windows[i]) {
				return false
			}
		}
		return true
	}
	for _, f := range n.Front {
		if s.exceeded(&n.Windows[f]) {
			return false
		}
	}
	return true
}

// judgeGuards tells which approvals are held and reports whether a guard refuses.
func (s *Store) judgeGuards(c *state.Claim, before *call, g *state.Grant) bool {
	refused := false
	for i := range c.Guards {
		gu := &c.Guards[i]
		approved := false
		if gu.Approval != (registry.Digest{}) {
			approved = before.consumed(gu.Approval)
			if se := s.shards[s.of(c.Session)].sessions[c.Session]; se != nil && !approved {
				se.used = g.Now
				approved = se.holds(gu.Approval, g.Now)
			}
		}
		g.Approved = append(g.Approved, approved)
		refused = refused || !approved && fires(gu, c, g)
	}
	return refused
}

// fires reports whether every window of a guard is exceeded.
func fires(gu *registry.Guard, c *state.Claim, g *state.Grant) bool {
	for _, w := range gu.Windows {
		if g.Count(w).N <= c.Needs[w.Need].Windows[w.Window].Limit {
			return false
		}
	}
	return true
}

// take takes all that the claim asks for and the call has not taken before.
func (s *Store) take(c *state.Claim, sights []sight, call *call, set shards, g *state.Grant) {
	if !c.Call.IsZero() {
		sh := &s.shards[s.ofCall(&c.Call)]
		if call == nil {
			sh.end(c.Call) // one that was forgotten, if any
			call = sh.newCall()
			call.admitted = g.Now
			sh.calls.put(c.Call, call, s.maxCalls)
		}
		call.shards |= set
		call.note(c)
	}
	s.enterCounters(sights, call)
	for i := range c.Guards {
		gu := &c.Guards[i]
		if !g.Approved[i] || call.consumed(gu.Approval) || !fires(gu, c, g) {
			continue // an approval is used up only where it was needed
		}
		if se := s.shards[s.of(c.Session)].sessions[c.Session]; se != nil && se.consume(gu.Approval) && call != nil {
			call.approvals = append(call.approvals, gu.Approval)
		}
	}
	s.takeLeases(c.Leases, g.Now, g.Repeated)
	s.reserve(c.Reserves)
	s.writeOnce(c.Cells, call, g.Now)
}

// reachable returns the error of a context that is over. A deadline that has
// passed means for the caller that the store did not answer in time.
func reachable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	return nil
}

func unreachable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", state.ErrUnavailable, err)
	}
	return fmt.Errorf("state: not asked: %w", err)
}
