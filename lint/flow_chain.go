package lint

import (
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// flowChain is a chain with what is known about its names and values.
type flowChain struct {
	*chain.Chain
	params  map[string]bool
	args    map[string][]int // the steps that have an argument of the name, ascending
	outputs map[string][]int // the steps that may bind the name, ascending
	by      *dsl.Block       // that wrote the chain, or this copy of it; nil: it is a document's
	rules   []chainRule      // about this chain; set when all files are read

	// The rest is worked out when it is asked for.
	flow    *chain.Flow
	bounds  map[string][]binding // of an output's name, by step
	assumed map[int]*chain.Flow  // by step: see given
	names   map[string][]string  // see known
}

func (p *pass) newFlowChain(c *chain.Chain) *flowChain {
	f := &flowChain{Chain: c, flow: c.Flow(), params: map[string]bool{}, args: map[string][]int{}, outputs: map[string][]int{},
		bounds: map[string][]binding{}, assumed: map[int]*chain.Flow{}, names: map[string][]string{}}
	for i := range c.Params {
		f.params[c.Params[i].Name] = true
		if c.Dialect == chain.Catalogue {
			f.params["input."+c.Params[i].Name] = true
		}
	}
	for i := range c.Steps {
		for _, name := range stepOutputs(&c.Steps[i]) {
			if at := f.outputs[name]; len(at) == 0 || at[len(at)-1] != i {
				f.outputs[name] = append(at, i)
			}
		}
		for _, a := range c.Steps[i].Args {
			if !slices.Contains(f.args[a.Name], i) {
				f.args[a.Name] = append(f.args[a.Name], i)
			}
			// What reads a parameter that is misspelt here is right: only the slip is reported.
			if ab := p.abilities.find(c.Steps[i].Ability); ab != nil && !ab.listed {
				if name := ab.meant(a.Name); name != "" && !slices.Contains(f.args[name], i) {
					f.args[name] = append(f.args[name], i)
				}
			}
		}
	}
	return f
}

// stepOutputs are the names that one step may bind.
func stepOutputs(s *chain.Step) []string {
	names := []string{s.OutputName()}
	if s.OutputKey != "" {
		names = append(names, s.OutputKey)
	}
	if s.OnFailure != "" {
		names = append(names, s.ErrorName())
	}
	return names
}

// binding says whether a key has a value at some place of a chain.
type binding int

const (
	always binding = iota // on every path there
	maybe                 // on some paths
	never                 // on none
)

// output tells what is known of a key before step i, from what steps put out.
func (c *flowChain) output(i int, key dsl.Key) binding {
	best := never
	for name := range prefixes(key) {
		if len(c.outputs[name]) > 0 {
			best = min(best, c.bindings(name)[i])
		}
	}
	return best
}

// bindings tells what is known of an output's name before each step.
func (c *flowChain) bindings(name string) []binding {
	b, ok := c.bounds[name]
	if ok {
		return b
	}
	b = make([]binding, len(c.Steps))
	for i := range b {
		switch {
		case c.flow.Must(i, dsl.Key(name)):
			b[i] = always
		case c.flow.May(i, dsl.Key(name)):
			b[i] = maybe
		default:
			b[i] = never
		}
	}
	c.bounds[name] = b
	return b
}

// bound is output with the parameters.
func (c *flowChain) bound(i int, key dsl.Key) binding {
	if c.isParam(key) {
		return always
	}
	return c.output(i, key)
}

// isParam reports whether the key is a parameter, or inside one.
func (c *flowChain) isParam(key dsl.Key) bool {
	for name := range prefixes(key) {
		if c.params[name] {
			return true
		}
	}
	return false
}

// isArg reports whether the key is an argument of some step, or inside one.
func (c *flowChain) isArg(key dsl.Key) bool { return len(stepsOf(c.args, key)) > 0 }

// produced reports whether some step may bind the key, early or late.
func (c *flowChain) produced(key dsl.Key) bool { return len(stepsOf(c.outputs, key)) > 0 }

// stepsOf returns the steps that have the key or what holds it, ascending.
func stepsOf(names map[string][]int, key dsl.Key) []int {
	var steps []int
	for name := range prefixes(key) {
		steps = append(steps, names[name]...)
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// prefixes yields the names under which a key's value may be bound: the key,
// and every part of it that ends at a dot.
func prefixes(key dsl.Key) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := string(key); name != "" && yield(name); {
			name = name[:max(strings.LastIndexByte(name, '.'), 0)]
		}
	}
}

// covers reports whether a value bound to name is, or holds, the key's value.
func covers(name string, key dsl.Key) bool {
	rest, ok := strings.CutPrefix(string(key), name)
	return ok && name != "" && (rest == "" || rest[0] == '.')
}
