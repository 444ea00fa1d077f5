package lint

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// binding says whether a key has a value at some place of a chain.
type binding int

const (
	always binding = iota // on every path there
	maybe                 // on some paths
	never                 // on none
)

// output tells what is known of a key before step i, from what steps put out.
func (c *flowChain) output(i int, key dsl.Key) binding {
	switch {
	case c.flow.Must(i, key):
		return always
	case c.flow.May(i, key):
		return maybe
	}
	return never
}

// bound is output with the parameters.
func (c *flowChain) bound(i int, key dsl.Key) binding {
	if coveredBy(c.params, key) {
		return always
	}
	return c.output(i, key)
}

// chainRule is a rule that is about one chain, its own or an operator's in a
// section for it alone, with what it reads.
type chainRule struct {
	*dsl.Rule
	file  string
	reads []ruleRead
}

// rulesOf returns the rules about a chain.
func (p *pass) rulesOf(c *flowChain) []chainRule {
	if c.rules != nil {
		return c.rules
	}
	c.rules = []chainRule{}
	for i := range c.Rules {
		c.addRule(c.Rules[i].Rule, c.File)
	}
	for _, policy := range p.policies {
		for _, s := range policy.Sections {
			if string(s.Pattern) != c.ID {
				continue
			}
			for _, r := range s.Rules {
				c.addRule(r, policy.File)
			}
		}
	}
	return c.rules
}

func (c *flowChain) addRule(r *dsl.Rule, file string) {
	c.rules = append(c.rules, chainRule{r, file, c.ruleReads(r)})
}

// ruleRead is a key that an atom reads and that makes it hold where it is
// missing, with the steps at which the rule looks.
type ruleRead struct {
	atom     dsl.Atom
	key      dsl.Key
	declared bool  // some step declares the key
	always   []int // steps where the key has a value,
	maybe    []int // where it has one on some paths,
	never    []int // and where it has none
}

// ruleReads returns the reads of a rule that a missing key makes hold. While
// a step that declares a threshold's key can still run, the rule waits for
// it, unless it says missing=fire or an ability atom says that it is about the
// very step. An expression never waits.
func (c *flowChain) ruleReads(r *dsl.Rule) []ruleRead {
	waits := r.Options.Missing == dsl.MissingWait && !slices.ContainsFunc(r.Condition, func(a dsl.Atom) bool {
		ability, ok := a.(*dsl.Ability)
		return ok && !ability.Not
	})
	var reads []ruleRead
	for _, atom := range r.Condition {
		switch a := atom.(type) {
		case *dsl.Threshold:
			if a.Key.IsMeter() || r.Options.Missing == dsl.MissingSkip {
				continue
			}
			read := c.read(r, a, a.Key, func(i int) binding {
				if _, arg := c.Declares(i, a.Key); arg {
					return always
				}
				return c.bound(i, a.Key)
			})
			if !read.declared || !waits {
				reads = append(reads, read)
			}
		case *dsl.When:
			for _, w := range whenReads(a.Expr) {
				reads = append(reads, c.read(r, a, w.key, func(i int) binding { return c.whenBound(i, w) }))
			}
		}
	}
	return reads
}

// read sorts the steps at which a rule looks by what is known of a key there.
func (c *flowChain) read(r *dsl.Rule, atom dsl.Atom, key dsl.Key, bound func(step int) binding) ruleRead {
	read := ruleRead{atom: atom, key: key}
	for i := range c.Steps {
		output, arg := c.Declares(i, key)
		read.declared = read.declared || output || arg
		if !selects(r, c.Steps[i].Ability) {
			continue
		}
		switch bound(i) {
		case always:
			read.always = append(read.always, i)
		case maybe:
			read.maybe = append(read.maybe, i)
		default:
			read.never = append(read.never, i)
		}
	}
	return read
}

// fires reports whether the rule fires at a step whatever the values are:
// each of its thresholds and expressions misses a key there, and nothing but
// abilities stands beside them.
func (r *chainRule) fires(step int) bool {
	for _, atom := range r.Condition {
		if _, ok := atom.(*dsl.Ability); ok {
			continue
		}
		if !slices.ContainsFunc(r.reads, func(read ruleRead) bool { return read.atom == atom && slices.Contains(read.never, step) }) {
			return false
		}
	}
	return true
}

// templateRead is a reference {{key}} in a step.
type templateRead struct {
	step int
	ref  chain.Ref
	arg  bool // in an argument; else in the value of a condition
}

// templateReads returns the references of all steps.
func (c *flowChain) templateReads() []templateRead {
	var reads []templateRead
	for i := range c.Steps {
		s := &c.Steps[i]
		for _, a := range s.Args {
			for _, ref := range a.Value.Refs() {
				reads = append(reads, templateRead{i, ref, true})
			}
		}
		if s.Condition != nil {
			for _, ref := range s.Condition.Value.Refs() {
				reads = append(reads, templateRead{i, ref, false})
			}
		}
	}
	return reads
}

// produced reports whether some step of the chain may bind the key, early or late.
func (c *flowChain) produced(key dsl.Key) bool { return c.flow.May(len(c.Steps), key) }
