package meter_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// oracle adds the money of a tree of tasks up from nothing but its calls.
type oracle struct {
	parent map[string]string
	calls  []*spending
	other  map[string]int64 // usage by task
}

type spending struct {
	task             string
	flight           meter.Flight
	reserved, actual int64
	over             bool
}

// of is what a task has spent and reserved, with those below it; "" is all.
func (o *oracle) of(task string) (sum int64) {
	within := func(t string) bool {
		for ; t != ""; t = o.parent[t] {
			if t == task {
				return true
			}
		}
		return task == ""
	}
	for _, c := range o.calls {
		if within(c.task) && c.over {
			sum += c.actual
		} else if within(c.task) {
			sum += c.reserved
		}
	}
	for t, n := range o.other {
		if within(t) {
			sum += n
		}
	}
	return sum
}

// Over a random tree of tasks, with calls that are settled, lost, taken back
// or never reported, every task has what its calls and those below it come to.
func TestBudgetIsThatOfTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := meter.New(meter.Options{}, begin)
		o := &oracle{parent: map[string]string{}, other: map[string]int64{}}
		var open []string
		amount := rapid.Int64Range(0, 5e9)
		for step := range rapid.IntRange(1, 60).Draw(t, "steps") {
			at := begin + int64(step)*second
			task := ""
			if len(open) > 0 {
				task = rapid.SampledFrom(append(open, "")).Draw(t, "task")
			}
			k := tree.Task(task)
			switch rapid.IntRange(0, 6).Draw(t, "what") {
			case 0:
				id := fmt.Sprint("t", step)
				tree.Start(id, task, at)
				o.parent[id] = task
				open = append(open, id)
			case 1, 2:
				c := &spending{task: task, reserved: amount.Draw(t, "estimate")}
				c.flight = k.Begin(&meter.Call{Ability: "a", ID: fmt.Sprint(step), Estimate: c.reserved}, at)
				o.calls = append(o.calls, c)
			case 3, 4:
				var own []*spending
				for _, c := range o.calls {
					if c.task == task && !c.over {
						own = append(own, c)
					}
				}
				if len(own) == 0 {
					continue
				}
				c := rapid.SampledFrom(own).Draw(t, "call")
				c.over, c.actual = true, c.reserved
				r := meter.Result{Settled: rapid.Bool().Draw(t, "settled")}
				if r.Settled {
					c.actual = amount.Draw(t, "cost")
					r.Cost = c.actual
				}
				k.Finish(c.flight, r, at)
				k.Finish(c.flight, r, at) // reported twice, counted once
			case 5:
				n := amount.Draw(t, "usage")
				k.Usage("", meter.Tokens{}, n, at)
				o.other[task] += n
			case 6: // a crash: what is under way is never reported
				if task == "" {
					continue
				}
				tree.End(task, at)
				open = slices.DeleteFunc(open, func(id string) bool { return id == task })
				for _, c := range o.calls {
					if c.task == task && !c.over {
						c.over, c.actual = true, c.reserved
					}
				}
			}
			for _, id := range append(slices.Clone(open), "") {
				got, _ := (&meter.Reading{Task: tree.Task(id), At: at}).Meter("task.spend_cents")
				if want := decimal.Scaled(o.of(id), -7); got != want {
					t.Fatalf("task %q: %s cents, want %s", id, got, want)
				}
			}
		}
	})
}

// What is about to be made counts with its estimate; what is under way is not
// counted a second time when it is asked for again.
func TestReservation(t *testing.T) {
	k := root()
	next := &meter.Call{Ability: "a", ID: "c1", Estimate: 20_000_000}
	if got := read(t, k, "task.spend_cents", begin, next); got != "2" {
		t.Errorf("before the call: %s cents, want 2", got)
	}
	f := k.Begin(next, begin)
	next.Reserved = k.Reserved(next)
	for name, want := range map[string]string{"task.spend_cents": "2", "task.tool_calls": "1", "session.spend_cents": "2"} {
		if got := read(t, k, name, begin, next); got != want {
			t.Errorf("the same call again: %s is %s, want %s", name, got, want)
		}
	}
	dearer := &meter.Call{Ability: "a", ID: "c1", Estimate: 50_000_000, Reserved: k.Reserved(next)}
	for name, want := range map[string]string{"task.spend_cents": "5", "task.tool_calls": "1", "session.spend_cents": "5"} {
		if got := read(t, k, name, begin, dearer); got != want {
			t.Errorf("the same call again, that costs more: %s is %s, want %s", name, got, want)
		}
	}
	other := &meter.Call{Ability: "b", ID: "c1", Estimate: 10_000_000}
	if got := read(t, k, "task.spend_cents", begin, other); got != "3" {
		t.Errorf("another call of that id: %s cents, want 3", got)
	}
	k.Undo(f)
	if got := read(t, k, "task.spend_cents", begin, nil); got != "0" {
		t.Errorf("taken back: %s cents, want 0", got)
	}
}
