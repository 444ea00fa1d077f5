package statetest

import (
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

func idempotent(e *env) {
	c := state.Claim{Call: call(1), Needs: needs(calls("c", atMost(1, time.Hour)))}
	if g := e.admits(c); g.Repeated {
		e.Fatal("repeated at the first time")
	}
	for range 3 {
		e.clock.Advance(time.Minute)
		if g := e.admits(c); !g.Repeated {
			e.Fatal("not repeated")
		}
	}
	if n := e.count("c", time.Hour); n != 1 {
		e.Fatalf("%d entries, want 1", n)
	}
	other := c
	other.Call = call(2)
	e.refuses(other)
	e.settle(state.Settlement{Call: c.Call})
	if g := e.refuses(c); g.Repeated || g.Counts[0].N != 2 {
		e.Fatalf("%+v, want a new call after the settlement", g)
	}
	e.clock.Advance(57 * time.Minute)
	if g := e.admits(c); g.Repeated {
		e.Fatal("repeated after the settlement")
	}
	e.settle(state.Settlement{Call: call(9)}) // a call that is not known
}

func repeatedJudged(e *env) {
	n := calls("c", atMost(2, time.Hour))
	c := state.Claim{Call: call(1), Needs: needs(n)}
	e.admits(c)
	e.admits(state.Claim{Needs: needs(n)})
	e.admits(c) // the window is full, but the call's own entry is in it
	tight := c
	tight.Needs = needs(calls("c", atMost(1, time.Hour)))
	if g := e.refuses(tight); !g.Repeated || g.Counts[0] != (registry.Count{N: 2, Free: start + int64(time.Hour)}) {
		e.Fatalf("%+v, want a count of 2 without another entry", g)
	}
	refused := c
	refused.Refused = true
	e.refuses(refused)
	guarded := c
	guarded.Guards = []registry.Guard{guard(registry.Digest{})}
	e.refuses(guarded)
	e.admits(c) // a refusal does not end the identity
	// What the call has not taken yet, it takes.
	wider := c
	wider.Needs = append(needs(n), calls("d", atMost(1, time.Hour)))
	if g := e.admits(wider); !g.Repeated {
		e.Fatal("not repeated")
	}
	e.admits(wider)
	if c, d := e.count("c", time.Hour), e.count("d", time.Hour); c != 2 || d != 1 {
		e.Fatalf("%d and %d entries, want 2 and 1", c, d)
	}
}

func noIdentity(e *env) {
	c := state.Claim{Needs: needs(calls("c", atMost(2, time.Hour)))}
	for range 2 {
		if g := e.admits(c); g.Repeated {
			e.Fatal("repeated without an identity")
		}
	}
	e.refuses(c)
	e.release(state.CallID{})
	e.settle(state.Settlement{})
	e.refuses(c)
}

func runs(e *env) {
	n := executions("c", atMost(2, time.Minute))
	run := func(name string) state.Claim { return state.Claim{Run: name, Needs: needs(n)} }
	for range 3 {
		e.admits(run("one"))
	}
	e.admits(run("two"))
	e.refuses(run("three")) // its first step is not admitted, so it is no execution,
	e.admits(run("one"))
	g := e.refuses(run("three")) // and is tried as the first again
	if g.Counts[0].N != 3 {
		e.Fatalf("count %d, want 3", g.Counts[0].N)
	}
	e.clock.Advance(time.Minute)
	e.admits(run("one")) // a run that outlives the window is not counted again
	if got := e.count("c", time.Minute); got != 0 {
		e.Fatalf("%d entries, want 0", got)
	}
	e.admits(run(""))
	e.admits(run(""))
	e.refuses(run("")) // a run without a name is a run of its own
}

func runsPerCounter(e *env) {
	all, chain := executions("all", atMost(2, time.Hour)), executions("chain", atMost(2, time.Hour))
	e.admits(state.Claim{Run: "one", Needs: needs(chain, all)})
	e.admits(state.Claim{Run: "one", Needs: needs(all, chain)})
	e.admits(state.Claim{Run: "two", Needs: needs(all)})
	e.refuses(state.Claim{Run: "three", Needs: needs(chain, all)})
	if a, c := e.count("all", time.Hour), e.count("chain", time.Hour); a != 2 || c != 1 {
		e.Fatalf("%d and %d entries, want 2 and 1", a, c)
	}
}

func releasedRun(e *env) {
	claim := func(id byte) state.Claim {
		return state.Claim{Run: "run", Call: call(id), Needs: needs(executions("c", atMost(5, time.Hour)))}
	}
	e.admits(claim(1))
	e.admits(claim(1))
	e.release(call(1))
	if n := e.count("c", time.Hour); n != 0 {
		e.Fatalf("%d entries after the release, want 0", n)
	}
	e.admits(claim(2))
	e.admits(claim(3))
	e.release(call(3)) // did not enter it
	if n := e.count("c", time.Hour); n != 1 {
		e.Fatalf("%d entries, want the run's", n)
	}
	e.admits(claim(4))
	e.release(call(2)) // entered it, but another step of the run goes on
	if n := e.count("c", time.Hour); n != 1 {
		e.Fatalf("%d entries, want the run's", n)
	}
	e.admits(claim(5))
	if n := e.count("c", time.Hour); n != 1 {
		e.Fatalf("%d entries, want the run's once", n)
	}
}

func release(e *env) {
	n := calls("c", atMost(9, time.Hour))
	for i := range 3 {
		e.admits(state.Claim{Call: call(byte(10 + i)), Needs: needs(n)})
		e.clock.Advance(time.Minute)
	}
	e.release(call(11)) // the entry in the middle, and no other
	g := e.refuses(state.Claim{Needs: needs(calls("c", atMost(1, time.Hour)))})
	if want := (registry.Count{N: 3, Free: start + int64(2*time.Minute+time.Hour)}); g.Counts[0] != want {
		e.Fatalf("count %+v, want %+v", g.Counts[0], want)
	}
	e.release(call(11))
	e.release(call(99))
	if got := e.count("c", time.Hour); got != 2 {
		e.Fatalf("%d entries after a second release, want 2", got)
	}

	c := everything(call(1))
	c.Guards, c.Cells = nil, nil
	e.admits(c)
	e.release(call(1))
	e.untouched("released")
	c.Leases[0].Holder = "you"
	if g := e.admits(c); g.Repeated {
		e.Fatal("repeated after the release")
	}
	e.settle(state.Settlement{Call: c.Call})
	e.release(call(1)) // settled: there is nothing to undo
	if got := e.count("calls", time.Hour); got != 1 {
		e.Fatalf("%d entries, want the settled call's", got)
	}
}
