package dsl_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/dsl"
)

func TestIncludes(t *testing.T) {
	for _, c := range []struct {
		p, q dsl.NamePattern
		want bool
	}{
		{"*", "*", true}, {"*", "web.*", true}, {"*", "pay", true}, {"web.*", "*", false},
		{"web.*", "web.fetch", true}, {"web.*", "web", false}, {"web.*", "web.a.*", true}, {"web.a.*", "web.*", false},
		{"web.*.get", "web.x.get", true}, {"web.*.get", "web.*", false}, {"web.*", "web.*.get", true},
		{"web.f*", "web.fetch", true}, {"web.f*", "web.fe*", true}, {"web.fe*", "web.f*", false}, {"*.get", "web.get", true},
		{"*.get", "web.*", false}, {"*.*", "a.b", true}, {"*.*", "*", false}, {"a*b", "a*x*b", true}, {"a*x*b", "a*b", false},
		{"pay", "pay", true}, {"pay", "payment", false}, {"@writes", "@writes", true}, {"*", "@writes", false},
	} {
		if got := c.p.Includes(c.q); got != c.want {
			t.Errorf("%s includes %s: %v, want %v", c.p, c.q, got, c.want)
		}
	}
}

// A pattern that includes another covers every name of it; one that does not has one
// that shows it, among the short ones.
func TestIncludes_Names(t *testing.T) {
	var names []string
	var words func(prefix string, n int)
	words = func(prefix string, n int) {
		names = append(names, prefix)
		if n > 0 {
			for _, c := range "abc." {
				words(prefix+string(c), n-1)
			}
		}
	}
	words("", 7)
	included := 0
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab*]{1,2}(\.[ab*]{1,2}){0,1}`)
		p, q := dsl.NamePattern(pattern.Draw(t, "p")), dsl.NamePattern(pattern.Draw(t, "q"))
		counterexample, found := "", false
		for _, name := range names {
			if q.Match(name) && !p.Match(name) {
				counterexample, found = name, true
				break
			}
		}
		if got := p.Includes(q); got == found {
			t.Fatalf("%s includes %s: %v, and %q is covered by the second only: %v", p, q, got, counterexample, found)
		} else if got {
			included++
		}
	})
	if included == 0 {
		t.Error("no pattern included another")
	}
}
