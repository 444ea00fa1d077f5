package statetest

import (
	"math"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

func leases(e *env) {
	probe := func(holder string) state.Claim {
		return state.Claim{Leases: []state.Lease{{Key: "other " + holder, Holder: holder, TTL: time.Hour}, {Key: "probe", Holder: holder, TTL: time.Minute}}}
	}
	e.admits(probe("a"))
	if g := e.refuses(probe("b")); g.Lease != 1 || g.LeaseUntil != start+int64(time.Minute) {
		e.Fatalf("%+v, want lease 1 held for a minute", g)
	}
	e.clock.Advance(time.Minute - e.tick)
	e.refuses(probe("b"))
	e.clock.Advance(e.tick)
	e.admits(probe("b")) // it has freed itself
	e.clock.Advance(30 * time.Second)
	e.admits(probe("b")) // its holder renews it
	e.clock.Advance(30 * time.Second)
	e.refuses(probe("a"))
	e.settle(state.Settlement{Leases: []string{"probe"}, Holder: "a"}) // not the holder's
	e.refuses(probe("a"))
	e.settle(state.Settlement{Leases: []string{"probe", "unknown"}, Holder: "b"})
	e.admits(probe("a"))

	c := state.Claim{Call: call(1), Leases: []state.Lease{{Key: "once", Holder: "a", TTL: time.Minute}}}
	e.admits(c)
	e.clock.Advance(30 * time.Second)
	e.admits(c) // repeated: not renewed
	e.clock.Advance(30 * time.Second)
	e.admits(state.Claim{Leases: []state.Lease{{Key: "once", Holder: "b", TTL: time.Minute}}})
	e.refuses(c)
	e.release(c.Call) // it does not free what is another's by now
	e.refuses(state.Claim{Leases: []state.Lease{{Key: "once", Holder: "c", TTL: time.Minute}}})
}

func leaseFrom(e *env) {
	probe := func(holder string) state.Claim {
		return state.Claim{
			Needs:  needs(calls("c", atMost(9, time.Hour))),
			Leases: []state.Lease{{Key: "other", Holder: holder, TTL: time.Hour}, {Key: "probe", Holder: holder, TTL: time.Minute, From: start + int64(time.Hour)}},
		}
	}
	e.clock.Advance(time.Hour - e.tick)
	for range 2 { // nobody gets it, and nothing is taken
		for _, holder := range []string{"a", "b"} {
			if g := e.refuses(probe(holder)); g.Lease != 1 || g.LeaseUntil != start+int64(time.Hour) {
				e.Fatalf("%+v, want lease 1 refused until its time", g)
			}
		}
	}
	e.clock.Advance(e.tick)
	e.admits(probe("a"))
	if g := e.refuses(probe("b")); g.Lease != 0 || g.LeaseUntil != start+2*int64(time.Hour) {
		e.Fatalf("%+v, want the other lease held", g)
	}
	early := probe("a")
	early.Leases[1].From += int64(time.Hour)
	e.refuses(early) // not even its holder gets it before
	if n := e.count("c", time.Hour); n != 1 {
		e.Fatalf("%d entries, want 1", n)
	}
}

func reserve(id string, amount, limit int64) state.Claim {
	return state.Claim{Reserves: []state.Reservation{{Account: "money", ID: id, Amount: amount, Cap: limit}}}
}

func reservations(e *env) {
	e.admits(reserve("a", 60, 100))
	if g := e.refuses(reserve("b", 41, 100)); g.Reserve != 0 {
		e.Fatalf("%+v, want reservation 0 over its cap", g)
	}
	e.admits(reserve("b", 40, 100)) // to the cap, and not past it
	e.refuses(reserve("c", 1, 100))
	e.admits(reserve("c", 0, 100))
	e.admits(reserve("a", 50, 100)) // in place of the 60
	if _, a := e.load("", "money"); a != (state.Account{Reserved: 90}) {
		e.Fatalf("account %+v, want 90 reserved", a)
	}
	e.refuses(reserve("b", 51, 100))
	// Two of one claim count together.
	two := state.Claim{Reserves: []state.Reservation{
		{Account: "money", ID: "x", Amount: 6, Cap: 100},
		{Account: "money", ID: "y", Amount: 5, Cap: 100},
	}}
	if g := e.refuses(two); g.Reserve != 1 {
		e.Fatalf("%+v, want reservation 1 over its cap", g)
	}
	e.admits(reserve("z", 1000, -1))
	if _, a := e.load("", "money"); a != (state.Account{Reserved: 1090}) {
		e.Fatalf("account %+v, want 1090 reserved", a)
	}
	c := reserve("once", 7, -1)
	c.Call = call(1)
	e.admits(c)
	e.admits(c)
	e.release(c.Call)
	if _, a := e.load("", "money"); a != (state.Account{Reserved: 1090}) {
		e.Fatalf("account %+v, want 1090 reserved after the release", a)
	}
}

func settlements(e *env) {
	spend := func(id string, amount int64) {
		e.settle(state.Settlement{Spent: []state.Spent{{Account: "money", ID: id, Amount: amount}}})
	}
	is := func(settled, reserved int64) {
		e.Helper()
		if _, a := e.load("", "money"); a != (state.Account{Settled: settled, Reserved: reserved}) {
			e.Fatalf("account %+v, want %d settled and %d reserved", a, settled, reserved)
		}
	}
	e.admits(reserve("a", 60, 100))
	e.admits(reserve("b", 40, 100))
	spend("a", 55)
	is(55, 40)
	spend("a", 55) // told again
	is(55, 40)
	e.refuses(reserve("c", 6, 100))
	spend("b", 70) // it cost more than was thought
	is(125, 0)
	e.refuses(reserve("c", 0, 100))
	spend("never reserved", 5)
	spend("never reserved", 5)
	is(130, 0)
	spend("", 1)
	spend("", 1)
	is(132, 0)
	e.admits(reserve("a", 10, -1)) // an id that is used again is a new reservation
	is(132, 10)
	spend("a", 10)
	is(142, 0)
	spend("much", math.MaxInt64)
	is(math.MaxInt64, 0)
	e.refuses(reserve("d", 1, math.MaxInt64-1))
}

func settleConflict(e *env) {
	c := everything(call(1))
	c.Guards = nil
	e.admits(c)
	s := state.Settlement{
		Now: start, Call: c.Call, Leases: []string{"probe"}, Holder: "me",
		Spent: []state.Spent{{Account: "money", ID: "r", Amount: 3}},
		Cells: []state.Write{{Key: "second"}, {Key: "cell", Version: 7}},
	}
	e.fails(e.Settle(bg, &s), state.ErrConflict)
	second, account := e.load("second", "money")
	if second.Version != 0 || account != (state.Account{Reserved: 10}) {
		e.Fatalf("cell %+v, account %+v; want nothing settled", second, account)
	}
	e.refuses(state.Claim{Leases: []state.Lease{{Key: "probe", Holder: "you", TTL: time.Minute}}})
	if g := e.admits(c); !g.Repeated {
		e.Fatal("the call's identity has ended")
	}
	s.Cells[1].Version = 1
	e.settle(s)
	if cell, account := e.load("cell", "money"); cell.Version != 2 || account != (state.Account{Settled: 3}) {
		e.Fatalf("cell %+v, account %+v; want all settled", cell, account)
	}
}

func forget(e *env) {
	for _, d := range []byte{1, 2} {
		e.approve(state.Approval{Digest: digest(d), Session: "s", ForRun: true})
	}
	e.approve(state.Approval{Digest: digest(1), Session: "another"})
	e.admits(reserve("a", 60, 100))
	e.admits(state.Claim{Cells: []state.Write{{Key: "cell"}, {Key: "kept"}}})
	ended := state.Ended{Session: "s", Accounts: []string{"money", "unknown"}, Cells: []string{"cell", "unknown"}}
	for range 2 {
		if err := e.Forget(bg, ended); err != nil {
			e.Fatal(err)
		}
	}
	e.refuses(asking(digest(1)))
	e.refuses(asking(digest(2)))
	other := asking(digest(1))
	other.Session = "another"
	e.admits(other)
	cell, account := e.load("cell", "money")
	if cell.Version != 0 || cell.Value != nil || account != (state.Account{}) {
		e.Fatalf("cell %+v and account %+v are still there", cell, account)
	}
	if kept, _ := e.load("kept", ""); kept.Version != 1 {
		e.Fatal("a cell that was not named is gone")
	}
	e.approve(state.Approval{Digest: digest(1), Session: "s"})
	e.admits(asking(digest(1)))
	if err := e.Forget(bg, state.Ended{}); err != nil {
		e.Fatal(err)
	}
	e.admits(state.Claim{Cells: []state.Write{{Key: "cell"}}, Guards: []registry.Guard{}})
}
