package meter_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/session/meter"
)

func TestDurationStandsStillForTheUser(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(k *meter.Task) (at int64)
		want string
	}{
		{"it runs", func(*meter.Task) int64 { return 10 }, "10"},
		{"to the nanosecond", func(k *meter.Task) int64 { return 10 }, "10"},
		{"an answer waits for the user", func(k *meter.Task) int64 {
			k.Assistant("what now?", begin+3*second)
			return 1000
		}, "3"},
		{"until the user is back", func(k *meter.Task) int64 {
			k.Assistant("what now?", begin+3*second)
			k.User(4, begin+100*second)
			return 105
		}, "8"},
		{"a turn that goes on with a call was no wait", func(k *meter.Task) int64 {
			k.Assistant("let me look", begin+3*second)
			k.Begin(call("ls"), begin+8*second)
			return 10
		}, "10"},
		{"words beside a call are no wait", func(k *meter.Task) int64 {
			k.Begin(call("ls"), begin+2*second)
			k.Assistant("it takes long", begin+3*second)
			return 10
		}, "10"},
		{"a question to a person", func(k *meter.Task) int64 {
			k.Asked("", begin+2*second)
			return 500
		}, "2"},
		{"and its answer", func(k *meter.Task) int64 {
			k.Asked("", begin+2*second)
			k.Begin(call("pay"), begin+500*second)
			return 510
		}, "12"},
		{"usage is reported late and is no sign of work", func(k *meter.Task) int64 {
			k.Assistant("what now?", begin+3*second)
			k.Usage("m", meter.Tokens{Output: 5}, 0, begin+4*second)
			return 1000
		}, "3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := meter.New(meter.Options{}, begin).Start("t", "", begin)
			at := begin + c.play(k)*second
			for _, name := range []string{"task.duration", "session.duration"} {
				if got := read(t, k, name, at, nil); got != c.want {
					t.Errorf("%s is %s, want %s", name, got, c.want)
				}
			}
		})
	}
	if got := read(t, meter.New(meter.Options{}, begin).Start("t", "", begin), "task.duration", begin+1800*second+1, nil); got != "1800.000000001" {
		t.Errorf("duration %s, want 1800.000000001", got)
	}
}

func TestIdle(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(tree *meter.Tree, k *meter.Task)
		want string
	}{
		{"since the start", func(*meter.Tree, *meter.Task) {}, "100"},
		{"since the last event", func(_ *meter.Tree, k *meter.Task) { k.Beat(begin + 60*second) }, "40"},
		{"not while a call is under way", func(_ *meter.Tree, k *meter.Task) { k.Begin(call("build"), begin+second) }, "0"},
		{"unless the source has heartbeats", func(tree *meter.Tree, k *meter.Task) {
			tree.Beats()
			k.Begin(call("build"), begin+second)
		}, "99"},
		{"not while the user is away", func(_ *meter.Tree, k *meter.Task) { k.Assistant("done", begin+second) }, "0"},
		{"from when the user is back", func(_ *meter.Tree, k *meter.Task) {
			k.Assistant("done", begin+second)
			k.User(1, begin+70*second)
		}, "30"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := meter.New(meter.Options{}, begin)
			k := tree.Start("t", "", begin)
			c.play(tree, k)
			if got := read(t, k, "task.idle", begin+100*second, nil); got != c.want {
				t.Errorf("idle %s, want %s", got, c.want)
			}
		})
	}
}

func TestClocksOfTheRoot(t *testing.T) {
	tree := meter.New(meter.Options{}, begin)
	k := tree.Top()
	for _, name := range []string{"task.duration", "task.idle", "session.duration"} {
		if got := read(t, k, name, begin+1000*second, nil); got != "0" {
			t.Errorf("before anything happens %s is %s", name, got)
		}
	}
	k.User(1, begin+1000*second)
	if got := read(t, k, "task.duration", begin+1010*second, nil); got != "10" {
		t.Errorf("duration %s, want 10 since the first event", got)
	}
	child := tree.Start("child", "", begin+1010*second)
	child.Beat(begin + 1500*second)
	if got := read(t, k, "task.idle", begin+1501*second, nil); got != "1" {
		t.Errorf("idle %s, want 1: what is below it works", got)
	}
}

// A message that is reported again, grown, costs what its last report says.
func TestCostOfAMessageIsCountedOnce(t *testing.T) {
	tree := meter.New(meter.Options{}, begin)
	k := tree.Start("child", "", begin)
	k.Usage("m1", meter.Tokens{}, 10_000_000, begin)
	k.Usage("m1", meter.Tokens{}, 25_000_000, begin)
	k.Usage("m1", meter.Tokens{}, 5_000_000, begin)
	k.Usage("", meter.Tokens{}, 5_000_000, begin)
	for _, task := range []*meter.Task{k, k.Parent()} {
		if got := read(t, task, "task.spend_cents", begin, nil); got != "3" {
			t.Errorf("task %q: %s cents, want 3", task.ID(), got)
		}
	}
}

func TestUsage(t *testing.T) {
	k := root()
	k.User(40, begin)
	if got := read(t, k, "task.context_tokens", begin, nil); got != "10" {
		t.Errorf("estimated %s tokens of 40 bytes, want 10", got)
	}
	k.Usage("m1", meter.Tokens{Input: 900, Output: 10, CacheRead: 50}, 0, begin)
	k.Usage("m1", meter.Tokens{Input: 900, Output: 40}, 0, begin) // the same message, grown
	k.Usage("m2", meter.Tokens{Input: 1000, Output: 1, CacheWrite: 7, CacheWrite1h: 5}, 0, begin)
	if got := read(t, k, "task.context_tokens", begin, nil); got != "1008" {
		t.Errorf("a context of %s tokens, want 1008: what lasts an hour is part of what was written", got)
	}
	k.Usage("", meter.Tokens{Input: 1}, 0, begin)
	k.Usage("", meter.Tokens{Input: 1}, 0, begin) // reports without an id are all different
	for name, want := range map[string]string{"task.input_tokens": "1902", "task.output_tokens": "41", "task.context_tokens": "1"} {
		if got := read(t, k, name, begin, nil); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
