package chain

import (
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// Refs returns every reference in the step's arguments and condition.
func (s *Step) Refs() []Ref {
	var refs []Ref
	for i := range s.Args {
		refs = append(refs, s.Args[i].Value.Refs()...)
	}
	if s.Condition != nil {
		refs = append(refs, s.Condition.Value.Refs()...)
	}
	return refs
}

// Declares tells whether a step declares a key: as its output (output_key and
// <id>.output) or as one of its arguments, by its name or a part of it that
// ends at a dot.
func (c *Chain) Declares(step int, key dsl.Key) (output, arg bool) {
	s := &c.Steps[step]
	output = covers(s.OutputName(), key) || covers(s.OutputKey, key)
	arg = slices.ContainsFunc(s.Args, func(a Arg) bool { return covers(a.Name, key) })
	return output, arg
}

// CanRunFrom returns the steps that can still run when step i is about to, in
// the order in which they run: it, those after it, and those that an on_failure
// among them leads back to. The targets in used have been jumped to already
// and are not jumped to again; nil: none.
func (c *Chain) CanRunFrom(i int, used map[int]bool) []int {
	first := i
	for s := len(c.Steps) - 1; s >= first; s-- {
		if target := c.Steps[s].target - 1; target >= 0 && target < first && !used[target] {
			first = target // every step behind it can run, too, as each may succeed
		}
	}
	steps := make([]int, 0, len(c.Steps)-first)
	for s := first; s < len(c.Steps); s++ {
		steps = append(steps, s)
	}
	return steps
}

// Flow tells which outputs have values where, whatever happens in a run. That
// a target is jumped to once only is not made use of.
type Flow struct {
	chain *Chain
	index map[string]int // of the names that steps bind
	may   []bits         // before each step, and at the end
	must  []bits
}

// May reports whether the key's value may be bound by a step before step i
// runs, in some run. With i the number of steps it speaks of the end of a
// run. Parameters are not looked at.
func (f *Flow) May(i int, key dsl.Key) bool { return f.has(f.may[i], key) }

// Must is May for every run that comes to step i. It takes for granted that a
// step that succeeds puts out something.
func (f *Flow) Must(i int, key dsl.Key) bool { return f.has(f.must[i], key) }

func (f *Flow) has(b bits, key dsl.Key) bool {
	for name := string(key); name != ""; name = name[:max(strings.LastIndexByte(name, '.'), 0)] {
		if i, ok := f.index[name]; ok && b.has(i) {
			return true
		}
	}
	return false
}

// Flow works out which outputs have values where.
func (c *Chain) Flow() *Flow {
	f := &Flow{chain: c, index: map[string]int{}}
	n := len(c.Steps)
	for i := range c.Steps {
		for _, name := range append(c.outputs(i), c.Steps[i].ErrorName()) {
			if _, ok := f.index[name]; !ok {
				f.index[name] = len(f.index)
			}
		}
	}
	for range n + 1 {
		f.may, f.must = append(f.may, newBits(len(f.index))), append(f.must, newBits(len(f.index)))
	}
	reached := make([]bool, n+1)
	reached[0] = true
	for changed := true; changed; {
		changed = false
		for i := range n {
			for _, e := range c.edges(i) {
				changed = f.follow(i, e, reached) || changed
			}
		}
	}
	return f
}

// outputs returns the names that the step's output is bound to.
func (c *Chain) outputs(i int) []string {
	s := &c.Steps[i]
	if s.OutputKey == "" {
		return []string{s.OutputName()}
	}
	return []string{s.OutputName(), s.OutputKey}
}

// edge is one way on from a step, and what is bound on it.
type edge struct {
	to    int
	binds []string
}

func (c *Chain) edges(i int) []edge {
	s := &c.Steps[i]
	edges := []edge{{i + 1, c.outputs(i)}}
	if s.Condition != nil {
		edges = append(edges, edge{i + 1, nil})
	}
	if next, _ := c.AfterFailure(i); next >= 0 {
		edges = append(edges, edge{next, c.afterFailure(i)})
	}
	return edges
}

// afterFailure returns the names that are bound when the run goes on after a
// failure of step i.
func (c *Chain) afterFailure(i int) []string {
	s := &c.Steps[i]
	if !c.EmptyAfterFailure(i) {
		return []string{s.ErrorName()}
	}
	return append(c.outputs(i), s.ErrorName())
}

// follow carries what is known before a step along an edge. It reports
// whether that is news at its end.
func (f *Flow) follow(from int, e edge, reached []bool) bool {
	may, must := f.may[from].clone(), f.must[from].clone()
	for _, name := range e.binds {
		may.set(f.index[name])
		must.set(f.index[name])
	}
	if !reached[e.to] {
		reached[e.to] = true
		f.may[e.to], f.must[e.to] = may, must
		return true
	}
	return f.may[e.to].join(may) || f.must[e.to].meet(must)
}
