package lint

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// chainRule is a rule that is about one chain: its own, that of the block that
// wrote it, or an operator's in a section for it alone, with what it reads.
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
	if c.by != nil {
		for _, r := range c.by.Rules {
			c.addRule(r, c.by.File)
		}
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
	waits := r.Options.Missing == dsl.MissingWait && !hasAbility(r)
	var steps []int // at which the rule looks
	for i := range c.Steps {
		if selects(r, c.Steps[i].Ability) {
			steps = append(steps, i)
		}
	}
	var reads []ruleRead
	for _, atom := range r.Condition {
		switch a := atom.(type) {
		case *dsl.Threshold:
			// A step's error is bound without being declared: no rule waits for it.
			declared := c.isArg(a.Key) || c.declaresOutput(a.Key)
			if a.Key.IsMeter() || r.Options.Missing == dsl.MissingSkip || declared && waits {
				continue
			}
			args := stepsOf(c.args, a.Key)
			if len(args) == 0 && !c.isParam(a.Key) && !c.produced(a.Key) { // nothing has it, so no step needs to be asked
				reads = append(reads, ruleRead{atom: a, key: a.Key, never: steps})
				continue
			}
			read := newRuleRead(a, a.Key, declared, steps, func(i int) binding {
				if _, ok := slices.BinarySearch(args, i); ok {
					return always
				}
				return c.bound(i, a.Key)
			})
			if declared && r.Options.Missing != dsl.MissingFire {
				read.never = slices.DeleteFunc(read.never, func(i int) bool { return !c.pending(i, a.Key) })
			}
			reads = append(reads, read)
		case *dsl.When:
			for _, w := range whenReads(a.Expr) {
				reads = append(reads, newRuleRead(a, w.key, c.isArg(w.key) || c.produced(w.key), steps, func(i int) binding { return c.whenBound(i, w) }))
			}
		}
	}
	return reads
}

// pending reports whether, before step i, a step that declares the key is sure
// to be able to run still. Once all of them are over, an argument was judged
// where it was given, and the key being unbound makes no rule fire.
func (c *flowChain) pending(i int, key dsl.Key) bool {
	for j := i; j < len(c.Steps); j++ {
		if output, arg := c.Declares(j, key); output || arg && j != i {
			return true
		}
	}
	return false
}

// hasAbility reports whether the rule says by an ability which steps it is about.
func hasAbility(r *dsl.Rule) bool {
	return slices.ContainsFunc(r.Condition, func(a dsl.Atom) bool {
		ability, ok := a.(*dsl.Ability)
		return ok && !ability.Not
	})
}

// declaresOutput reports whether a step declares the key as what it puts out.
func (c *flowChain) declaresOutput(key dsl.Key) bool {
	for _, i := range stepsOf(c.outputs, key) {
		if output, _ := c.Declares(i, key); output {
			return true
		}
	}
	return false
}

// newRuleRead sorts steps by what is known of a key there.
func newRuleRead(atom dsl.Atom, key dsl.Key, declared bool, steps []int, bound func(step int) binding) ruleRead {
	read := ruleRead{atom: atom, key: key, declared: declared}
	for _, i := range steps {
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
