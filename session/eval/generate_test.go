package eval_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// scenario is one random policy and the lines judged under it, in order.
type scenario struct {
	rules []rule
	lines []string
}

// generator draws a scenario. Its alphabets are small, so that names, values
// and times often meet.
type generator struct {
	*rand.Rand
	theme theme
	// words: the policy asks for provenance, so values are plain words and
	// numbers, about whose tokens the design leaves no doubt.
	words   bool
	windows []time.Duration
	times   []time.Time // of the lines so far
	drafts  []draft     // the well-formed lines so far
}

// theme says what a policy is mostly about, for a policy about everything
// refuses nearly every step at once and counters stay empty.
type theme int

const (
	counting   theme = iota
	throttling       // counting, with throttle rules for the most part
	comparing
	flowing
	mixing
	themes
)

// drawScenario is a pure function of the seed.
func drawScenario(seed uint64) scenario {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0))}
	g.theme = theme(g.IntN(int(themes)))
	s := scenario{rules: g.rules()}
	for range 12 + g.IntN(49) {
		s.lines = append(s.lines, g.line())
	}
	return s
}

func (g *generator) rules() []rule {
	rules := make([]rule, 1+g.IntN(8))
	for i := range rules {
		rules[i] = g.rule(string(rune('a' + i)))
	}
	// A section stands once in a file; rules of "*" may stand first, without a header.
	slices.SortStableFunc(rules, func(a, b rule) int { return strings.Compare(a.section, b.section) })
	for _, r := range rules {
		for _, a := range r.atoms {
			switch a := a.(type) {
			case frequency:
				g.windows = append(g.windows, time.Duration(a.window)*time.Duration(unitSeconds(a.unit))*time.Second)
			case match:
				g.words = g.words || a.kind == "in"
			}
		}
	}
	if len(g.windows) == 0 {
		g.windows = []time.Duration{10 * time.Second}
	}
	return rules
}

// chance is true in so many of a hundred cases.
func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// pick draws one of the choices; write a choice twice to draw it twice as often.
func pick[T any](g *generator, choices ...T) T { return choices[g.IntN(len(choices))] }
