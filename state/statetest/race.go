package statetest

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// race makes n claims from 64 goroutines and returns how many were admitted.
func (e *env) race(n int, claim func(i int) state.Claim) int {
	e.Helper()
	var admitted, next atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			var g state.Grant
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				c := claim(i)
				if c.Now = e.clock.Now(); e.Claim(bg, &c, &g) != nil {
					e.Errorf("claim %d failed", i)
				} else if g.Admitted {
					admitted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return int(admitted.Load())
}

func racing(e *env) {
	c := state.Claim{Needs: needs(calls("c", atMost(100, time.Hour)))}
	if got := e.race(10_000, func(int) state.Claim { return c }); got != 100 {
		e.Fatalf("%d of 10,000 were admitted, want 100", got)
	}
	ids := state.Claim{Needs: needs(calls("d", atMost(100, time.Hour)), executions("r", atMost(9_999, time.Hour)))}
	if got := e.race(10_000, func(i int) state.Claim {
		c := ids
		c.Call, c.Run = state.CallID{byte(i), byte(i >> 8), 1}, "run "+strconv.Itoa(i)
		return c
	}); got != 100 || e.count("r", time.Hour) != 100 {
		e.Fatalf("%d of 10,000 calls with an id were admitted, %d runs were entered, want 100", got, e.count("r", time.Hour))
	}
}

func racingHalfRefused(e *env) {
	// Half of the calls are refused by something else, in four ways; had one
	// of them held a slot for a moment, a good one could find none. There are
	// exactly as many good calls as slots, so that each must be admitted.
	for range 4 {
		e.admits(state.Claim{Needs: needs(calls("full", atMost(4, time.Hour)))})
	}
	const n = 2_000
	got := e.race(2*n, func(i int) state.Claim {
		c := state.Claim{Session: "s", Needs: needs(calls("c", atMost(n, time.Hour)))}
		if i%2 == 0 {
			return c
		}
		switch i / 2 % 4 {
		case 0:
			c.Refused = true
		case 1:
			c.Guards = []registry.Guard{guard(digest(1))}
		case 2:
			c.Needs = append(c.Needs, calls("full", atMost(4, time.Hour)))
		case 3:
			c.Reserves = []state.Reservation{{Account: "money", ID: "r", Amount: 2, Cap: 1}}
		}
		return c
	})
	if got != n || e.count("c", time.Hour) != n {
		e.Fatalf("%d admitted, %d counted, want %d", got, e.count("c", time.Hour), n)
	}
	got = e.race(10_000, func(i int) state.Claim {
		c := state.Claim{Needs: needs(calls("d", atMost(100, time.Hour)))}
		c.Refused = i%2 == 0
		return c
	})
	if got != 100 {
		e.Fatalf("%d of 5,000 good calls were admitted, want 100", got)
	}
}

func racingApproval(e *env) {
	for round := range byte(20) {
		e.approve(state.Approval{Digest: digest(round + 1), Session: "s"})
		if got := e.race(64, func(i int) state.Claim {
			c := asking(digest(round + 1))
			c.Call = state.CallID{byte(i), round, 2}
			return c
		}); got != 1 {
			e.Fatalf("%d calls were admitted by one approval", got)
		}
	}
}

func racingSameCall(e *env) {
	c := state.Claim{Call: call(1), Run: "run", Needs: needs(calls("c", atMost(1, time.Hour)), executions("r", atMost(1, time.Hour)))}
	if got := e.race(500, func(int) state.Claim { return c }); got != 500 {
		e.Fatalf("%d of 500 claims of one call were admitted", got)
	}
	if c, r := e.count("c", time.Hour), e.count("r", time.Hour); c != 1 || r != 1 {
		e.Fatalf("%d and %d entries, want 1 and 1", c, r)
	}
}

func racingLease(e *env) {
	if got := e.race(640, func(i int) state.Claim {
		return state.Claim{Leases: []state.Lease{{Key: "probe", Holder: strconv.Itoa(i), TTL: time.Minute}}}
	}); got != 1 {
		e.Fatalf("%d holders of one lease", got)
	}
}

func racingCells(e *env) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				for done := false; !done; {
					var v state.View
					if err := e.Load(bg, state.Query{Cells: []string{"cell"}}, &v); err != nil {
						e.Errorf("load: %v", err)
						return
					}
					n, _ := strconv.Atoi(string(v.Cells[0].Value))
					w := state.Write{Key: "cell", Version: v.Cells[0].Version, Value: strconv.AppendInt(nil, int64(n+1), 10)}
					err := e.Settle(bg, &state.Settlement{Now: start, Cells: []state.Write{w}})
					if done = err == nil; !done && !errors.Is(err, state.ErrConflict) {
						e.Errorf("settle: %v", err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	if c, _ := e.load("cell", ""); string(c.Value) != "400" || c.Version != 400 {
		e.Fatalf("cell %q at version %d, want 400 of 400 writes", c.Value, c.Version)
	}
}

func racingMany(e *env) {
	// Every call takes from several counters, in an order of its own, and half are released.
	const n, counters = 3_000, 7
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := w; i < n; i += 16 {
				c := state.Claim{Now: start, Call: state.CallID{byte(i), byte(i >> 8), 3}}
				for k := range counters {
					need := calls("c", atMost(9_999, time.Hour))
					need.Counter.Subject = strconv.Itoa((i*3 + k*(1+i%5)) % counters)
					c.Needs = append(c.Needs, need)
				}
				var g state.Grant
				if err := e.Claim(bg, &c, &g); err != nil || !g.Admitted {
					e.Errorf("claim %d: %+v, %v", i, g, err)
				}
				if i%2 == 0 {
					if err := e.Release(bg, c.Call); err != nil {
						e.Errorf("release %d: %v", i, err)
					}
				}
			}
		})
	}
	wg.Wait()
	total := int64(0)
	for k := range counters {
		need := calls("c", more(0, time.Hour))
		need.Counter.Subject = strconv.Itoa(k)
		total += e.refuses(state.Claim{Needs: needs(need), Refused: true}).Counts[0].N - 1
	}
	want := int64(0)
	for i := 1; i < n; i += 2 {
		seen := map[int]bool{}
		for k := range counters {
			seen[(i*3+k*(1+i%5))%counters] = true
		}
		want += int64(len(seen))
	}
	if total != want {
		e.Fatalf("%d entries, want %d", total, want)
	}
}
