package lint

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// flows is what sources put out, followed from step to step.
type flows struct {
	given  [][]giver  // by step: whose outputs are its arguments
	in     [][]inflow // by step: of each source one, by a shortest way
	source []bool     // by step: it is a source itself
}

// giver is a step whose output another step is given.
type giver struct {
	step int
	ref  chain.Ref // the first that inserts it
}

// inflow is data of a source that a step is given.
type inflow struct {
	ref  chain.Ref // in the step's arguments
	path []int     // the steps it has passed, the source first
}

// flows works out which sources reach which step. Steps may run again after a
// jump back, so that it goes on until nothing is new.
func (c *flowChain) flows(sources []dsl.NamePattern) *flows {
	f := &flows{in: make([][]inflow, len(c.Steps))}
	for i := range c.Steps {
		f.source = append(f.source, covered(sources, c.Steps[i].Ability))
		f.given = append(f.given, c.givers(i))
	}
	for changed := true; changed; {
		changed = false
		for i := range c.Steps {
			changed = f.step(i) || changed
		}
	}
	return f
}

// givers are the steps whose outputs step i may be given, each once.
func (c *flowChain) givers(i int) (all []giver) {
	for _, a := range c.Steps[i].Args {
		for _, ref := range a.Value.Refs() {
			if !c.flow.May(i, ref.Key) {
				continue
			}
			for _, from := range stepsOf(c.outputs, ref.Key) {
				if !slices.ContainsFunc(all, func(g giver) bool { return g.step == from }) {
					all = append(all, giver{from, ref})
				}
			}
		}
	}
	return all
}

// step adds what reaches step i by its arguments, and reports whether that is news.
func (f *flows) step(i int) (news bool) {
	for _, g := range f.given[i] {
		if f.source[g.step] {
			news = f.add(i, g.ref, nil, g.step) || news
		}
		for _, in := range f.in[g.step] {
			news = f.add(i, g.ref, in.path, g.step) || news
		}
	}
	return news
}

// add notes an inflow by the steps passed and a last one, unless the source
// is known to reach the step by a way that is no longer.
func (f *flows) add(i int, ref chain.Ref, passed []int, last int) bool {
	source := last
	if len(passed) > 0 {
		source = passed[0]
	}
	known := slices.IndexFunc(f.in[i], func(in inflow) bool { return in.path[0] == source })
	if known >= 0 && len(f.in[i][known].path) <= len(passed)+1 {
		return false
	}
	in := inflow{ref, append(slices.Clone(passed), last)}
	if known >= 0 {
		f.in[i][known] = in
	} else {
		f.in[i] = append(f.in[i], in)
	}
	return true
}

// into returns what reaches a step, in the order of the sources.
func (f *flows) into(i int) []inflow {
	all := slices.Clone(f.in[i])
	slices.SortFunc(all, func(a, b inflow) int { return a.path[0] - b.path[0] })
	return all
}
