package main

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
)

// reviewsOf prints the reviews at the head of a list that belong to a step, and
// returns the others.
func (t timeline) reviewsOf(all []run.Review, step string) []run.Review {
	for len(all) > 0 && all[0].Step == step {
		t.review(&all[0])
		all = all[1:]
	}
	return all
}

// review prints what a review came to.
func (t timeline) review(r *run.Review) {
	what := "the run"
	if r.Step != "" {
		what = "step " + diag.Escape(r.Step)
	}
	g := r.Guidance
	fmt.Fprintf(t.w, "%8s %s %s reviewed by %s (rule %s: %s): attempt %d\n", "", paint(t.colour, yellow, "?"), what, diag.Escape(g.Source), diag.Escape(r.Rule), diag.Escape(r.Reason), r.Attempt)
	t.advice("", g.Analysis)
	for _, text := range g.Mistakes {
		t.advice("not again: ", text)
	}
	for _, text := range g.Approach {
		t.advice("- ", text)
	}
}

func (t timeline) advice(before, text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			before = strings.Repeat(" ", len(before))
		}
		fmt.Fprintf(t.w, "%s%s%s\n", strings.Repeat(" ", 11), before, diag.Escape(line))
	}
}

// reviewed is told of every review.
func (l *live) reviewed(r run.Review) {
	l.clear()
	l.review(&r)
	l.w.Flush()
}
