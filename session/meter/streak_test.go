package meter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/session/meter"
	"pgregory.net/rapid"
)

// The streaks are read when a call is about to be made, with what was made
// before it. The limits in the comments are those of the built-in loops.
func TestStreaks(t *testing.T) {
	for _, c := range []struct {
		name, before, next, meter, want string
	}{
		{"the first call", "", "ls", "task.same_call_streak", "1"},
		{"the second", "ls=a", "ls", "task.same_call_streak", "2"},
		{"the fifth of equal outcomes", "ls=a ls=a ls=a ls=a", "ls", "task.same_call_streak", "5"},
		{"a poll whose output changes is no loop", "ls=a ls=b ls=c ls=d", "ls", "task.same_call_streak", "2"},
		{"a poll is no streak of its ability", "ls=a ls=b ls=c ls=d", "ls", "task.same_ability_streak", "2"},
		{"nor is a poll of two by turns", "ls(1)=a ls(2)=a ls(1)=b ls(2)=b ls(1)=c", "ls(2)", "task.same_ability_streak", "2"},
		{"a poll whose output comes and goes", "ls=a ls=b ls=a ls=b ls=a ls=b", "ls", "task.alternation", "0"},
		{"another call between", "ls=a ls=a read=x ls=a", "ls", "task.same_call_streak", "2"},
		{"other arguments", "read(a)=x read(a)=x", "read(b)", "task.same_call_streak", "1"},
		{"the same failure", "ls!no ls!no ls!no", "ls", "task.same_call_streak", "4"},
		{"a failure is no success of the same text", "ls=no ls!no", "ls", "task.same_call_streak", "2"},
		{"a message of the user does not break it", "ls=a ls=a user ls=a", "ls", "task.same_call_streak", "4"},

		{"ability, whatever the arguments", "read(a)=x read(b)=y", "read(c)", "task.same_ability_streak", "3"},
		{"another ability", "read(a)=x ls=y", "read(c)", "task.same_ability_streak", "1"},

		{"one call does not alternate", "ls=a", "read", "task.alternation", "0"},
		{"two by turns", "ls=a read=b ls=a read=b ls=a read=b", "ls", "task.alternation", "6"},
		{"with a user message between", "ls=a read=b ls=a user read=b ls=a read=b", "ls", "task.alternation", "6"},
		{"who leaves the turns is free", "ls=a read=b ls=a read=b ls=a read=b", "pwd", "task.alternation", "0"},
		{"outputs that change", "ls=a read=b ls=c read=d ls=e read=f", "ls", "task.alternation", "2"},
		{"no turns", "ls=a read(1)=b pwd=c read(2)=d pwd=c read(2)=d", "pwd", "task.alternation", "4"},
		{"turns begin anew", "a=1 b=2 a=1 b=2 c=3 b=2", "c", "task.alternation", "3"},

		{"the first call of a turn", "ls=a ls=a user", "read", "task.turn_calls", "1"},
		{"calls of any kind since the user wrote", "ls=a user ls=a read!x", "pwd", "task.turn_calls", "3"},
		{"no word of the user yet", "ls=a ls=b", "ls", "task.turn_calls", "3"},

		{"no failure", "ls=a", "ls", "task.error_streak", "0"},
		{"three failures, of any text", "a!x b!y c!z", "d", "task.error_streak", "3"},
		{"a success ends them", "a!x b!y c=z", "d", "task.error_streak", "0"},
		{"an error text in changing output", "a=fine a=error_404 a=done", "a", "task.error_streak", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := root()
			at := play(k, c.before, begin)
			if got := read(t, k, c.meter, at, call(c.next)); got != c.want {
				t.Errorf("%s before %s is %s, want %s", c.meter, c.next, got, c.want)
			}
		})
	}
}

func TestGrowingEdits(t *testing.T) {
	edit := func(bytes int64) *meter.Call { return &meter.Call{Ability: "edit_file", NewText: bytes} }
	k := root()
	for i, step := range []struct {
		bytes int64
		want  string
	}{{10, "1"}, {11, "2"}, {12, "3"}, {12, "1"}, {13, "2"}, {5, "1"}, {6, "2"}} {
		if got := read(t, k, "task.growing_edit_streak", begin, edit(step.bytes)); got != step.want {
			t.Errorf("edit %d of %d bytes: %s, want %s", i+1, step.bytes, got, step.want)
		}
		k.Finish(k.Begin(edit(step.bytes), begin), meter.Result{Output: "ok"}, begin)
		play(k, "test=failed", begin) // what comes between edits does not matter
	}
}

func TestParallelCallsHaveNoOutcomeYet(t *testing.T) {
	k := root()
	first, second := k.Begin(call("ls"), begin), k.Begin(call("ls"), begin)
	if got := read(t, k, "task.same_call_streak", begin, call("ls")); got != "1" {
		t.Errorf("with two under way: %s, want 1", got)
	}
	k.Finish(second, meter.Result{Output: "a"}, begin)
	k.Finish(first, meter.Result{Output: "a"}, begin)
	k.Finish(first, meter.Result{Output: "a"}, begin) // reported twice
	if got := read(t, k, "task.same_call_streak", begin, call("ls")); got != "3" {
		t.Errorf("after both: %s, want 3", got)
	}
}

func TestSimilarity(t *testing.T) {
	words := func(n int, last string) string {
		var b strings.Builder
		for i := range n - 1 {
			b.WriteString("w" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + " ")
		}
		return b.String() + last
	}
	// Two sets of 39 words with 38 in common have 40 together: 38/40 = 0.95.
	atLimit, twin := words(39, "this"), words(39, "that")
	for _, c := range []struct {
		name    string
		outputs []string
		want    string
	}{
		{"none", nil, "0"},
		{"two are not enough", []string{"a b", "a b"}, "0"},
		{"three equal ones", []string{"a b", "b a", "a\t\nb a"}, "1"},
		{"three empty ones", []string{"", " ", "\n"}, "1"},
		{"one empty", []string{"a", "", ""}, "0"},
		{"the least pair counts", []string{"a b", "a b", "a c"}, "0.3333333333333333335"},
		{"only the last three", []string{"x", "a", "a", "a"}, "1"},
		{"exactly 0.95", []string{atLimit, atLimit, twin}, "0.95"},
		{"words beyond the first 512 are not looked at", []string{words(600, "x"), words(600, "y"), words(600, "z")}, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := root()
			for _, text := range c.outputs {
				k.Assistant(text, begin)
			}
			if got := read(t, k, "task.output_similarity", begin, nil); got != c.want {
				t.Errorf("similarity %s, want %s", got, c.want)
			}
		})
	}
}

// What is said between calls leaves them in a row, up to as many messages as the
// detectors of the field look back over.
func TestStreaks_MessagesBetween(t *testing.T) {
	for _, c := range []struct {
		messages int
		want     string
	}{{1, "3"}, {meter.MaxBetween, "3"}, {meter.MaxBetween + 1, "1"}} {
		k := root()
		talk := strings.Repeat("say:so ", c.messages)
		play(k, "ls=a "+talk+"ls=a "+talk, begin)
		if got := read(t, k, "task.same_call_streak", begin, call("ls")); got != c.want {
			t.Errorf("%d messages between: %s, want %s", c.messages, got, c.want)
		}
	}
}

func TestSameMessages(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"", "0"}, {"say:a", "1"}, {"say:a say:a", "2"}, {"say:a say:b", "1"}, {"say:a say:b say:a", "1"},
		{"say:a user say:a", "2"}, {"say:a say:a ls=x", "0"}, {"say:a say:a ls=x say:a", "1"},
	} {
		k := root()
		at := play(k, c.script, begin)
		if got := read(t, k, "task.same_message_streak", at, nil); got != c.want {
			t.Errorf("%s: %s, want %s", c.script, got, c.want)
		}
	}
}

// A task reads how many open ones below it are stuck, however they are opened,
// closed, opened again and begun anew.
func TestStuckBelow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := meter.New(meter.Options{}, begin)
		type node struct {
			parent      string
			open, stuck bool
		}
		want := map[string]*node{}
		ids := []string{"a", "b", "c", "d", "e", "f"}
		for range rapid.IntRange(1, 40).Draw(t, "moves") {
			id := rapid.SampledFrom(ids).Draw(t, "task")
			n := want[id]
			switch move := rapid.SampledFrom([]string{"start", "end", "stuck", "free", "anew"}).Draw(t, "move"); {
			case move == "start" && n == nil:
				parent := rapid.SampledFrom(append([]string{""}, ids...)).Draw(t, "below")
				if want[parent] == nil {
					parent = ""
				}
				want[id] = &node{parent: parent, open: true}
				tree.Start(id, parent, begin)
			case n == nil:
			case move == "start":
				n.open = true
				tree.Start(id, "", begin)
			case move == "end":
				n.open, n.stuck = false, false
				tree.End(id, begin)
			case !n.open: // what is judged of it changes nothing
				tree.Task(id).Stuck(move == "stuck")
			case move == "anew":
				n.stuck = false
				tree.Task(id).Anew(begin)
			default:
				n.stuck = move == "stuck"
				tree.Task(id).Stuck(n.stuck)
			}
		}
		count := map[string]int64{}
		for _, n := range want {
			for p := n; n.stuck; p = want[p.parent] {
				if count[p.parent]++; p.parent == "" {
					break
				}
			}
		}
		for _, id := range append(ids, "") {
			if id != "" && want[id] == nil {
				continue
			}
			r := meter.Reading{Task: tree.Task(id), At: begin}
			if got, _ := r.Meter("task.stuck_below"); got.String() != fmt.Sprint(count[id]) {
				t.Fatalf("task %q: %s, want %d", id, got, count[id])
			}
		}
	})
}
