package session_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// An operator sees what sessions have made of their breakers, by the store's time,
// and closes them.
func TestOperator(t *testing.T) {
	store := newFarStore()
	rules := []session.Breaker{
		{Abilities: "pay.*", Config: breaker.Config{Threshold: 1, Manual: true}}, {Abilities: "free", Off: true},
		{Abilities: "*", Config: breaker.Config{Threshold: 2, Reset: time.Minute}},
	}
	a := live(t, store, "a", rules...)
	chain := live(t, store, "chain", session.DefaultBreakers()...) // which has a breaker for free
	for ability, failures := range map[string]int{"pay.out": 1, "web": 2, "mail": 1} {
		for range failures {
			a.want("allow", ability, session.ClassTool)
		}
	}
	for range breaker.DefaultThreshold {
		chain.want("allow", "free", session.ClassTool)
	}
	o := session.Operator{Store: store, Breakers: rules}
	opened := store.now
	store.advance(time.Minute - 1)
	manual, usual := breaker.Config{Threshold: 1, Manual: true}.WithDefaults(), breaker.Config{Threshold: 2, Reset: time.Minute}.WithDefaults()
	open := breaker.State{Generation: uint64(opened), Trips: 1, Opened: opened}
	for _, want := range []session.BreakerStatus{
		{Ability: "pay.out", Known: true, State: open, Config: manual, Phase: breaker.Open},
		{Ability: "web", Known: true, State: open, Config: usual, Phase: breaker.Open},
		{Ability: "mail", Known: true, State: breaker.State{Failures: 1}, Config: usual},
		{Ability: "free", Known: true, Off: true, State: open, Config: breaker.Config{}.WithDefaults(), Phase: breaker.HalfOpen},
		{Ability: "never", Config: usual},
	} {
		want.At = store.now
		got, err := o.Breaker(t.Context(), want.Ability)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v %s", want.Ability, err, d)
		}
		before, err := o.ResetBreaker(t.Context(), want.Ability)
		if d := cmp.Diff(want, before); d != "" || err != nil {
			t.Errorf("reset of %s: %v %s", want.Ability, err, d)
		}
		after, err := o.Breaker(t.Context(), want.Ability)
		if err != nil || after.Phase != breaker.Closed || after.State.Failures != 0 || after.Known != want.Known || after.State.Trips != want.State.Trips {
			t.Errorf("%s after its reset: %+v, %v", want.Ability, after, err)
		}
	}
	for _, ability := range []string{"pay.out", "web", "mail"} {
		a.want("allow", ability, "")
	}
	chain.want("allow", "free", "")
	if got, err := o.Breaker(t.Context(), "PAY.Out"); err != nil || got.Ability != "pay.out" || !got.Known {
		t.Errorf("names are folded: %+v, %v", got, err)
	}
}

// What the store does not say is no state of a breaker.
func TestOperator_StoreFails(t *testing.T) {
	store := newFarStore()
	a := live(t, store, "a", session.Breaker{Abilities: "*", Config: breaker.Config{Threshold: 1}})
	a.want("allow", "web", session.ClassTool)
	o := session.Operator{Store: &brokenStore{Store: store, settle: errBroken}}
	if before, err := o.ResetBreaker(t.Context(), "web"); !errors.Is(err, errBroken) || before.Phase != breaker.Open {
		t.Errorf("it was %s, error %v", before.Phase, err)
	}
	contested := &contested{Store: store, settles: 2} // others are quicker, twice
	o.Store = contested
	if _, err := o.ResetBreaker(t.Context(), "web"); err != nil {
		t.Error(err)
	}
	a.want("allow", "web", "")
	w := state.Write{Key: "breaker\x00web", Value: []byte("garbage")}
	v := &state.View{}
	if err := store.Load(t.Context(), state.Query{Cells: []string{w.Key}}, v); err != nil {
		t.Fatal(err)
	}
	w.Version = v.Cells[0].Version
	if err := store.Settle(t.Context(), &state.Settlement{Cells: []state.Write{w}}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Breaker(t.Context(), "web"); !errors.Is(err, breaker.ErrFormat) {
		t.Errorf("damaged: %v", err)
	}
	if _, err := o.ResetBreaker(t.Context(), "web"); !errors.Is(err, breaker.ErrFormat) {
		t.Errorf("reset of a damaged one: %v", err)
	}
}
