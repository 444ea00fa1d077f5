package session_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A call that is under way and asked for again at a greater price is judged by that,
// and has it set aside; a smaller one leaves aside what is.
func TestACallUnderWayThatCostsMoreTheSecondTime(t *testing.T) {
	for name, store := range map[string]state.Store{"in memory": memory.New(memory.Options{}), "kept": &lasting{Store: memory.New(memory.Options{})}} {
		p := newPurse(t, store)
		p.ask("part", "c1", 10)
		if p.ask("work", "c2", 5) == nil || p.ask("part", "c1", 45) == nil {
			t.Fatalf("%s: refused at 50 of 50", name)
		}
		p.want(50)
		if p.ask("work", "c3", 1) != nil {
			t.Errorf("%s: let through at 51 of 50", name)
		}
		if p.ask("part", "c1", 46) != nil {
			t.Errorf("%s: asked for again, let through at 51 of 50", name)
		}
		again := p.ask("part", "c1", 1)
		if again == nil || !again.Repeated() {
			t.Fatalf("%s: asked for again at a smaller price: %+v", name, again)
		}
		p.want(50)
		if err := p.After(t.Context(), session.Outcome{Step: again}); err != nil { // nobody says what it came to
			t.Fatal(err)
		}
		if p.want(50); t.Failed() {
			t.Fatal(name)
		}
	}
}

// The same of a call that another process has under way, or had when it died.
func TestACallOfAnotherProcessKeepsItsPrice(t *testing.T) {
	store := &lasting{Store: memory.New(memory.Options{})}
	first, second := newPurse(t, store), newPurse(t, store)
	st := first.ask("part", "c1", 30)
	again := second.ask("part", "c1", 1)
	if again == nil || !again.Repeated() {
		t.Fatalf("asked for again: %+v", again)
	}
	second.want(30)
	if second.ask("part", "c2", 21) != nil {
		t.Error("let through at 51 of 50")
	}
	third := newPurse(t, store)
	if third.ask("part", "c1", 40) == nil || third.ask("part", "c2", 11) != nil {
		t.Error("at a greater price it is not that which is set aside")
	}
	if first.ask("part", "c3", 11) != nil {
		t.Error("let through at 51 of 50")
	}
	first.pay(st, 30)
	if newPurse(t, store).look("part").want(30); first.ask("part", "c4", 21) != nil {
		t.Error("let through at 51 of 50")
	}
	died := &lasting{Store: memory.New(memory.Options{})}
	newPurse(t, died).ask("part", "c1", 30)
	p := newPurse(t, died)
	if err := p.After(t.Context(), session.Outcome{Step: p.ask("part", "c1", 1)}); err != nil {
		t.Fatal(err)
	}
	newPurse(t, died).look("part").want(30) // nobody has said what either came to
}
