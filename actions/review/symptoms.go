package review

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// The bounds of symptoms.
const (
	maxGram  = 3   // tokens of a sequence
	maxGrams = 200 // sequences of each sort, the most frequent
)

// Symptoms are what a failure looks like, in counts.
//
// Abilities counts the sequences of one, two and three abilities in a row.
// Doings counts the same over what the calls did, whatever their names: a kind
// (read, search, edit, send, verify, exec, hand, other) with ! for a call that
// failed, = for one made before with the same arguments, and + for one whose
// ability was used within the last three calls; beside these, "any " and the
// kind without = and + counts each call once more. So failures of agents with
// other tools can be alike.
type Symptoms struct {
	Abilities map[string]int `json:"abilities"`
	Doings    map[string]int `json:"doings"`
	Classes   map[string]int `json:"classes"` // of errors
	Rule      string         `json:"rule"`    // the id of the rule that asked
}

// SymptomsOf returns what a case looks like.
func SymptomsOf(c *Case) Symptoms {
	c = c.Bounded()
	names, doings := make([]string, len(c.Calls)), make([]string, len(c.Calls))
	s := Symptoms{Classes: map[string]int{}, Rule: c.Rule.ID}
	for i := range c.Calls {
		call := &c.Calls[i]
		// A blank joins the names of a sequence, so none may be within one.
		names[i] = strings.Join(strings.Fields(strings.ToLower(call.Ability)), "_")
		doings[i] = doing(c.Calls[:i], call)
		if call.Error != nil {
			s.Classes[call.Error.Class]++
		}
	}
	s.Abilities, s.Doings = grams(names), grams(doings)
	for _, d := range doings {
		s.Doings["any "+strings.TrimRight(d, "=+")]++
	}
	s.Abilities, s.Doings, s.Classes = most(s.Abilities), most(s.Doings), most(s.Classes)
	return s
}

// doing says what a call did, as a token.
func doing(before []Call, c *Call) string {
	token := string(kindOf(c))
	if c.Error != nil {
		token += "!"
	}
	if slices.ContainsFunc(before, func(b Call) bool { return sameCall(&b, c) }) {
		return token + "="
	}
	if slices.ContainsFunc(last(before, 3), func(b Call) bool { return b.Ability == c.Ability }) {
		return token + "+"
	}
	return token
}

// grams counts the sequences of one to maxGram tokens.
func grams(tokens []string) map[string]int {
	counts := map[string]int{}
	for i := range tokens {
		for n := 1; n <= maxGram && i+n <= len(tokens); n++ {
			counts[strings.Join(tokens[i:i+n], " ")]++
		}
	}
	return counts
}

// most keeps the maxGrams most frequent; of equally frequent ones the first by name.
func most(counts map[string]int) map[string]int {
	if len(counts) <= maxGrams {
		return counts
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for _, k := range keys[maxGrams:] {
		delete(counts, k)
	}
	return counts
}

// The weights of a similarity, in hundredths.
const (
	weighAbilities = 15
	weighDoings    = 55
	weighClasses   = 25
	weighRule      = 5
)

// Similarity tells how much two failures look alike: 0 not at all, 1 in
// everything, to four decimals, the same whichever comes first. It is
//
//	(0.15·J(abilities) + 0.55·J(doings) + 0.25·J(classes) + 0.05·[the same rule]) / W
//
// where J(a, b) = Σ min(w(aᵢ), w(bᵢ)) / Σ max(w(aᵢ), w(bᵢ)) over all that is
// counted, and W is the sum of the weights of those parts that hold anything in
// either: that both had no error makes no two failures alike. w(n) is the square
// of the number of binary digits of the count n: what is repeated weighs most,
// and a loop of 40 calls looks much like one of 20. It is computed in integers:
// the same on every machine.
func Similarity(a, b Symptoms) float64 {
	total, weights := int64(0), int64(weighRule)
	if a.Rule == b.Rule {
		total += weighRule * 10_000
	}
	for _, part := range []struct {
		a, b   map[string]int
		weight int64
	}{{a.Abilities, b.Abilities, weighAbilities}, {a.Doings, b.Doings, weighDoings}, {a.Classes, b.Classes, weighClasses}} {
		if both, either := overlap(part.a, part.b); either > 0 {
			total += part.weight * 10_000 * both / either
			weights += part.weight
		}
	}
	return float64(total/weights) / 10_000
}

// overlap returns the sums of the lesser and of the greater weights.
func overlap(a, b map[string]int) (both, either int64) {
	for k, n := range a {
		both += min(weight(n), weight(b[k]))
		either += max(weight(n), weight(b[k]))
	}
	for k, n := range b {
		if _, known := a[k]; !known {
			either += weight(n)
		}
	}
	return both, either
}

func weight(n int) int64 {
	digits := int64(bits.Len(uint(max(n, 0))))
	return digits * digits
}
