package review

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The bounds of the memory of failures.
const (
	MaxPatterns   = 1000    // patterns; beyond it the one that helped least is dropped
	MinSimilarity = 0.15    // what is less alike is not offered
	MergeAt       = 0.80    // a failure as alike as this is one more of the pattern
	minTried      = 3       // outcomes before a remedy that does not help is replaced
	maxCount      = 1 << 20 // what is seen or tried more often is not counted further
)

// Pattern is a sort of failure that was reviewed, once or more often.
type Pattern struct {
	ID string `json:"id"`
	// Symptoms hold the sums over all failures of the pattern; the rule is that
	// of the first.
	Symptoms   Symptoms   `json:"symptoms"`
	Cause      string     `json:"cause"`
	Remedy     []string   `json:"remedy"`
	Specialist Specialist `json:"specialist"`
	Seen       int        `json:"seen"`    // failures, at least 1
	Offered    int        `json:"offered"` // how often the remedy was tried
	Helped     int        `json:"helped"`  // and the attempt went well
}

// Match is a failure pattern that looks like a case, and what was done about it.
type Match struct {
	ID         string     `json:"id"`         // of the pattern, for Patterns.Outcome
	Similarity float64    `json:"similarity"` // see the function of that name
	Cause      string     `json:"cause"`
	Remedy     []string   `json:"remedy"`
	Specialist Specialist `json:"specialist"`
	Seen       int        `json:"seen"`
	Offered    int        `json:"offered"`
	Helped     int        `json:"helped"`
}

// Patterns is the memory of failures. The zero value is empty and ready. It is
// safe for any number of goroutines.
type Patterns struct {
	mu   sync.Mutex
	list []*Pattern // by age
	last int        // the number in the latest id

	origin  origin
	changes map[string]*change // by id, since they were read or saved
}

// ErrNoPattern: there is no pattern of that id; it may have been dropped.
var ErrNoPattern = errors.New("there is no such failure pattern")

// Similar returns the patterns that look like a case by at least
// MinSimilarity, the most alike first and of equally alike ones the older; at
// most MaxKnown. They are for Case.Known.
func (p *Patterns) Similar(c *Case) []Match {
	s := SymptomsOf(c)
	p.mu.Lock()
	defer p.mu.Unlock()
	return first(p.similar(s), MaxKnown)
}

func (p *Patterns) similar(s Symptoms) (found []Match) {
	for _, k := range p.list {
		if similarity := Similarity(s, k.mean()); similarity >= MinSimilarity {
			found = append(found, Match{k.ID, similarity, k.Cause, slices.Clone(k.Remedy), k.Specialist, k.Seen, k.Offered, k.Helped})
		}
	}
	slices.SortStableFunc(found, func(a, b Match) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return found
}

// Record keeps a failure and what was found about it, and returns the id of
// its pattern: that of the most alike one if it is alike by MergeAt and of the
// same specialist, else of a new one. The remedy of a pattern is the latest
// until its first outcome; then it stays, unless it was tried 3 times or more
// and helped in less than half. Its count begins anew then.
func (p *Patterns) Record(c *Case, g *Guidance) string {
	s, g := SymptomsOf(c), g.clean()
	advice := points(slices.DeleteFunc(slices.Clone(g.Approach), func(a string) bool { return strings.HasPrefix(a, earlierAdvice) }))
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.similar(s); len(found) > 0 && found[0].Similarity >= MergeAt && found[0].Specialist == g.Specialist {
		k := p.find(found[0].ID)
		if k.Seen < maxCount {
			k.Seen++
			k.Symptoms.add(s)
			p.changed(k).saw(s)
		}
		if len(advice) > 0 && k.mayChange() {
			k.Cause, k.Remedy, k.Offered, k.Helped = g.Analysis, advice, 0, 0
			more := p.changed(k)
			more.replaced, more.offered, more.helped = true, 0, 0
		}
		return k.ID
	}
	k := p.append(&Pattern{Symptoms: s, Cause: g.Analysis, Remedy: advice, Specialist: g.Specialist, Seen: 1})
	added := p.changed(k)
	added.saw(s)
	added.replaced = true
	return k.ID
}

// append adds a pattern under the next id.
func (p *Patterns) append(k *Pattern) *Pattern {
	p.last++
	k.ID = idOf(p.last)
	p.list = append(p.list, k)
	p.drop()
	return k
}

// Outcome says how an attempt went to which the remedy of a pattern was given.
// The error is ErrNoPattern.
func (p *Patterns) Outcome(id string, helped bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.find(id)
	if k == nil {
		return fmt.Errorf("%w: %q", ErrNoPattern, cut(id, 40))
	}
	if k.Offered == maxCount {
		return nil
	}
	k.Offered++
	c := p.changed(k)
	c.offered++
	if helped {
		k.Helped++
		c.helped++
	}
	return nil
}

// All returns a copy of the patterns, the oldest first.
func (p *Patterns) All() []Pattern {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all()
}

func (p *Patterns) all() []Pattern {
	out := make([]Pattern, len(p.list))
	for i, k := range p.list {
		out[i] = *k
		out[i].Remedy = slices.Clone(k.Remedy)
		s := &out[i].Symptoms
		s.Abilities, s.Doings, s.Classes = maps.Clone(s.Abilities), maps.Clone(s.Doings), maps.Clone(s.Classes)
	}
	return out
}

func (p *Patterns) find(id string) *Pattern {
	for _, k := range p.list {
		if k.ID == id {
			return k
		}
	}
	return nil
}

// drop makes room: of all but the latest the pattern goes that helped least
// often, then the one seen least often, then the oldest.
func (p *Patterns) drop() {
	if len(p.list) <= MaxPatterns {
		return
	}
	least := slices.MinFunc(p.list[:len(p.list)-1], func(a, b *Pattern) int {
		return cmp.Or(a.Helped-b.Helped, a.Seen-b.Seen) // of equal ones the first, which is the oldest
	})
	p.list = slices.DeleteFunc(p.list, func(k *Pattern) bool { return k == least })
	delete(p.changes, least.ID)
}

// Prevention is the share of attempts with the remedy that went well; tried is
// false if there was none yet.
func (k *Pattern) Prevention() (rate float64, tried bool) {
	if k.Offered == 0 {
		return 0, false
	}
	return float64(k.Helped) / float64(k.Offered), true
}

// mean is what a failure of the pattern looks like on average. What less than
// half of them show is no part of it.
func (k *Pattern) mean() Symptoms {
	if k.Seen == 1 {
		return k.Symptoms
	}
	mean := func(sums map[string]int) map[string]int {
		out := make(map[string]int, len(sums))
		for key, n := range sums {
			if n = (n + k.Seen/2) / k.Seen; n > 0 {
				out[key] = n
			}
		}
		return out
	}
	s := k.Symptoms
	return Symptoms{Abilities: mean(s.Abilities), Doings: mean(s.Doings), Classes: mean(s.Classes), Rule: s.Rule}
}

// add adds the counts of one more failure.
func (s *Symptoms) add(o Symptoms) {
	sum := func(a, b map[string]int) map[string]int {
		out := maps.Clone(a)
		for key, n := range b {
			out[key] += n
		}
		return most(out)
	}
	s.Abilities, s.Doings, s.Classes = sum(s.Abilities, o.Abilities), sum(s.Doings, o.Doings), sum(s.Classes, o.Classes)
}

func idOf(n int) string { return "p" + strconv.Itoa(n) }

// numberOf reads the number of an id, as idOf writes it.
func numberOf(id string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "p"))
	return n, err == nil && n > 0 && id == idOf(n)
}
