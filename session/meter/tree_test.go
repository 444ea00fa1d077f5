package meter_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/dsl"

	"github.com/cbpolicy/cbpolicy/session/meter"
)

func TestTree(t *testing.T) {
	tree := meter.New(meter.Options{}, begin)
	a := tree.Start("a", "", begin)
	b := tree.Start("b", "a", begin)
	if tree.Top() != b || tree.Task("nobody") != tree.Task("") || b.Parent() != a {
		t.Error("b is not on top, or an unknown id is not the root, or a is not above b")
	}
	b.Spend(7, begin)
	b.Finish(b.Begin(call("ls"), begin), meter.Result{}, begin)
	tree.End("a", begin+second) // not the one on top
	if tree.Top() != b {
		t.Error("b is no longer on top")
	}
	tree.End("b", begin+second)
	tree.End("", begin+second)
	if tree.Top().ID() != "" {
		t.Error("the root is closed")
	}
	if again := tree.Start("b", "", begin+10*second); again != b {
		t.Error("a task that is opened again is not the same")
	}
	for name, want := range map[string]string{"task.tool_calls": "1", "task.spend_cents": "0.0000007", "task.duration": "3"} {
		if got := read(t, b, name, begin+12*second, nil); got != want {
			t.Errorf("%s of b is %s, want %s", name, got, want)
		}
	}
	if got := read(t, a, "task.spend_cents", begin, nil); got != "0.0000007" {
		t.Errorf("a has spent %s, want what b has", got)
	}
	if got := read(t, a, "task.tool_calls", begin, nil); got != "0" {
		t.Errorf("a has made %s calls, want none", got)
	}
}

func TestWorkersAndTools(t *testing.T) {
	k := root()
	delegate := func(worker string, r meter.Result) {
		k.Finish(k.Begin(&meter.Call{Ability: "delegate." + worker, Worker: worker}, begin), r, begin)
	}
	failures := func(worker string) string {
		return read(t, k, "worker.failures", begin, &meter.Call{Ability: "delegate.x", Worker: worker})
	}
	delegate("Chef_Team", meter.Result{Failed: true})
	delegate("chef_team ", meter.Result{Output: "here it is"})
	delegate("chef_team", meter.Result{Gave: true})
	delegate("other", meter.Result{Output: "fine"})
	if got := failures(" CHEF_team"); got != "2" {
		t.Errorf("chef_team has failed %s times, want 2: success does not reset it", got)
	}
	if got := failures("other"); got != "0" {
		t.Errorf("other has failed %s times", got)
	}
	play(k, "web!x web!y", begin)
	k.Finish(k.Begin(call("web"), begin), meter.Result{Failed: true}, begin) // called wrongly: says nothing
	if got := read(t, k, "tool.failures", begin, call("Web")); got != "2" {
		t.Errorf("web has failed %s times in a row, want 2", got)
	}
	play(k, "web=fine", begin)
	if got := read(t, k, "tool.failures", begin, call("web")); got != "0" {
		t.Errorf("after a success %s", got)
	}
}

// Every task has exactly what happened in it, whatever happens beside it.
func TestAttribution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := meter.New(meter.Options{}, begin)
		type sum struct{ calls, messages, spend int64 }
		want := map[string]*sum{"": {}}
		parents := map[string]string{}
		ids := []string{""}
		at := begin
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			at += int64(rapid.IntRange(0, 3).Draw(t, "gap"))
			id := rapid.SampledFrom(ids).Draw(t, "task")
			switch rapid.IntRange(0, 4).Draw(t, "event") {
			case 0:
				child := fmt.Sprintf("t%d", len(ids))
				tree.Start(child, id, at)
				ids, want[child], parents[child] = append(ids, child), &sum{}, id
			case 1:
				tree.Task(id).Finish(tree.Task(id).Begin(call("ls"), at), meter.Result{}, at)
				want[id].calls++
				want[id].messages++
			case 2:
				tree.Task(id).User(3, at)
				want[id].messages++
			case 3:
				tree.Task(id).Spend(10_000_000, at)
				for up := id; ; up = parents[up] {
					want[up].spend++
					if up == "" {
						break
					}
				}
			case 4:
				tree.End(id, at)
			}
		}
		total := int64(0)
		for _, id := range ids {
			total += want[id].calls
			for name, n := range map[string]int64{"tool_calls": want[id].calls, "messages": want[id].messages, "spend_cents": want[id].spend} {
				r := meter.Reading{Task: tree.Task(id), At: at}
				if got, _ := r.Meter(dsl.Key("task." + name)); got.String() != fmt.Sprint(n) {
					t.Fatalf("task %q: %s is %s, want %d", id, name, got, n)
				}
			}
		}
		r := meter.Reading{Task: tree.Top(), At: at}
		if got, _ := r.Meter("session.tool_calls"); got.String() != fmt.Sprint(total) {
			t.Fatalf("the session has %s calls, want %d", got, total)
		}
	})
}
