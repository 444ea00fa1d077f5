package fallback_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/fallback"
)

// What is let pass while no more can be kept the home never counts: the verdict
// says so, and the status.
func TestBound_Allow(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreAllow, MaxKept: 3}, func(e *env) {
		e.way.is(broken)
		for i := range byte(10) {
			g := e.admits(of(calls("x", 5, dsl.StoreAllow), i+1))
			if told := !strings.HasSuffix(g.Away.Reason, ", and the 3 calls that may be kept for it are: this one it will never count"); told != (i < 3) {
				e.Errorf("call %d is away for %q", i, g.Away.Reason)
			}
		}
		if st := e.Status(); st.Kept != 3 || st.Lost != 7 {
			e.Errorf("got %+v, want 3 kept and 7 lost", st)
		}
		for i := range byte(6) { // beyond them nobody remembers what is in flight
			e.ok(e.Settle(e.Context(), &state.Settlement{Call: state.CallID{i + 1}}))
		}
		if st := e.Status(); st.Kept != 6 {
			e.Errorf("got %+v, want 6 kept: what the home never hears of need not end", st)
		}
		e.way.is(none)
		time.Sleep(5 * time.Second)
		if st := e.Status(); st.Away || st.Lost != 7 {
			e.Errorf("got %+v, want back, and 7 lost", st)
		}
		if n := e.atHome("x"); n != 3 {
			e.Errorf("the home holds %d entries, want 3", n)
		}
	})
}

// A call that was let pass untold, and is asked for again once there is room, is
// told, and so is its end.
func TestBound_ToldLater(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreAllow, MaxKept: 1}, func(e *env) {
		e.way.is(broken)
		e.ok(e.Approve(e.Context(), approval(1, false)))
		c := of(calls("x", 5, dsl.StoreAllow), 7)
		e.admits(c)
		e.admits(asks(1)) // which uses the approval up
		if g := e.admits(c); !g.Repeated {
			e.Errorf("got %+v, want a repeated call", g)
		}
		e.ok(e.Settle(e.Context(), &state.Settlement{Call: c.Call}))
		e.way.is(none)
		time.Sleep(5 * time.Second)
		if st := e.Status(); st.Away || st.Lost != 1 {
			e.Errorf("got %+v, want back, and 1 lost", st)
		}
		if g := e.admits(c); g.Repeated || e.atHome("x") != 2 {
			e.Errorf("got %+v and %d entries at home, want a new call, and 2", g, e.atHome("x"))
		}
	})
}

// There is room for the end of every call that was admitted, locally or before.
func TestBound_Ends(t *testing.T) {
	for name, end := range map[string]func(e *env, id state.CallID) error{
		"settle":  func(e *env, id state.CallID) error { return e.Settle(e.Context(), &state.Settlement{Call: id}) },
		"release": func(e *env, id state.CallID) error { return e.Release(e.Context(), id) },
	} {
		with(t, fallback.Options{OnError: dsl.StoreLocal, MaxKept: 3}, func(e *env) {
			for i := range byte(6) {
				if i == 3 {
					e.way.is(broken)
				}
				e.admits(of(calls("x", 9, dsl.StoreLocal), i+1))
			}
			for i := range byte(6) {
				if err := end(e, state.CallID{i + 1}); err != nil {
					e.Errorf("%s of call %d: %v", name, i, err)
				}
			}
			e.returns()
			for i := range byte(6) {
				if g := e.admits(of(calls("x", 99, dsl.StoreLocal), i+1)); g.Repeated {
					e.Errorf("%s: call %d is in flight still", name, i)
				}
			}
		})
	}
}

// A call that the home may have admitted, and whose answer was lost, is given
// back if it is refused here.
func TestLostAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		mode  dsl.OnStoreError
		limit int64
		want  int64
	}{
		"denied":           {dsl.StoreDeny, 4, 0},
		"let pass":         {dsl.StoreAllow, 4, 1},
		"admitted locally": {dsl.StoreLocal, 4, 1},
		"refused locally":  {dsl.StoreLocal, 1, 0},
	} {
		with(t, fallback.Options{OnError: tt.mode, Fleet: 2}, func(e *env) {
			e.way.is(lossy)
			e.try(of(calls("x", tt.limit, dsl.StoreDefault), 7))
			if n := e.atHome("x"); n != 1 {
				e.Fatalf("%s: the home holds %d entries, want 1", name, n)
			}
			e.returns()
			if n := e.atHome("x"); n != tt.want {
				e.Errorf("%s: the home holds %d entries, want %d", name, n, tt.want)
			}
		})
	}
}

// A call that is in flight is not given back when it is asked for again and
// that answer is lost; nor one that another still asks for.
func TestLostAnswer_OfAnother(t *testing.T) {
	with(t, fallback.Options{}, func(e *env) {
		c := of(calls("x", 4, dsl.StoreDefault), 7)
		e.admits(c)
		e.way.is(lossy)
		if _, err := e.try(c); err == nil {
			e.Error("admitted by a home that is away")
		}
		e.returns()
		if n := e.atHome("x"); n != 1 {
			e.Errorf("the home holds %d entries, want 1", n)
		}
		e.ok(e.Settle(e.Context(), &state.Settlement{Call: c.Call}))
		e.way.is(lossy)
		e.try(c) // a new call of the name
		e.returns()
		if n := e.atHome("x"); n != 1 {
			e.Errorf("the home holds %d entries, want 1", n)
		}
	})
	with(t, fallback.Options{Timeout: time.Hour}, func(e *env) {
		slow := &claimLate{late{Store: e.way, held: make(chan struct{})}}
		e.Store = open(e.T, slow, fallback.Options{Timeout: time.Hour})
		slow.hold.Store(true)
		c := of(calls("x", 4, dsl.StoreDefault), 7)
		var first state.Grant
		go func() { e.ok(e.Claim(context.Background(), &c, &first)) }()
		synctest.Wait() // the home has admitted it, and the answer is under way
		e.way.is(lossy)
		if _, err := e.try(c); err == nil {
			e.Error("admitted by a home that is away")
		}
		e.returns()
		close(slow.held)
		synctest.Wait()
		if n := e.atHome("x"); n != 1 || !first.Admitted {
			e.Errorf("the home holds %d entries of %+v, want 1", n, first)
		}
	})
}

// Nothing is given back once there was no room to remember what is in flight.
func TestLostAnswer_NotRemembered(t *testing.T) {
	with(t, fallback.Options{MaxKept: 1}, func(e *env) {
		for i := range byte(3) {
			e.admits(of(calls("x", 4, dsl.StoreDefault), i))
		}
		e.ok(e.Settle(e.Context(), &state.Settlement{Call: state.CallID{1}}))
		e.admits(of(calls("x", 9, dsl.StoreDefault), 3)) // fills it
		e.admits(of(calls("x", 9, dsl.StoreDefault), 4)) // and this is missed
		e.ok(e.Settle(e.Context(), &state.Settlement{Call: state.CallID{2}}))
		e.way.is(lossy)
		e.try(of(calls("x", 9, dsl.StoreDefault), 4))
		e.returns()
		if n := e.atHome("x"); n != 5 {
			e.Errorf("the home holds %d entries, want 5", n)
		}
	})
}

// A process that ends need not tell a home that is away what it would count too much.
func TestLostAnswer_Close(t *testing.T) {
	with(t, fallback.Options{}, func(e *env) {
		e.way.is(lossy)
		e.try(of(calls("x", 4, dsl.StoreDefault), 7))
		e.way.is(broken)
		if err := e.Close(); err != nil {
			e.Errorf("closing says %v", err)
		}
	})
}
