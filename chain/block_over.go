package chain

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// Rewrite returns the copy of the chain that a NEW: block of the same name
// writes in its place. The chain itself stays as it is. The copy keeps the id,
// every rule, the breaker, and the parameters that rules compare with. A step
// whose output or arguments a rule or a condition reads must be written again,
// with the same ability and output and in the same order, and keeps its id and
// its condition. The copy is nil if and only if a finding is an error.
func (c *Chain) Rewrite(b *dsl.Block) (*Chain, diag.List) {
	w := c.changer(b)
	w.base, w.fresh = c.kept(), true
	w.chain.Params, w.chain.Steps, w.chain.Description = slices.Clone(w.base.Params), nil, b.Label
	if b.Mode.Kind != dsl.ModeNew || !c.named(b) {
		w.report(placeOf(b), DanglingID, "the block does not write chain "+c.ID, "write NEW:"+c.ID)
		return nil, w.findings
	}
	for i := range b.Params {
		w.addParam(&b.Params[i])
	}
	next := 0 // the kept step that is looked for
	for i := range b.Steps {
		s := &b.Steps[i]
		if next < len(w.base.Steps) && w.again(&w.base.Steps[next], s) {
			next++
			continue
		}
		w.anew(s)
	}
	for i := range w.base.Steps[next:] {
		s := &w.base.Steps[next+i]
		w.report(placeOf(b), DanglingID, fmt.Sprintf("chain %s needs its step %s: %s", c.ID, s.ID, c.keeps(c.StepIndex(s.ID))), "write it in its place, with the ability "+s.Ability+" and the output "+outputName(s))
	}
	if len(b.Steps) == 0 {
		w.report(placeOf(b), SyntaxID, "the chain has no steps", "write at least one S: line")
	}
	return w.finish(b)
}

// kept is what must stay of the chain when its steps are written anew.
func (c *Chain) kept() *Chain {
	kept := *c
	kept.Params, kept.Steps = nil, nil
	for i := range c.Params {
		n := names{c.Params[i].Name, inputPrefix + c.Params[i].Name}
		if c.conditionReads(n, -1) != "" || c.ruleReads(n) != "" {
			kept.Params = append(kept.Params, c.Params[i])
		}
	}
	for i := range c.Steps {
		if c.keeps(i) != "" {
			s := c.Steps[i]
			s.OnFailure, s.DependsOn, s.target = "", nil, 0
			s.Args = slices.Clone(s.Args)
			for i := range s.Args {
				s.Args[i].Value = Template{} // the block gives them others
			}
			kept.Steps = append(kept.Steps, s)
		}
	}
	return &kept
}

// keeps says why a step must stay; "" if it need not.
func (c *Chain) keeps(at int) string {
	s := &c.Steps[at]
	n := append(names(c.outputs(at)), s.ErrorName())
	if who := c.conditionReads(n, at); who != "" {
		return who
	}
	if s.Condition != nil {
		return "it has a condition"
	}
	return c.guarded(at)
}

// again writes a kept step as the block has it, if that is the step.
func (w *blockWriter) again(kept *Step, s *dsl.BlockStep) bool {
	if s.Ability != kept.Ability || s.Output != kept.OutputKey && s.Output != outputName(kept) {
		return false
	}
	step := w.step(s, kept.ID)
	for i := range kept.Args {
		if !slices.ContainsFunc(step.Args, func(a Arg) bool { return a.Name == kept.Args[i].Name }) {
			return false
		}
	}
	step.OutputKey, step.Condition = kept.OutputKey, kept.Condition
	w.chain.Steps = append(w.chain.Steps, step)
	return true
}

// anew writes a step that the chain did not have, or need not have.
func (w *blockWriter) anew(s *dsl.BlockStep) {
	id := w.stepID(s)
	if w.claims(s.Pos, id, names{id, id + "_error"}) || s.Output != "" && w.claims(s.Pos, s.Output, names{s.Output}) {
		return
	}
	step := w.step(s, id)
	step.Added = true
	w.chain.Steps = append(w.chain.Steps, step)
}

// outputName is the name by which a block speaks of a step's output.
func outputName(s *Step) string {
	if s.OutputKey != "" {
		return s.OutputKey
	}
	return s.ID
}
