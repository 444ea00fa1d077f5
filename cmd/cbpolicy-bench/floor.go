package main

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/multimatch"
)

// floor is the loop that one would write by hand for this workload and no
// other: rules by chain, thresholds by key with their least limit, abilities
// in a map, patterns in one automaton a key, one sorted history a chain. It
// knows no missing keys, no arguments, no JSON and no exact numbers, and is
// what the engine is measured against.
type floor struct {
	global *floorChain
	chains map[string]*floorChain
	start  time.Time
}

type floorChain struct {
	keys      []floorKey
	abilities map[string]int
	texts     []floorText
	freqs     []floorFreq
	mu        sync.Mutex
	runs      []int64 // times, ascending
}

type floorKey struct {
	name   string
	least  float64
	limits []float64
}

type floorText struct {
	name     string
	patterns []string
	matcher  *multimatch.Matcher
}

type floorFreq struct {
	limit  int
	window int64
}

// fewTexts is up to how many patterns strings.Contains in a loop is quicker.
const fewTexts = 4

func newFloor(rules []spec) *floor {
	f := &floor{global: &floorChain{abilities: map[string]int{}}, chains: map[string]*floorChain{}, start: time.Now()}
	for i, s := range rules {
		c := f.global
		if s.chain != "*" {
			if c = f.chains[s.chain]; c == nil {
				c = &floorChain{abilities: map[string]int{}}
				f.chains[s.chain] = c
			}
		}
		c.add(i, s)
	}
	for _, c := range f.chains {
		for i := range history {
			c.runs = append(c.runs, int64(i))
		}
		c.seal()
	}
	f.global.seal()
	return f
}

func (c *floorChain) add(i int, s spec) {
	switch s.kind {
	case threshold:
		for j := range c.keys {
			if c.keys[j].name == s.key {
				c.keys[j].least = min(c.keys[j].least, float64(s.limit))
				c.keys[j].limits = append(c.keys[j].limits, float64(s.limit))
				return
			}
		}
		c.keys = append(c.keys, floorKey{s.key, float64(s.limit), []float64{float64(s.limit)}})
	case ability:
		c.abilities[s.text] = i
	case contains:
		for j := range c.texts {
			if c.texts[j].name == s.key {
				c.texts[j].patterns = append(c.texts[j].patterns, s.text)
				return
			}
		}
		c.texts = append(c.texts, floorText{name: s.key, patterns: []string{s.text}})
	case frequency:
		c.freqs = append(c.freqs, floorFreq{s.limit, int64(window(s))})
	}
}

func (c *floorChain) seal() {
	for i := range c.texts {
		if len(c.texts[i].patterns) > fewTexts {
			c.texts[i].matcher = multimatch.New(c.texts[i].patterns, false)
		}
	}
	// Only the frequency with the least limit is looked at first.
	for i := range c.freqs {
		if c.freqs[i].limit < c.freqs[0].limit {
			c.freqs[0], c.freqs[i] = c.freqs[i], c.freqs[0]
		}
	}
}

// decide returns how many rules fire.
func (f *floor) decide(chain, name string, values map[string]string) int {
	c := f.chains[chain]
	now := int64(time.Since(f.start))
	return f.global.decide(c, name, values, now) + c.decide(c, name, values, now)
}

func (c *floorChain) decide(history *floorChain, name string, values map[string]string, now int64) int {
	fired := 0
	for i := range c.keys {
		k := &c.keys[i]
		text, ok := values[k.name]
		if !ok {
			fired += len(k.limits)
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			fired += len(k.limits)
			continue
		}
		if !(v <= k.least) {
			for _, l := range k.limits {
				if !(v <= l) {
					fired++
				}
			}
		}
	}
	if _, ok := c.abilities[name]; ok {
		fired++
	}
	for i := range c.texts {
		t := &c.texts[i]
		text := values[t.name]
		if t.matcher != nil {
			t.matcher.Find(text, func(int) bool { fired++; return true })
			continue
		}
		for _, p := range t.patterns {
			if strings.Contains(text, p) {
				fired++
			}
		}
	}
	if len(c.freqs) > 0 {
		history.mu.Lock()
		if n := len(history.runs); n+1 > c.freqs[0].limit {
			for _, q := range c.freqs {
				if n >= q.limit && (q.limit == 0 || history.runs[n-q.limit] > now-q.window) {
					fired++
				}
			}
		}
		history.mu.Unlock()
	}
	return fired
}
