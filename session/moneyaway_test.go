package session_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/fallback"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// shared is a store for a fleet of processes, and what becomes of requests to it.
type shared struct {
	home *lasting // as others reach it
	t    *testing.T
}

// line is the way of one process to the shared store, which may be cut.
type line struct {
	*fallback.Store
	gone  atomic.Bool // asked by what looks whether the store is back, too
	first fate        // what becomes of the first request of an outage; heard: as of the others
	lost  atomic.Int64
}

func newShared(t *testing.T) *shared {
	return &shared{home: &lasting{Store: memory.New(memory.Options{})}, t: t}
}

// line connects another process, which does what a mode says while it is cut off.
func (h *shared) line(mode dsl.OnStoreError) *line {
	l := &line{}
	way := &lasting{Store: h.home.Store, lose: func() fate {
		switch {
		case !l.gone.Load():
			return heard
		case l.lost.Add(1) == 1 && l.first != heard:
			return l.first
		}
		return unheard
	}}
	store, err := fallback.New(way, memory.New(memory.Options{}), fallback.Options{OnError: mode, Fleet: 2})
	if err != nil {
		h.t.Fatal(err)
	}
	l.Store = store
	return l
}

func (l *line) cut(first fate) {
	l.first = first
	l.lost.Store(0)
	l.gone.Store(true)
}

// mend waits until the store is seen to be back.
func (l *line) mend() {
	l.gone.Store(false)
	for l.Status().Away {
		time.Sleep(time.Second)
	}
}

var awayModes = []dsl.OnStoreError{dsl.StoreDefault, dsl.StoreDeny, dsl.StoreLocal, dsl.StoreAllow}

// try asks for a call that may cost so many dollars; if it is refused, it returns
// the rule that did it. What that has ended before goes on.
func (p *purse) try(task, id string, dollars int64) (st *session.Step, rule string) {
	_, _ = p.Resume("work"), p.Resume("part")
	var v registry.Verdict
	st = &session.Step{Call: session.Call{ID: id, Ability: "model.ask"}, Task: task, Estimate: dollars * dollar}
	if p.Before(p.t.Context(), st, &v); v.Decision.Blocks() {
		return nil, v.Fired[0].Rule.ID
	}
	return st, ""
}

// usage tells of money that was spent in the part.
func (p *purse) usage(dollars int64) {
	p.Observe(p.t.Context(), &session.Event{Type: session.Usage, Task: "part", Cost: dollars * dollar, HasCost: true})
}

// What is spent while the shared store is away is told to it, also if another
// process moves the money meanwhile, if the last it heard was a request whose
// answer was lost, and if it goes away again. Until then Flush says that it is not.
func TestMoneyOfOutages(t *testing.T) {
	for _, mode := range awayModes {
		for name, first := range map[string]fate{"the first request is not heard": unheard, "the first answer is lost": unanswered} {
			t.Run(fmt.Sprintf("%v, %s", mode, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := newShared(t)
					way := h.line(mode)
					defer way.Close()
					p, other := newPurseBy(t, way, session.SystemClock()), newPurseBy(t, h.home, session.SystemClock())
					st, book := p.ask("part", "c0", 10), int64(10)
					for range 2 {
						way.cut(first)
						p.usage(3)
						p.pay(st, 4)
						if book += 3 + 4; first == unheard { // else what was tried counts twice
							other.pay(other.ask("part", "", 2), 1)
							book++
						}
						if err := p.Flush(t.Context()); !errors.Is(err, state.ErrAway) {
							t.Errorf("flushed while the store is away: %v", err)
						}
						way.mend()
						if err := p.Flush(t.Context()); err != nil {
							t.Error(err)
						}
						newPurseBy(t, h.home, session.SystemClock()).look("part").want(book - 10)
						if st = p.ask("part", "", 10); st == nil {
							t.Fatal("refused")
						}
						p.want(book)
					}
				})
			})
		}
	}
}

// A process that begins while the store is away spends nothing of what others may
// have spent, whatever is done about the store. One that knows the money goes on
// with what is left of it where steps are decided without the store.
func TestMoneyThatNobodyKnowsIsNotSpentInAnOutage(t *testing.T) {
	for _, mode := range awayModes {
		t.Run(mode.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newShared(t)
				way, late := h.line(mode), h.line(mode)
				defer way.Close()
				defer late.Close()
				known := newPurseBy(t, way, session.SystemClock())
				known.pay(known.ask("part", "c0", 30), 30)
				way.cut(unheard)
				late.cut(unheard)
				next := newPurseBy(t, late, session.SystemClock())
				ask := func(p *purse, dollars int64) string {
					st, rule := p.try("part", "", dollars)
					if st != nil {
						p.pay(st, dollars)
					}
					return rule
				}
				for _, dollars := range []int64{0, 1, 30} { // the limit of money is read for each
					if got := ask(next, dollars); got != registry.SlugStoreError {
						t.Errorf("a process that knows nothing, %d dollars: %q", dollars, got)
					}
				}
				goesOn := mode == dsl.StoreLocal || mode == dsl.StoreAllow
				if got := ask(known, 15); goesOn != (got == "") {
					t.Errorf("a process that knows the money: %q", got)
				}
				if got := ask(known, 10); goesOn && got != "cap" {
					t.Errorf("55 of 50: %q", got)
				}
				late.mend()
				next.look("part").want(30)
				way.mend()
				if err := known.Flush(t.Context()); err != nil {
					t.Error(err)
				}
				if want := int64(30); goesOn {
					next.look("part").want(want + 15)
				} else {
					next.look("part").want(want)
				}
			})
		})
	}
}

// A step that has nothing to do with money is decided without the store by a
// process that knows of none.
func TestStepsWithoutMoneyGoOnInAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		way := newShared(t).line(dsl.StoreLocal)
		defer way.Close()
		way.cut(unheard)
		s, err := session.New(session.Options{
			ID: "s", Registry: load(t, "B:frequency:model.ask>10/1h|throttle|id=often\nB:ability:pay & task.spend_cents>5000|abort|id=cap"), Store: way,
		})
		if err != nil {
			t.Fatal(err)
		}
		for ability, want := range map[string]string{"model.ask": "allow", "pay": "abort store_error"} {
			var v registry.Verdict
			st := &session.Step{Call: session.Call{Ability: ability}}
			if s.Before(t.Context(), st, &v); brief(&v) != want {
				t.Errorf("%s: %s, want %s", ability, brief(&v), want)
			}
			if v.Decision.Blocks() {
				continue
			}
			if err := s.After(t.Context(), session.Outcome{Step: st, Cost: dollar, Settled: true}); err != nil {
				t.Error(err)
			}
		}
		way.mend()
		if err := s.Flush(t.Context()); err != nil || s.Snapshot().Spend != "100" {
			t.Errorf("%v, spent %s cents, want 100", err, s.Snapshot().Spend)
		}
	})
}

// A claim that the shared store has heard, and whose answer was lost, leaves
// nothing set aside where the step is refused, and nothing twice where it is made.
func TestAClaimWhoseAnswerWasLostInAnOutage(t *testing.T) {
	for _, mode := range awayModes {
		for _, id := range []string{"", "c1"} {
			t.Run(fmt.Sprintf("%v, id %q", mode, id), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := newShared(t)
					way := h.line(mode)
					defer way.Close()
					p := newPurseBy(t, way, session.SystemClock()).look("part")
					way.cut(unanswered)
					want := int64(0)
					if st, _ := p.try("part", id, 20); st != nil {
						want = 20
					}
					p.want(want)
					way.mend()
					if err := p.Flush(t.Context()); err != nil {
						t.Error(err)
					}
					p.want(want)
					newPurseBy(t, h.home, session.SystemClock()).look("part").want(want)
				})
			})
		}
	}
}

// Over random outages of the lines to a shared store, of processes that have one
// session, one or several of them: once every line is mended and every process has
// told what it knows, the store has what the book says. Where steps are denied
// meanwhile, or one process has the session, no limit is passed either.
func TestMoneyOfRandomOutagesIsThatOfTheBook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(undated{t}, func(r *rapid.T) { cutLines(t, r) })
	})
}

// process is one that has the session, and its line.
type process struct {
	*purse
	*line
	bills []*bill
}

func cutLines(t *testing.T, r *rapid.T) {
	h, mode := newShared(t), rapid.SampledFrom(awayModes).Draw(r, "mode")
	var all []*process
	for range rapid.IntRange(1, 3).Draw(r, "processes") {
		p := &process{line: h.line(mode)}
		defer p.Close()
		p.purse = newPurseBy(t, p.line, session.SystemClock())
		all = append(all, p)
	}
	denies := mode == dsl.StoreDefault || mode == dsl.StoreDeny
	usage := rapid.Bool().Draw(r, "usage")
	spent := int64(0) // by usage, and by processes that are over
	book := func() int64 {
		sum := spent
		for _, p := range all {
			for _, x := range p.bills {
				sum += x.now()
			}
		}
		return sum
	}
	for i := range rapid.IntRange(1, 40).Draw(r, "steps") {
		p := rapid.SampledFrom(all).Draw(r, "process")
		task := rapid.SampledFrom([]string{"work", "part"}).Draw(r, "task")
		switch rapid.IntRange(0, 8).Draw(r, "what") {
		case 0, 1, 2:
			estimate, id := rapid.Int64Range(0, 15).Draw(r, "estimate"), ""
			if rapid.Bool().Draw(r, "named") {
				id = fmt.Sprint("c", i)
			}
			if st, _ := p.try(task, id, estimate); st != nil {
				p.bills = append(p.bills, &bill{step: st, estimate: estimate * dollar})
				if got := book(); got > limit && (denies && !usage || len(all) == 1) {
					r.Fatalf("step %d: let through at %d cents of 5000", i, got/(dollar/100))
				}
			}
		case 3, 4:
			for _, x := range p.bills {
				if !x.told {
					x.cost, x.told = rapid.Int64Range(0, x.estimate/dollar).Draw(r, "cost")*dollar, true
					p.pay(x.step, x.cost/dollar)
					break
				}
			}
		case 5:
			if usage {
				dollars := rapid.Int64Range(0, 2).Draw(r, "dollars")
				if dollars = min(dollars, (limit-book())/dollar); dollars > 0 {
					spent += dollars * dollar
					p.usage(dollars)
				}
			}
		case 6:
			fates := []fate{unheard}
			if len(all) == 1 { // else what was tried may count twice
				fates = append(fates, unanswered)
			}
			p.cut(rapid.SampledFrom(fates).Draw(r, "fate"))
		case 7:
			p.mend()
		default: // it ends, and another one begins
			p.mend()
			if err := p.Flush(t.Context()); err != nil {
				r.Fatalf("step %d: not flushed: %v", i, err)
			}
			for _, x := range p.bills {
				spent += x.now()
			}
			p.purse, p.bills = newPurseBy(t, p.line, session.SystemClock()), nil
		}
	}
	for _, p := range all {
		p.mend()
		if err := p.Flush(t.Context()); err != nil {
			r.Fatalf("not flushed: %v", err)
		}
	}
	for _, p := range append(all, &process{purse: newPurseBy(t, h.home, session.SystemClock())}) {
		p.look("part")
		if got, want := spentBy(p.Session, "work"), book()/(dollar/100); got != want {
			r.Fatalf("in the end spent and reserved %d cents, by the book %d", got, want)
		}
	}
}

// undated is a test whose deadline nobody may ask for, as in a bubble.
type undated struct{ testing.TB }

// A session that is said to be fresh goes on in an outage from its beginning, with
// tasks that it begins then too, by its own money. A store that answers knows better.
func TestAFreshSessionGoesOnInAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newShared(t)
		begin := func(store state.Store) *purse {
			s, err := session.New(session.Options{
				ID: "s", Registry: load(t, "B:task.spend_cents>5000|abort|id=cap"), Store: store, Fresh: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			s.StartTask("work", "", "")
			s.StartTask("part", "work", "")
			return &purse{s, t}
		}
		way := h.line(dsl.StoreLocal)
		defer way.Close()
		way.cut(unheard)
		p := begin(way)
		for _, c := range []struct {
			dollars int64
			rule    string
		}{{30, ""}, {21, "cap"}, {10, ""}} {
			if st, rule := p.try("part", "", c.dollars); rule != c.rule {
				t.Errorf("%d dollars: %q, want %q", c.dollars, rule, c.rule)
			} else if st != nil {
				p.pay(st, c.dollars)
			}
		}
		way.mend()
		if err := p.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		way.cut(unheard)
		p.StartTask("late", "work", "")
		if _, rule := p.try("late", "", 11); rule != "cap" {
			t.Errorf("51 of 50 in a task that is begun in an outage: %q", rule)
		}
		st, rule := p.try("late", "", 10)
		if st == nil {
			t.Fatalf("50 of 50 in a task that is begun in an outage: %q", rule)
		}
		p.pay(st, 10)
		way.mend()
		wrong := begin(way) // it is not fresh
		if _, rule := wrong.try("part", "", 11); rule != "cap" {
			t.Errorf("a session that others had: %q", rule)
		}
	})
}
