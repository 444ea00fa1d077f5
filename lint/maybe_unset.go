package lint

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// maybeUnset reports what some path through the chain reads before it is
// bound: a key of a chain's own rule that acts on a missing one, a reference
// in an argument, and a condition that can never hold as it is tested too early.
func maybeUnset(p *pass) {
	for _, c := range p.chains {
		for _, r := range p.rulesOf(c) {
			for _, read := range r.reads {
				if f := c.maybeRead(r, read); f != nil {
					p.add(f)
				}
			}
		}
		for _, read := range c.templateReads() {
			if read.arg && c.bound(read.step, read.ref.Key) == maybe && !c.guarded(read.step, read.ref.Key) {
				f := &diag.Finding{ID: MaybeUnsetID, Severity: diag.Warning, Confidence: diag.Possible, File: c.File, Pos: read.ref.Pos,
					Message: fmt.Sprintf("on some path nothing has put out %s when step %s reads it, which fails the run", read.ref.Key, c.Steps[read.step].ID),
					Hint:    fmt.Sprintf("give the step a condition on %s with is_not_empty, or let every path put it out", read.ref.Key)}
				f.Related = c.producedHere(read.ref.Key)
				p.addKey(f, read.ref.Key, true)
			}
		}
		for i := range c.Steps {
			if f := c.earlyCondition(i); f != nil {
				p.addKey(f, c.Steps[i].Condition.RefKey, false)
			}
		}
	}
}

// maybeRead looks at a rule's key that has a value at some of the steps only.
func (c *flowChain) maybeRead(r chainRule, read ruleRead) *diag.Finding {
	if len(read.maybe) == 0 && (len(read.never) == 0 || len(read.always) == 0) {
		return nil
	}
	at := read.atom.Span()
	f := &diag.Finding{ID: MaybeUnsetID, Severity: diag.Warning, Confidence: diag.Possible, File: r.file, Pos: at.Start, End: at.End,
		Hint: "narrow the rule with ability: to the steps that have the key" + missingHint(read), Related: c.producedHere(read.key)}
	if len(read.never) == 0 {
		f.Message = fmt.Sprintf("on some path nothing has bound %s at step %s, so this part of the condition holds there", read.key, c.Steps[read.maybe[0]].ID)
		return f
	}
	if r.fires(read.never[0]) {
		f.Confidence, f.Witness = diag.Proved, c.without(read)
	}
	f.Message = fmt.Sprintf("nothing has bound %s at step %s, so this part of the condition holds there", read.key, c.Steps[read.never[0]].ID)
	return f
}

// earlyCondition looks for a condition that is tested only before its key is
// put out. is_empty may be meant that way.
func (c *flowChain) earlyCondition(i int) *diag.Finding {
	cond := c.Steps[i].Condition
	if cond == nil || cond.Op == chain.OpIsEmpty || c.bound(i, cond.RefKey) != never || !c.produced(cond.RefKey) {
		return nil
	}
	return &diag.Finding{ID: MaybeUnsetID, Severity: diag.Warning, File: c.File, Pos: cond.KeyPos,
		Message: fmt.Sprintf("no step before %s puts out %s, so the condition does not hold and the step never runs", c.Steps[i].ID, cond.RefKey),
		Hint:    "move the step behind the one that puts it out", Related: c.producedHere(cond.RefKey)}
}

// producedHere points to the steps that bind a key.
func (c *flowChain) producedHere(key dsl.Key) []diag.Related {
	const most = 3
	var related []diag.Related
	for _, i := range stepsOf(c.outputs, key) {
		s := &c.Steps[i]
		message := fmt.Sprintf("step %s puts out %s", s.ID, key)
		switch {
		case s.OnFailure != "" && covers(s.ErrorName(), key):
			message = fmt.Sprintf("step %s binds %s when it fails", s.ID, key)
		case s.Condition != nil:
			message += ", if its condition holds"
		}
		if related = append(related, diag.Related{File: c.File, Pos: s.Pos, Message: message}); len(related) == most {
			break
		}
	}
	return related
}

// guarded reports whether the step's condition keeps it from running without
// the key: it is about the key itself, or it is the condition under which the
// key was put out.
func (c *flowChain) guarded(i int, key dsl.Key) bool {
	cond := c.Steps[i].Condition
	if cond == nil {
		return false
	}
	if c.nowhere(cond.RefKey) {
		return true // the key is misspelt, and that is reported; what it guards is not known
	}
	unary := cond.Op == chain.OpIsEmpty || cond.Op == chain.OpIsNotEmpty
	about := []dsl.Key{}
	if cond.Op != chain.OpIsEmpty {
		about = append(about, cond.RefKey)
	}
	if !unary {
		about = append(about, cond.Value.Keys()...)
	}
	for _, k := range about {
		if covers(string(k), key) || covers(string(key), k) {
			return true
		}
	}
	flow, ok := c.assumed[i]
	if !ok {
		flow = c.given(cond)
		c.assumed[i] = flow
	}
	return flow != nil && flow.Must(i, key)
}

// given works out the flow of the runs in which a condition holds. It returns
// nil if the condition might hold at one of its steps and not at another.
func (c *flowChain) given(cond *chain.Condition) *chain.Flow {
	keys := append(cond.Value.Keys(), cond.RefKey)
	assumed := *c.Chain
	assumed.Steps = append([]chain.Step(nil), c.Steps...)
	tested := false
	for i := range assumed.Steps {
		s := &assumed.Steps[i]
		if s.Condition != nil && sameCondition(s.Condition, cond) {
			s.Condition, tested = nil, true
		}
		if s.OnFailure != "" && c.StepIndex(s.OnFailure) <= i {
			return nil
		}
		for _, key := range keys {
			if tested && slices.Contains(stepsOf(c.outputs, key), i) {
				return nil
			}
		}
	}
	return assumed.Flow()
}

// sameCondition reports whether two conditions are written alike.
func sameCondition(a, b *chain.Condition) bool {
	x, one := asWritten(a.Value)
	y, both := asWritten(b.Value)
	return one && both && a.RefKey == b.RefKey && a.Op == b.Op && x == y
}

// asWritten is a template with its references in place, if it is not too
// large. No text of a template can look like a reference and be none.
func asWritten(t chain.Template) (string, bool) {
	v, err := t.Render(func(key dsl.Key) (chain.Value, bool) { return chain.Text("{{" + string(key) + "}}"), true })
	return string(v.AppendJSON(nil)), err == nil
}
