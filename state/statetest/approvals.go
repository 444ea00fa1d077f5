package statetest

import (
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// asking is a claim that needs an approval.
func asking(d registry.Digest) state.Claim {
	return state.Claim{Session: "s", Guards: []registry.Guard{guard(d)}}
}

func approvalOnce(e *env) {
	if g := e.refuses(asking(digest(1))); g.Approved[0] {
		e.Fatal("approved before anybody did")
	}
	e.approve(state.Approval{Digest: digest(1), Session: "s"})
	e.approve(state.Approval{Digest: digest(1), Session: "s"}) // the same answer, not a second one
	if g := e.admits(asking(digest(1))); !g.Approved[0] {
		e.Fatal("not approved")
	}
	e.refuses(asking(digest(1)))
	e.refuses(asking(digest(2)))
}

func approvalNeeded(e *env) {
	e.approve(state.Approval{Digest: digest(1), Session: "s"})
	// The call is refused for another reason.
	refused := asking(digest(1))
	refused.Refused = true
	if g := e.refuses(refused); !g.Approved[0] {
		e.Fatal("not approved")
	}
	// The rule would not have refused.
	c := asking(digest(1))
	c.Needs = needs(calls("c", more(1, time.Hour)))
	c.Guards[0].Windows = []registry.WindowRef{{}}
	if g := e.admits(c); !g.Approved[0] {
		e.Fatal("not approved")
	}
	e.admits(c) // more than one in the hour: here it was needed
	e.refuses(c)
	// A window that its rule alone makes refuse asks for no approval.
	e.approve(state.Approval{Digest: digest(1), Session: "s"})
	c.Needs[0].Windows[0].Refuses = true
	e.refuses(c)
}

func approvalForRun(e *env) {
	e.approve(state.Approval{Digest: digest(1), Session: "s", ForRun: true})
	e.approve(state.Approval{Digest: digest(1), Session: "s", Expires: start + int64(time.Hour)})
	for range 3 {
		e.admits(asking(digest(1)))
	}
	e.clock.Advance(time.Hour) // the later answer changed the expiry
	e.refuses(asking(digest(1)))
}

func approvalExpires(e *env) {
	e.approve(state.Approval{Digest: digest(1), Session: "s", ForRun: true, Expires: start + int64(time.Minute)})
	other := asking(digest(1))
	other.Session = "another"
	e.refuses(other)
	e.clock.Advance(time.Minute - e.tick)
	e.admits(asking(digest(1)))
	e.clock.Advance(e.tick)
	e.refuses(asking(digest(1)))
}

func approvalRepeated(e *env) {
	e.approve(state.Approval{Digest: digest(1), Session: "s"})
	c := asking(digest(1))
	c.Call = call(1)
	e.admits(c)
	if g := e.admits(c); !g.Repeated || !g.Approved[0] {
		e.Fatalf("%+v, want repeated and approved", g)
	}
	other := c
	other.Call = call(2)
	e.refuses(other)
	e.settle(state.Settlement{Call: c.Call})
	e.refuses(c)
	// A repeated call that needs an approval it did not need before uses it up.
	plain := state.Claim{Session: "s", Call: call(3)}
	e.admits(plain)
	e.approve(state.Approval{Digest: digest(3), Session: "s"})
	plain.Guards = []registry.Guard{guard(digest(3))}
	e.admits(plain)
	e.admits(plain)
	e.refuses(asking(digest(3)))
}
