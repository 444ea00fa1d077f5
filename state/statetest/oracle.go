package statetest

import (
	"slices"

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
	cells     map[string]oracleCell
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

type oracleCell struct {
	state.Cell
	until int64 // 0: for ever
}

func newOracle() *oracle {
	return &oracle{
		calls:   map[state.CallID]*oracleCall{},
		leases:  map[string]oracleLease{},
		settled: map[string]int64{},
		done:    map[[2]string]bool{},
		cells:   map[string]oracleCell{},
	}
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

// cell is what a key holds at a time.
func (o *oracle) cell(key string, now int64) state.Cell {
	if c := o.cells[key]; c.until == 0 || c.until > now {
		return c.Cell
	}
	return state.Cell{}
}

// asSeen reports whether all cells are as they were seen.
func (o *oracle) asSeen(expects []state.Expect) bool {
	for _, e := range expects {
		if c := o.cell(e.Key, o.latest); c.Version != e.Version || string(c.Value) != string(e.Value) {
			return false
		}
	}
	return true
}

func (o *oracle) write(w state.Write) {
	c := oracleCell{Cell: state.Cell{Version: w.Version + 1, Value: slices.Clone(w.Value)}}
	if w.TTL > 0 {
		c.until = o.latest + int64(w.TTL)
	}
	o.cells[w.Key] = c
}

// settle reports whether there was a conflict.
func (o *oracle) settle(s *state.Settlement) bool {
	o.latest = max(o.latest, s.Now)
	for _, w := range s.Cells {
		if o.cell(w.Key, o.latest).Version != w.Version {
			return true
		}
	}
	if !o.asSeen(s.Expects) {
		return true
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
		o.write(w)
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
