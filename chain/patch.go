package chain

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// Patch returns a copy of the chain with the changes that a PATCH: block
// makes. The chain itself stays as it is. The copy keeps the id and every
// rule of the chain, so that whatever guards the chain guards the copy; the
// block's own rules come on top. A step that a rule, a condition or another
// step reads cannot be removed. The copy is nil if and only if a finding is
// an error.
func (c *Chain) Patch(b *dsl.Block) (*Chain, diag.List) {
	copied := *c
	copied.Params, copied.Steps, copied.Block = slices.Clone(c.Params), slices.Clone(c.Steps), withQuestions(b)
	w := &blockWriter{file: b.File, chain: &copied}
	if b.Mode.Kind != dsl.ModePatch || dsl.BlockPrefix+b.Mode.Name != b.ChainID() || b.Mode.Name != c.ID && b.ChainID() != c.ID {
		w.report(b.Mode.Pos, DanglingID, fmt.Sprintf("the block does not change chain %s", c.ID), "write PATCH:"+c.ID)
		return nil, w.findings
	}
	for i := range b.Changes {
		change := &b.Changes[i]
		switch {
		case change.Param != nil:
			w.param(change.Param)
		case change.Step != nil:
			w.addStep(change)
		case change.Remove:
			w.removeStep(change)
		}
	}
	if len(copied.Steps) > MaxSteps || len(copied.Params) > MaxParams {
		w.report(b.Mode.Pos, LimitID, fmt.Sprintf("the chain has %d steps and %d parameters; at most %d and %d are allowed", len(copied.Steps), len(copied.Params), MaxSteps, MaxParams), "")
	}
	copied.retarget()
	return w.finish()
}

func (w *blockWriter) addStep(c *dsl.Change) {
	at := w.chain.StepIndex(c.Name)
	switch {
	case at < 0:
		w.unknownStep(c)
		return
	case w.chain.StepIndex(c.Step.ID) >= 0 || w.produced(c.Step.ID) || w.chain.Param(c.Step.ID) != nil:
		w.report(c.Pos, SyntaxID, c.Step.ID+" is the name of something else in the chain", "choose another name")
		return
	case c.Step.Output != "" && c.Step.Output != c.Step.ID && (w.produced(c.Step.Output) || w.chain.Param(c.Step.Output) != nil):
		w.report(c.Pos, SyntaxID, c.Step.Output+" is the name of something else in the chain", "name another output")
		return
	}
	if !c.Before {
		at++
	}
	step := w.step(c.Step, c.Step.ID)
	step.Added = true
	w.chain.Steps = slices.Insert(w.chain.Steps, at, step)
}

func (w *blockWriter) unknownStep(c *dsl.Change) {
	var ids []string
	for i := range w.chain.Steps {
		ids = append(ids, w.chain.Steps[i].ID)
	}
	hint := "name a step of the chain"
	if like := diag.Suggest(c.Name, ids); like != "" {
		hint = "did you mean " + like + "?"
	}
	w.report(c.Pos, DanglingID, fmt.Sprintf("chain %s has no step %s", w.chain.ID, c.Name), hint)
}

func (w *blockWriter) removeStep(c *dsl.Change) {
	at := w.chain.StepIndex(c.Name)
	if at < 0 {
		w.unknownStep(c)
		return
	}
	if who := w.reader(at); who != "" {
		w.report(c.Pos, DanglingID, fmt.Sprintf("step %s cannot be removed: %s", c.Name, who), "remove what needs it first, or leave it")
		return
	}
	if len(w.chain.Steps) == 1 {
		w.report(c.Pos, SyntaxID, "the chain would have no steps", "leave one")
		return
	}
	w.chain.Steps = slices.Delete(w.chain.Steps, at, at+1)
}

// reader says what needs a step: what reads what it puts out or is given, or
// goes on with it; "" if nothing does.
func (w *blockWriter) reader(at int) string {
	c := w.chain
	s := &c.Steps[at]
	names := append(c.outputs(at), s.ErrorName())
	reads := func(key dsl.Key) bool {
		return slices.ContainsFunc(names, func(name string) bool { return covers(name, key) })
	}
	for i := range c.Steps {
		other := &c.Steps[i]
		if i == at {
			continue
		}
		for _, ref := range other.Refs() {
			if reads(ref.Key) {
				return fmt.Sprintf("step %s reads %s", other.ID, ref.Key)
			}
		}
		switch {
		case other.Condition != nil && reads(other.Condition.RefKey):
			return fmt.Sprintf("the condition of step %s reads %s", other.ID, other.Condition.RefKey)
		case other.OnFailure == s.ID:
			return fmt.Sprintf("step %s goes on with it when it fails", other.ID)
		case slices.Contains(other.DependsOn, s.ID):
			return fmt.Sprintf("step %s depends on it", other.ID)
		}
	}
	for i := range c.Rules {
		r := &c.Rules[i]
		for _, atom := range r.Condition {
			if key, ok := readKey(atom); ok && (reads(key) || slices.ContainsFunc(s.Args, func(a Arg) bool { return covers(a.Name, key) })) {
				return fmt.Sprintf("rule %s reads %s", r.ID(), key)
			}
			if _, ok := atom.(*dsl.When); ok {
				return fmt.Sprintf("rule %s is an expression, which may read what it puts out", r.ID())
			}
		}
	}
	return ""
}

// readKey is the key that an atom reads, if it reads one by its name.
func readKey(atom dsl.Atom) (dsl.Key, bool) {
	switch a := atom.(type) {
	case *dsl.Threshold:
		return a.Key, true
	case *dsl.Match:
		return dsl.Key(a.Key), true
	}
	return "", false
}

// retarget finds the targets of on_failure again once steps have moved.
func (c *Chain) retarget() {
	for i := range c.Steps {
		c.Steps[i].target = 0
		if c.Steps[i].OnFailure != "" {
			c.Steps[i].target = 1 + c.StepIndex(c.Steps[i].OnFailure)
		}
	}
}
