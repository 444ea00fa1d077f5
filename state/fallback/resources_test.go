package fallback_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/fallback"
)

var local = fallback.Options{OnError: dsl.StoreLocal}

// asks is a claim that a confirm rule stands before.
func asks(d byte) state.Claim {
	return state.Claim{Session: "s", Guards: []registry.Guard{{Approval: registry.Digest{d}}}}
}

func approval(d byte, forRun bool) state.Approval {
	return state.Approval{Digest: registry.Digest{d}, Session: "s", ForRun: forRun}
}

// An approval that lies in the home is not held while it is away, and is
// afterwards. One that is given meanwhile admits one call, here or there.
func TestApprovals(t *testing.T) {
	with(t, local, func(e *env) {
		e.ok(e.Approve(e.Context(), approval(1, false)))
		e.way.is(broken)
		e.refuses(asks(1))
		e.refuses(asks(2))
		for d := byte(2); d < 5; d++ {
			e.ok(e.Approve(e.Context(), approval(d, d == 4)))
		}
		e.admits(asks(2))
		e.refuses(asks(2))
		e.admits(asks(4))
		e.returns()
		e.refuses(asks(2))
		for _, d := range []byte{1, 3} {
			e.admits(asks(d))
			e.refuses(asks(d))
		}
		e.admits(asks(4))
		e.admits(asks(4))
		e.way.is(broken) // what was handed over is no longer here
		for d := byte(1); d < 5; d++ {
			e.refuses(asks(d))
		}
	})
}

// An approval of one call is handed over once, though the answer is lost: a
// second time it might be used a second time.
func TestApprovals_LostAnswer(t *testing.T) {
	with(t, local, func(e *env) {
		e.way.is(broken)
		e.ok(e.Approve(e.Context(), approval(1, false)))
		e.ok(e.Approve(e.Context(), approval(2, true)))
		e.way.is(deaf)
		time.Sleep(10 * time.Second)
		for range 2 { // another process uses it as soon as it can
			var g state.Grant
			c := asks(1)
			e.ok(e.behind.Claim(e.Context(), &c, &g))
		}
		e.way.is(none)
		time.Sleep(10 * time.Second)
		e.refuses(asks(1))
		e.admits(asks(2))
	})
}

// What ends meanwhile is forgotten here and there.
func TestForget(t *testing.T) {
	with(t, local, func(e *env) {
		e.ok(e.Approve(e.Context(), approval(1, true)))
		e.ok(e.Settle(e.Context(), &state.Settlement{Cells: []state.Write{{Key: "cell", Value: []byte("a")}}}))
		e.way.is(broken)
		e.ok(e.Approve(e.Context(), approval(2, true)))
		e.ok(e.Forget(e.Context(), state.Ended{Session: "s", Cells: []string{"cell"}}))
		e.refuses(asks(2))
		if c := e.cell("cell"); c.Version != 0 {
			e.Errorf("the cell is %+v", c)
		}
		e.returns()
		e.refuses(asks(1))
		e.refuses(asks(2))
		if c := e.cell("cell"); c.Version != 0 {
			e.Errorf("the cell is %+v after the return", c)
		}
	})
}

func (e *env) cell(key string) state.Cell {
	e.Helper()
	var v state.View
	e.ok(e.Load(e.Context(), state.Query{Cells: []string{key}}, &v))
	return v.Cells[0]
}

func (e *env) write(key string, version int64, value string) error {
	return e.Settle(e.Context(), &state.Settlement{Cells: []state.Write{{Key: key, Version: version, Value: []byte(value)}}})
}

func (e *env) holds(key, value string) state.Cell {
	e.Helper()
	c := e.cell(key)
	if string(c.Value) != value {
		e.Fatalf("the cell holds %q, want %q", c.Value, value)
	}
	return c
}

func (e *env) conflicts(err error) {
	e.Helper()
	if !errors.Is(err, state.ErrConflict) {
		e.Fatalf("got %v, want ErrConflict", err)
	}
}

// A cell begins as it was last seen, and is handed over in the end. What was
// read in one place is never taken for what is in another.
func TestCells(t *testing.T) {
	with(t, local, func(e *env) {
		e.ok(e.write("a", 0, "1"))
		seen := e.holds("a", "1")
		for _, outage := range []string{"first", "second"} {
			e.way.is(broken)
			before := e.holds("a", string(seen.Value))
			if before.Version != seen.Version {
				e.Fatalf("%s outage: version %d, want %d as at home", outage, before.Version, seen.Version)
			}
			e.conflicts(e.write("a", 0, "x"))
			e.conflicts(e.write("a", seen.Version-1, "x"))
			e.ok(e.write("a", seen.Version, outage+" 1"))
			first := e.holds("a", outage+" 1")
			e.conflicts(e.write("a", seen.Version, "x"))
			e.ok(e.write("a", first.Version, outage+" 2"))
			away := e.holds("a", outage+" 2")
			e.ok(e.write("new in the "+outage, 0, "n"))
			e.returns()
			seen = e.holds("a", outage+" 2")
			e.holds("new in the "+outage, "n")
			for _, old := range []state.Cell{before, first, away} {
				e.conflicts(e.write("a", old.Version, "x"))
			}
		}
	})
}

// A cell that somebody else has written at home meanwhile stays theirs.
func TestCells_Theirs(t *testing.T) {
	with(t, local, func(e *env) {
		e.ok(e.write("a", 0, "1"))
		seen := e.holds("a", "1")
		e.way.is(broken)
		e.ok(e.write("a", seen.Version, "ours"))
		e.ok(e.behind.Settle(e.Context(), &state.Settlement{Cells: []state.Write{{Key: "a", Version: seen.Version, Value: []byte("theirs")}}}))
		e.returns()
		e.holds("a", "theirs")
		e.way.is(broken)
		e.holds("a", "theirs")
	})
}

// A probe's lease is of each process while the home is away, and of one again afterwards.
func TestLeases(t *testing.T) {
	with(t, local, func(e *env) {
		probe := func(holder string) state.Claim {
			return state.Claim{Leases: []state.Lease{{Key: "probe", Holder: holder, TTL: time.Hour}}}
		}
		e.admits(probe("a"))
		if g := e.refuses(probe("b")); g.Lease != 0 {
			e.Errorf("lease %d was held, want 0", g.Lease)
		}
		e.way.is(broken)
		e.admits(probe("b"))
		if g := e.refuses(probe("c")); g.Lease != 0 || g.LeaseUntil == 0 {
			e.Errorf("lease %d was held until %d, want 0", g.Lease, g.LeaseUntil)
		}
		e.ok(e.Settle(e.Context(), &state.Settlement{Leases: []string{"probe"}, Holder: "a"}))
		e.refuses(probe("c"))
		e.returns()
		e.admits(probe("c")) // a's was freed
	})
}

// A process may spend its part of a cap, what it has spent before included;
// all of it is in the account in the end, once.
func TestAccounts(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal, Fleet: 2}, func(e *env) {
		reserve := func(id string, amount int64) state.Claim {
			return state.Claim{Reserves: []state.Reservation{{Account: "money", ID: id, Amount: amount, Cap: 100}}}
		}
		account := func() state.Account {
			var v state.View
			e.ok(e.behind.Load(e.Context(), state.Query{Accounts: []string{"money"}}, &v))
			return v.Accounts[0]
		}
		spent := func(id string, amount int64) error {
			return e.Settle(e.Context(), &state.Settlement{Spent: []state.Spent{{Account: "money", ID: id, Amount: amount}}})
		}
		e.admits(reserve("a", 30))
		e.way.is(broken)
		if g := e.refuses(reserve("b", 21)); g.Reserve != 0 {
			e.Errorf("reservation %d passed its cap, want 0", g.Reserve)
		}
		e.admits(reserve("b", 20))
		e.refuses(reserve("c", 1))
		e.ok(spent("a", 5))
		e.admits(reserve("c", 25))
		e.ok(spent("b", 7))
		e.way.is(lossy)
		time.Sleep(10 * time.Second)
		e.returns()
		if got := account(); got != (state.Account{Settled: 12, Reserved: 25}) {
			e.Errorf("the account is %+v, want 12 settled and 25 reserved", got)
		}
	})
	// Nothing says that a reservation may be made uncounted but the operator.
	with(t, fallback.Options{}, func(e *env) {
		e.way.is(broken)
		c := calls("c", 9, dsl.StoreAllow)
		c.Reserves = []state.Reservation{{Account: "money", ID: "a", Amount: 1, Cap: 9}}
		if g, err := e.try(c); !errors.Is(err, state.ErrDenied) {
			e.Errorf("%+v, %v; want denied", g, err)
		}
	})
}

// What makes no sense is refused whether or not the home is there to say so.
func TestInvalid(t *testing.T) {
	with(t, local, func(e *env) {
		e.way.is(broken)
		e.admits(state.Claim{})
		for name, err := range map[string]error{
			"claim":   e.Claim(e.Context(), &state.Claim{Now: -1}, new(state.Grant)),
			"settle":  e.Settle(e.Context(), &state.Settlement{Now: -1}),
			"approve": e.Approve(e.Context(), state.Approval{}),
		} {
			if !errors.Is(err, state.ErrInvalid) {
				e.Errorf("%s: got %v, want ErrInvalid", name, err)
			}
		}
		e.returns()
	})
}

// A claim by a cell as it was seen is by the same cell when the home goes away,
// though nobody has loaded it, and by the one of the local home from then on.
func TestExpects(t *testing.T) {
	with(t, local, func(e *env) {
		by := func(c state.Cell) state.Claim {
			return state.Claim{Expects: []state.Expect{{Key: "a", Cell: c}}}
		}
		moved := func(c state.Cell) state.Cell {
			e.Helper()
			g, err := e.try(by(c))
			if e.conflicts(err); len(g.Expected) != 1 {
				e.Fatalf("%+v, want what the cell is", g)
			}
			return g.Expected[0]
		}
		e.ok(e.behind.Settle(e.Context(), &state.Settlement{Cells: []state.Write{{Key: "a", Value: []byte("1")}}}))
		seen := moved(state.Cell{}) // written by another process
		e.admits(by(seen))
		e.way.is(broken)
		e.admits(by(seen))
		if is := moved(state.Cell{}); is.Version != seen.Version || string(is.Value) != "1" {
			e.Fatalf("the cell is %+v, want %+v as at home", is, seen)
		}
		e.ok(e.Settle(e.Context(), &state.Settlement{
			Expects: by(seen).Expects,
			Cells:   []state.Write{{Key: "a", Version: seen.Version, Value: []byte("2"), TTL: time.Minute}},
		}))
		away := moved(seen)
		e.admits(by(away))
		e.conflicts(e.Settle(e.Context(), &state.Settlement{Expects: by(seen).Expects}))

		time.Sleep(time.Minute) // and it expires
		if is := moved(away); is.Version != 0 || is.Value != nil {
			e.Fatalf("the cell is %+v, want none", is)
		}
		e.admits(by(state.Cell{}))
		e.ok(e.Settle(e.Context(), &state.Settlement{Cells: []state.Write{{Key: "a", Value: []byte("3"), TTL: time.Hour}}}))
		e.returns()
		if is := moved(away); string(is.Value) != "3" {
			e.Fatalf("the cell at home is %+v, want what was written last", is)
		}
		time.Sleep(time.Hour)
		e.admits(by(state.Cell{})) // it lives no longer there than here
	})
}
