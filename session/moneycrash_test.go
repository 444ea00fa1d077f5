package session_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// lasting is a store that outlives its sessions. Where lose says so, a request
// is not made, or made and not answered.
type lasting struct {
	state.Store
	lose    func() fate
	claimed func() // after a claim; nil: nothing happens
}

type fate int

const (
	heard fate = iota
	unheard
	unanswered
)

var errLost = errors.New("the line is cut")

func (l *lasting) do(f func() error) error {
	if l.lose == nil {
		return f()
	}
	switch l.lose() {
	case unheard:
		return fmt.Errorf("%w: %w", state.ErrUnavailable, errLost)
	case unanswered:
		if err := f(); err != nil {
			return err
		}
		return fmt.Errorf("%w: %w", state.ErrUnavailable, errLost)
	}
	return f()
}

func (l *lasting) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	err := l.do(func() error { return l.Store.Claim(ctx, c, g) })
	if l.claimed != nil && err == nil && g.Admitted {
		l.claimed()
	}
	return err
}

func (l *lasting) Settle(ctx context.Context, s *state.Settlement) error {
	return l.do(func() error { return l.Store.Settle(ctx, s) })
}

func (l *lasting) Load(ctx context.Context, q state.Query, v *state.View) error {
	return l.do(func() error { return l.Store.Load(ctx, q, v) })
}

// account is what a session and its tasks have spent by the book: a chain of
// processes that have it one after the other, each of which may die.
type account struct {
	*session.Session
	t      *rapid.T
	rules  *registry.Registry
	store  *lasting
	clock  *session.VirtualClock
	parent map[string]string
	tasks  []string
	bills  []*bill
	spans  map[string]int // by task: how often it was begun anew in this process
	dead   []*bill        // under way when their process died: that may be asked for again
	full   bool           // no decision can be recorded
	prices *prices.Table
	models map[string]bool // the tasks whose model this process knows
}

func (a *account) begin() {
	s, err := session.New(session.Options{
		ID: "s", Registry: a.rules, Store: a.store, Clock: a.clock,
		Review: session.TaskReview{Most: 1 << 30}, Record: a.record,
		Pricing: session.Pricing{Table: a.prices, MaxOutput: turnTokens},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	a.Session, a.spans, a.models = s, map[string]int{}, map[string]bool{}
	for _, id := range a.tasks {
		s.StartTask(id, a.parent[id], "")
	}
}

// turnTokens are what an answer may have, and turnCost is what they come to: what a
// call reserves that does not say what it may cost, where the model is known.
const (
	turnTokens = 100_000
	turnCost   = 2 * dollar
)

func (a *account) record(*session.Record) error {
	if a.full {
		return errors.New("the disk is full")
	}
	return nil
}

// die drops the process with all that it knows.
func (a *account) die() {
	for _, x := range a.bills {
		if !x.told && x.span == 0 && a.spans[x.task] == 0 && x.process == a.Session {
			a.dead = append(a.dead, x)
		}
		x.process = nil
	}
	a.begin()
}

func (a *account) of(task string) (sum int64) {
	for _, x := range a.bills {
		for id := x.task; ; id = a.parent[id] {
			if id == task {
				sum += x.now()
			}
			if id == "" {
				break
			}
		}
	}
	return sum
}

// now is what a call counts for.
func (x *bill) now() int64 {
	if x.told {
		return x.cost
	}
	return x.estimate
}

// call asks for a call, and reports whether it was let through.
func (a *account) call(task, id string, estimate int64) bool {
	var v registry.Verdict
	st := &session.Step{Call: session.Call{ID: id, Ability: "model.ask"}, Task: task, Estimate: estimate}
	a.Before(context.Background(), st, &v)
	a.full = false
	again := a.underWay(task, id)
	if v.Decision.Blocks() {
		return false
	}
	passing := estimate == 0 && a.models[task]
	if passing {
		estimate = turnCost
	}
	if again != nil {
		if estimate > again.estimate {
			again.estimate, again.passing = estimate, again.passing && passing
		}
		return true
	}
	kept := a.dead[:0]
	for _, x := range a.dead {
		if id != "" && x.passing == passing && x.task == task && x.id == id && a.spans[task] == 0 {
			estimate = max(estimate, x.estimate) // what is set aside stays
			x.told, x.cost = true, 0             // the new one stands in its place
		} else {
			kept = append(kept, x)
		}
	}
	a.dead = kept
	a.bills = append(a.bills, &bill{task: task, id: id, step: st, estimate: estimate, span: a.spans[task], process: a.Session, passing: passing})
	return true
}

func (a *account) underWay(task, id string) *bill {
	for _, x := range a.bills {
		if id != "" && x.process == a.Session && !x.told && x.task == task && x.id == id && x.span == a.spans[task] {
			return x
		}
	}
	return nil
}

// check compares every task with the book, once the session knows of it.
func (a *account) check(what string) {
	for _, id := range a.tasks {
		if got, want := spentBy(a.Session, id), a.of(id)/(dollar/100); got != want {
			a.t.Fatalf("after %s: task %s has spent and reserved %d cents, by the book %d", what, id, got, want)
		}
	}
}

// look has every task's money looked at, by a call that costs nothing.
func (a *account) look() {
	for _, id := range a.tasks {
		var v registry.Verdict
		st := &session.Step{Call: session.Call{Ability: "look"}, Task: id, Estimate: -1}
		if a.Before(context.Background(), st, &v); !v.Decision.Blocks() {
			_ = a.After(context.Background(), session.Outcome{Step: st, Settled: true})
		}
	}
}

// Over random trees of tasks whose processes die, with calls under way, and
// whose calls are asked for again by the next, if they have an id; with
// decisions that cannot be recorded, and calls that reserve what their turn may cost:
// what every task has spent and reserved is what the book says, and no limit is passed.
func TestMoneyOutlivesItsProcess(t *testing.T) {
	rules, table := load(t, "B:task.spend_cents>5000|abort"), priceTable(t)
	rapid.Check(t, func(r *rapid.T) { outlive(r, rules, table, nil) })
}

// The same, with requests that the store never hears, or does not answer: none
// of it is lost, and none counts twice, as long as the process lives that knows.
func TestMoneyOutlivesAnswersThatAreLost(t *testing.T) {
	rules, table := load(t, "B:task.spend_cents>5000|abort"), priceTable(t)
	rapid.Check(t, func(r *rapid.T) {
		outlive(r, rules, table, func() fate { return rapid.SampledFrom([]fate{heard, heard, unheard, unanswered}).Draw(r, "fate") })
	})
}

func outlive(r *rapid.T, rules *registry.Registry, table *prices.Table, lose func() fate) {
	a := &account{
		t: r, rules: rules, prices: table, store: &lasting{Store: memory.New(memory.Options{})}, clock: session.NewVirtualClock(start), parent: map[string]string{},
	}
	a.begin()
	for i := range rapid.IntRange(5, 60).Draw(r, "steps") {
		task := rapid.SampledFrom(append([]string{""}, a.tasks...)).Draw(r, "task")
		what := rapid.IntRange(0, 9).Draw(r, "what")
		if a.store.lose = lose; what > 8 {
			a.store.lose = nil // what a process did not get told is lost with it
		}
		switch {
		case what <= 1 || task == "":
			id := fmt.Sprint("t", i)
			a.StartTask(id, task, "")
			a.parent[id], a.tasks = task, append(a.tasks, id)
		case what <= 4:
			id := fmt.Sprint("c", rapid.IntRange(0, 8).Draw(r, "id"))
			if id == "c0" {
				id = "" // another call every time
			}
			a.full = rapid.IntRange(0, 5).Draw(r, "record") == 0
			if a.call(task, id, max(rapid.Int64Range(-6, 15).Draw(r, "estimate"), 0)*dollar) {
				for _, id := range a.tasks {
					if got := a.of(id); got > limit {
						r.Fatalf("a call was let through at %d of %d in %s; shown %d", got, limit, id, spentBy(a.Session, id))
					}
				}
			}
		case what <= 6:
			a.report(r)
		case what == 7:
			cost := rapid.Int64Range(0, 3).Draw(r, "usage") * dollar
			for id := task; id != ""; id = a.parent[id] { // one that is ended is not looked at below
				cost = min(cost, limit-a.of(id))
			}
			e := &session.Event{Type: session.Usage, Task: task, Cost: cost, HasCost: true}
			if rapid.Bool().Draw(r, "model") {
				e.Model, a.models[task] = "dear", true
			}
			a.Observe(context.Background(), e)
			a.bills = append(a.bills, &bill{task: task, cost: cost, told: true})
			a.pass(task, nil)
		case what == 8:
			if a.NewAttempt(task) == nil {
				a.anew(task)
			}
		default:
			a.Sweep(context.Background(), 0) // tells the store what it has not heard
			a.die()
			a.look()
		}
		a.check(fmt.Sprintf("step %d (%d)", i, what))
	}
}

// anew notes that a task, and those below it, were begun anew.
func (a *account) anew(task string) {
	for _, id := range a.tasks {
		for p := id; p != ""; p = a.parent[p] {
			if p == task {
				a.spans[id]++
				a.pass(id, a.Session)
				break
			}
		}
	}
}

// pass notes that what is set aside for the turns of a task is given back, by a
// process; nil: by all of them.
func (a *account) pass(task string, process *session.Session) {
	for _, x := range a.bills {
		if x.passing && x.task == task && (process == nil || x.process == process) {
			x.estimate = 0
		}
	}
}

// report tells of some call of this process.
func (a *account) report(r *rapid.T) {
	var open []*bill
	for _, x := range a.bills {
		if x.process == a.Session && x.step != nil {
			open = append(open, x)
		}
	}
	if len(open) == 0 {
		return
	}
	x := rapid.SampledFrom(open).Draw(r, "call")
	o := session.Outcome{Step: x.step, Settled: rapid.Bool().Draw(r, "settled")}
	if !x.told {
		if x.cost = x.estimate; x.passing {
			x.cost = 0
		}
		if o.Settled {
			x.cost = rapid.Int64Range(0, x.estimate/dollar).Draw(r, "cost") * dollar
		}
		o.Cost, x.told = x.cost, true
	} else {
		o.Cost = 1000 * dollar // told twice, it counts once
	}
	_ = a.After(context.Background(), o) // what is lost is told later
}
