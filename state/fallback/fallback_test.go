package fallback_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/fallback"
)

func TestNew_Refuses(t *testing.T) {
	if _, err := fallback.New(nil, nil, fallback.Options{OnError: dsl.StoreLocal + 1}); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("got %v, want ErrInvalid", err)
	}
}

// A home that is silent costs one decision its deadline, and those after it nothing.
func TestDeadline(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal}, func(e *env) {
		e.way.is(silent)
		for i, want := range []time.Duration{50 * time.Millisecond, 0, 0} {
			begin := time.Now()
			g := e.admits(calls("c", 9, dsl.StoreDefault))
			if took := time.Since(begin); took != want {
				e.Errorf("decision %d took %v, want %v", i, took, want)
			}
			if g.Away == nil || g.Away.Reason != "no answer in 50ms" {
				e.Errorf("decision %d was away for %+v", i, g.Away)
			}
		}
	})
}

// timed is a home that keeps a deadline by itself.
type timed struct {
	*home
	timeout time.Duration
}

func (t timed) Timeout() time.Duration { return t.timeout }

func (t timed) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	return t.home.Claim(ctx, c, g)
}

// The shorter of the home's own deadline and the store's holds.
func TestDeadline_OfTheHome(t *testing.T) {
	for _, of := range []time.Duration{20 * time.Millisecond, 50 * time.Millisecond, 80 * time.Millisecond} {
		with(t, local, func(e *env) {
			e.Store = open(e.T, timed{e.way, of}, local)
			e.way.is(silent)
			begin := time.Now()
			g := e.admits(calls("c", 9, dsl.StoreDefault))
			if took, want := time.Since(begin), min(of, 50*time.Millisecond); took != want || g.Away.Reason != "no answer in "+want.String() {
				e.Errorf("it took %v for %q, want %v", took, g.Away.Reason, want)
			}
			e.returns()
		})
	}
}

// The home is probed by nobody who waits for a decision, seldom, and for ever.
func TestProbes(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal, Timeout: time.Millisecond}, func(e *env) {
		e.way.is(broken)
		e.admits(calls("c", 9, dsl.StoreDefault))
		e.way.calls.Store(0)
		for _, tt := range []struct {
			after time.Duration
			want  int32
		}{{49 * time.Millisecond, 0}, {50 * time.Millisecond, 1}, {150 * time.Millisecond, 2}, {350 * time.Millisecond, 3}, {750 * time.Millisecond, 4}, {1550 * time.Millisecond, 5}, {2550 * time.Millisecond, 6}, {60550 * time.Millisecond, 64}} {
			time.Sleep(tt.after - time.Since(e.Status().Since))
			synctest.Wait()
			if n := e.way.calls.Load(); n != tt.want {
				e.Fatalf("%d probes after %v, want %d", n, tt.after, tt.want)
			}
		}
		e.returns()
		if n := e.atHome("c"); n != 1 {
			e.Errorf("the home holds %d entries, want 1", n)
		}
	})
}

// A home that can be read and not written is not back.
func TestReadOnlyHome(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal}, func(e *env) {
		e.way.is(senile)
		e.admits(calls("c", 9, dsl.StoreDefault))
		time.Sleep(time.Minute)
		if st := e.Status(); !st.Away {
			e.Errorf("it is back: %+v", st)
		}
		e.returns()
	})
}

// So it is where nothing is kept that it would be told.
func TestReadOnlyHome_NothingKept(t *testing.T) {
	with(t, fallback.Options{}, func(e *env) {
		e.way.is(senile)
		var g state.Grant
		c := calls("c", 9, dsl.StoreDefault)
		if err := e.Claim(e.Context(), &c, &g); !errors.Is(err, state.ErrDenied) {
			e.Fatalf("error %v, want ErrDenied", err)
		}
		time.Sleep(time.Minute)
		if st := e.Status(); !st.Away {
			e.Errorf("it is back: %+v", st)
		}
		e.returns()
		e.admits(c)
	})
}

// A home that panics while it is probed is not back, and nothing falls with it.
func TestPanickingHome(t *testing.T) {
	with(t, local, func(e *env) {
		e.way.is(broken)
		e.admits(calls("c", 9, dsl.StoreDefault))
		e.way.is(mad)
		time.Sleep(10 * time.Second)
		e.admits(calls("c", 9, dsl.StoreDefault))
		if st := e.Status(); !st.Away || st.Kept != 2 {
			e.Errorf("got %+v, want away with 2 calls kept", st)
		}
		e.returns()
		if n := e.atHome("c"); n != 2 {
			e.Errorf("the home holds %d entries, want 2", n)
		}
	})
}

// What a claim that is decided without the home comes to, by what its rules say
// and what the operator says.
func TestModes(t *testing.T) {
	guarded := func(says dsl.OnStoreError) state.Claim {
		c := calls("c", 1, dsl.StoreDefault)
		w := &c.Needs[0].Windows[0]
		w.Refuses, w.Modes, w.Readers = false, 0, registry.ModesOf(says)
		c.Guards = []registry.Guard{{Windows: []registry.WindowRef{{}}, Modes: registry.ModesOf(says)}}
		return c
	}
	asking := func(says dsl.OnStoreError) state.Claim {
		return state.Claim{Guards: []registry.Guard{{Approval: registry.Digest{1}, Modes: registry.ModesOf(says)}}}
	}
	both := func(a, b dsl.OnStoreError) state.Claim {
		c, d := calls("c", 1, a), calls("d", 1, b)
		c.Needs = append(c.Needs, d.Needs...)
		return c
	}
	same := func(a, b dsl.OnStoreError) state.Claim { // two rules with one window
		c := calls("c", 1, a)
		c.Needs[0].Windows[0].Modes |= registry.ModesOf(b)
		return c
	}
	warning := func(says dsl.OnStoreError) state.Claim { // or a rule that only observes
		c := calls("c", 1, says)
		c.Needs[0].Windows[0].Refuses, c.Needs[0].Windows[0].Modes = false, 0
		return c
	}
	beside := func(a, b dsl.OnStoreError) state.Claim { // of which the second only warns
		c := calls("c", 1, a)
		c.Needs = append(c.Needs, warning(b).Needs...)
		return c
	}
	const unsaid, deny, allow, local = dsl.StoreDefault, dsl.StoreDeny, dsl.StoreAllow, dsl.StoreLocal
	for name, tt := range map[string]struct {
		operator dsl.OnStoreError
		claim    state.Claim
		want     string // of three equal claims
	}{
		"nobody says":                 {unsaid, calls("c", 1, unsaid), "denied denied denied"},
		"the operator denies":         {deny, calls("c", 1, unsaid), "denied denied denied"},
		"the operator allows":         {allow, calls("c", 1, unsaid), "admitted admitted admitted"},
		"the operator says local":     {local, calls("c", 1, unsaid), "admitted refused refused"},
		"the rule denies":             {allow, calls("c", 1, deny), "denied denied denied"},
		"the rule allows":             {deny, calls("c", 1, allow), "admitted admitted admitted"},
		"the rule says local":         {deny, calls("c", 1, local), "admitted refused refused"},
		"one denies, one allows":      {local, both(deny, allow), "denied denied denied"},
		"one denies, one local":       {allow, both(deny, local), "denied denied denied"},
		"one allows, one local":       {deny, both(allow, local), "admitted refused refused"},
		"one window, deny and allow":  {local, same(deny, allow), "denied denied denied"},
		"one window, allow and local": {deny, same(allow, local), "admitted refused refused"},
		"one window, allow and none":  {deny, same(allow, unsaid), "denied denied denied"},
		"a warning, denied":           {deny, warning(unsaid), "denied denied denied"},
		"a warning, nobody says":      {unsaid, warning(unsaid), "denied denied denied"},
		"a warning that denies":       {allow, warning(deny), "denied denied denied"},
		"a warning that allows":       {deny, warning(allow), "admitted admitted admitted"},
		"a warning, local":            {local, warning(unsaid), "admitted admitted admitted"},
		"a warning denies, one local": {allow, beside(local, deny), "denied denied denied"},
		"a warning allows, one local": {deny, beside(local, allow), "admitted refused refused"},
		"a warning unsaid, one local": {deny, beside(local, unsaid), "denied denied denied"},
		"nothing to count, denied":    {deny, state.Claim{}, "denied denied denied"},
		"nothing to count, allowed":   {allow, state.Claim{}, "admitted admitted admitted"},
		"nothing to count, local":     {local, state.Claim{}, "admitted admitted admitted"},
		"a guard that denies":         {allow, guarded(deny), "denied denied denied"},
		"a guard that allows":         {deny, guarded(allow), "admitted admitted admitted"},
		"a guard that says local":     {deny, guarded(local), "admitted refused refused"},
		"a question, denied":          {deny, asking(unsaid), "denied denied denied"},
		"a question, allowed":         {deny, asking(allow), "refused refused refused"},
		"a question, local":           {deny, asking(local), "refused refused refused"},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, fallback.Options{OnError: tt.operator}, func(e *env) {
				e.way.is(broken)
				var got []string
				for range 3 {
					switch g, err := e.try(tt.claim); {
					case errors.Is(err, state.ErrDenied) && errors.Is(err, state.ErrUnavailable) && strings.Contains(err.Error(), errDown.Error()):
						got = append(got, "denied")
					case err != nil:
						e.Fatal(err)
					case g.Admitted:
						got = append(got, "admitted")
					default:
						got = append(got, "refused")
					}
				}
				if got := strings.Join(got, " "); got != tt.want {
					e.Errorf("%s, want %s", got, tt.want)
				}
				e.returns()
			})
		})
	}
}

// Each process has its part of a limit, rounded down, what it was admitted
// before included.
func TestFleet(t *testing.T) {
	for _, tt := range []struct {
		limit       int64
		fleet, want int
	}{{5, 1, 5}, {5, 2, 2}, {5, 5, 1}, {5, 40, 0}, {200, 40, 5}, {0, 1, 0}} {
		with(t, fallback.Options{OnError: dsl.StoreLocal, Fleet: tt.fleet}, func(e *env) {
			e.way.is(broken)
			n := 0
			for range 300 {
				if g, err := e.try(calls("c", tt.limit, dsl.StoreDefault)); err == nil && g.Admitted {
					n++
				}
			}
			if n != tt.want {
				e.Errorf("limit %d, fleet %d: %d were admitted, want %d", tt.limit, tt.fleet, n, tt.want)
			}
		})
	}
	with(t, fallback.Options{OnError: dsl.StoreLocal, Fleet: 2}, func(e *env) {
		for range 3 {
			e.admits(calls("c", 8, dsl.StoreDefault))
		}
		e.way.is(broken)
		e.admits(calls("c", 8, dsl.StoreDefault))
		g := e.refuses(calls("c", 8, dsl.StoreDefault))
		if g.Counts[0].N != 5 || g.Away == nil || g.Away.Fleet != 2 {
			e.Errorf("got %+v, want a count of 5 in a fleet of 2", g.Tally)
		}
	})
}

// What was admitted meanwhile is at home once it is back, and once only.
func TestReconciles(t *testing.T) {
	for _, f := range []fault{broken, silent, lossy} {
		with(t, fallback.Options{OnError: dsl.StoreLocal}, func(e *env) {
			e.admits(of(calls("c", 9, dsl.StoreDefault), 1))
			e.way.is(f)
			e.admits(of(calls("c", 9, dsl.StoreDefault), 2))
			e.admits(of(calls("c", 9, dsl.StoreDefault), 3))
			e.ok(e.Settle(e.Context(), &state.Settlement{Call: state.CallID{1}}))
			e.ok(e.Settle(e.Context(), &state.Settlement{Call: state.CallID{2}}))
			e.returns()
			if n := e.atHome("c"); n != 3 {
				e.Errorf("the home holds %d entries, want 3", n)
			}
			for call, repeated := range map[byte]bool{1: false, 2: false, 3: true} {
				c := of(calls("c", 9, dsl.StoreDefault), call)
				c.Refused = true
				if g := e.refuses(c); g.Repeated != repeated {
					e.Errorf("call %d is in flight: %v, want %v", call, g.Repeated, repeated)
				}
			}
			e.ok(e.Release(e.Context(), state.CallID{3}))
			if n := e.atHome("c"); n != 2 {
				e.Errorf("the home holds %d entries after a release, want 2", n)
			}
		})
	}
}

// An entry without identity is told once, though the answer is lost each time.
func TestReconcilesOnce(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal}, func(e *env) {
		e.way.is(broken)
		for range 3 {
			e.admits(calls("c", 9, dsl.StoreDefault))
		}
		e.way.is(lossy)
		time.Sleep(time.Minute)
		e.returns()
		if n := e.atHome("c"); n != 3 {
			e.Errorf("the home holds %d entries, want 3", n)
		}
	})
}

// What has left every window is not told: it would begin a new life in them.
func TestReconcilesNoMoreThanNeeded(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal}, func(e *env) {
		e.way.is(broken)
		e.admits(calls("c", 9, dsl.StoreDefault))
		time.Sleep(time.Hour)
		e.admits(calls("c", 9, dsl.StoreDefault))
		e.returns()
		if n := e.atHome("c"); n != 1 {
			e.Errorf("the home holds %d entries, want 1", n)
		}
	})
}

// A released call is given back, whenever it was admitted.
func TestRelease(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal, Fleet: 1}, func(e *env) {
		e.admits(of(calls("c", 2, dsl.StoreDefault), 1))
		e.way.is(broken)
		e.admits(of(calls("c", 2, dsl.StoreDefault), 2))
		e.ok(e.Release(e.Context(), state.CallID{1}))
		e.ok(e.Release(e.Context(), state.CallID{2}))
		e.admits(of(calls("c", 2, dsl.StoreDefault), 3))
		e.returns()
		if n := e.atHome("c"); n != 1 {
			e.Errorf("the home holds %d entries, want 1", n)
		}
	})
}

// A run is one execution, whichever home saw its steps.
func TestRuns(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal}, func(e *env) {
		step := func(run string) state.Claim {
			c := calls("runs", 2, dsl.StoreDefault)
			c.Needs[0].Run, c.Run = true, run
			return c
		}
		e.admits(step("a"))
		e.way.is(broken)
		e.admits(step("a"))
		e.admits(step("b"))
		e.refuses(step("c"))
		e.returns()
		e.admits(step("a"))
		e.admits(step("b"))
		e.refuses(step("c"))
		if n := e.atHome("runs"); n != 2 {
			e.Errorf("the home holds %d runs, want 2", n)
		}
	})
}

// No more is kept than there is room for; then only what is let pass uncounted is admitted.
func TestBound(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal, MaxKept: 3}, func(e *env) {
		e.way.is(broken)
		for range 3 {
			e.admits(calls("c", 99, dsl.StoreDefault))
		}
		_, err := e.try(calls("c", 99, dsl.StoreDefault))
		if !errors.Is(err, state.ErrDenied) || !strings.Contains(err.Error(), "the 3 calls that may be kept") {
			e.Errorf("got %v, want that nothing more can be kept", err)
		}
		for name, err := range map[string]error{
			"settle":  e.Settle(e.Context(), &state.Settlement{Call: state.CallID{1}}),
			"release": e.Release(e.Context(), state.CallID{1}),
			"approve": e.Approve(e.Context(), state.Approval{Digest: registry.Digest{1}, Session: "s"}),
			"forget":  e.Forget(e.Context(), state.Ended{Session: "s"}),
		} {
			if !errors.Is(err, state.ErrUnavailable) {
				e.Errorf("%s: got %v, want ErrUnavailable", name, err)
			}
		}
		e.returns()
		if n := e.atHome("c"); n != 3 {
			e.Errorf("the home holds %d entries, want 3", n)
		}
	})
}

// That the caller wants no answer any more says nothing of the home.
func TestContextOfTheCaller(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal}, func(e *env) {
		e.way.is(silent)
		ctx, cancel := context.WithCancel(e.Context())
		time.AfterFunc(time.Millisecond, cancel)
		c, g := calls("c", 9, dsl.StoreDefault), state.Grant{}
		if err := e.Claim(ctx, &c, &g); err == nil || g.Admitted {
			e.Errorf("%+v, %v; want an error", g, err)
		}
		over, cancel := context.WithTimeout(e.Context(), 0)
		defer cancel()
		if err := e.Claim(over, &c, &g); !errors.Is(err, state.ErrUnavailable) || g.Admitted {
			e.Errorf("%+v, %v; want an error", g, err)
		}
		if st := e.Status(); st.Away {
			e.Errorf("the home is away: %+v", st)
		}
	})
}

// A caller who waits for less than the store does gets what is said about a home
// that does not answer all the same, and the home is left.
func TestDeadline_OfTheCaller(t *testing.T) {
	for mode, want := range map[dsl.OnStoreError][]bool{dsl.StoreDeny: {false, false}, dsl.StoreAllow: {true, true}, dsl.StoreLocal: {true, false}} {
		with(t, fallback.Options{OnError: mode}, func(e *env) {
			e.way.is(silent)
			for i, want := range want {
				begin := time.Now()
				ctx, cancel := context.WithTimeout(e.Context(), 20*time.Millisecond)
				c, g := calls("c", 1, dsl.StoreDefault), state.Grant{}
				err := e.Claim(ctx, &c, &g)
				cancel()
				if g.Admitted != want || (err != nil) != (mode == dsl.StoreDeny) || err != nil && !errors.Is(err, state.ErrDenied) {
					e.Errorf("%v, claim %d: %+v, %v; want admitted: %v", mode, i, g, err, want)
				}
				if took := time.Since(begin); took != 20*time.Millisecond*time.Duration(1-i) {
					e.Errorf("%v, claim %d took %v", mode, i, took)
				}
			}
			if st := e.Status(); !st.Away || st.Reason != "no answer within the caller's deadline" {
				e.Errorf("got %+v, want away", st)
			}
			e.returns()
		})
	}
}

// A store that is closed while its home is away tells it what it can, or says
// how much it could not.
func TestClose(t *testing.T) {
	for _, back := range []bool{true, false} {
		with(t, fallback.Options{OnError: dsl.StoreLocal}, func(e *env) {
			e.way.is(silent)
			e.admits(calls("c", 9, dsl.StoreDefault))
			e.admits(calls("c", 9, dsl.StoreDefault))
			want := int64(0)
			if back {
				e.way.is(none)
				want = 2
			}
			err := e.Close()
			if (err == nil) != back || !back && !strings.Contains(err.Error(), "calls: 2") {
				e.Errorf("back: %v; closing says %v", back, err)
			}
			if n := e.atHome("c"); n != want {
				e.Errorf("back: %v; the home holds %d entries, want %d", back, n, want)
			}
		})
	}
}
