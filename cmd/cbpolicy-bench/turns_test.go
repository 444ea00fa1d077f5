package main

import (
	"slices"
	"testing"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		values []float64
		share  float64
		want   float64
	}{
		{[]float64{3}, 0.5, 3},
		{[]float64{4, 1}, 0.5, 2.5},
		{[]float64{9, 1, 5}, 0.5, 5},
		{[]float64{5, 4, 3, 2, 1}, 0.25, 2},
		{[]float64{5, 4, 3, 2, 1}, 1, 5},
	} {
		if got := quantile(c.values, c.share); got != c.want {
			t.Errorf("the %v of %v is %v, want %v", c.share, c.values, got, c.want)
		}
	}
}

// A slow spell falls on some rounds, and what counts is of the others.
func TestContest_Quiet(t *testing.T) {
	c := &contest{took: [][]float64{
		{1, 9, 1, 2, 30, 9, 9, 9, 9, 9, 9, 9},
		{2, 18, 3, 4, 60, 18, 18, 18, 18, 18, 18, 18},
	}}
	if got := c.quiet(); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("quiet rounds %v, want 0 and 2", got)
	}
	results := map[string]*result{
		"a": {ns: c.took[0], quiet: c.quiet()},
		"b": {ns: c.took[1], quiet: c.quiet()},
	}
	b := bar{num: "b", den: "a", of: func(num, den, _ float64) float64 { return num / den }}
	if figure, rounds, ok := b.measured(results); figure != 2.5 || len(rounds) != 12 || !ok {
		t.Errorf("measured %v in %d rounds, want 2.5, which is between 2 and 3, in 12", figure, len(rounds))
	}
}

// Every contender has its turn in every round.
func TestContest_Run(t *testing.T) {
	order := ""
	c := &contest{block: 2, of: []contender{{"a", func() { order += "a" }}, {"b", func() { order += "b" }}}}
	c.run(2)
	if order != "aabbaabb" || len(c.took) != 2 || len(c.took[0]) != 2 {
		t.Errorf("called %s, %d rounds", order, len(c.took[0]))
	}
	c.forget()
	if c.runFor(0); len(c.took[1]) != 1 {
		t.Errorf("%d rounds after the others were forgotten, want 1", len(c.took[1]))
	}
}
