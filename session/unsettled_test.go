package session_test

import (
	"fmt"
	"testing"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// fails reports a result that the store is not told of.
func (a *agent) fails(st *session.Step, class string) {
	a.t.Helper()
	if err := a.After(a.t.Context(), session.Outcome{Step: st, Failed: class != "", Class: class}); err == nil {
		a.t.Error("the store does not answer, and After says nothing")
	}
}

// outages are the ways in which a store fails, before or after it has done what it
// was asked for.
var outages = map[string]lossyStore{"away": {}, "answer lost": {done: true}, "panic": {panics: true}}

// A result of which the store could not be told is reported again, and settles the
// call then: its failure, its claim and its probe. In the meters it counts once.
func TestAfter_ReportedAgain(t *testing.T) {
	for name, how := range outages {
		t.Run(name, func(t *testing.T) {
			store := &lossyStore{farStore: newFarStore()}
			m := breaker.NewMetrics(0, breaker.Alerts{Trips: 10, Calls: 100})
			var changes []session.BreakerChange
			s, err := session.New(session.Options{
				ID: "s", Registry: load(t, ""), Store: store, Breakers: session.DefaultBreakers(), Metrics: m,
				OnBreaker: func(c session.BreakerChange) { changes = append(changes, c) },
			})
			if err != nil {
				t.Fatal(err)
			}
			a, looks := &agent{s, nil, t}, live(t, store, "looks")
			var steps []*session.Step
			for i := range 4 {
				steps = append(steps, a.step(fmt.Sprint(i), "web"))
			}
			store.away, store.done, store.panics = true, how.done, how.panics
			for _, st := range steps {
				a.fails(st, session.ClassTool)
				if !how.done { // it is still away
					a.fails(st, session.ClassTool)
				}
			}
			store.away = false
			for range 2 { // the second time each was told
				for _, st := range steps {
					a.after(st, session.ClassTool)
				}
				looks.isBreaker("web", "closed failed failed failed failed")
			}
			if a.step("0", "web").Repeated() {
				t.Error("asked for again it is repeated: its claim was not settled")
			}
			opens := a.step("opens", "web")
			store.away = true
			a.fails(opens, session.ClassTool)
			store.away = false
			a.after(opens, session.ClassTool)
			looks.isBreaker("web", "open")
			if len(changes) != 1 || changes[0].To != breaker.Open {
				t.Errorf("told of %v, want that it opened", changes)
			}
			r := m.Read(start.UnixNano())[0]
			if calls := a.Snapshot().ToolCalls; calls != 6 || r.Phase != "open" || r.Trips != 1 {
				t.Errorf("%d calls, metrics %+v", calls, r)
			}

			store.advance(breaker.DefaultReset)
			probe := a.step("probe", "web")
			store.away = true
			a.fails(probe, "")
			store.away = false
			a.after(probe, "")
			looks.isBreaker("web", "closed")
			looks.want("allow", "web", "")
		})
	}
}

// What is told at last goes by the time at which it is: a probe whose lease is over
// decides nothing.
func TestAfter_ReportedTooLate(t *testing.T) {
	a, looks, store, _ := lossy(t)
	a.broken("web")
	store.advance(breaker.DefaultReset)
	probe := a.step("c", "web")
	store.away = true
	a.fails(probe, "")
	store.away = false
	store.advance(breaker.DefaultProbe)
	a.after(probe, "")
	looks.isBreaker("web", "half-open")
}

// A call that is asked for again is under way until its own result, whatever is
// still to be told of the one before; the failure of that counts all the same.
func TestAfter_AskedAgainBetween(t *testing.T) {
	for name, again := range map[string]func(a *agent, st *session.Step) *session.Step{
		"by the same Step": func(a *agent, st *session.Step) *session.Step {
			if got := a.judge(st); got != "allow" || !st.Repeated() {
				a.t.Fatalf("%s, repeated: %v", got, st.Repeated())
			}
			return st
		},
		"by another": func(a *agent, st *session.Step) *session.Step {
			other := a.step(st.Call.ID, st.Call.Ability)
			a.after(st, session.ClassTool) // the failure of the first is told
			return other
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, looks, store, _ := lossy(t)
			st := a.step("c", "disk")
			store.away = true
			a.fails(st, session.ClassTool)
			store.away = false
			st = again(a, st)
			if !a.step("c", "disk").Repeated() {
				t.Error("the result before has settled the call that was asked for again")
			}
			looks.isBreaker("disk", "closed failed")
			a.after(st, session.ClassTool)
			looks.isBreaker("disk", "closed failed failed")
			if a.step("c", "disk").Repeated() {
				t.Error("its own result has not settled it")
			}
		})
		t.Run("a probe "+name, func(t *testing.T) {
			a, looks, store, _ := lossy(t)
			a.broken("web")
			store.advance(breaker.DefaultReset)
			st := a.step("c", "web")
			store.away = true
			a.fails(st, session.ClassTool)
			store.away = false
			st = again(a, st)
			looks.want("abort circuit_open", "web", "")
			a.after(st, "")
			looks.isBreaker("web", "closed")
		})
	}
}

// A breaker that cannot be read, and a store that refuses, are told again, too.
func TestAfter_StillWrong(t *testing.T) {
	a, _, store, _ := lossy(t)
	st := a.step("c", "web")
	damage := state.Settlement{Cells: []state.Write{{Key: "breaker\x00web", Value: []byte("garbage")}}}
	if err := store.Settle(t.Context(), &damage); err != nil {
		t.Fatal(err)
	}
	a.fails(st, session.ClassTool)
	a.fails(st, session.ClassTool)
}
