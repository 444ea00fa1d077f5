package statetest

import (
	"context"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// everything is a claim that takes one of each kind.
func everything(id state.CallID) state.Claim {
	return state.Claim{
		Session: "s", Call: id, Run: "run",
		Needs:    needs(calls("calls", atMost(9, time.Hour)), executions("runs", atMost(9, time.Hour))),
		Guards:   []registry.Guard{guard(digest(1))},
		Leases:   []state.Lease{{Key: "probe", Holder: "me", TTL: time.Minute}},
		Reserves: []state.Reservation{{Account: "money", ID: "r", Amount: 10, Cap: 100}},
		Cells:    []state.Write{{Key: "cell", Value: []byte("new")}},
	}
}

// untouched checks that nothing of everything was taken.
func (e *env) untouched(why string) {
	e.Helper()
	if n := e.count("calls", time.Hour); n != 0 {
		e.Fatalf("%s: %d calls were taken", why, n)
	}
	if n := e.count("runs", time.Hour); n != 0 {
		e.Fatalf("%s: %d runs were taken", why, n)
	}
	cell, account := e.load("cell", "money")
	if cell.Version != 0 || account != (state.Account{}) {
		e.Fatalf("%s: cell %+v and account %+v were written", why, cell, account)
	}
}

func refusedTakesNothing(e *env) {
	for range 9 {
		e.admits(state.Claim{Needs: needs(calls("full", atMost(9, time.Hour)))})
	}
	e.admits(state.Claim{Leases: []state.Lease{{Key: "taken", Holder: "other", TTL: time.Hour}}})
	e.admits(state.Claim{Cells: []state.Write{{Key: "moved"}}})
	e.approve(state.Approval{Digest: digest(1), Session: "s"})
	reasons := []struct {
		why    string
		refuse func(*state.Claim)
	}{
		{"refused outright", func(c *state.Claim) { c.Refused = true }},
		{"a full window", func(c *state.Claim) { c.Needs = append(c.Needs, calls("full", atMost(9, time.Hour))) }},
		{"a guard", func(c *state.Claim) { c.Guards = append(c.Guards, guard(registry.Digest{})) }},
		{"an approval that is not held", func(c *state.Claim) { c.Guards = append(c.Guards, guard(digest(2))) }},
		{"a lease held by another", func(c *state.Claim) {
			c.Leases = append(c.Leases, state.Lease{Key: "taken", Holder: "me", TTL: time.Minute})
		}},
		{"a cap", func(c *state.Claim) {
			c.Reserves = append(c.Reserves, state.Reservation{Account: "money", ID: "second", Amount: 91, Cap: 100})
		}},
		{"a cell that is not as it was seen", func(c *state.Claim) { c.Expects = append(c.Expects, state.Expect{Key: "moved"}) }},
		{"a cell that moved on", func(c *state.Claim) { c.Cells = append(c.Cells, state.Write{Key: "moved"}) }},
	}
	for i, r := range reasons {
		c := everything(call(1))
		r.refuse(&c)
		g, err := e.try(c)
		if i >= len(reasons)-2 {
			e.fails(err, state.ErrConflict)
		} else if err != nil {
			e.Fatalf("%s: %v", r.why, err)
		}
		if g.Admitted || g.Repeated {
			e.Fatalf("%s: %+v, want refused", r.why, g)
		}
		e.untouched(r.why)
	}
	// The lease and the approval were left, too: another takes the one, and the other serves.
	c := everything(call(1))
	c.Leases[0].Holder = "you"
	if g := e.admits(c); !g.Approved[0] || g.Lease != -1 || g.Reserve != -1 || g.LeaseUntil != 0 {
		e.Fatalf("%+v, want all taken", g)
	}
}

func guards(e *env) {
	n := calls("c", more(1, time.Minute), more(3, time.Hour))
	both := guard(registry.Digest{}, registry.WindowRef{Window: 0}, registry.WindowRef{Window: 1})
	c := state.Claim{Needs: needs(n), Guards: []registry.Guard{both}}
	e.admits(c)
	e.admits(c) // two in a minute, but not more than three in an hour
	e.admits(c)
	e.refuses(c)
	e.clock.Advance(time.Minute)
	e.admits(c) // four in an hour, but one in the minute
	if g := e.refuses(c); g.Approved[0] {
		e.Fatal("the zero digest was approved")
	}
	e.refuses(state.Claim{Guards: []registry.Guard{guard(registry.Digest{})}}) // a guard without windows
}

func nonsense(e *env) {
	window := func(w registry.Window) func(*state.Claim) {
		return func(c *state.Claim) { c.Needs = append(c.Needs, calls("bad", w)) }
	}
	bad := map[string]func(*state.Claim){
		"negative now":     func(c *state.Claim) { c.Now = -1 },
		"span of 0":        window(registry.Window{Limit: 1}),
		"negative span":    window(registry.Window{Span: -time.Hour, Limit: 1}),
		"negative limit":   window(registry.Window{Span: time.Hour, Limit: -1}),
		"limit at the cap": window(registry.Window{Span: time.Hour, Limit: dsl.MaxHistory}),
		"front too high":   func(c *state.Claim) { c.Needs[0].Front = []int{1} },
		"front negative":   func(c *state.Claim) { c.Needs[0].Front = []int{-1} },
		"past in disorder": func(c *state.Claim) { c.Needs[0].Past = []int64{2, 1} },
		"guard's need":     func(c *state.Claim) { c.Guards = append(c.Guards, guard(digest(1), registry.WindowRef{Need: 2})) },
		"guard's window":   func(c *state.Claim) { c.Guards = append(c.Guards, guard(digest(1), registry.WindowRef{Window: 1})) },
		"guard negative":   func(c *state.Claim) { c.Guards = append(c.Guards, guard(digest(1), registry.WindowRef{Need: -1})) },
		"lease for ever":   func(c *state.Claim) { c.Leases[0].TTL = 0 },
		"lease of nobody":  func(c *state.Claim) { c.Leases[0].Holder = "" },
		"lease of nothing": func(c *state.Claim) { c.Leases[0].Key = "" },
		"lease twice":      func(c *state.Claim) { c.Leases = append(c.Leases, c.Leases[0]) },
		"negative amount":  func(c *state.Claim) { c.Reserves[0].Amount = -1 },
		"negative cap":     func(c *state.Claim) { c.Reserves[0].Cap = -2 },
		"no account":       func(c *state.Claim) { c.Reserves[0].Account = "" },
		"no reservation":   func(c *state.Claim) { c.Reserves[0].ID = "" },
		"reserved twice":   func(c *state.Claim) { c.Reserves = append(c.Reserves, c.Reserves[0]) },
		"sum too high": func(c *state.Claim) {
			c.Reserves = append(c.Reserves, state.Reservation{Account: "money", ID: "x", Amount: 1<<63 - 1, Cap: -1})
		},
		"negative version": func(c *state.Claim) { c.Cells[0].Version = -1 },
		"no cell":          func(c *state.Claim) { c.Cells[0].Key = "" },
		"cell twice":       func(c *state.Claim) { c.Cells = append(c.Cells, c.Cells[0]) },
		"cell for less":    func(c *state.Claim) { c.Cells[0].TTL = -1 },
		"lease before":     func(c *state.Claim) { c.Leases[0].From = -1 },
		"no cell expected": func(c *state.Claim) { c.Expects = []state.Expect{{}} },
		"none of before":   func(c *state.Claim) { c.Expects = []state.Expect{{Key: "cell", Cell: state.Cell{Version: -1}}} },
	}
	e.approve(state.Approval{Digest: digest(1), Session: "s"})
	for why, spoil := range bad {
		c := everything(call(1))
		spoil(&c)
		g, err := e.try(c)
		if g.Admitted {
			e.Errorf("%s: admitted", why)
		}
		e.fails(err, state.ErrInvalid)
		e.untouched(why)
	}
	for why, s := range map[string]state.Settlement{
		"negative now":       {Now: -1},
		"negative amount":    {Now: start, Spent: []state.Spent{{Account: "money", Amount: 5}, {Account: "money", Amount: -1}}},
		"no account":         {Now: start, Spent: []state.Spent{{Amount: 1}}},
		"lease of nobody":    {Now: start, Leases: []string{"probe"}},
		"negative version":   {Now: start, Cells: []state.Write{{Key: "cell", Version: -1}}},
		"a life of less":     {Now: start, Cells: []state.Write{{Key: "cell", TTL: -1}}},
		"no cell expected":   {Now: start, Cells: []state.Write{{Key: "cell"}}, Expects: []state.Expect{{}}},
		"the same one twice": {Now: start, Cells: []state.Write{{Key: "cell"}, {Key: "cell"}}},
	} {
		e.fails(e.Settle(bg, &s), state.ErrInvalid)
		e.untouched(why)
	}
	e.fails(e.Approve(bg, state.Approval{Session: "s"}), state.ErrInvalid)
	e.fails(e.Approve(bg, state.Approval{Digest: digest(3), Expires: -1}), state.ErrInvalid)
}

func cancelled(e *env) {
	ctx, cancel := context.WithCancel(bg)
	cancel()
	c := everything(call(1))
	c.Now, c.Guards = start, nil
	var g state.Grant
	e.fails(e.Claim(ctx, &c, &g), context.Canceled)
	if g.Admitted {
		e.Fatal("admitted")
	}
	e.untouched("cancelled")
	e.fails(e.Settle(ctx, &state.Settlement{Now: start, Spent: []state.Spent{{Account: "money", Amount: 5}}}), context.Canceled)
	e.fails(e.Approve(ctx, state.Approval{Digest: digest(1), Session: "s"}), context.Canceled)
	e.fails(e.Load(ctx, state.Query{}, &state.View{}), context.Canceled)
	e.untouched("cancelled")
	e.refuses(state.Claim{Session: "s", Guards: []registry.Guard{guard(digest(1))}})
	e.admits(c)
	e.fails(e.Release(ctx, c.Call), context.Canceled)
	e.fails(e.Forget(ctx, state.Ended{Cells: []string{"cell"}}), context.Canceled)
	if cell, _ := e.load("cell", "money"); cell.Version != 1 || e.count("calls", time.Hour) != 1 {
		e.Fatal("a cancelled release or forget did something")
	}
	late, cancel := context.WithDeadline(bg, time.Unix(1, 0))
	defer cancel()
	e.fails(e.Claim(late, &c, &g), state.ErrUnavailable)
}
