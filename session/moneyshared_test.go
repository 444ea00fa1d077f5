package session_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// partners are processes that have one session at once, and the book of what they
// spend in its tasks: b and c are parts of a, and d of c.
type partners struct {
	r     *rapid.T
	rules *registry.Registry
	home  state.Store
	fates []fate // of which some befall the requests of every step
	all   []*partner
	bills []*bill
	calls int
	// Usage is reported that the store is not told of at once: it may pass a limit,
	// as the others do not know of it.
	usage bool
	ends  int // how many sessions of the id have ended
}

// partner is one of the processes, with the way to the store that only it has.
type partner struct {
	*session.Session
	line  *lasting
	open  []*bill
	spans map[string]int // by task: how often it was closed or begun anew
	ends  int            // as many had ended when it was let through last
}

var sharedTasks = []string{"a", "b", "c", "d"}

var sharedParent = map[string]string{"b": "a", "c": "a", "d": "c"}

// begin begins a process that goes on with the session.
func (s *partners) begin() *partner {
	p := &partner{line: &lasting{Store: s.home}, spans: map[string]int{}}
	var err error
	p.Session, err = session.New(session.Options{
		ID: "s", Registry: s.rules, Store: p.line, Clock: session.NewVirtualClock(start), Review: session.TaskReview{Most: math.MaxInt32},
	})
	if err != nil {
		s.r.Fatal(err)
	}
	for _, task := range sharedTasks {
		p.StartTask(task, sharedParent[task], "")
	}
	return p
}

func (s *partners) of(task string) (sum int64) {
	for _, x := range s.bills {
		for id := x.task; id != ""; id = sharedParent[id] {
			if id == task {
				sum += x.now()
			}
		}
	}
	return sum
}

// ask asks for a call, and checks that it passes no limit.
func (s *partners) ask(p *partner, task, id string, estimate int64) *session.Step {
	for _, task := range sharedTasks {
		_ = p.Resume(task)
	}
	var v registry.Verdict
	st := &session.Step{Call: session.Call{ID: id, Ability: "model.ask"}, Task: task, Estimate: estimate}
	if p.Before(context.Background(), st, &v); v.Decision.Blocks() {
		return nil
	}
	return st
}

// within checks that no limit is passed.
func (s *partners) within(what string) {
	for _, task := range sharedTasks {
		if got := s.of(task); got > limit && !s.usage {
			s.r.Fatalf("%s was let through at %d of %d in %s", what, got, limit, task)
		}
	}
}

// step has one process do something.
func (s *partners) step() {
	r, ctx := s.r, context.Background()
	p := s.all[rapid.IntRange(0, len(s.all)-1).Draw(r, "process")]
	task := rapid.SampledFrom(sharedTasks).Draw(r, "task")
	// Drawn before, as the session takes a store that panics for one that fails.
	fates := rapid.SliceOfN(rapid.SampledFrom(s.fates), 0, 6).Draw(r, "fates")
	lose := func() fate {
		if len(fates) == 0 {
			return heard
		}
		f := fates[0]
		fates = fates[1:]
		return f
	}
	p.line.lose = lose
	defer func() { p.line.lose = nil }()
	switch what := rapid.IntRange(0, 19).Draw(r, "what"); {
	case what < 3 && len(p.open) > 0:
		x := p.open[rapid.IntRange(0, len(p.open)-1).Draw(r, "again")]
		estimate := rapid.Int64Range(0, 15).Draw(r, "estimate") * dollar
		if x.id == "" || x.span != p.spans[x.task] || s.ask(p, x.task, x.id, estimate) == nil {
			return
		}
		if x.estimate, p.ends = max(x.estimate, estimate), s.ends; !slices.Contains(s.bills, x) { // it was another session's
			s.bills = append(s.bills, x)
		}
		s.within("a call that was asked for again")
	case what < 9:
		s.calls++
		x := &bill{task: task, id: fmt.Sprint("c", s.calls), span: p.spans[task], estimate: rapid.Int64Range(0, 15).Draw(r, "estimate") * dollar}
		if rapid.IntRange(0, 2).Draw(r, "no id") == 0 {
			x.id = ""
		}
		if x.step = s.ask(p, task, x.id, x.estimate); x.step != nil {
			s.bills, p.open, p.ends = append(s.bills, x), append(p.open, x), s.ends
			s.within("a call")
		}
	case what < 15:
		if len(p.open) == 0 {
			return
		}
		i := rapid.IntRange(0, len(p.open)-1).Draw(r, "call")
		x := p.open[i]
		p.open = slices.Delete(p.open, i, i+1)
		x.told, x.cost = true, rapid.Int64Range(0, x.estimate/dollar).Draw(r, "cost")*dollar
		_ = p.After(ctx, session.Outcome{Step: x.step, Cost: x.cost, Settled: true}) // what is lost is told later
	case what == 15: // calls under way count as spent, and may be told of yet
		p.EndTask(task)
		p.StartTask(task, sharedParent[task], "")
		p.spans[task]++
	case what == 16:
		for _, id := range sharedTasks {
			_ = p.Resume(id)
		}
		if err := p.NewAttempt(task); err != nil {
			r.Fatal(err)
		}
		for _, id := range sharedTasks {
			for at := id; at != ""; at = sharedParent[at] {
				if at == task {
					p.spans[id]++
				}
			}
		}
	case what == 17:
		cost := rapid.Int64Range(0, 2).Draw(r, "usage") * dollar
		if p.ends != s.ends { // it has not heard of the next session
			return
		}
		if !s.usage {
			p.line.lose = nil
			for id := task; id != ""; id = sharedParent[id] {
				cost = min(cost, limit-s.of(id))
			}
		}
		p.Observe(ctx, &session.Event{Type: session.Usage, Task: task, Cost: cost, HasCost: true})
		s.bills = append(s.bills, &bill{task: task, cost: cost, told: true})
	case what == 18:
		s.flush(p)
	default: // it ends, and another begins
		s.flush(p)
		s.all[slices.Index(s.all, p)] = s.begin()
	}
}

// flush has a process tell what it has not told yet. The store is well.
func (s *partners) flush(p *partner) {
	p.line.lose = nil
	if err := p.Flush(context.Background()); err != nil {
		s.r.Fatalf("flush: %v", err)
	}
}

// settle has all processes tell what they have not told, and compares what a fresh
// one is told with the book.
func (s *partners) settle() {
	for _, p := range s.all {
		s.flush(p)
	}
	p := s.begin()
	for _, task := range sharedTasks {
		if st := s.ask(p, task, "", -1); st != nil {
			_ = p.After(context.Background(), session.Outcome{Step: st, Settled: true})
		}
		if got, want := spentBy(p.Session, task), s.of(task)/(dollar/100); got != want {
			s.r.Fatalf("task %s has spent and reserved %d cents, by the book %d", task, got, want)
		}
	}
}

func share(r *rapid.T, rules *registry.Registry, fates ...fate) {
	s := &partners{r: r, rules: rules, home: memory.New(memory.Options{}), fates: fates, usage: rapid.Bool().Draw(r, "usage over the bad line")}
	s.all = []*partner{s.begin(), s.begin(), s.begin()}
	for range rapid.IntRange(5, 60).Draw(r, "steps") {
		s.step()
	}
	s.settle()
}

// Processes that have one session at once, whose requests the store never hears or
// does not answer, and whose tasks are closed and begun anew while calls are under
// way: no limit is passed, and in the end the store has what the book says.
func TestProcessesShareMoneyOverABadLine(t *testing.T) {
	rules := load(t, "B:task.spend_cents>5000|abort|id=cap")
	rapid.Check(t, func(r *rapid.T) {
		share(r, rules, heard, heard, heard, unheard, unanswered)
	})
}
