package replay

import (
	"context"
	"iter"

	"github.com/cbpolicy/cbpolicy/trace"
)

// Flip says how the outcome of a run differs between two policies.
type Flip string

// The flips, of which a run has at most one: the first that holds.
const (
	NoFlip   Flip = ""
	Halts    Flip = "halted"   // only the new policy halts it
	Released Flip = "released" // only the old policy halts it
	Earlier  Flip = "earlier"  // the new policy halts it at an earlier call
	Later    Flip = "later"    // the new policy halts it at a later call
	Rule     Flip = "rule"     // another rule halts it, at the same call
	Decision Flip = "decision" // the same rule halts it at the same call, with another decision
)

// Pair is a run under two policies.
type Pair struct {
	Flip Flip   `json:"flip"`
	Old  Result `json:"old"`
	New  Result `json:"new"`
}

// Compare replays every run twice, as All does under each of the options, and
// yields both results. Errors are as in All.
func Compare(ctx context.Context, runs iter.Seq2[*trace.Run, error], workers int, before, after Options) iter.Seq2[*Pair, error] {
	return Each(ctx, runs, workers, func(ctx context.Context, r *trace.Run) (*Pair, error) {
		old, err := Run(ctx, r, before)
		if err != nil {
			return nil, err
		}
		now, err := Run(ctx, r, after)
		if err != nil {
			return nil, err
		}
		return &Pair{flip(&old, &now), old, now}, nil
	})
}

// flip compares two results of one run. Rules that fire without halting it are
// no part of its outcome.
func flip(old, now *Result) Flip {
	switch {
	case !old.Halted() && !now.Halted():
		return NoFlip
	case !old.Halted():
		return Halts
	case !now.Halted():
		return Released
	case now.HaltedAt < old.HaltedAt:
		return Earlier
	case now.HaltedAt > old.HaltedAt:
		return Later
	case now.Rule != old.Rule:
		return Rule
	case now.Decision != old.Decision:
		return Decision
	}
	return NoFlip
}

// Comparison is what became of all runs under two policies.
type Comparison struct {
	Flips   []Pair            `json:"flips"` // the runs whose outcome differs, in their order
	Summary ComparisonSummary `json:"summary"`
}

// ComparisonSummary counts runs.
type ComparisonSummary struct {
	Runs    int     `json:"runs"`
	Flipped int     `json:"flipped"`
	ByFlip  Counts  `json:"by_flip"`
	Old     Summary `json:"old"`
	New     Summary `json:"new"`
	Broken  int     `json:"broken"` // runs whose recordings are broken
	Unread  int     `json:"unread"` // runs that could not be read
	// PassedOver is how many files of the directories are no recordings.
	PassedOver int `json:"passed_over"`
}

// Add takes in a run under both policies.
func (c *Comparison) Add(p *Pair) {
	s := &c.Summary
	s.Runs++
	s.Old.Add(&p.Old)
	s.New.Add(&p.New)
	s.Broken = s.New.Broken
	if p.Flip == NoFlip {
		return
	}
	s.Flipped++
	s.ByFlip.add(string(p.Flip))
	c.Flips = append(c.Flips, *p)
}
