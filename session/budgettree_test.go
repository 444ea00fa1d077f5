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
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// limit is what a task of these tests may spend, in nano-dollars.
const limit = 50 * dollar

// bill is what one call costs by the book: its estimate while it is under way,
// or lost, and then what it came to.
type bill struct {
	task     string
	step     *session.Step
	estimate int64
	cost     int64
	told     bool // its result was reported

	id      string
	span    int              // of its task, when it was made
	process *session.Session // nil: it died
	passing bool             // the estimate stands for usage
}

// book adds up the money of a tree of tasks from nothing but its calls.
type book struct {
	*session.Session
	parent map[string]string
	open   []string // tasks
	bills  []*bill
	over   map[string]int64 // by task: what calls cost beyond their estimates since one was let through
}

func (b *book) within(task, above string) bool {
	for ; task != ""; task = b.parent[task] {
		if task == above {
			return true
		}
	}
	return above == ""
}

// of is what a task has spent and reserved, with those below it.
func (b *book) of(task string) (sum int64) {
	for _, x := range b.bills {
		switch {
		case !b.within(x.task, task):
		case x.told:
			sum += x.cost
		default:
			sum += x.estimate
		}
	}
	return sum
}

// before asks for a call; an id that is under way in its task is asked for again, and
// costs what it was asked for with at most.
func (b *book) before(ctx context.Context, task, id string, estimate int64) (admitted bool) {
	var v registry.Verdict
	st := &session.Step{Call: session.Call{ID: id, Ability: "model.ask"}, Task: task, Estimate: estimate}
	if b.Before(ctx, st, &v); v.Decision.Blocks() {
		return false
	}
	if st.Repeated() {
		for _, x := range slices.Backward(b.bills) {
			if x.task == task && x.id == id {
				x.estimate = max(x.estimate, estimate)
				return true
			}
		}
		panic("a call is repeated that there was not")
	}
	b.bills = append(b.bills, &bill{task: task, id: id, step: st, estimate: estimate})
	return true
}

// Over random trees of tasks, with calls that are asked for twice, reported
// twice, late or never, tasks that end and begin anew: what every task has spent
// and reserved is what the book says. No limit is passed where estimates are
// upper bounds; where they are not, by at most the open overrun.
func TestMoneyOfATreeIsThatOfTheBook(t *testing.T) {
	for name, most := range map[string]int64{"estimates are upper bounds": 1, "estimates are too low": 3} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) { trade(t.Context(), t, r, most) })
		})
	}
}

// trade lets random things happen; a call costs up to most times its estimate.
func trade(ctx context.Context, t *testing.T, r *rapid.T, most int64) {
	s, err := session.New(session.Options{
		ID: "s", Registry: load(t, "B:task.spend_cents>5000|abort"), Store: memory.New(memory.Options{}), Clock: session.NewVirtualClock(start),
		Review: session.TaskReview{Most: math.MaxInt32},
	})
	if err != nil {
		r.Fatal(err)
	}
	b := &book{Session: s, parent: map[string]string{}, over: map[string]int64{}}
	var all []string
	for i := range rapid.IntRange(5, 80).Draw(r, "steps") {
		task := ""
		if len(b.open) > 0 {
			task = rapid.SampledFrom(b.open).Draw(r, "task")
		}
		switch what := rapid.IntRange(0, 9).Draw(r, "what"); {
		case what <= 1 || task == "":
			id := fmt.Sprint("t", i)
			s.StartTask(id, task, "")
			b.parent[id] = task
			b.open, all = append(b.open, id), append(all, id)
		case what <= 4:
			if b.before(ctx, task, fmt.Sprint("c", rapid.IntRange(0, 20).Draw(r, "id")), rapid.Int64Range(0, 15).Draw(r, "estimate")*dollar) {
				for _, id := range all {
					if b.within(task, id) {
						b.over[id] = 0
						if got := b.of(id); got > limit {
							r.Fatalf("a call was let through at %d of %d in %s", got, limit, id)
						}
					}
				}
			}
		case what <= 7:
			b.report(ctx, r, all, most)
		case what == 8:
			_ = s.NewAttempt(task) // refused where a rule has ended one above
		default:
			s.EndTask(task)
			b.open = slices.DeleteFunc(b.open, func(id string) bool { return id == task })
		}
		for _, id := range all {
			if got := spentBy(s, id); got != b.of(id)/(dollar/100) {
				r.Fatalf("step %d: task %s has spent and reserved %d cents, by the book %d", i, id, got, b.of(id)/(dollar/100))
			}
			if passed := b.of(id) - limit; passed > b.over[id] {
				r.Fatalf("step %d: task %s has passed its limit by %d, the open overrun is %d", i, id, passed, b.over[id])
			}
		}
	}
}

// report tells of some call, whether it was told of before or not.
func (b *book) report(ctx context.Context, r *rapid.T, all []string, most int64) {
	if len(b.bills) == 0 {
		return
	}
	x := rapid.SampledFrom(b.bills).Draw(r, "call")
	o := session.Outcome{Step: x.step, Settled: rapid.Bool().Draw(r, "settled")}
	if cost := x.estimate; !x.told {
		if o.Settled {
			cost = rapid.Int64Range(0, most*x.estimate/dollar).Draw(r, "cost") * dollar
		}
		o.Cost, x.cost, x.told = cost, cost, true
		for _, id := range all {
			if b.within(x.task, id) {
				b.over[id] += max(cost-x.estimate, 0)
			}
		}
	} else {
		o.Cost = 1000 * dollar // told twice, it counts once
	}
	if err := b.After(ctx, o); err != nil {
		r.Fatal(err)
	}
}
