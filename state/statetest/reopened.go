package statetest

import (
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// RunReopened tests that a home outlives the store that wrote it: all that was
// acknowledged is found by the next one. address makes a new and empty home,
// open opens it, the first time and again.
func RunReopened(t *testing.T, address func(*testing.T) string, open func(address string) (state.Store, error)) {
	home := address(t)
	reopen := func() *env {
		t.Helper()
		s, err := open(home)
		if err != nil {
			t.Fatal(err)
		}
		clock := &Clock{}
		clock.now.Store(start)
		return &env{T: t, Store: s, clock: clock}
	}
	c := everything(call(1))
	c.Guards[0].Approval = digest(1)
	e := reopen()
	for _, d := range []byte{1, 2} {
		e.approve(state.Approval{Digest: digest(d), Session: "s"})
	}
	e.admits(c)
	for range 200 {
		e.admits(state.Claim{Needs: needs(calls("many", atMost(200, time.Hour)))})
	}
	e.settle(state.Settlement{Spent: []state.Spent{{Account: "money", ID: "spent", Amount: 3}}})

	e = reopen()
	e.refuses(state.Claim{Needs: needs(calls("many", atMost(200, time.Hour)))})
	if n := e.count("many", time.Hour); n != 200 {
		e.Errorf("%d entries, want 200", n)
	}
	if g := e.admits(c); !g.Repeated || !g.Approved[0] {
		e.Errorf("%+v, want the call repeated, its approval consumed", g)
	}
	cell, account := e.load("cell", "money")
	if cell.Version != 1 || string(cell.Value) != "new" || account != (state.Account{Settled: 3, Reserved: 10}) {
		e.Errorf("cell %+v, account %+v", cell, account)
	}
	e.refuses(state.Claim{Leases: []state.Lease{{Key: "probe", Holder: "you", TTL: time.Minute}}})
	e.settle(state.Settlement{Spent: []state.Spent{{Account: "money", ID: "spent", Amount: 3}}})
	if _, a := e.load("cell", "money"); a.Settled != 3 {
		e.Errorf("account %+v, want the amount settled once", a)
	}
	e.clock.Advance(-time.Minute)
	later := state.Claim{Session: "s", Needs: needs(executions("runs", atMost(1, time.Hour))), Run: "run", Guards: []registry.Guard{guard(digest(2))}}
	if g := e.admits(later); g.Now != start {
		e.Errorf("time %d, want the latest that the store before has seen, %d", g.Now, start)
	}

	e = reopen()
	e.refuses(asking(digest(2)))
	e.release(call(1))
	if n := e.count("calls", time.Hour); n != 0 {
		e.Errorf("%d entries after the release, want 0", n)
	}
}
