package main

import (
	"slices"
	"time"
)

// contender is what is measured beside others.
type contender struct {
	name string
	call func()
}

// contest measures contenders by turns: a round is one short block of calls of
// each, one after the other. What the machine does at the time falls on all of a
// round, so that a difference, or a ratio, within a round is of the contenders.
type contest struct {
	of    []contender
	block int         // calls a block
	took  [][]float64 // by contender: nanoseconds a call, of every round
}

// run adds rounds.
func (c *contest) run(rounds int) {
	if c.took == nil {
		c.took = make([][]float64, len(c.of))
	}
	for range rounds {
		for i := range c.of {
			call, begun := c.of[i].call, time.Now()
			for range c.block {
				call()
			}
			c.took[i] = append(c.took[i], float64(time.Since(begun).Nanoseconds())/float64(c.block))
		}
	}
}

// runFor adds rounds until they have taken so long, at least one.
func (c *contest) runFor(span time.Duration) {
	for begun := time.Now(); ; {
		if c.run(1); time.Since(begun) >= span {
			return
		}
	}
}

// forget drops the rounds so far: they have warmed up.
func (c *contest) forget() { c.took = nil }

// quiet returns the tenth of the rounds that took least, all contenders
// together: those in which neighbours took least from the machine. Which they are
// says nothing of one contender beside another.
func (c *contest) quiet() []int {
	if len(c.took) == 0 {
		return nil
	}
	total, rounds := make([]float64, len(c.took[0])), make([]int, len(c.took[0]))
	for i := range rounds {
		rounds[i] = i
		for _, took := range c.took {
			total[i] += took[i]
		}
	}
	slices.SortStableFunc(rounds, func(a, b int) int {
		switch {
		case total[a] < total[b]:
			return -1
		case total[a] > total[b]:
			return 1
		}
		return 0
	})
	return rounds[:(len(rounds)+9)/10]
}

// at returns the values at some places.
func at(values []float64, places []int) []float64 {
	some := make([]float64, len(places))
	for i, p := range places {
		some[i] = values[p]
	}
	return some
}

// quantile is the value below which a share of the values lies; of the middle two
// the mean. There is at least one.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	place := share * float64(len(sorted)-1)
	low := int(place)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (place-float64(low))*(sorted[high]-sorted[low])
}
