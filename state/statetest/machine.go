package statetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// operations is how many random operations one history has; rapid makes 100 histories.
const operations = 200

// machine drives a home and the oracle with the same random operations. There
// are few names and times, so that they meet.
func machine(t *testing.T, open func(*testing.T, *Clock) state.Store) {
	var admitted, refused, conflicts, moved, early, repeated, loud int
	rapid.Check(t, func(rt *rapid.T) {
		e, o := newEnv(t, open), newOracle()
		d := &drawer{rt, e, o}
		for range operations {
			e.clock.Advance(d.jump())
			switch rapid.IntRange(0, 9).Draw(rt, "operation") {
			case 0:
				a := d.approval()
				o.approve(a)
				d.check("approve", a, e.Approve(bg, a), false)
			case 1:
				s := d.settlement()
				d.check("settle", s, e.Settle(bg, &s), o.settle(&s))
			case 2:
				id := d.call()
				o.release(id)
				d.check("release", id, e.Release(bg, id), false)
			default:
				c := d.claim()
				want, conflict := o.claim(&c)
				got, err := e.try(c)
				d.check("claim", c, err, conflict)
				if conflict {
					conflicts++
					if got.Admitted {
						rt.Fatalf("admitted with a conflict: %+v", c)
					}
					if !slices.EqualFunc(got.Expected, want.Expected, sameCell) {
						rt.Fatalf("claim %+v\nfinds the cells %+v, want %+v", c, got.Expected, want.Expected)
					}
					count(&moved, len(c.Expects) > 0)
					break
				}
				if diff := difference(got, want); diff != "" {
					rt.Fatalf("claim %+v\ngot  %+v\nwant %+v\n%s", c, got, want, diff)
				}
				count(&admitted, got.Admitted)
				count(&refused, !got.Admitted)
				count(&early, got.Lease == 0 && got.LeaseUntil == c.Leases[0].From)
				count(&repeated, got.Repeated)
				count(&loud, len(got.Counts) > 0)
			}
			d.compare()
		}
	})
	// The oracle has been asked about every kind of answer.
	for name, n := range map[string]int{"admitted": admitted, "refused": refused, "conflict": conflicts, "by another cell": moved, "too early": early, "repeated": repeated, "counted": loud} {
		if n < 20 {
			t.Errorf("only %d claims were %s", n, name)
		}
	}
}

func count(n *int, yes bool) {
	if yes {
		*n++
	}
}

func sameCell(a, b state.Cell) bool {
	return a.Version == b.Version && string(a.Value) == string(b.Value)
}

func difference(got, want state.Grant) string {
	switch {
	case got.Admitted != want.Admitted || got.Repeated != want.Repeated:
		return "admitted or repeated"
	case got.Lease != want.Lease || got.LeaseUntil != want.LeaseUntil || got.Reserve != want.Reserve:
		return "lease or reserve"
	case got.Now != want.Now:
		return "now"
	case !slices.Equal(got.At, want.At) || !slices.Equal(got.Counts, want.Counts):
		return "counts"
	case !slices.Equal(got.Approved, want.Approved):
		return "approved"
	case len(got.Expected) > 0:
		return "cells without a conflict"
	}
	return ""
}

// drawer draws operations.
type drawer struct {
	*rapid.T
	e *env
	o *oracle
}

func (d *drawer) check(what string, op any, err error, conflict bool) {
	d.Helper()
	if conflict && !errors.Is(err, state.ErrConflict) || !conflict && err != nil {
		d.Fatalf("%s %+v: error %v, conflict expected: %v", what, op, err, conflict)
	}
}

// compare compares what can be loaded.
func (d *drawer) compare() {
	d.Helper()
	q := state.Query{Now: d.e.clock.Now(), Cells: cellNames, Accounts: accountNames}
	var v state.View
	if err := d.e.Load(bg, q, &v); err != nil {
		d.Fatal(err)
	}
	now := max(d.o.latest, q.Now)
	if v.Now != now {
		d.Fatalf("it is %d by a load, want %d", v.Now, now)
	}
	for i, name := range q.Cells {
		if want := d.o.cell(name, now); !sameCell(v.Cells[i], want) {
			d.Fatalf("cell %s is %+v, want %+v", name, v.Cells[i], want)
		}
	}
	for i, name := range q.Accounts {
		want := state.Account{Settled: d.o.settled[name]}
		for _, r := range d.o.reserved {
			if r.Account == name {
				want.Reserved += r.Amount
			}
		}
		if v.Accounts[i] != want {
			d.Fatalf("account %s is %+v, want %+v", name, v.Accounts[i], want)
		}
	}
}

var (
	cellNames    = []string{"cell a", "cell b"}
	accountNames = []string{"account a", "account b"}
	holders      = []string{"you", "me"}
	spans        = []int{1, 2, 3, 5, 10}
)

func one[E any](d *drawer, name string, of []E) E { return rapid.SampledFrom(of).Draw(d.T, name) }

func some(d *drawer, name string, limit int) int {
	// Mostly none, so that most claims are not refused for several reasons at once.
	return max(0, rapid.IntRange(-2*limit, limit).Draw(d.T, name))
}

func (d *drawer) jump() time.Duration {
	return time.Duration(one(d, "ticks", []int{0, 0, 0, 1, 1, 2, 3, -1, -3})) * d.e.tick
}

func (d *drawer) call() state.CallID {
	if n := rapid.IntRange(0, 4).Draw(d.T, "call"); n > 0 {
		return call(byte(n))
	}
	return state.CallID{}
}

func (d *drawer) digest() registry.Digest {
	return digest(byte(rapid.IntRange(0, 3).Draw(d.T, "digest")))
}

func (d *drawer) approval() state.Approval {
	a := state.Approval{Digest: digest(byte(rapid.IntRange(1, 3).Draw(d.T, "digest"))), Session: one(d, "session", []string{"", "s"})}
	a.ForRun = rapid.Bool().Draw(d.T, "for run")
	if rapid.Bool().Draw(d.T, "expires") {
		a.Expires = d.e.clock.Now() + int64(d.e.tick)*int64(rapid.IntRange(0, 5).Draw(d.T, "after"))
	}
	return a
}

func (d *drawer) settlement() state.Settlement {
	s := state.Settlement{Now: d.e.clock.Now(), Call: d.call(), Holder: one(d, "holder", holders)}
	if rapid.Bool().Draw(d.T, "frees") {
		s.Leases = []string{"probe"}
	}
	for range some(d, "spent", 2) {
		s.Spent = append(s.Spent, state.Spent{
			Account: one(d, "account", accountNames),
			ID:      one(d, "id", []string{"", "x", "y"}),
			Amount:  rapid.Int64Range(0, 5).Draw(d.T, "amount"),
		})
	}
	s.Cells, s.Expects = d.writes(), d.expects()
	return s
}

func (d *drawer) writes() (w []state.Write) {
	for _, key := range cellNames[:some(d, "cells", 2)] {
		version := d.cell(key).Version - int64(some(d, "stale", 1))
		ttl := time.Duration(one(d, "cell's ttl", []int{0, 1, 5, 20})) * d.e.tick
		w = append(w, state.Write{Key: key, Version: max(0, version), Value: fmt.Append(nil, version%3), TTL: ttl})
	}
	return w
}

// cell is what a key holds at the time of the next request.
func (d *drawer) cell(key string) state.Cell {
	return d.o.cell(key, max(d.o.latest, d.e.clock.Now()))
}

// expects are cells as they are, or nearly.
func (d *drawer) expects() (x []state.Expect) {
	for _, key := range cellNames[:some(d, "expects", 2)] {
		e := state.Expect{Key: key, Cell: d.cell(key)}
		switch some(d, "not so", 2) {
		case 1:
			e.Version++
		case 2:
			e.Value = []byte("another")
		}
		x = append(x, e)
	}
	return x
}

func (d *drawer) claim() state.Claim {
	c := state.Claim{
		Now: d.e.clock.Now(), Call: d.call(),
		Session: one(d, "session", []string{"", "s"}),
		Run:     one(d, "run", []string{"", "r", "q"}),
		Refused: some(d, "refused", 1) > 0,
	}
	for i := range rapid.IntRange(0, 3).Draw(d.T, "needs") {
		c.Needs = append(c.Needs, d.need(i))
	}
	for range some(d, "guards", 2) {
		gu := registry.Guard{Approval: d.digest()}
		for i, n := range c.Needs {
			if rapid.Bool().Draw(d.T, "asks") {
				gu.Windows = append(gu.Windows, registry.WindowRef{Need: i, Window: rapid.IntRange(0, len(n.Windows)-1).Draw(d.T, "window")})
			}
		}
		c.Guards = append(c.Guards, gu)
	}
	if some(d, "leases", 1) > 0 {
		ttl := time.Duration(one(d, "ttl", spans)) * d.e.tick
		l := state.Lease{Key: "probe", Holder: one(d, "holder", holders), TTL: ttl}
		if rapid.Bool().Draw(d.T, "from") {
			l.From = d.e.clock.Now() + int64(d.jump())
		}
		c.Leases = []state.Lease{l}
	}
	for i := range some(d, "reserves", 2) {
		c.Reserves = append(c.Reserves, state.Reservation{
			Account: one(d, "account", accountNames), ID: []string{"x", "y"}[i],
			Amount: rapid.Int64Range(0, 5).Draw(d.T, "amount"), Cap: rapid.Int64Range(-1, 20).Draw(d.T, "cap"),
		})
	}
	c.Cells, c.Expects = d.writes(), d.expects()
	return c
}

func (d *drawer) need(i int) registry.Need {
	n := registry.Need{Counter: registry.CounterID{
		Spec:    fmt.Sprintf("%d", i),
		Subject: one(d, "subject", []string{"", "a", "b"}),
	}}
	if n.Run = i == 2; n.Run {
		n.Counter.Spec = "runs"
	}
	for range rapid.IntRange(1, 2).Draw(d.T, "windows") {
		n.Windows = append(n.Windows, registry.Window{
			Span:    time.Duration(one(d, "span", spans)) * d.e.tick,
			Limit:   rapid.Int64Range(0, 4).Draw(d.T, "limit"),
			Refuses: some(d, "refuses", 1) > 0,
		})
	}
	// Every claim asks for the longest window, or a home could drop what a later one asks for.
	n.Windows[0].Span = time.Duration(slices.Max(spans)) * d.e.tick
	for i := range n.Windows {
		n.Front = append(n.Front, i)
	}
	for range some(d, "past", 3) {
		n.Past = append(n.Past, d.e.clock.Now()+int64(d.jump())-3*int64(d.e.tick))
	}
	slices.Sort(n.Past)
	return n
}
