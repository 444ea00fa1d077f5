package fallback_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/fallback"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// story is what happens to a fleet: a list of events, drawn before the clock goes.
type story struct {
	fleet  int
	limit  int64
	span   time.Duration
	events []event
}

type event struct {
	after time.Duration
	who   int
	fault fault // of whose way, if it changes
	turns bool
	named bool // the claim has an identity, and is settled at once
}

func tell(t *rapid.T) story {
	s := story{fleet: rapid.IntRange(1, 4).Draw(t, "fleet"), limit: rapid.Int64Range(0, 12).Draw(t, "limit")}
	s.span = time.Duration(rapid.SampledFrom([]int{1, 5, 30}).Draw(t, "span")) * time.Second
	s.events = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) event {
		return event{
			after: time.Duration(rapid.SampledFrom([]int{0, 0, 0, 1, 40, 300, 1000, 4000}).Draw(t, "after")) * time.Millisecond,
			who:   rapid.IntRange(0, s.fleet-1).Draw(t, "who"),
			fault: rapid.SampledFrom([]fault{none, none, broken, silent, lossy, senile}).Draw(t, "fault"),
			turns: rapid.IntRange(0, 4).Draw(t, "turns") == 0,
			named: rapid.Bool().Draw(t, "named"),
		}
	}), 100, 400).Draw(t, "events")
	return s
}

// admission is a call that some process of the fleet was admitted.
type admission struct {
	at    int64
	local bool
}

// TestFleet_Bound lets processes lose sight of their home at any times, in any
// way. No window ever holds more than the package promises, and in the end the
// home has counted everything.
func TestFleet_Bound(t *testing.T) {
	var over, local, refused int
	rapid.Check(t, func(rt *rapid.T) {
		s := tell(rt)
		var fault string
		synctest.Test(t, func(t *testing.T) { fault = s.play(t, &over, &local, &refused) })
		if fault != "" {
			rt.Fatalf("%s: %+v", fault, s)
		}
	})
	t.Logf("%d windows above the limit; %d calls admitted locally, %d refused", over, local, refused)
	if over == 0 || local < 50 || refused < 50 {
		t.Errorf("%d windows above the limit, %d calls admitted locally, %d refused: too few to mean anything", over, local, refused)
	}
}

func (s *story) play(t *testing.T, over, local, refused *int) string {
	behind := memory.New(memory.Options{})
	ways, stores := make([]*home, s.fleet), make([]*fallback.Store, s.fleet)
	for i := range stores {
		ways[i] = &home{Store: behind}
		stores[i] = open(t, ways[i], fallback.Options{OnError: dsl.StoreLocal, Fleet: s.fleet})
	}
	var admitted []admission
	for i, ev := range s.events {
		time.Sleep(ev.after)
		if ev.turns {
			ways[ev.who].is(ev.fault)
			continue
		}
		c, g := s.claim(), state.Grant{}
		if ev.named {
			c.Call = state.CallID{byte(i), byte(i >> 8), 1}
		}
		if err := stores[ev.who].Claim(t.Context(), &c, &g); err != nil {
			return fmt.Sprintf("event %d: %v", i, err)
		}
		if !g.Admitted {
			*refused++
			continue
		}
		admitted = append(admitted, admission{at: time.Now().UnixNano(), local: g.Away != nil})
		if g.Away != nil {
			*local++
		}
		if n, locals := s.inside(admitted, g.Now); n > s.bound() || locals == n && n > s.limit {
			return fmt.Sprintf("event %d: %d in a window, %d of them local, want at most %d, and %d if all are local", i, n, locals, s.bound(), s.limit)
		} else if n > s.limit {
			*over++
		}
		if ev.named {
			if err := stores[ev.who].Settle(t.Context(), &state.Settlement{Call: c.Call}); err != nil {
				return fmt.Sprintf("event %d: settle: %v", i, err)
			}
		}
	}
	return s.reconciled(t.Context(), behind, ways, stores, admitted)
}

// reconciled lets all come back and compares what the home has counted.
func (s *story) reconciled(ctx context.Context, behind state.Store, ways []*home, stores []*fallback.Store, admitted []admission) string {
	for i, w := range ways {
		w.is(none)
		for range 50 {
			if !stores[i].Status().Away {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if st := stores[i].Status(); st.Away || st.Kept != 0 || st.Lost != 0 {
			return fmt.Sprintf("process %d is not back: %+v", i, st)
		}
	}
	now := time.Now().UnixNano()
	c, g := s.claim(), state.Grant{}
	c.Needs[0].Windows[0].Limit, c.Refused = 0, true
	if err := behind.Claim(ctx, &c, &g); err != nil {
		return err.Error()
	}
	if n, _ := s.inside(admitted, now); g.Counts[0].N-1 < int64(n) {
		return fmt.Sprintf("the home has counted %d of %d", g.Counts[0].N-1, n)
	}
	return ""
}

func (s *story) claim() state.Claim {
	c := calls("c", s.limit, dsl.StoreDefault)
	c.Needs[0].Windows[0].Span = s.span
	return c
}

// bound is the most that a window may hold.
func (s *story) bound() int64 {
	k := int64(s.fleet)
	return s.limit + (k-1)*(s.limit/k)
}

// inside counts the calls in the window that ends now, and those of them that
// were admitted locally.
func (s *story) inside(admitted []admission, now int64) (n, locals int64) {
	for _, a := range admitted {
		if a.at > now-int64(s.span) {
			n++
			if a.local {
				locals++
			}
		}
	}
	return n, locals
}

// A home that is restarted empty lets a limit be used once more, and no more
// than that: it is told what was admitted while it was away.
func TestRestartedEmpty(t *testing.T) {
	with(t, local, func(e *env) {
		const limit = 5
		n := 0
		try := func(times int) {
			for range times {
				if g, err := e.try(calls("c", limit, dsl.StoreDefault)); err == nil && g.Admitted {
					n++
				}
			}
		}
		try(3)
		e.way.is(broken)
		try(9)
		if n != limit {
			e.Errorf("%d were admitted before, want %d", n, limit)
		}
		e.way.Store = memory.New(memory.Options{})
		e.returns()
		try(9)
		if want := limit + 3; n != want { // the 3 are what it has forgotten
			e.Errorf("%d were admitted in all, want %d", n, want)
		}
	})
}
