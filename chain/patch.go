package chain

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// Patch returns a copy of the chain with the changes that a PATCH: block
// makes, or that a C: block runs, which changes no step. The chain itself
// stays as it is. The copy keeps the id and every rule of the chain, so that
// whatever guards the chain guards the copy; the block's own rules and grants
// come on top. A step that a rule, a condition or another step reads cannot be
// removed, and nothing that is added stands for a name that the chain reads
// from elsewhere. The copy is nil if and only if a finding is an error.
func (c *Chain) Patch(b *dsl.Block) (*Chain, diag.List) {
	w := c.changer(b)
	if b.Mode.Kind != dsl.ModePatch && b.Mode.Kind != dsl.ModeRun || !c.named(b) {
		w.report(placeOf(b), DanglingID, "the block does not change chain "+c.ID, "write PATCH:"+c.ID)
		return nil, w.findings
	}
	for i := range b.Changes {
		change := &b.Changes[i]
		switch {
		case change.Param != nil:
			w.addParam(change.Param)
		case change.Step != nil:
			w.addStep(change)
		case change.Remove:
			w.removeStep(change)
		}
	}
	w.chain.retarget()
	return w.finish(b)
}

// changer returns a writer that changes a copy of the chain.
func (c *Chain) changer(b *dsl.Block) *blockWriter {
	copied := *c
	copied.Params, copied.Steps = slices.Clone(c.Params), slices.Clone(c.Steps)
	return &blockWriter{file: b.File, chain: &copied, base: c}
}

// named reports whether a block speaks of this chain.
func (c *Chain) named(b *dsl.Block) bool {
	return b.Mode.Name != "" && (b.Mode.Name == c.ID || b.ChainID() == c.ID)
}

// placeOf is where a block says what it is for.
func placeOf(b *dsl.Block) diag.Position {
	if b.Mode.Pos.Line == 0 {
		return b.Pos
	}
	return b.Mode.Pos
}

func (w *blockWriter) addParam(p *dsl.BlockParam) {
	n := names{p.Name}
	if w.base.Dialect == Catalogue {
		n = append(n, inputPrefix+p.Name)
	}
	if !w.taken(p.Name) && w.claims(p.Pos, p.Name, n) {
		return
	}
	w.param(p)
}

// claims reports a name that the chain reads already, and so from elsewhere.
func (w *blockWriter) claims(pos diag.Position, name string, n names) bool {
	who := w.base.claimed(n)
	if who != "" {
		w.report(pos, SyntaxID, fmt.Sprintf("%s cannot be added to chain %s: %s", name, w.base.ID, who), "what it reads is not for a model to give; choose another name")
	}
	return who != ""
}

func (w *blockWriter) addStep(c *dsl.Change) {
	at, s := w.chain.StepIndex(c.Name), c.Step
	switch {
	case at < 0:
		w.unknownStep(c)
		return
	case s.ID == Continue || s.ID == wordAbort:
		w.report(c.Pos, SyntaxID, fmt.Sprintf("%q says what follows a failure, and cannot be a step", s.ID), "choose another name")
		return
	case w.taken(s.ID):
		w.report(c.Pos, SyntaxID, s.ID+" is the name of something else in the chain", "choose another name")
		return
	case s.Output != "" && s.Output != s.ID && w.taken(s.Output):
		w.report(c.Pos, SyntaxID, s.Output+" is the name of something else in the chain", "name another output")
		return
	}
	step := w.step(s, s.ID)
	step.Added = true
	if w.claims(c.Pos, s.ID, names{step.ID, step.ErrorName()}) || s.Output != "" && w.claims(c.Pos, s.Output, names{s.Output}) {
		return
	}
	if !c.Before {
		at++
	}
	w.chain.Steps = slices.Insert(w.chain.Steps, at, step)
}

// taken reports whether a name stands for something in the chain.
func (w *blockWriter) taken(name string) bool {
	return w.produced(name) || w.chain.Param(name) != nil || name == inputName && w.chain.Dialect == Catalogue
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
	if who := w.chain.needs(at); who != "" {
		w.report(c.Pos, DanglingID, fmt.Sprintf("step %s cannot be removed: %s", c.Name, who), "remove what needs it first, or leave it")
		return
	}
	if len(w.chain.Steps) == 1 {
		w.report(c.Pos, SyntaxID, "the chain would have no steps", "leave one")
		return
	}
	w.chain.Steps = slices.Delete(w.chain.Steps, at, at+1)
}

// needs says what needs a step: what reads what it puts out or is given, or
// goes on with it; "" if nothing does.
func (c *Chain) needs(at int) string {
	s := &c.Steps[at]
	if who := c.stepReads(append(c.outputs(at), s.ErrorName()), at); who != "" {
		return who
	}
	for i := range c.Steps {
		switch other := &c.Steps[i]; {
		case i == at:
		case other.OnFailure == s.ID && other.target > 0:
			return fmt.Sprintf("step %s goes on with it when it fails", other.ID)
		case slices.Contains(other.DependsOn, s.ID):
			return fmt.Sprintf("step %s depends on it", other.ID)
		}
	}
	return c.guarded(at)
}

// guarded says which rule reads what a step puts out or is given; "" if none
// does. An expression may reach any output, so it keeps every step.
func (c *Chain) guarded(at int) string {
	s := &c.Steps[at]
	n := append(names(c.outputs(at)), s.ErrorName())
	for i := range s.Args {
		n = append(n, s.Args[i].Name)
	}
	if who := c.ruleReads(n); who != "" {
		return who
	}
	for _, r := range c.allRules() {
		if slices.ContainsFunc(r.Condition, func(a dsl.Atom) bool { _, ok := a.(*dsl.When); return ok }) {
			return fmt.Sprintf("rule %s is an expression, which may read what it puts out", r.ID())
		}
	}
	return ""
}

// retarget finds the targets of on_failure again once steps have moved.
func (c *Chain) retarget() {
	for i := range c.Steps {
		if s := &c.Steps[i]; s.target > 0 {
			s.target = 1 + c.StepIndex(s.OnFailure)
		}
	}
}
