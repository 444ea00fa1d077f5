package lint

import (
	"encoding/json"
	"fmt"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// neverProduced reports what no step can bind before it is read: a key of a
// rule about one chain, which then fires at once, and a reference to the
// output of a later step, which then refuses the start. In the catalogue
// dialect the order is up to depends_on, and that is a dangling-reference.
func neverProduced(p *pass) {
	for _, c := range p.chains {
		for _, r := range p.rulesOf(c) {
			for _, read := range r.reads {
				if len(read.never) > 0 && len(read.maybe)+len(read.always) == 0 {
					p.add(c.neverRead(r, read))
				}
			}
		}
		for _, read := range c.templateReads() {
			if c.Dialect != chain.Catalogue && c.early(read) {
				f := &diag.Finding{ID: NeverProducedID, File: c.File, Pos: read.ref.Pos,
					Message: fmt.Sprintf("step %s reads %s, which no step before it puts out", c.Steps[read.step].ID, read.ref.Key),
					Hint:    "move the step behind the one that puts it out", Related: c.producedHere(read.ref.Key)}
				p.addKey(f, read.ref.Key, true)
			}
		}
	}
}

// early reports whether a reference is to what only later steps put out.
func (c *flowChain) early(read templateRead) bool {
	return c.bound(read.step, read.ref.Key) == never && c.produced(read.ref.Key)
}

// neverRead is the finding about a rule. It is proved if nothing else keeps
// the rule from firing.
func (c *flowChain) neverRead(r chainRule, read ruleRead) *diag.Finding {
	step, at := &c.Steps[read.never[0]], read.atom.Span()
	f := &diag.Finding{ID: NeverProducedID, File: r.file, Pos: at.Start, End: at.End,
		Message: fmt.Sprintf("no step can bind %s, so the rule fires at once, at step %s", read.key, step.ID),
		Hint:    "name a key that is bound by then" + missingHint(read), Related: c.producedHere(read.key)}
	if read.declared {
		f.Message = fmt.Sprintf("nothing binds %s before step %s, so the rule fires there", read.key, step.ID)
	}
	if !r.fires(read.never[0]) {
		f.Severity, f.Confidence = diag.Warning, diag.Possible
		f.Message = fmt.Sprintf("nothing binds %s before step %s, so this part of the condition always holds there", read.key, step.ID)
		return f
	}
	f.Witness = c.without(read)
	return f
}

// without is the step at which a rule fires as it misses a key.
func (c *flowChain) without(read ruleRead) json.RawMessage {
	step := &c.Steps[read.never[0]]
	w := witness{Chain: c.ID, Step: step.ID, Ability: step.Ability}
	if read.declared {
		w.Pending = []string{string(read.key)}
	}
	return w.json()
}

// missingHint says how a rule can do without a key.
func missingHint(read ruleRead) string {
	if _, ok := read.atom.(*dsl.When); ok {
		return ", or test it with has() first"
	}
	return ", or say missing=skip"
}
