package statetest

import (
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// oracle does what a home does as plainly as can be: it keeps every entry
// for ever, in slices, and looks through all of them. It knows no cap of the
// history and forgets nothing by itself.
type oracle struct {
	latest    int64
	entries   []oracleEntry
	runs      []oracleRun
	calls     map[state.CallID]*oracleCall
	approvals []state.Approval
	leases    map[string]oracleLease
	settled   map[string]int64
	reserved  []state.Reservation
	done      map[[2]string]bool
	cells     map[string]state.Cell
}

type oracleEntry struct {
	counter registry.CounterID
	at      int64
	call    state.CallID
	run     string
}

type oracleRun struct {
	counter registry.CounterID
	run     string
	by      state.CallID // who entered it
	joined  bool
}

type oracleCall struct {
	leases    []state.Lease
	reserves  []state.Reservation
	approvals []registry.Digest
	cells     map[string]int64 // the version after its write
}

type oracleLease struct {
	holder string
	until  int64
}

func newOracle() *oracle {
	return &oracle{
		calls:   map[state.CallID]*oracleCall{},
		leases:  map[string]oracleLease{},
		settled: map[string]int64{},
		done:    map[[2]string]bool{},
		cells:   map[string]state.Cell{},
	}
}

// claim returns the grant, and whether there was a conflict instead.
func (o *oracle) claim(c *state.Claim) (state.Grant, bool) {
	o.latest = max(o.latest, c.Now)
	g := state.Grant{Lease: -1, Reserve: -1}
	g.Now = o.latest
	before := o.calls[c.Call]
	g.Repeated = before != nil
	for _, w := range c.Cells {
		own := before != nil && before.cells[w.Key] == o.cells[w.Key].Version && w.Version+1 == o.cells[w.Key].Version
		if o.cells[w.Key].Version != w.Version && !own {
			return g, true
		}
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
			o.cells[w.Key] = state.Cell{Version: w.Version + 1, Value: slices.Clone(w.Value)}
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

func (o *oracle) approval(session string, d registry.Digest) int {
	return slices.IndexFunc(o.approvals, func(a state.Approval) bool {
		return a.Session == session && a.Digest == d && d != (registry.Digest{}) && (a.Expires == 0 || a.Expires > o.latest)
	})
}

func (o *oracle) approve(a state.Approval) {
	if i := o.approval(a.Session, a.Digest); i >= 0 {
		a.ForRun = a.ForRun || o.approvals[i].ForRun
	}
	o.approvals = slices.DeleteFunc(o.approvals, func(e state.Approval) bool { return e.Session == a.Session && e.Digest == a.Digest })
	o.approvals = append(o.approvals, a)
}

// settle reports whether there was a conflict.
func (o *oracle) settle(s *state.Settlement) bool {
	o.latest = max(o.latest, s.Now)
	for _, w := range s.Cells {
		if o.cells[w.Key].Version != w.Version {
			return true
		}
	}
	for _, key := range s.Leases {
		if o.leases[key].holder == s.Holder {
			delete(o.leases, key)
		}
	}
	for _, sp := range s.Spent {
		before := len(o.reserved)
		o.reserved = slices.DeleteFunc(o.reserved, func(r state.Reservation) bool { return r.Account == sp.Account && r.ID == sp.ID })
		id := [2]string{sp.Account, sp.ID}
		if live := len(o.reserved) < before; live || !o.done[id] {
			o.settled[sp.Account] += sp.Amount
			o.done[id] = sp.ID != ""
		}
	}
	for _, w := range s.Cells {
		o.cells[w.Key] = state.Cell{Version: w.Version + 1, Value: slices.Clone(w.Value)}
	}
	o.end(s.Call)
	return false
}

// end makes the entries of a call those of nobody, so that its id is new again.
func (o *oracle) end(id state.CallID) {
	delete(o.calls, id)
	for i := range o.entries {
		if o.entries[i].call == id {
			o.entries[i].call = state.CallID{}
		}
	}
	for i := range o.runs {
		if o.runs[i].by == id {
			o.runs[i].by = state.CallID{}
		}
	}
}

func (o *oracle) release(id state.CallID) {
	rec := o.calls[id]
	if rec == nil {
		return
	}
	kept := func(e oracleEntry) bool {
		return e.call != id || slices.ContainsFunc(o.runs, func(r oracleRun) bool {
			return r.counter == e.counter && r.run == e.run && r.joined
		})
	}
	o.entries = slices.DeleteFunc(o.entries, func(e oracleEntry) bool { return !kept(e) })
	o.runs = slices.DeleteFunc(o.runs, func(r oracleRun) bool { return r.by == id && !r.joined })
	for _, l := range rec.leases {
		if o.leases[l.Key].holder == l.Holder {
			delete(o.leases, l.Key)
		}
	}
	for _, r := range rec.reserves {
		o.reserved = slices.DeleteFunc(o.reserved, func(e state.Reservation) bool { return e.Account == r.Account && e.ID == r.ID })
	}
	o.end(id)
}
