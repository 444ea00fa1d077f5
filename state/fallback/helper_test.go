package fallback_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/fallback"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// fault is what is wrong with the way to a home.
type fault int32

const (
	none   fault = iota
	broken       // it fails at once
	silent       // it does not answer
	lossy        // it does what is asked, and the answer is lost
	senile       // it does not write
	mad          // it panics
	deaf         // it does what is asked, but the answer to an approval is lost
)

// home is a shared home at the end of a way that may fail.
type home struct {
	state.Store
	fault atomic.Int32
	calls atomic.Int32 // that were tried
}

var errDown = errors.New("it is down")

func (h *home) is(f fault) { h.fault.Store(int32(f)) }

func (h *home) via(ctx context.Context, writes bool, do func() error) error {
	h.calls.Add(1)
	switch fault(h.fault.Load()) {
	case broken:
		return errors.Join(state.ErrUnavailable, errDown)
	case mad:
		panic("it is mad")
	case silent:
		<-ctx.Done()
		return ctx.Err()
	case lossy:
		if err := do(); err != nil {
			return err
		}
		return errors.Join(state.ErrUnavailable, errDown)
	case senile:
		if writes {
			return errors.Join(state.ErrUnavailable, errDown)
		}
	}
	return do()
}

func (h *home) Load(ctx context.Context, q state.Query, v *state.View) error {
	return h.via(ctx, false, func() error { return h.Store.Load(ctx, q, v) })
}

func (h *home) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	takes := !c.Refused && len(c.Needs)+len(c.Leases)+len(c.Reserves)+len(c.Cells) > 0 // else it is answered without writing
	return h.via(ctx, takes, func() error { return h.Store.Claim(ctx, c, g) })
}

func (h *home) Settle(ctx context.Context, s *state.Settlement) error {
	return h.via(ctx, true, func() error { return h.Store.Settle(ctx, s) })
}

func (h *home) Release(ctx context.Context, id state.CallID) error {
	return h.via(ctx, true, func() error { return h.Store.Release(ctx, id) })
}

func (h *home) Approve(ctx context.Context, a state.Approval) error {
	return h.via(ctx, true, func() error {
		err := h.Store.Approve(ctx, a)
		if fault(h.fault.Load()) == deaf && err == nil {
			err = errors.Join(state.ErrUnavailable, errDown)
		}
		return err
	})
}

func (h *home) Forget(ctx context.Context, e state.Ended) error {
	return h.via(ctx, true, func() error { return h.Store.Forget(ctx, e) })
}

// env is a home, a store that asks it by a way of its own, and what is behind it.
type env struct {
	*testing.T
	*fallback.Store
	way    *home
	behind state.Store
}

// with runs a test with a store, by a clock that goes when everybody waits.
func with(t *testing.T, o fallback.Options, test func(e *env)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		behind := memory.New(memory.Options{})
		e := &env{T: t, behind: behind, way: &home{Store: behind}}
		e.Store = open(t, e.way, o)
		test(e)
	})
}

func open(t *testing.T, way state.Store, o fallback.Options) *fallback.Store {
	t.Helper()
	s, err := fallback.New(way, memory.New(memory.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// returns has the home answer again, and waits until the store is back.
func (e *env) returns() {
	e.Helper()
	e.way.is(none)
	time.Sleep(5 * time.Second)
	synctest.Wait()
	if st := e.Status(); st.Away || st.Kept != 0 || st.Lost != 0 {
		e.Fatalf("not back: %+v", st)
	}
}

// try makes a claim.
func (e *env) try(c state.Claim) (g state.Grant, err error) {
	err = e.Claim(e.Context(), &c, &g)
	return g, err
}

func (e *env) admits(c state.Claim) state.Grant {
	e.Helper()
	g, err := e.try(c)
	if err != nil || !g.Admitted {
		e.Fatalf("%+v, %v; want admitted", g, err)
	}
	return g
}

func (e *env) refuses(c state.Claim) state.Grant {
	e.Helper()
	g, err := e.try(c)
	if err != nil || g.Admitted {
		e.Fatalf("%+v, %v; want refused", g, err)
	}
	return g
}

func (e *env) ok(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// atHome is how many entries a home holds of an hour of calls.
func (e *env) atHome(spec string) int64 {
	e.Helper()
	c := calls(spec, 0, dsl.StoreDefault)
	c.Refused = true
	var g state.Grant
	if err := e.behind.Claim(e.Context(), &c, &g); err != nil {
		e.Fatal(err)
	}
	return g.Counts[0].N - 1
}

// calls is a claim that one rule counts, which says something of a home that is away.
func calls(spec string, limit int64, says dsl.OnStoreError) state.Claim {
	modes := registry.ModesOf(says)
	return state.Claim{Needs: []registry.Need{{
		Counter: registry.CounterID{Spec: spec},
		Windows: []registry.Window{{Span: time.Hour, Limit: limit, Refuses: true, Modes: modes, Readers: modes}},
		Front:   []int{0},
	}}}
}

// of gives a claim an identity.
func of(c state.Claim, call byte) state.Claim {
	c.Call = state.CallID{call}
	return c
}
