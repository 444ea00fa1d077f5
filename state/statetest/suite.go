// Package statetest is the conformance suite of state.Store: what every home
// of the state must do, whoever wrote it.
//
// Run tests what the interface promises, and is for every home. RunReopened is
// for those that outlive the store, and RunProcesses, with Main, for those that
// processes share.
//
// It owns what the interface promises and nothing of how a home keeps it. It
// tests neither crashes, nor speed, nor memory, which differ from home to home.
package statetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// Clock is the time of a test. Every claim of the suite brings its time, so a
// home needs the clock only where it has no time of its own.
type Clock struct {
	now atomic.Int64
	// Resolution is the home's: it may not tell times apart that are closer.
	// The function that opens the home sets it. 0: a nanosecond.
	Resolution time.Duration
}

// Now returns the time in Unix nanoseconds.
func (c *Clock) Now() int64 { return c.now.Load() }

// Advance moves the time on, or back if d is negative.
func (c *Clock) Advance(d time.Duration) { c.now.Add(int64(d)) }

func (c *Clock) tick() time.Duration { return max(1, c.Resolution) }

// start is the time at which every test begins: a whole second.
var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).UnixNano()

// Run tests a home of the state. open returns a new and empty one; it may set
// the clock's resolution and ends the home with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T, clock *Clock) state.Store) {
	tests := []struct {
		name string
		test func(*env)
	}{
		{"Exactly N are admitted", exactlyN},
		{"The window slides, open at its old end", windowEdges},
		{"Several windows of one counter", severalWindows},
		{"A limit of 0 admits nothing and knows no time", limitZero},
		{"A quiet need has no counts", quietNeed},
		{"A window that does not refuse only counts", countingWindow},
		{"Past times count for their claim only", pastTimes},
		{"A counter named twice takes one entry", counterTwice},
		{"The history is capped", cappedHistory},
		{"Time never goes back", timeNeverBack},
		{"The home's own clock", homeClock},
		{"A refused claim takes nothing", refusedTakesNothing},
		{"A guard refuses if all its windows are exceeded", guards},
		{"A call is idempotent until it is settled", idempotent},
		{"A repeated call is judged again", repeatedJudged},
		{"A call without identity is always new", noIdentity},
		{"A run is one execution", runs},
		{"Runs are counted in every counter", runsPerCounter},
		{"A released run was none, unless others joined it", releasedRun},
		{"Release gives everything back", release},
		{"An approval admits one call", approvalOnce},
		{"An approval is used only where it is needed", approvalNeeded},
		{"An approval for the run stays", approvalForRun},
		{"An approval expires and belongs to its session", approvalExpires},
		{"A consumed approval counts for the repeated call", approvalRepeated},
		{"A lease has one holder", leases},
		{"A lease may be taken from its time on", leaseFrom},
		{"A reservation never passes its cap", reservations},
		{"An amount is settled once", settlements},
		{"A cell is written at its version", cells},
		{"A claim is by cells as they were seen", expectations},
		{"A cell expires", cellsExpire},
		{"A load tells the home's time", loadTime},
		{"A settlement with a conflict does nothing", settleConflict},
		{"What has ended is forgotten", forget},
		{"Nonsense is refused", nonsense},
		{"A cancelled context takes nothing", cancelled},
		{"Racing calls fill a limit exactly", racing},
		{"No racing call is refused while a slot is free", racingHalfRefused},
		{"Racing equal calls share one approval", racingApproval},
		{"Racing claims of one call take one slot", racingSameCall},
		{"One of many gets the lease", racingLease},
		{"Racing writes lose nothing", racingCells},
		{"Claims over many counters do not deadlock", racingMany},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.test(newEnv(t, open)) })
	}
	t.Run("Random operations agree with a naive oracle", func(t *testing.T) { machine(t, open) })
}

// env is one test with a home of its own.
type env struct {
	*testing.T
	state.Store
	clock *Clock
	tick  time.Duration
}

func newEnv(t *testing.T, open func(*testing.T, *Clock) state.Store) *env {
	clock := &Clock{}
	clock.now.Store(start)
	e := &env{T: t, clock: clock}
	e.Store = open(t, clock)
	e.tick = clock.tick()
	return e
}

var bg = context.Background()

// claim makes a claim at the clock's time and fails the test on an error.
func (e *env) claim(c state.Claim) state.Grant {
	e.Helper()
	g, err := e.try(c)
	if err != nil {
		e.Fatalf("claim: %v", err)
	}
	return g
}

func (e *env) try(c state.Claim) (state.Grant, error) {
	var g state.Grant
	if c.Now == 0 {
		c.Now = e.clock.Now()
	}
	err := e.Claim(bg, &c, &g)
	return g, err
}

// admits and refuses make a claim and check the answer.
func (e *env) admits(c state.Claim) state.Grant {
	e.Helper()
	g := e.claim(c)
	if !g.Admitted {
		e.Fatalf("refused, want admitted: %+v", g)
	}
	return g
}

func (e *env) refuses(c state.Claim) state.Grant {
	e.Helper()
	g := e.claim(c)
	if g.Admitted {
		e.Fatalf("admitted, want refused: %+v", g)
	}
	return g
}

func (e *env) settle(s state.Settlement) {
	e.Helper()
	s.Now = e.clock.Now()
	if err := e.Settle(bg, &s); err != nil {
		e.Fatalf("settle: %v", err)
	}
}

func (e *env) release(id state.CallID) {
	e.Helper()
	if err := e.Release(bg, id); err != nil {
		e.Fatalf("release: %v", err)
	}
}

func (e *env) approve(a state.Approval) {
	e.Helper()
	if err := e.Approve(bg, a); err != nil {
		e.Fatalf("approve: %v", err)
	}
}

// load returns one cell and one account.
func (e *env) load(cell, account string) (state.Cell, state.Account) {
	e.Helper()
	var v state.View
	if err := e.Load(bg, state.Query{Now: e.clock.Now(), Cells: []string{cell}, Accounts: []string{account}}, &v); err != nil {
		e.Fatalf("load: %v", err)
	}
	if len(v.Cells) != 1 || len(v.Accounts) != 1 {
		e.Fatalf("load found %d cells and %d accounts, want 1 and 1", len(v.Cells), len(v.Accounts))
	}
	return v.Cells[0], v.Accounts[0]
}

// fails checks that an error wraps another.
func (e *env) fails(err, want error) {
	e.Helper()
	if !errors.Is(err, want) {
		e.Fatalf("error is %v, want one that wraps %v", err, want)
	}
}

// count returns the entries that a counter holds in a span, without adding one.
func (e *env) count(spec string, span time.Duration) int64 {
	e.Helper()
	// A limit of 0 is exceeded by the entry that would be added, so the need is not quiet.
	n := calls(spec, registry.Window{Span: span})
	g := e.refuses(state.Claim{Needs: []registry.Need{n}, Refused: true})
	return g.Counts[0].N - 1
}

// calls is a need that counts calls for one subject.
func calls(spec string, windows ...registry.Window) registry.Need {
	n := registry.Need{Counter: registry.CounterID{Spec: spec, Subject: "chain"}, Windows: windows}
	for i := range windows {
		n.Front = append(n.Front, i)
	}
	return n
}

// executions is a need that counts runs.
func executions(spec string, windows ...registry.Window) registry.Need {
	n := calls(spec, windows...)
	n.Run = true
	return n
}

// atMost is a window that refuses.
func atMost(limit int64, span time.Duration) registry.Window {
	return registry.Window{Span: span, Limit: limit, Refuses: true}
}

// more is a window that only counts.
func more(limit int64, span time.Duration) registry.Window {
	return registry.Window{Span: span, Limit: limit}
}

func needs(n ...registry.Need) []registry.Need { return n }

// guard refuses when the windows are exceeded.
func guard(approval registry.Digest, windows ...registry.WindowRef) registry.Guard {
	return registry.Guard{Approval: approval, Windows: windows}
}

func digest(b byte) registry.Digest { return registry.Digest{b} }

func call(b byte) state.CallID { return state.CallID{b, 1} }
