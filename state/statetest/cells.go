package statetest

import (
	"bytes"
	"time"

	"github.com/cbpolicy/cbpolicy/state"
)

func cells(e *env) {
	write := func(version int64, value string) state.Claim {
		return state.Claim{Cells: []state.Write{{Key: "cell", Version: version, Value: []byte(value)}}}
	}
	is := func(version int64, value string) {
		e.Helper()
		if c, _ := e.load("cell", ""); c.Version != version || !bytes.Equal(c.Value, []byte(value)) {
			e.Fatalf("cell %d %q, want %d %q", c.Version, c.Value, version, value)
		}
	}
	is(0, "")
	e.conflicts(write(1, "x"))
	first := write(0, "one")
	e.admits(first)
	first.Cells[0].Value[0] = 'X' // the home has its own copy
	is(1, "one")
	e.conflicts(write(0, "again"))
	e.admits(write(1, "two"))
	is(2, "two")

	c := write(2, "three")
	c.Call = call(1)
	e.admits(c)
	e.admits(c) // the answer was lost: asked again, it is written once
	is(3, "three")
	c.Cells[0].Version = 0
	e.conflicts(c) // not what it asked before
	c.Cells[0].Version = 2
	e.settle(state.Settlement{Cells: []state.Write{{Key: "cell", Version: 3, Value: []byte("four")}}})
	is(4, "four")
	e.conflicts(c) // decided on what is no longer so
	c.Cells[0].Version = 4
	e.admits(c)
	is(4, "four")
}

// conflicts makes a claim and checks that a cell is not as it says.
func (e *env) conflicts(c state.Claim) state.Grant {
	e.Helper()
	g, err := e.try(c)
	if e.fails(err, state.ErrConflict); g.Admitted {
		e.Fatal("admitted with a conflict")
	}
	return g
}

func expectations(e *env) {
	seen := func(version int64, value string) state.Expect {
		return state.Expect{Key: "cell", Cell: state.Cell{Version: version, Value: []byte(value)}}
	}
	by := func(x ...state.Expect) state.Claim {
		return state.Claim{Needs: needs(calls("c", atMost(3, time.Hour))), Expects: x}
	}
	e.admits(by(seen(0, ""))) // a cell that is not there
	tells := func(c state.Claim, want ...state.Cell) {
		e.Helper()
		g := e.conflicts(c)
		if len(g.Expected) != len(want) || g.Now != e.clock.Now() {
			e.Fatalf("%+v, want the cells %+v at %d", g, want, e.clock.Now())
		}
		for i, w := range want {
			if got := g.Expected[i]; got.Version != w.Version || !bytes.Equal(got.Value, w.Value) {
				e.Fatalf("the cells are %+v, want %+v", g.Expected, want)
			}
		}
	}
	tells(by(seen(1, "")), state.Cell{})
	tells(by(seen(0, "x")), state.Cell{})

	e.settle(state.Settlement{Cells: []state.Write{{Key: "cell", Value: []byte("one")}}})
	one, other := state.Cell{Version: 1, Value: []byte("one")}, state.Expect{Key: "other"}
	for _, stale := range []state.Expect{seen(0, ""), seen(2, "one"), seen(1, "two"), seen(1, "")} {
		tells(by(stale), one)
		tells(by(other, stale), state.Cell{}, one)
		refused := by(stale)
		refused.Refused = true // before anything else
		tells(refused, one)
		e.fails(e.Settle(bg, &state.Settlement{Now: e.clock.Now(), Expects: []state.Expect{stale}, Cells: []state.Write{{Key: "other"}}}), state.ErrConflict)
	}
	if c, _ := e.load("other", ""); c.Version != 0 {
		e.Fatal("a settlement with a conflict has written")
	}
	if n := e.count("c", time.Hour); n != 1 {
		e.Fatalf("%d entries, want 1: a conflict takes nothing", n)
	}
	if g := e.admits(by(seen(1, "one"), other)); len(g.Expected) > 0 {
		e.Fatalf("%+v, want no cells without a conflict", g)
	}
	e.settle(state.Settlement{Expects: []state.Expect{seen(1, "one"), other}, Cells: []state.Write{{Key: "second"}}})
	if c, _ := e.load("second", ""); c.Version != 1 {
		e.Fatal("a settlement whose cells are as expected has not written")
	}
	// What is expected and what is written are one operation.
	both := by(seen(1, "one"))
	both.Cells = []state.Write{{Key: "cell", Version: 1, Value: []byte("two")}}
	e.admits(both)
	tells(both, state.Cell{Version: 2, Value: []byte("two")})
	// A repeated claim is decided by what is so now.
	again := state.Claim{Call: call(1), Expects: []state.Expect{seen(2, "two")}}
	e.admits(again)
	e.settle(state.Settlement{Cells: []state.Write{{Key: "cell", Version: 2, Value: []byte("three")}}})
	tells(again, state.Cell{Version: 3, Value: []byte("three")})
	again.Expects[0] = seen(3, "three")
	if g := e.admits(again); !g.Repeated {
		e.Fatal("the conflict has ended the call's identity")
	}
}

func cellsExpire(e *env) {
	write := func(key string, version int64, ttl time.Duration) state.Claim {
		return state.Claim{Cells: []state.Write{{Key: key, Version: version, Value: []byte("value"), TTL: ttl}}}
	}
	is := func(key string, version int64) {
		e.Helper()
		if c, _ := e.load(key, ""); c.Version != version || (c.Value != nil) != (version > 0) {
			e.Fatalf("cell %s is %+v, want version %d", key, c, version)
		}
	}
	e.admits(write("short", 0, time.Minute))
	e.admits(write("tick", 0, e.tick))
	e.settle(state.Settlement{Cells: write("long", 0, 400*24*time.Hour).Cells})
	e.admits(write("for ever", 0, time.Minute))
	e.admits(write("for ever", 1, 0)) // what is written last counts
	e.admits(write("mortal", 0, 0))
	e.settle(state.Settlement{Cells: write("mortal", 1, time.Minute).Cells})
	is("tick", 1)
	e.clock.Advance(e.tick)
	is("tick", 0)
	e.clock.Advance(time.Minute - 2*e.tick)
	is("short", 1)
	is("mortal", 2)
	seen := state.Expect{Key: "short", Cell: state.Cell{Version: 1, Value: []byte("value")}}
	e.admits(state.Claim{Expects: []state.Expect{seen}})

	e.clock.Advance(e.tick)
	is("short", 0)
	is("mortal", 0)
	is("long", 1)
	is("for ever", 2)
	if g := e.conflicts(state.Claim{Expects: []state.Expect{seen}}); g.Expected[0].Version != 0 {
		e.Fatalf("%+v, want that the cell is not there", g.Expected)
	}
	e.conflicts(write("short", 1, 0))
	e.fails(e.Settle(bg, &state.Settlement{Now: e.clock.Now(), Cells: write("mortal", 2, 0).Cells}), state.ErrConflict)
	e.admits(write("short", 0, time.Minute)) // from the beginning
	is("short", 1)
	e.clock.Advance(time.Minute - e.tick)
	e.admits(write("short", 1, time.Minute)) // and it lives on
	e.clock.Advance(time.Minute - e.tick)
	is("short", 2)

	e.clock.Advance(365 * 24 * time.Hour)
	is("short", 0)
	is("long", 1)
	is("for ever", 2)
	e.clock.Advance(-365 * 24 * time.Hour) // time does not go back,
	e.admits(state.Claim{Needs: needs(calls("c", atMost(9, time.Hour)))})
	is("long", 1)
	e.clock.Advance(400 * 24 * time.Hour)
	is("long", 0)
	if err := e.Forget(bg, state.Ended{Cells: []string{"long", "short", "for ever"}}); err != nil {
		e.Fatal(err)
	}
	is("for ever", 0)
	e.admits(write("for ever", 0, 0))
}

func loadTime(e *env) {
	at := func(now int64) int64 {
		e.Helper()
		var v state.View
		if err := e.Load(bg, state.Query{Now: now, Cells: []string{"cell"}}, &v); err != nil {
			e.Fatal(err)
		}
		return v.Now
	}
	e.clock.Advance(time.Hour)
	latest := e.clock.Now()
	e.admits(state.Claim{Cells: []state.Write{{Key: "cell"}}})
	for _, q := range []struct{ now, want int64 }{
		{latest, latest},
		{latest - int64(time.Minute), latest},
		{latest + int64(time.Minute), latest + int64(time.Minute)},
		{latest + int64(e.tick), latest + int64(e.tick)}, // a look leaves no trace
	} {
		if got := at(q.now); got != q.want {
			e.Fatalf("a load at %d says that it is %d, want %d", q.now, got, q.want)
		}
	}
	if g := e.admits(state.Claim{}); g.Now != latest {
		e.Fatalf("a claim is of %d, want %d: a load has moved the time", g.Now, latest)
	}
	if got := at(0); got < latest {
		e.Fatalf("by the home's own clock it is %d, before the %d that it has seen", got, latest)
	}
	e.fails(e.Load(bg, state.Query{Now: -1}, &state.View{}), state.ErrInvalid)
}
