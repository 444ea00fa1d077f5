package meter_test

import (
	"hash/fnv"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

const (
	second = int64(1e9)
	begin  = 1_767_600_000 * second
)

// call is the call of a word such as "ls" or "read(a)": the ability is what
// stands before the bracket.
func call(word string) *meter.Call {
	ability, _, _ := strings.Cut(word, "(")
	h := fnv.New64a()
	h.Write([]byte(word))
	return &meter.Call{Ability: ability, Args: h.Sum64()}
}

// play makes the calls of a script: "ls=out" puts out "out", "ls!text" fails
// with it; "user" and "say:text" are messages. Each takes a second.
func play(k *meter.Task, script string, at int64) int64 {
	for _, word := range strings.Fields(script) {
		at += second
		if word == "user" {
			k.User(1, at)
			continue
		}
		if text, ok := strings.CutPrefix(word, "say:"); ok {
			k.Assistant(strings.ReplaceAll(text, "_", " "), at)
			continue
		}
		name, out, failed := word, "", false
		if before, after, ok := strings.Cut(word, "!"); ok {
			name, out, failed = before, after, true
		} else {
			name, out, _ = strings.Cut(word, "=")
		}
		k.Finish(k.Begin(call(name), at), meter.Result{Output: out, Failed: failed, Counts: true}, at)
	}
	return at
}

// read returns a meter as text.
func read(t *testing.T, k *meter.Task, name string, at int64, next *meter.Call) string {
	t.Helper()
	r := meter.Reading{Task: k, At: at, Next: next}
	d, ok := r.Meter(dsl.Key(name))
	if !ok {
		t.Fatalf("there is no meter %s", name)
	}
	return d.String()
}

func root() *meter.Task { return meter.New(meter.Options{}, begin).Top() }
