package memory

import (
	"context"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

func TestClockNeverGoesBack(t *testing.T) {
	given := func(t *testing.T, c *clock, now, want int64) {
		t.Helper()
		if got := c.now(now); got != want {
			t.Errorf("now(%d) = %d, want %d", now, got, want)
		}
		if got := c.seen(); got != want {
			t.Errorf("seen() = %d, want %d", got, want)
		}
	}
	t.Run("times that are brought", func(t *testing.T) {
		c := newClock(nil)
		given(t, c, 100, 100)
		given(t, c, 50, 100)
		given(t, c, 101, 101)
	})
	t.Run("a source", func(t *testing.T) {
		times := []int64{100, 90, 110, -5}
		c := newClock(func() int64 {
			next := times[0]
			times = times[1:]
			return next
		})
		for _, want := range []int64{100, 100, 110, 110} {
			given(t, c, 0, want)
		}
		given(t, c, 105, 110)
	})
	t.Run("its own after a later one", func(t *testing.T) {
		c := newClock(nil)
		later := time.Now().Add(time.Hour).UnixNano()
		given(t, c, later, later)
		given(t, c, 0, later)
	})
	t.Run("an earlier one after its own", func(t *testing.T) {
		c := newClock(nil)
		own := c.now(0)
		if d := time.Duration(time.Now().UnixNano() - own); d < 0 || d > time.Hour {
			t.Errorf("the clock is %v off the wall clock", d)
		}
		if got := c.now(100); got < own {
			t.Errorf("now(100) = %d after %d", got, own)
		}
	})
}

// A claim that was overtaken between its look at the clock and the lock has
// the time of the one that overtook it: entries stay in order.
func TestOvertakenClaim(t *testing.T) {
	for _, needs := range []int{1, 2} {
		s := New(Options{})
		c := state.Claim{Needs: make([]registry.Need, needs)}
		for i := range c.Needs {
			c.Needs[i] = registry.Need{
				Counter: registry.CounterID{Spec: "s", Subject: string(rune('a' + i))},
				Windows: []registry.Window{{Span: time.Hour, Limit: 9}}, Front: []int{0},
			}
		}
		var g state.Grant
		later := time.Now().Add(time.Minute).UnixNano()
		for range 3 {
			if err := s.Claim(context.Background(), &c, &g); err != nil || !g.Admitted {
				t.Fatalf("%+v, %v; want admitted", g, err)
			}
			n, _ := s.ofCounter(&c.Needs[0].Counter)
			s.shards[n].latest = later
		}
		if g.Now != later {
			t.Errorf("%d needs: time %d, want the shard's %d", needs, g.Now, later)
		}
	}
}
