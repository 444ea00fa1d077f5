package session_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"testing"
	"testing/synctest"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// look has the money of a task looked at, by a call that costs nothing.
func (p *purse) look(task string) *purse {
	p.t.Helper()
	if st := p.ask(task, "", -1); st != nil {
		p.pay(st, 0)
	}
	return p
}

// What comes late to a session that somebody has ended takes nothing from the
// one that has its id now.
func TestALateResultTakesNothingFromTheNextSession(t *testing.T) {
	store := &lasting{Store: memory.New(memory.Options{})}
	late := newPurse(t, store)
	c1 := late.ask("part", "c1", 30)
	if err := newPurse(t, store).look("work").End(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := newPurse(t, store)
	if next.ask("part", "c2", 50) == nil {
		t.Fatal("refused at 50 of 50")
	}
	late.pay(c1, 5)
	if newPurse(t, store).ask("part", "c3", 45) != nil {
		t.Error("let through at 95 of 50")
	}
}

// Where a look at the money shows that nothing is owed any more, the result that
// was to be told with it is told alone.
func TestAResultIsToldWhereNothingIsOwedAnyMore(t *testing.T) {
	line := &lasting{Store: memory.New(memory.Options{})}
	p := newPurseOf(t, line, "B:task.spend_cents>5000|abort|id=cap\nB:frequency:model.ask@session>4/1h|abort|id=often")
	other := newPurse(t, &lasting{Store: line.Store})
	one := p.ask("work", "one", -1)
	line.lose = func() fate { return unheard }
	for _, task := range []string{"work", "part"} {
		var v registry.Verdict
		p.Before(t.Context(), &session.Step{Call: session.Call{ID: "lost in " + task, Ability: "model.ask"}, Task: task, Estimate: dollar}, &v)
		if v.Decision != registry.Abort {
			t.Fatalf("let through though the store did not answer: %v", v.Decision)
		}
	}
	line.lose = nil
	other.ask("part", "c1", 1)
	p.ask("work", "two", 1)
	p.pay(one, 0)
	if err := p.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	if again := p.ask("work", "one", -1); again == nil || again.Repeated() {
		t.Errorf("the id of a call whose result is told is another call's: %+v", again)
	}
}

// A call that a dead process has begun and that is asked for again at a greater
// price is let through only once that is set aside, whoever comes in between, and
// not at all if it cannot be.
func TestACallThatCostsMoreTheSecondTime(t *testing.T) {
	for name, between := range map[string]func(*lasting, *purse){
		"another process asks in between": func(_ *lasting, other *purse) { other.ask("work", "c9", 40) },
		"the state is gone in between":    func(store *lasting, _ *purse) { store.lose = func() fate { return unheard } },
	} {
		store := &lasting{Store: memory.New(memory.Options{})}
		newPurse(t, store).ask("part", "c1", 10)
		p, other := newPurse(t, store).look("part"), newPurse(t, store).look("work")
		asked := false
		store.claimed = func() {
			if !asked {
				asked = true
				between(store, other)
			}
		}
		var v registry.Verdict
		p.Before(t.Context(), &session.Step{Call: session.Call{ID: "c1", Ability: "model.ask"}, Task: "part", Estimate: 40 * dollar}, &v)
		store.claimed, store.lose = nil, nil
		if !asked || !v.Decision.Blocks() {
			t.Errorf("%s: %v", name, v.Decision)
		}
		p = newPurse(t, store).look("part")
		if got := spentBy(p.Session, "work"); got > 5000 {
			t.Errorf("%s: %d cents of 5000", name, got)
		}
	}
}

// What was set aside for a call in one task says nothing of a task that it is
// below now.
func TestACallBelowAnotherTask(t *testing.T) {
	store := &lasting{Store: memory.New(memory.Options{})}
	begin := func(parent string) *purse {
		p := newPurse(t, store)
		p.StartTask("a", "", "")
		p.StartTask("b", "", "")
		p.StartTask("below", parent, "")
		return p
	}
	begin("a").ask("below", "c1", 30)
	p := begin("b")
	if p.ask("b", "c2", 40) == nil {
		t.Fatal("refused at 40 of 50")
	}
	if p.ask("below", "c1", 30) != nil {
		t.Error("let through at 70 of 50")
	}
}

// A host that gives a call that is under way to another worker asks for the same
// call: it counts once.
func TestACallOfAnotherWorkerIsTheSame(t *testing.T) {
	for name, store := range map[string]state.Store{"in memory": memory.New(memory.Options{}), "kept": &lasting{Store: memory.New(memory.Options{})}} {
		p := newPurse(t, store)
		for _, worker := range []string{"a", "b", "c"} {
			var v registry.Verdict
			p.Before(t.Context(), &session.Step{Call: session.Call{ID: "c1", Ability: "task"}, Task: "part", Worker: worker, Estimate: 30 * dollar}, &v)
			if v.Decision.Blocks() {
				t.Errorf("%s: worker %s is refused", name, worker)
			}
		}
		p.want(30)
	}
}

// Money that nobody has ever said is none that may be spent, whatever other
// rules say of a state that does not answer.
func TestUnknownMoneyIsNotSpent(t *testing.T) {
	rules := load(t, "B:task.spend_cents>5000|abort|id=cap\nB:frequency:model.ask>100/1h|throttle|id=often,on_store_error=allow")
	store := &lasting{Store: memory.New(memory.Options{})}
	begin := func() *session.Session {
		s, err := session.New(session.Options{ID: "s", Registry: rules, Store: store, Clock: session.NewVirtualClock(start)})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ask := func(s *session.Session, id string) registry.Decision {
		var v registry.Verdict
		s.Before(t.Context(), &session.Step{Call: session.Call{ID: id, Ability: "model.ask"}, Estimate: 20 * dollar}, &v)
		return v.Decision
	}
	known := begin()
	if got := ask(known, "c1"); got != registry.Allow {
		t.Fatalf("the first: %v", got)
	}
	store.lose = func() fate { return unheard }
	if got := ask(begin(), "c2"); got != registry.Abort {
		t.Errorf("a process that knows nothing: %v", got)
	}
	if got := ask(known, "c3"); got != registry.Allow {
		t.Errorf("one that knows: %v", got)
	}
	if got := ask(known, "c3"); got != registry.Allow {
		t.Errorf("asked again: %v", got)
	}
	if got := ask(known, "c4"); got != registry.Abort {
		t.Errorf("at 60 of 50: %v", got)
	}
	store.lose = nil
	known.Sweep(t.Context(), 0) // tells it
	if got := ask(begin(), "c5"); got != registry.Abort {
		t.Errorf("at 60 of 50, another process: %v", got)
	}
}

// A task that was forgotten and begins anew goes on with its money; what comes
// late of the one before is not lost.
func TestAForgottenTaskGoesOnWithItsMoney(t *testing.T) {
	store := &lasting{Store: memory.New(memory.Options{})}
	p := newPurse(t, store)
	late := p.ask("part", "c1", 10)
	p.EndTask("part")
	for i := range 1100 {
		p.StartTask(fmt.Sprint(i), "work", "")
		p.EndTask(fmt.Sprint(i))
	}
	p.StartTask("part", "work", "")
	p.look("part")
	p.pay(p.ask("part", "c2", 20), 20)
	p.want(30)
	store.lose = func() fate { return unheard }
	p.Observe(t.Context(), &session.Event{Type: session.Usage, Task: "part", Cost: 5 * dollar, HasCost: true})
	store.lose = nil
	p.pay(late, 4)
	for _, q := range []*purse{p, newPurse(t, store).look("part")} {
		if q.want(29); spentBy(q.Session, "part") != 2900 {
			t.Errorf("the task: %d cents, want 2900", spentBy(q.Session, "part"))
		}
	}
}

// However many tasks the money is spent in, the store is told of all of them.
func TestManyTasksAreTold(t *testing.T) {
	store := &lasting{Store: memory.New(memory.Options{})}
	begin := func() *purse {
		p := newPurse(t, store)
		for i := range 200 {
			p.StartTask(fmt.Sprint("d", i), fmt.Sprint("d", i-1), "")
		}
		return p
	}
	begin().Observe(t.Context(), &session.Event{Type: session.Usage, Task: "d199", Cost: 50 * dollar, HasCost: true})
	p := begin().look("d199")
	for i := range 200 {
		if got := spentBy(p.Session, fmt.Sprint("d", i)); got != 5000 {
			t.Fatalf("task %d: %d cents, want 5000", i, got)
		}
	}
}

// While the store cannot be told, what it is owed grows with the calls under way
// and not with those that were asked for.
func TestWhatAStoreIsOwedIsBounded(t *testing.T) {
	store := &lasting{Store: memory.New(memory.Options{})}
	p := newPurse(t, store).look("part")
	store.lose = func() fate { return unheard }
	refused := func() {
		var v registry.Verdict
		p.Before(t.Context(), &session.Step{Call: session.Call{ID: "c", Ability: "model.ask"}, Task: "part", Estimate: dollar}, &v)
		p.Observe(t.Context(), &session.Event{Type: session.Usage, Task: "part", Cost: 1, HasCost: true})
	}
	for range 5000 {
		refused()
	}
	if n := testing.AllocsPerRun(100, refused); n > 500 { // 5000 postings would take more
		t.Errorf("%v allocations a step", n)
	}
	store.lose = nil
	p.Sweep(t.Context(), 0)
	if got := spentBy(newPurse(t, store).look("part").Session, "part"); got != 0 { // 5101 nano-dollars
		t.Errorf("%d cents, want none", got)
	}
}

// Sums stop at the greatest amount, also while the store is not told.
func TestGreatSumsStay(t *testing.T) {
	store := &lasting{Store: memory.New(memory.Options{})}
	p := newPurse(t, store)
	store.lose = func() fate { return unheard }
	for range 3 {
		p.Observe(t.Context(), &session.Event{Type: session.Usage, Task: "part", Cost: math.MaxInt64, HasCost: true})
	}
	store.lose = nil
	p.Sweep(t.Context(), 0)
	if newPurse(t, store).ask("part", "c1", 0) != nil {
		t.Error("let through though the greatest amount is spent")
	}
}

// The log is told once the session is unlocked: its handler may ask the session.
func TestTheLogMayAskTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a deadlock is found
		store := &lasting{Store: memory.New(memory.Options{}), lose: func() fate { return unheard }}
		asks := &asking{}
		s, err := session.New(session.Options{
			ID: "s", Registry: &registry.Registry{}, Store: store, Clock: session.NewVirtualClock(start), Log: slog.New(asks),
		})
		if err != nil {
			t.Fatal(err)
		}
		asks.session = s
		s.Observe(t.Context(), &session.Event{Type: session.Usage, Cost: dollar, HasCost: true})
		if asks.n == 0 {
			t.Error("nothing was logged")
		}
	})
}

type asking struct {
	slog.Handler
	session *session.Session
	n       int
}

func (a *asking) Enabled(context.Context, slog.Level) bool { return true }

func (a *asking) Handle(context.Context, slog.Record) error {
	a.session.Snapshot()
	a.n++
	return nil
}
