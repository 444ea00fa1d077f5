package multimatch_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/internal/multimatch"
)

func found(m *multimatch.Matcher, text string) []int {
	var ids []int
	m.Find(text, func(id int) bool {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		return true
	})
	slices.Sort(ids)
	return ids
}

func TestAgreesWithContains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abcé]{0,5}`)
		patterns := rapid.SliceOfN(word, 0, 12).Draw(t, "patterns")
		text := rapid.StringMatching(`[abcdAé]{0,60}`).Draw(t, "text")
		fold := rapid.Bool().Draw(t, "fold")
		var want []int
		for i, p := range patterns {
			in := text
			if fold {
				in = strings.Map(func(r rune) rune {
					if 'A' <= r && r <= 'Z' {
						return r + 'a' - 'A'
					}
					return r
				}, text)
			}
			if strings.Contains(in, p) {
				want = append(want, i)
			}
		}
		if got := found(multimatch.New(patterns, fold), text); !slices.Equal(got, want) {
			t.Fatalf("%q in %q (fold %v): got %v, want %v", patterns, text, fold, got, want)
		}
	})
}

func TestEach_IsEveryOccurrence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		patterns := rapid.SliceOfNDistinct(rapid.StringMatching(`[abé]{1,4}`), 0, 8, rapid.ID).Draw(t, "patterns")
		text := rapid.StringMatching(`[abABé]{0,60}`).Draw(t, "text")
		lower := strings.NewReplacer("A", "a", "B", "b").Replace(text)
		got, want, last := map[string]bool{}, map[string]bool{}, 0
		multimatch.New(patterns, true).Each(text, func(id, end int) bool {
			if end < last {
				t.Fatalf("%d comes after %d", end, last)
			}
			last = end
			got[fmt.Sprint(id, " ends at ", end)] = true
			return true
		})
		for id, p := range patterns {
			for end := len(p); end <= len(text); end++ {
				if lower[end-len(p):end] == p {
					want[fmt.Sprint(id, " ends at ", end)] = true
				}
			}
		}
		if !maps.Equal(got, want) {
			t.Fatalf("%q in %q: got %v, want %v", patterns, text, got, want)
		}
	})
}

func TestFewPatternsInALongText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab0]{1,4}`).Draw(t, "pattern")
		text := rapid.StringMatching(`[ab0]{0,200}`).Draw(t, "text")
		got := len(found(multimatch.New([]string{pattern}, false), text)) == 1
		if want := strings.Contains(text, pattern); got != want {
			t.Fatalf("%q in %q: %v", pattern, text, got)
		}
	})
}

func TestAllBytes(t *testing.T) {
	var patterns []string
	for b := range 256 {
		patterns = append(patterns, string([]byte{byte(b)}))
	}
	m := multimatch.New(patterns, false)
	for b := range 256 {
		if got := found(m, patterns[b]); len(got) != 1 || got[0] != b {
			t.Fatalf("byte %d finds %v", b, got)
		}
	}
}

func TestZeroValueAndStop(t *testing.T) {
	if got := found(&multimatch.Matcher{}, "abc"); got != nil {
		t.Fatal(got)
	}
	calls := 0
	all := multimatch.New([]string{"a", "b"}, false).Find("ab", func(int) bool { calls++; return false })
	if all || calls != 1 {
		t.Fatalf("went on after false: %v, %d calls", all, calls)
	}
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("the quick brown fox jumps over a lazy dog; ", 24)[:1024]
	for _, n := range []int{100, 10_000} {
		var patterns []string
		for i := range n {
			patterns = append(patterns, fmt.Sprintf("q%07d", i))
		}
		m := multimatch.New(patterns, false)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Find(text, func(int) bool { return true })
			}
		})
	}
}
