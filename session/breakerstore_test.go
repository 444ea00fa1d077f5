package session_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// farStore is a store on another machine, whose time has nothing to do with
// that of the sessions, and which counts how often it is asked.
type farStore struct {
	state.Store
	now                   int64
	loads, claims, settle int
}

func newFarStore() *farStore {
	s := &farStore{now: start.UnixNano()}
	s.Store = memory.New(memory.Options{Now: func() int64 { return s.now }})
	return s
}

func (s *farStore) advance(d time.Duration) { s.now += int64(d) }

func (s *farStore) Load(ctx context.Context, q state.Query, v *state.View) error {
	s.loads++
	return s.Store.Load(ctx, q, v)
}

func (s *farStore) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	s.claims++
	return s.Store.Claim(ctx, c, g)
}

func (s *farStore) Settle(ctx context.Context, c *state.Settlement) error {
	s.settle++
	return s.Store.Settle(ctx, c)
}

// asked returns how often the store was asked since the last time.
func (s *farStore) asked() string {
	text := fmt.Sprintf("%d loads, %d claims, %d settlements", s.loads, s.claims, s.settle)
	s.loads, s.claims, s.settle = 0, 0, 0
	return text
}

// live is a session by the clock of its machine.
func live(t testing.TB, store state.Store, id string, breakers ...session.Breaker) *agent {
	t.Helper()
	if breakers == nil {
		breakers = session.DefaultBreakers()
	}
	s, err := session.New(session.Options{ID: id, Registry: load(t, ""), Store: store, Breakers: breakers})
	if err != nil {
		t.Fatal(err)
	}
	return &agent{Session: s, t: t}
}

// A breaker goes by the store's time, to the nanosecond, whatever the machines'
// clocks show: here they are years apart from it.
func TestBreakerByTheStoresTime(t *testing.T) {
	store := newFarStore()
	a, b := live(t, store, "a"), live(t, store, "b")
	for range 5 {
		a.try("web", session.ClassTool)
	}
	for _, x := range []*agent{a, b} {
		if st, phase, _, err := x.Breaker(t.Context(), "web"); err != nil || phase != breaker.Open || st.Opened != store.now {
			t.Errorf("%s is %s since %d (%v), want open since %d", x.ID(), phase, st.Opened, err, store.now)
		}
	}
	store.advance(30*time.Second - 1)
	for _, x := range []*agent{a, b} {
		var v registry.Verdict
		x.Before(t.Context(), &session.Step{Call: session.Call{Ability: "web"}}, &v)
		if brief(&v) != "abort circuit_open" || v.RetryAfter != 1 {
			t.Errorf("%s, retry after %v; want it open for a nanosecond", brief(&v), v.RetryAfter)
		}
	}
	store.advance(1)
	lost := &session.Step{Call: session.Call{Ability: "web"}}
	if got := b.judge(lost); got != "allow" {
		t.Errorf("the probe: %s", got)
	}
	if got := a.try("web", ""); got != "abort circuit_open" {
		t.Errorf("beside the probe: %s", got)
	}
	store.advance(breaker.DefaultProbe)
	if err := b.After(t.Context(), session.Outcome{Step: lost, Output: output("late")}); err != nil {
		t.Fatal(err)
	}
	if _, phase, _, _ := b.Breaker(t.Context(), "web"); phase != breaker.HalfOpen {
		t.Errorf("after a probe whose lease was over: %s", phase)
	}
	if got := a.try("web", ""); got != "allow" {
		t.Errorf("the next probe: %s", got)
	}
	if _, phase, _, _ := b.Breaker(t.Context(), "web"); phase != breaker.Closed {
		t.Errorf("after a probe that succeeded: %s", phase)
	}
}

// A decision is one request, and so is the report of a success, unless somebody
// else has moved the breaker.
func TestBreakerRoundTrips(t *testing.T) {
	store := newFarStore()
	a, b := live(t, store, "a"), live(t, store, "b")
	begin := func(x *agent, id, want, requests string) *session.Step {
		t.Helper()
		st := &session.Step{Call: session.Call{Ability: "web", ID: id}}
		if got := x.judge(st); got != want {
			t.Fatalf("%s: %s, want %s", x.ID(), got, want)
		}
		if got := store.asked(); got != requests {
			t.Errorf("%s: %s to decide, want %s", x.ID(), got, requests)
		}
		return st
	}
	end := func(x *agent, st *session.Step, class, requests string) {
		t.Helper()
		o := session.Outcome{Step: st, Failed: class != "", Class: class}
		if err := x.After(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if got := store.asked(); got != requests {
			t.Errorf("%s: %s to report, want %s", x.ID(), got, requests)
		}
	}
	const decide, decideAgain = "0 loads, 1 claims, 0 settlements", "0 loads, 2 claims, 0 settlements"
	const report, look, change = "0 loads, 0 claims, 1 settlements", "1 loads, 0 claims, 0 settlements", "1 loads, 0 claims, 1 settlements"

	end(a, begin(a, "1", "allow", decide), "", report) // never called before
	end(a, begin(a, "", "allow", decide), "", look)    // without an id there is nothing but the breaker to ask
	end(a, begin(a, "2", "allow", decide), session.ClassTool, change)
	end(a, begin(a, "3", "allow", decide), session.ClassTool, change) // its own write it knows
	end(b, begin(b, "4", "allow", decideAgain), session.ClassArguments, report)
	end(b, begin(b, "5", "allow", decide), "", change) // begins the row anew
	end(b, begin(b, "6", "allow", decide), "", report)
	both := []*session.Step{begin(a, "7", "allow", decideAgain), begin(b, "8", "allow", decide)}
	end(b, both[1], session.ClassTool, change)
	end(a, both[0], "", "1 loads, 0 claims, 2 settlements") // a success that ends a row it did not know of
	for range 5 {
		a.try("web", session.ClassTool)
	}
	store.asked()
	begin(a, "9", "abort circuit_open", decide)
	begin(b, "10", "abort circuit_open", decideAgain)
	begin(b, "11", "abort circuit_open", decide)
	store.advance(breaker.DefaultReset)
	end(b, begin(b, "12", "allow", decide), "", change) // the probe
	end(a, begin(a, "13", "allow", decideAgain), "", report)
	end(a, begin(a, "14", "allow", decide), "", report)
}

// What another session, or an operator there, has closed is closed at once.
func TestBreakerClosedByAnother(t *testing.T) {
	for _, manual := range []bool{false, true} {
		store := newFarStore()
		rule := session.Breaker{Abilities: "*", Config: breaker.Config{Manual: manual}}
		a, b := live(t, store, "a", rule), live(t, store, "b", rule)
		for range 5 {
			a.try("web", session.ClassTool)
		}
		if got := b.try("web", ""); got != "abort circuit_open" {
			t.Errorf("opened by another: %s", got)
		}
		if err := a.ResetBreaker(t.Context(), "web"); err != nil {
			t.Fatal(err)
		}
		if got := b.try("web", ""); got != "allow" {
			t.Errorf("closed by another: %s", got)
		}
	}
}

// A breaker that is called by others all the time is refused, not waited for.
func TestBreakerContended(t *testing.T) {
	s := live(t, &brokenClaim{Store: memory.New(memory.Options{}), cell: []byte{}}, "a")
	if got := s.try("web", ""); got != "abort store_error" {
		t.Errorf("%s, want store_error", got)
	}
}

// Breakers of abilities that nobody calls any more leave nothing behind, but not
// before their time.
func TestBreakersAreForgotten(t *testing.T) {
	home := memory.New(memory.Options{})
	clock := session.NewVirtualClock(start)
	agents := func(c breaker.Config) *agent {
		s, err := session.New(session.Options{ID: fmt.Sprint(c), Registry: load(t, ""), Store: home, Clock: clock, Breakers: []session.Breaker{{Abilities: "*", Config: c}}})
		if err != nil {
			t.Fatal(err)
		}
		return &agent{s, clock, t}
	}
	usual, week, manual := agents(breaker.Config{}), agents(breaker.Config{Reset: 7 * 24 * time.Hour}), agents(breaker.Config{Manual: true})
	const names = 2000
	for i := range names {
		usual.try(fmt.Sprint("made.up.", i), session.ClassTool)
	}
	for range 5 {
		week.try("week", session.ClassTool)
		manual.try("manual", session.ClassTool)
	}
	for range 4 {
		usual.try("rare", session.ClassTool)
	}
	if n := home.Stats().Cells; n != names+3 {
		t.Fatalf("%d cells, want %d", n, names+3)
	}
	later := func(d time.Duration) {
		t.Helper()
		clock.Advance(d)
		for i := range 20_000 { // claims of many chains: each sweeps a little
			c := state.Claim{Now: clock.Now(), Needs: []registry.Need{{
				Counter: registry.CounterID{Spec: "busy", Subject: fmt.Sprint(i % 5000)},
				Windows: []registry.Window{{Span: time.Second, Limit: 9999}}, Front: []int{0},
			}}}
			if err := home.Claim(t.Context(), &c, new(state.Grant)); err != nil {
				t.Fatal(err)
			}
		}
	}
	later(breaker.Forget - 1)
	if n := home.Stats().Cells; n != names+3 {
		t.Errorf("%d cells before their time is over, want all %d", n, names+3)
	}
	if got := week.try("week", ""); got != "abort circuit_open" {
		t.Errorf("open for a week: %s", got)
	}
	later(1)
	if n := home.Stats().Cells; n != 2 {
		t.Errorf("%d cells, want those that are open", n)
	}
	if got := usual.try("rare", session.ClassTool); got != "allow" {
		t.Error(got)
	}
	if st, phase, _, _ := usual.Breaker(t.Context(), "rare"); phase != breaker.Closed || st.Failures != 1 {
		t.Errorf("four failures, and one a day later: %s, %d in a row", phase, st.Failures)
	}
	later(7*24*time.Hour - breaker.Forget)
	if _, phase, _, _ := week.Breaker(t.Context(), "week"); phase != breaker.HalfOpen {
		t.Errorf("after a week: %s", phase)
	}
	later(breaker.DefaultProbe + breaker.Forget)
	if _, phase, _, _ := week.Breaker(t.Context(), "week"); phase != breaker.Closed {
		t.Errorf("half-open for a day, and nobody has called: %s", phase)
	}
	later(1000 * 24 * time.Hour)
	if got := manual.try("manual", ""); got != "abort circuit_open" {
		t.Errorf("three years after it was opened, and no operator has closed it: %s", got)
	}
}

// oneBreaker is a breaker as one would write it who asks for it before every
// call, by the store's time.
type oneBreaker struct {
	state   breaker.State
	expires int64
	holder  *session.Step
	until   int64
}

func (b *oneBreaker) at(now int64) breaker.State {
	if b.expires > 0 && now >= b.expires {
		return breaker.State{}
	}
	return b.state
}

func (b *oneBreaker) admits(st *session.Step, now int64, c breaker.Config) bool {
	switch b.at(now).Phase(now, c) {
	case breaker.Open:
		return false
	case breaker.HalfOpen:
		if b.holder != nil && now < b.until {
			return false
		}
		b.holder, b.until = st, now+int64(c.Probe)
	}
	return true
}

// What sessions remember of a breaker never makes a decision other than it would
// be had they asked: three of them, calls side by side, results in any order or
// none, time in any steps.
func TestRememberedBreakers(t *testing.T) {
	config := breaker.Config{Threshold: 2, Reset: 10 * time.Second, Probe: 20 * time.Second}
	type flight struct {
		by         *agent
		step       *session.Step
		generation uint64
		until      int64 // of a probe
	}
	var refused, probes int
	rapid.Check(t, func(rt *rapid.T) {
		store := newFarStore()
		var agents []*agent
		for i := range 3 {
			agents = append(agents, live(t, store, fmt.Sprint(i), session.Breaker{Abilities: "*", Config: config}))
		}
		var flying []flight
		model := &oneBreaker{}
		for i := range 100 {
			store.advance(rapid.SampledFrom([]time.Duration{0, 0, 1, time.Second, config.Reset - 1, config.Reset, config.Probe, breaker.Forget}).Draw(rt, "later"))
			if n := len(flying); n == 0 || rapid.Bool().Draw(rt, "begin") {
				a := rapid.SampledFrom(agents).Draw(rt, "session")
				st := &session.Step{Call: session.Call{Ability: "web"}}
				if rapid.Bool().Draw(rt, "with id") {
					st.Call.ID = fmt.Sprint(i)
				}
				want, got := "abort circuit_open", a.judge(st)
				if model.admits(st, store.now, config) {
					f := flight{by: a, step: st, generation: model.at(store.now).Generation}
					if want = "allow"; model.holder == st {
						f.until = model.until
						probes++
					}
					flying = append(flying, f)
				} else {
					refused++
				}
				if got != want {
					rt.Fatalf("%s, want %s at %d of %+v", got, want, store.now, *model)
				}
				continue
			}
			ends := rapid.IntRange(0, len(flying)-1).Draw(rt, "ends")
			f := flying[ends]
			flying = append(flying[:ends], flying[ends+1:]...)
			result := rapid.SampledFrom([]breaker.Result{breaker.Neutral, breaker.Success, breaker.Failure}).Draw(rt, "result")
			o := session.Outcome{Step: f.step, Failed: result != breaker.Success, Class: session.ClassTool}
			if result == breaker.Neutral {
				o.Class = session.ClassCancelled
			}
			if rapid.IntRange(0, 5).Draw(rt, "lost") == 0 {
				continue
			}
			if err := f.by.After(t.Context(), o); err != nil {
				rt.Fatal(err)
			}
			if f.until > 0 && store.now >= f.until {
				result = breaker.Neutral
			}
			if after, moved := model.at(store.now).After(result, f.generation, store.now, config); moved {
				model.state, model.expires = after, store.now+int64(after.Keep(config))
			}
			if model.holder == f.step {
				model.holder = nil
			}
			if st, _, _, err := agents[0].Breaker(t.Context(), "web"); err != nil || st != model.at(store.now) {
				rt.Fatalf("%+v, %v; want %+v", st, err, model.at(store.now))
			}
		}
	})
	if refused < 20 || probes < 20 {
		t.Errorf("%d refusals and %d probes: too few to tell", refused, probes)
	}
}
