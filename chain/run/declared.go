package run

import (
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// progress is what became of the steps so far, from which follows what is
// known of a key that nothing binds.
type progress struct {
	chain   *chain.Chain
	current int
	state   []StepOutcome // "": not reached
	jumped  map[int]bool  // on_failure targets that were used up
	final   bool          // no step can still run
}

// Declared implements registry.Declarations. A key that more than one step
// declares is pending while one of them can run; after that a step that
// should have produced it and did not outweighs one that was skipped.
func (p *progress) Declared(key dsl.Key) registry.Declared {
	if !p.final {
		for _, i := range p.chain.CanRunFrom(p.current, p.jumped) {
			// The arguments of the step about to run are bound: what is not in them is missing.
			if output, arg := p.declares(i, key); output || arg && i != p.current {
				return registry.Pending
			}
		}
	}
	declared := registry.Undeclared
	for i := range p.chain.Steps {
		output, arg := p.declares(i, key)
		switch {
		case output && (p.state[i] == Ran || p.state[i] == StepFailed):
			return registry.NotProduced
		case (output || arg) && (i != p.current || p.final): // it ran, was skipped, or was jumped over
			declared = registry.Judged
		}
	}
	return declared
}

// declares is what a step declares, but for one that a model has added.
func (p *progress) declares(i int, key dsl.Key) (output, arg bool) {
	if p.chain.Steps[i].Added {
		return false, false
	}
	return p.chain.Declares(i, key)
}
