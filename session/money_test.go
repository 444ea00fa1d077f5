package session_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/file"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// purse is a session that spends money of a store.
type purse struct {
	*session.Session
	t testing.TB
}

// newPurse begins the session "s" with a task "work" and a part of it, "part",
// in a process of its own. Nothing may cost more than $50.
func newPurse(t testing.TB, store state.Store) *purse {
	t.Helper()
	return newPurseBy(t, store, session.NewVirtualClock(start))
}

// newPurseBy is newPurse by a clock.
func newPurseBy(t testing.TB, store state.Store, clock session.Clock) *purse {
	t.Helper()
	return newPurseWith(t, session.Options{Registry: load(t, "B:task.spend_cents>5000|abort|id=cap"), Store: store, Clock: clock})
}

// newPurseOf is newPurse under rules of its own.
func newPurseOf(t testing.TB, store state.Store, rules string) *purse {
	t.Helper()
	return newPurseWith(t, session.Options{Registry: load(t, rules), Store: store, Clock: session.NewVirtualClock(start)})
}

func newPurseWith(t testing.TB, o session.Options) *purse {
	t.Helper()
	o.ID, o.Review.Most = "s", math.MaxInt32
	s, err := session.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.StartTask("work", "", "")
	s.StartTask("part", "work", "")
	return &purse{s, t}
}

// ask asks for a call that may cost so many dollars; nil: it is refused by the
// cap. What that has ended before goes on.
func (p *purse) ask(task, id string, dollars int64) *session.Step {
	p.t.Helper()
	_, _ = p.Resume("work"), p.Resume("part")
	var v registry.Verdict
	st := &session.Step{Call: session.Call{ID: id, Ability: "model.ask"}, Task: task, Estimate: dollars * dollar}
	if p.Before(p.t.Context(), st, &v); v.Decision.Blocks() {
		if v.Fired[0].Rule.ID != "cap" {
			p.t.Fatalf("%s refused it: %s", v.Fired[0].Rule.ID, v.Fired[0].Explain())
		}
		return nil
	}
	return st
}

func (p *purse) pay(st *session.Step, dollars int64) {
	p.t.Helper()
	if err := p.After(p.t.Context(), session.Outcome{Step: st, Cost: dollars * dollar, Settled: true}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *purse) want(dollars int64) {
	p.t.Helper()
	if got := spentBy(p.Session, "work"); got != 100*dollars {
		p.t.Errorf("spent and reserved: %d cents, want %d dollars", got, dollars)
	}
}

// homes are stores that outlive a session; the function opens one again.
func homes(t *testing.T, test func(t *testing.T, open func() state.Store)) {
	t.Run("memory", func(t *testing.T) {
		store := &lasting{Store: memory.New(memory.Options{})}
		test(t, func() state.Store { return store })
	})
	t.Run("file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state")
		test(t, func() state.Store { // as a new process finds it
			store, err := file.Open(path, file.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return store
		})
	})
}

// What a process has spent, and what it had set aside when it died, counts in
// the next one of its session.
func TestASessionGoesOnWithItsMoney(t *testing.T) {
	homes(t, func(t *testing.T, open func() state.Store) {
		p := newPurse(t, open())
		p.pay(p.ask("part", "c1", 20), 12)
		if p.ask("part", "c2", 30) == nil {
			t.Fatal("refused at 42 of 50")
		}
		p = newPurse(t, open()) // it died
		if p.ask("work", "c3", 9) != nil {
			t.Error("let through at 51 of 50")
		}
		p.want(42)
		if p.ask("part", "c2", 38) == nil { // the same call: it takes the place of what was set aside
			t.Error("a call that is asked for again is refused at 50 of 50")
		}
		p.want(50)
		p = newPurse(t, open())
		again := p.ask("part", "c2", 38)
		if again == nil {
			t.Fatal("refused at 50 of 50")
		}
		p.pay(again, 5)
		p.want(17)
		p = newPurse(t, open())
		if p.ask("part", "c2", 34) != nil { // it was settled: another call
			t.Error("let through at 51 of 50")
		}
		if p.ask("part", "c2", 33) == nil {
			t.Error("refused at 50 of 50")
		}
	})
}

// Usage that is reported apart from calls is kept as well, and so is what was
// counted for calls that nobody reports.
func TestUsageOutlivesItsProcess(t *testing.T) {
	homes(t, func(t *testing.T, open func() state.Store) {
		p := newPurse(t, open())
		p.Observe(t.Context(), &session.Event{Type: session.Usage, Task: "part", Cost: 20 * dollar, HasCost: true})
		p.ask("part", "", 10)
		p.EndTask("part") // nobody will report it
		p = newPurse(t, open())
		halts := p.Observe(t.Context(), &session.Event{Type: session.Usage, Task: "work", Cost: 21 * dollar, HasCost: true})
		if p.want(51); len(halts) != 1 || halts[0].Fired.Rule.ID != "cap" || !halts[0].Ended {
			t.Errorf("halts %+v, want the cap", halts)
		}
	})
}

// End forgets the money, and a session of the same id begins with none, also in
// tasks that the process which ended it never heard of.
func TestAnEndedSessionLeavesNoMoney(t *testing.T) {
	homes(t, func(t *testing.T, open func() state.Store) {
		p := newPurse(t, open())
		p.pay(p.ask("part", "c1", 40), 40)
		p = newPurse(t, open())
		p.ask("work", "c2", 1)
		if err := p.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		p = newPurse(t, open())
		if p.ask("part", "c3", 50) == nil {
			t.Error("what another session has spent is held against this one")
		}
	})
}

// Cells that cannot be read let nothing through.
func TestMoneyThatCannotBeReadRefuses(t *testing.T) {
	store := &lasting{Store: memory.New(memory.Options{})}
	write := state.Write{Key: "money\x001\x00s\x00", Value: []byte("something else")}
	if err := store.Settle(t.Context(), &state.Settlement{Cells: []state.Write{write}}); err != nil {
		t.Fatal(err)
	}
	p := newPurse(t, store)
	var v registry.Verdict
	p.Before(t.Context(), &session.Step{Call: session.Call{Ability: "model.ask"}, Task: "work"}, &v)
	if v.Decision != registry.Abort || v.Fired[0].Rule.ID != registry.SlugStoreError || !strings.Contains(v.Fired[0].Explain(), "another version") {
		t.Errorf("%s", v.Fired[0].Explain())
	}
}

// A limit of a task above is held while the store does not answer: it needs
// none to be judged.
func TestALimitAboveHoldsWithoutTheStore(t *testing.T) {
	store := &lasting{Store: memory.New(memory.Options{})}
	p := newPurse(t, store)
	p.ask("work", "c1", 45)
	first := true
	store.lose = func() fate { // the judgement of the task above is not recorded
		if first {
			first = false
			return unheard
		}
		return heard
	}
	if p.ask("part", "c2", 10) != nil {
		t.Error("let through at 55 of 50")
	}
}

// Processes that have one session at once see each other's money before every
// step: together they never pass the limit, whoever is slow to hear of it.
func TestProcessesShareTheMoneyOfASession(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		store := &lasting{Store: memory.New(memory.Options{})}
		all := []*purse{newPurse(t, store), newPurse(t, store), newPurse(t, store)}
		bills, of, owed := map[*session.Step]int64{}, map[*session.Step]*purse{}, int64(0)
		for i := range rapid.IntRange(1, 60).Draw(r, "steps") {
			p := rapid.SampledFrom(all).Draw(r, "process")
			task := rapid.SampledFrom([]string{"work", "part"}).Draw(r, "task")
			switch rapid.IntRange(0, 3).Draw(r, "what") {
			case 0, 1:
				estimate := rapid.Int64Range(0, 15).Draw(r, "estimate")
				if st := p.ask(task, fmt.Sprint("c", i), estimate); st != nil {
					bills[st], of[st] = estimate, p
					owed += estimate
				}
				if p.want(owed); owed > 50 {
					r.Fatalf("let through at %d of 50", owed)
				}
			case 2:
				for st := range bills {
					cost := rapid.Int64Range(0, bills[st]).Draw(r, "cost")
					of[st].pay(st, cost)
					owed += cost - bills[st]
					delete(bills, st)
					break
				}
			default:
				cost := rapid.Int64Range(0, min(2, 50-owed)).Draw(r, "usage")
				p.Observe(t.Context(), &session.Event{Type: session.Usage, Task: task, Cost: cost * dollar, HasCost: true})
				owed += cost
			}
		}
	})
}

// The same side by side: of 8 processes that ask for a dollar 50 times each,
// 50 calls are let through.
func TestProcessesRaceForTheMoney(t *testing.T) {
	store := &lasting{Store: memory.New(memory.Options{})}
	var admitted atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		p := newPurse(t, store)
		all.Go(func() {
			for j := range 50 {
				var v registry.Verdict
				p.Before(t.Context(), &session.Step{Call: session.Call{ID: fmt.Sprint(i, j), Ability: "model.ask"}, Task: "part", Estimate: dollar}, &v)
				if !v.Decision.Blocks() {
					admitted.Add(1)
				}
			}
		})
	}
	all.Wait()
	if admitted.Load() != 50 {
		t.Errorf("%d were let through, want 50", admitted.Load())
	}
}
