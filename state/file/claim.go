package file

import (
	"context"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// Claim implements state.Store.
func (s *Store) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	empty(g)
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	if err := c.Check(); err != nil {
		return err
	}
	now := s.now(c.Now)
	err := s.write(ctx, func(t *txn) error {
		empty(g)
		g.Now = t.enter(now)
		return t.claim(c, g)
	})
	if s.see(g.Now); err != nil {
		g.Admitted, g.Repeated = false, false
	}
	return err
}

func empty(g *state.Grant) {
	g.Counts, g.At, g.Approved, g.Expected, g.Now = g.Counts[:0], g.At[:0], g.Approved[:0], g.Expected[:0], 0
	g.Admitted, g.Repeated, g.Lease, g.LeaseUntil, g.Reserve = false, false, -1, 0, -1
}

// claim judges a claim and takes what it asks for. All that can go wrong by the
// claim's own fault is found before anything is taken.
func (t *txn) claim(c *state.Claim, g *state.Grant) (err error) {
	before := t.inFlight(&c.Call) // the same call, if it is in flight
	g.Repeated = before != nil
	if err = t.judgeCells(c.Cells, before); err == nil {
		err = t.judgeExpects(c.Expects)
	}
	if err != nil {
		t.expected(c.Expects, g)
		return err
	}
	sights := t.look(c, before)
	refused := judgeNeeds(sights, g)
	approvals := t.judgeGuards(c, before, g)
	for i := range c.Guards {
		refused = refused || !g.Approved[i] && fires(&c.Guards[i], c, g)
	}
	if g.Reserve, err = t.judgeReserves(c.Reserves); err != nil {
		return err
	}
	g.Lease, g.LeaseUntil = t.judgeLeases(c.Leases)
	if refused || c.Refused || g.Lease >= 0 || g.Reserve >= 0 {
		return nil
	}
	t.take(c, sights, approvals, before, g)
	g.Admitted = true
	return nil
}

// look finds the counters of a claim's needs and what it would add to them.
func (t *txn) look(c *state.Claim, before *call) []sight {
	sights := make([]sight, len(c.Needs))
	var run hash
	if c.Run != "" {
		run = hashOf(c.Run)
	}
	for i := range sights {
		si, n := &sights[i], &c.Needs[i]
		k := counterKeyOf(&n.Counter)
		*si = sight{need: n, key: k, counter: t.counter(k), now: t.latest, add: 1}
		if n.Run && c.Run != "" {
			si.run = key(kindRun, k.subject, k.spec, run)
			if m, in := t.marked(si.run); in {
				si.add, si.marked = 0, m
			}
		} else if before.entered(k) {
			si.add = 0
		}
		if si.counter != nil {
			si.counter.ask(n)
		}
	}
	return sights
}

// judgeNeeds counts what the needs ask and reports whether a window refuses by itself.
func judgeNeeds(sights []sight, g *state.Grant) (refused bool) {
	for i := range sights {
		si := &sights[i]
		if si.quiet() {
			g.At = append(g.At, -1)
			continue
		}
		g.At = append(g.At, len(g.Counts))
		for j := range si.need.Windows {
			w := &si.need.Windows[j]
			count := si.count(w)
			g.Counts = append(g.Counts, count)
			refused = refused || w.Refuses && count.N > w.Limit
		}
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
func (t *txn) take(c *state.Claim, sights []sight, approvals []approval, by *call, g *state.Grant) {
	if !c.Call.IsZero() {
		if by == nil {
			by = &call{admitted: t.latest}
		}
		by.note(c)
	}
	t.enterCounters(sights, by)
	t.consume(c, approvals, by, g)
	t.takeLeases(c.Leases, g.Repeated)
	t.reserve(c.Reserves)
	t.writeOnce(c.Cells, by)
	if by != nil {
		t.putCall(callKey(&c.Call), by)
	}
}

// enterCounters adds the entries of an admitted claim; to a counter that it
// names twice, one.
func (t *txn) enterCounters(sights []sight, by *call) {
	for i := range sights {
		t.enterCounter(&sights[i], by)
	}
	for i := range sights {
		if c := sights[i].counter; c != nil {
			c.taken = false
		}
	}
}

func (t *txn) enterCounter(si *sight, by *call) {
	if si.add == 0 {
		t.join(si, by)
		return
	}
	// Another need of the claim may have made it.
	if si.counter = t.counter(si.key); si.counter == nil {
		si.counter = t.newCounter(si.key)
	}
	si.counter.ask(si.need)
	if si.counter.taken {
		return
	}
	si.counter.taken = true
	si.counter.add(t.latest)
	if si.run != nil {
		t.putMark(si.run, false)
	}
	if by != nil {
		by.entries = append(by.entries, entry{counter: si.key, at: t.latest, run: si.run})
	}
}

// join marks a run that is already counted as one of which this call is a part.
func (t *txn) join(si *sight, by *call) {
	if si.run == nil {
		return
	}
	joined := si.marked.joined || !by.enteredRun(si.run)
	if joined != si.marked.joined || t.aging(si.marked.until) {
		t.putMark(si.run, joined)
	}
}
