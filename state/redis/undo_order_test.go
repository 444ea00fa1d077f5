//go:build unix

package redis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/state"
)

// A claim that was undone counts nothing, in whatever order its tries and its
// undoing arrive, and whatever others do meanwhile.
func TestUndoOrders(t *testing.T) {
	address := shared(t)
	orders := []string{
		"first undo",
		"undo first",
		"undo again",
		"first again undo",
		"first undo again",
		"again undo first",
		"undo again first",
		"undo undo first",
		"first undo undo again",
		"undo other first",
		"undo other other again",
		"other undo other first",
		"first other undo",
		"again other undo first",
		"first other undo other again",
	}
	const own = 1_700_000_000_000_000_000 // the time of claims that bring one
	kinds := map[string]func(c *state.Claim, subject string){
		"counter": func(*state.Claim, string) {},
		"two counters": func(c *state.Claim, subject string) {
			c.Needs = append(c.Needs, oneCall("second "+subject, 9).Needs...)
		},
		"cell":        func(c *state.Claim, _ string) { c.Expects = []state.Expect{{Key: "breaker"}} },
		"a run":       func(c *state.Claim, subject string) { c.Needs[0].Run, c.Run = true, "run of "+subject },
		"all at once": func(c *state.Claim, _ string) { c.Now = own },
	}
	for kind, change := range kinds {
		s := open(t, address) // a domain of its own, with times of its own
		for _, order := range orders {
			for _, before := range []int64{0, 1, 4} {
				name := fmt.Sprintf("%s: %s, %d before", kind, order, before)
				claim := func() *state.Claim {
					c := oneCall(name, 9)
					if kind == "all at once" {
						c.Now = own
					}
					return &c
				}
				for range before {
					admits(t, s, *claim())
				}
				lost := claim()
				change(lost, name)
				try, undo := s.Tries(lost)
				want := before
				for what := range strings.FieldsSeq(order) {
					var err error
					switch what {
					case "first", "again":
						_, err = try(ctx, what == "again")
					case "undo":
						err = undo(ctx)
					case "other":
						admits(t, s, *claim())
						want++
					}
					if err != nil {
						t.Fatalf("%s: %s: %v", name, what, err)
					}
				}
				if n := heldAt(t, s, claim()); n != want {
					t.Errorf("%s: %d are held, want %d", name, n, want)
				}
			}
		}
	}
}

// What is undone is the claim's own entry, though others are of its time.
func TestUndo_SameTime(t *testing.T) {
	s := open(t, shared(t))
	c := oneCall("chain", 9)
	c.Now = time.Now().UnixNano()
	admits(t, s, c)
	tryLost, undo := s.Tries(&c)
	tryOther, _ := s.Tries(&c)
	for _, try := range []func() error{
		func() error { _, err := tryLost(ctx, false); return err },
		func() error { _, err := tryOther(ctx, false); return err },
		func() error { return undo(ctx) },
		func() error { _, err := tryOther(ctx, true); return err }, // it finds its own
	} {
		if err := try(); err != nil {
			t.Fatal(err)
		}
	}
	if n := heldAt(t, s, &c); n != 2 {
		t.Errorf("%d entries, want 2", n)
	}
}

// heldAt is held at the time of a claim.
func heldAt(t *testing.T, s state.Store, c *state.Claim) int64 {
	t.Helper()
	look := oneCall(c.Needs[0].Counter.Subject, 0)
	look.Refused, look.Now = true, c.Now
	return counted(t, s, look)
}
