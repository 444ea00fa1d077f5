package session_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// TestRacingCalls sends 10,000 calls at once from many sessions against one
// limit of 100: exactly 100 may run, also where other rules refuse every
// second call, as what is refused takes no slot.
func TestRacingCalls(t *testing.T) {
	const calls, workers = 10_000, 64
	for name, policy := range map[string]string{
		"alone":          `B:frequency:pay.*>100/1h|abort`,
		"half refused":   "B:frequency:pay.*>100/1h|abort\nB:amount>1|abort",
		"half asked for": "B:frequency:pay.*>100/1h|throttle\nB:when:args.amount > 1|confirm",
	} {
		t.Run(name, func(t *testing.T) {
			reg, store, clock := load(t, policy), memory.New(memory.Options{}), session.NewVirtualClock(start)
			args := []*registry.Values{registry.Texts(map[string]string{"amount": "1"}), registry.Texts(map[string]string{"amount": "2"})}
			var next, admitted, wrong atomic.Int64
			var wg sync.WaitGroup
			for w := range workers {
				s, err := session.New(session.Options{ID: fmt.Sprint(w), Registry: reg, Store: store, Clock: clock})
				if err != nil {
					t.Fatal(err)
				}
				wg.Go(func() {
					for i := next.Add(1); i <= calls; i = next.Add(1) {
						st := &session.Step{Call: session.Call{Ability: "pay.send", ID: fmt.Sprint(i), Args: args[i%2]}, Chain: "trade"}
						var v registry.Verdict
						if s.Before(t.Context(), st, &v); v.Decision.Blocks() {
							continue
						}
						admitted.Add(1)
						if i%2 == 1 && name != "alone" {
							wrong.Add(1)
						}
						if err := s.After(t.Context(), session.Outcome{Step: st}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			if admitted.Load() != 100 || wrong.Load() != 0 {
				t.Errorf("%d calls were admitted, %d of them against a rule; want 100 and 0", admitted.Load(), wrong.Load())
			}
		})
	}
}

// TestRacingSession uses one session from many goroutines.
func TestRacingSession(t *testing.T) {
	a := newAgent(t, "B:frequency:x>50/1h|abort\nB:!arg:to|in:user|warn|missing=skip\nB:output:x.output|contains:no|warn")
	var admitted atomic.Int64
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := range 20 {
				st := &session.Step{Call: session.Call{Ability: "x", ID: fmt.Sprint(w, i)}}
				var v registry.Verdict
				a.Before(t.Context(), st, &v)
				a.User("hello")
				if v.Decision.Blocks() {
					continue
				}
				admitted.Add(1)
				out := registry.Text("yes")
				if err := a.After(t.Context(), session.Outcome{Step: st, Output: &out}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if admitted.Load() != 50 {
		t.Errorf("%d calls were admitted, want 50", admitted.Load())
	}
}
