package ledger_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/state/ledger"
)

// Money that stands for usage is found by its task, and no other is; the names of
// calls that differ in one half differ.
func TestPassing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var s ledger.State
		want := map[string][]ledger.Name{}
		for range rapid.IntRange(0, 20).Draw(r, "calls") {
			var n ledger.Name
			n[rapid.IntRange(0, 15).Draw(r, "byte")] = rapid.Byte().Draw(r, "value")
			task := rapid.SampledFrom([]string{"", "a", "b"}).Draw(r, "task")
			if rapid.Bool().Draw(r, "passing") {
				n = n.Passing(task)
				if _, again := s.Aside(n); !again {
					want[task] = append(want[task], n)
				}
			}
			if _, again := s.Aside(n); !again {
				s = s.Reserve(n, 1)
			}
		}
		for _, task := range []string{"", "a", "b", "c"} {
			if got := s.Passing(task); !slices.Equal(got, want[task]) {
				r.Fatalf("task %q: %x, want %x", task, got, want[task])
			}
		}
	})
}
