package statetest

import (
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// claim returns the grant, and whether there was a conflict instead.
func (o *oracle) claim(c *state.Claim) (state.Grant, bool) {
	o.latest = max(o.latest, c.Now)
	g := state.Grant{Lease: -1, Reserve: -1}
	g.Now = o.latest
	before := o.calls[c.Call]
	g.Repeated = before != nil
	for _, w := range c.Cells {
		is := o.cell(w.Key, o.latest).Version
		own := before != nil && before.cells[w.Key] == is && w.Version+1 == is
		if is != w.Version && !own {
			return o.conflict(c), true
		}
	}
	if !o.asSeen(c.Expects) {
		return o.conflict(c), true
	}
	refused := c.Refused
	adds := make([]bool, len(c.Needs))
	for i, n := range c.Needs {
		adds[i] = o.adds(c, n)
		counts, loud := o.count(n, adds[i])
		if !loud {
			g.At = append(g.At, -1)
			continue
		}
		g.At = append(g.At, len(g.Counts))
		g.Counts = append(g.Counts, counts...)
		for j, w := range n.Windows {
			refused = refused || w.Refuses && counts[j].N > w.Limit
		}
	}
	var use []registry.Digest
	for _, gu := range c.Guards {
		exceeded := true
		for _, w := range gu.Windows {
			exceeded = exceeded && g.Count(w).N > c.Needs[w.Need].Windows[w.Window].Limit
		}
		own := before != nil && slices.Contains(before.approvals, gu.Approval)
		held := o.approval(c.Session, gu.Approval)
		g.Approved = append(g.Approved, own || held >= 0)
		if exceeded && !own && held < 0 {
			refused = true
		}
		if exceeded && !own && held >= 0 && !o.approvals[held].ForRun {
			use = append(use, gu.Approval)
		}
	}
	for i, l := range c.Leases {
		if g.Lease < 0 && l.From > o.latest {
			g.Lease, g.LeaseUntil = i, l.From
		}
		if have := o.leases[l.Key]; g.Lease < 0 && have.until > o.latest && have.holder != l.Holder {
			g.Lease, g.LeaseUntil = i, have.until
		}
	}
	after := slices.Clone(o.reserved)
	for i, r := range c.Reserves {
		after = append(slices.DeleteFunc(after, func(e state.Reservation) bool { return e.Account == r.Account && e.ID == r.ID }), r)
		sum := o.settled[r.Account]
		for _, e := range after {
			if e.Account == r.Account {
				sum += e.Amount
			}
		}
		if g.Reserve < 0 && r.Cap >= 0 && sum > r.Cap {
			g.Reserve = i
		}
	}
	if refused || g.Lease >= 0 || g.Reserve >= 0 {
		return g, false
	}
	g.Admitted = true
	o.reserved = after
	o.take(c, adds, use, g.Repeated)
	return g, false
}

// conflict is the answer to a claim by cells that are not as it says.
func (o *oracle) conflict(c *state.Claim) state.Grant {
	g := state.Grant{Lease: -1, Reserve: -1}
	for _, e := range c.Expects {
		g.Expected = append(g.Expected, o.cell(e.Key, o.latest))
	}
	return g
}

func (o *oracle) take(c *state.Claim, adds []bool, use []registry.Digest, repeated bool) {
	rec := o.calls[c.Call]
	if rec == nil {
		rec = &oracleCall{cells: map[string]int64{}}
		if c.Call != (state.CallID{}) {
			o.calls[c.Call] = rec
		}
	}
	var entered []registry.CounterID
	for i, n := range c.Needs {
		if !adds[i] {
			if r := o.run(n, c.Run); n.Run && r != nil && (c.Call == (state.CallID{}) || r.by != c.Call) {
				r.joined = true
			}
			continue
		}
		if slices.Contains(entered, n.Counter) {
			continue
		}
		entered = append(entered, n.Counter)
		entry := oracleEntry{counter: n.Counter, at: o.latest, call: c.Call}
		if n.Run && c.Run != "" {
			entry.run = c.Run
			o.runs = append(o.runs, oracleRun{counter: n.Counter, run: c.Run, by: c.Call})
		}
		o.entries = append(o.entries, entry)
	}
	for _, d := range use {
		if i := o.approval(c.Session, d); i >= 0 {
			o.approvals = slices.Delete(o.approvals, i, i+1)
			rec.approvals = append(rec.approvals, d)
		}
	}
	for _, l := range c.Leases {
		if have := o.leases[l.Key]; !repeated || have.until <= o.latest {
			o.leases[l.Key] = oracleLease{l.Holder, o.latest + int64(l.TTL)}
		}
	}
	rec.leases = append(rec.leases, c.Leases...)
	rec.reserves = append(rec.reserves, c.Reserves...)
	for _, w := range c.Cells {
		if rec.cells[w.Key] == 0 {
			o.write(w)
			rec.cells[w.Key] = w.Version + 1
		}
	}
}

// adds reports whether an admitted claim would add an entry.
func (o *oracle) adds(c *state.Claim, n registry.Need) bool {
	if n.Run && c.Run != "" {
		return o.run(n, c.Run) == nil
	}
	return c.Call == (state.CallID{}) || !slices.ContainsFunc(o.entries, func(e oracleEntry) bool {
		return e.counter == n.Counter && e.call == c.Call
	})
}

func (o *oracle) run(n registry.Need, run string) *oracleRun {
	for i := range o.runs {
		if o.runs[i].counter == n.Counter && o.runs[i].run == run {
			return &o.runs[i]
		}
	}
	return nil
}

// count returns the counts of all windows, and whether one is exceeded.
func (o *oracle) count(n registry.Need, adds bool) (counts []registry.Count, loud bool) {
	var times []int64
	for _, e := range o.entries {
		if e.counter == n.Counter {
			times = append(times, e.at)
		}
	}
	for _, p := range n.Past {
		if p <= o.latest {
			times = append(times, p)
		}
	}
	if adds {
		times = append(times, o.latest)
	}
	within := func(now int64, span time.Duration) (k int64) {
		for _, t := range times {
			if t > now-int64(span) {
				k++
			}
		}
		return k
	}
	for _, w := range n.Windows {
		c := registry.Count{N: within(o.latest, w.Span)}
		if c.N > w.Limit {
			loud = true
			// The first expiry after which there is room; that of the entry
			// to be added itself does not help.
			for _, t := range times {
				at := t + int64(w.Span)
				if at > o.latest && within(at, w.Span) <= w.Limit && (c.Free == 0 || at < c.Free) {
					c.Free = at
				}
			}
			if adds && w.Limit == 0 {
				c.Free = 0
			}
		}
		counts = append(counts, c)
	}
	return counts, loud
}
