package fallback_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/fallback"
)

// One process never passes a limit, however many calls are under way when it
// loses sight of the home, and however often it does.
func TestRace(t *testing.T) {
	const limit, callers, rounds = 100, 16, 60
	with(t, fallback.Options{OnError: dsl.StoreLocal}, func(e *env) {
		var admitted atomic.Int64
		var wg sync.WaitGroup
		for who := range callers {
			wg.Go(func() {
				for i := range rounds {
					c, g := of(calls("c", limit, dsl.StoreDefault), 0), state.Grant{}
					c.Call = state.CallID{byte(who), byte(i), 1}
					if err := e.Claim(e.Context(), &c, &g); err != nil {
						e.Errorf("claim: %v", err)
					}
					if g.Admitted {
						admitted.Add(1)
						if err := e.Settle(e.Context(), &state.Settlement{Call: c.Call}); err != nil {
							e.Errorf("settle: %v", err)
						}
					}
					time.Sleep(time.Duration(i%7) * 10 * time.Millisecond)
				}
			})
		}
		wg.Go(func() {
			for i := range 40 {
				e.way.is([]fault{broken, none, lossy, none, silent, none}[i%6])
				time.Sleep(35 * time.Millisecond)
			}
			e.way.is(none)
		})
		wg.Wait()
		if n := admitted.Load(); n > limit {
			e.Errorf("%d were admitted, want at most %d", n, limit)
		}
		e.returns()
		if n := e.atHome("c"); n < admitted.Load() {
			e.Errorf("the home holds %d entries of %d", n, admitted.Load())
		}
	})
}

// slow is a home that takes a while for everything.
type slow struct{ *home }

func (s slow) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	time.Sleep(time.Millisecond)
	return s.home.Claim(ctx, c, g)
}

// A process that decides more than the home can be told comes back all the same,
// and nobody waits for longer than the deadline.
func TestManyDecisions(t *testing.T) {
	with(t, local, func(e *env) {
		e.Store = open(e.T, slow{e.way}, local)
		var wg sync.WaitGroup
		var over atomic.Bool
		var away atomic.Int64
		for range 20 {
			wg.Go(func() {
				for !over.Load() {
					begin := time.Now()
					c, g := calls("c", 9_999, dsl.StoreDefault), state.Grant{}
					c.Needs[0].Windows[0].Span = 500 * time.Millisecond
					if err := e.Claim(e.Context(), &c, &g); err != nil || !g.Admitted {
						e.Errorf("%+v, %v; want admitted", g, err)
					}
					if g.Away != nil {
						away.Add(1)
					}
					if took := time.Since(begin); took > 51*time.Millisecond {
						e.Errorf("a decision took %v", took)
					}
					time.Sleep(2 * time.Millisecond)
				}
			})
		}
		e.way.is(broken)
		time.Sleep(60 * time.Millisecond)
		e.way.is(none)
		time.Sleep(5 * time.Second)
		if st := e.Status(); st.Away {
			e.Errorf("not back: %+v", st)
		}
		over.Store(true)
		wg.Wait()
		if away.Load() < 100 {
			e.Errorf("%d decisions were local: too few to mean anything", away.Load())
		}
	})
}

// late is a home whose answers to some calls are held back.
type late struct {
	state.Store
	hold atomic.Bool
	held chan struct{}
}

func (l *late) hang() {
	if l.hold.CompareAndSwap(true, false) {
		<-l.held
	}
}

// A claim that the home admits while it is left by others counts among those
// that are admitted locally.
func TestLeftInBetween(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal, Timeout: time.Hour}, func(e *env) {
		slow := &claimLate{late{Store: e.way, held: make(chan struct{})}}
		s := open(e.T, slow, fallback.Options{OnError: dsl.StoreLocal, Timeout: time.Hour})
		slow.hold.Store(true)
		var wg sync.WaitGroup
		var first state.Grant
		wg.Go(func() {
			c := of(calls("c", 1, dsl.StoreDefault), 1)
			if err := s.Claim(e.Context(), &c, &first); err != nil {
				e.Error(err)
			}
		})
		synctest.Wait() // the home has admitted it, and the answer is under way
		e.way.is(broken)
		var second state.Grant
		c := calls("c", 1, dsl.StoreDefault)
		e.ok(s.Claim(e.Context(), &c, &second))
		close(slow.held)
		wg.Wait()
		if !second.Admitted || first.Admitted || first.Away == nil {
			e.Errorf("first %+v, second %+v; want the second alone admitted", first, second)
		}
		e.Store = s
		e.returns()
		if n := e.atHome("c"); n != 1 {
			e.Errorf("the home holds %d entries, want the second alone", n)
		}
	})
}

type claimLate struct{ late }

func (l *claimLate) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	err := l.Store.Claim(ctx, c, g)
	l.hang()
	return err
}

type settleLate struct{ late }

func (l *settleLate) Settle(ctx context.Context, s *state.Settlement) error {
	err := l.Store.Settle(ctx, s)
	l.hang()
	return err
}

// A cell that the home writes while it is left by others is as they see it.
func TestCells_LeftInBetween(t *testing.T) {
	for _, theirs := range []bool{false, true} {
		with(t, fallback.Options{OnError: dsl.StoreLocal, Timeout: time.Hour}, func(e *env) {
			slow := &settleLate{late{Store: e.way, held: make(chan struct{})}}
			e.Store = open(e.T, slow, fallback.Options{OnError: dsl.StoreLocal, Timeout: time.Hour})
			e.ok(e.write("a", 0, "1"))
			seen := e.holds("a", "1")
			slow.hold.Store(true)
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := e.write("a", seen.Version, "2"); err != nil {
					e.Error(err)
				}
			})
			synctest.Wait()
			e.way.is(broken)
			e.holds("a", "1")
			want := "2"
			if theirs {
				e.ok(e.write("a", seen.Version, "local"))
				want = "local"
			}
			close(slow.held)
			wg.Wait()
			e.holds("a", want)
			e.returns()
			e.holds("a", "2") // the home's own stands
		})
	}
}

// Approvals that are given at the same time as others are handed over are
// held once.
func TestApprovals_Race(t *testing.T) {
	with(t, local, func(e *env) {
		e.way.is(broken)
		var used atomic.Int64
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				time.Sleep(time.Duration(i%9) * 10 * time.Millisecond)
				if i == 20 {
					e.way.is(none)
				}
				if i < 8 {
					a := approval(1, false)
					a.Digest = registry.Digest{byte(i + 1)}
					if err := e.Approve(e.Context(), a); err != nil {
						e.Error(err)
					}
				}
				for d := range byte(8) {
					c, g := asks(d+1), state.Grant{}
					if err := e.Claim(e.Context(), &c, &g); err != nil {
						e.Errorf("claim: %v", err)
					}
					if g.Admitted {
						used.Add(1)
					}
					time.Sleep(20 * time.Millisecond)
				}
			})
		}
		wg.Wait()
		e.returns()
		for d := range byte(8) {
			if g, err := e.try(asks(d + 1)); err == nil && g.Admitted {
				used.Add(1)
			}
		}
		if n := used.Load(); n != 8 {
			e.Errorf("8 approvals admitted %d calls", n)
		}
	})
}
