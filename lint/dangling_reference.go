package lint

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// danglingReference reports what refers to a step that does not exist, or to
// something that an existing step never binds, and conditions on keys that
// exist nowhere. In the catalogue dialect a reference to a step that runs
// later is one, too. An on_failure or a depends_on that names no step is
// refused by the reader.
func danglingReference(p *pass) {
	for _, c := range p.chains {
		for _, read := range c.templateReads() {
			if message := c.missingStep(read.ref.Key); message != "" && c.nowhere(read.ref.Key) {
				p.addKey(c.dangling(read.ref.Key, read.ref.Pos, diag.Error, message), read.ref.Key, true)
			}
			if c.Dialect == chain.Catalogue && c.early(read) {
				p.addKey(c.runsLater(read), read.ref.Key, true)
			}
		}
		for i := range c.Steps {
			cond := c.Steps[i].Condition
			if cond == nil || !c.nowhere(cond.RefKey) {
				continue
			}
			message := c.missingStep(cond.RefKey)
			if message == "" {
				message = fmt.Sprintf("the condition of step %s reads %s, which is no parameter and no output of the chain", c.Steps[i].ID, cond.RefKey)
			}
			p.addKey(c.dangling(cond.RefKey, cond.KeyPos, diag.Warning, message), cond.RefKey, false)
		}
	}
}

func (c *flowChain) dangling(key dsl.Key, pos diag.Position, severity diag.Severity, message string) *diag.Finding {
	known := c.known(valueNames)
	return &diag.Finding{ID: DanglingID, Severity: severity, File: c.File, Pos: pos, Message: message,
		Hint: didYouMean(key, known, "there are "+list(known))}
}

// runsLater is the finding about a reference to a step that depends_on does
// not put before.
func (c *flowChain) runsLater(read templateRead) *diag.Finding {
	reader, writer := &c.Steps[read.step], &c.Steps[stepsOf(c.outputs, read.ref.Key)[0]]
	f := &diag.Finding{ID: DanglingID, File: c.File, Pos: read.ref.Pos,
		Message: fmt.Sprintf("step %s reads %s, but step %s runs later", reader.ID, read.ref.Key, writer.ID),
		Hint:    fmt.Sprintf("add %s to depends_on of step %s", writer.ID, reader.ID),
		Related: c.producedHere(read.ref.Key)}
	switch {
	case reader == writer:
		f.Message = fmt.Sprintf("step %s reads %s, which it puts out itself", reader.ID, read.ref.Key)
		f.Hint = "read what a step before it puts out"
	case c.waitsFor(writer)[reader.ID]:
		f.Hint = fmt.Sprintf("step %s waits for step %s: one of them cannot read the other", writer.ID, reader.ID)
	}
	return f
}

// missingStep says why a key that is written like a step's output or error is
// none; "" if it is not written that way.
func (c *flowChain) missingStep(key dsl.Key) string {
	segments := key.Segments()
	step := c.StepIndex(segments[0]) >= 0
	if len(segments) > 1 {
		switch {
		case step && segments[1] != "output":
			return fmt.Sprintf("step %s binds no %s: its output is %s.output", segments[0], key, segments[0])
		case !step && segments[1] == "output":
			return fmt.Sprintf("the chain has no step %s", segments[0])
		}
	}
	if id, ok := strings.CutSuffix(segments[0], "_error"); ok {
		if i := c.StepIndex(id); i >= 0 && c.Steps[i].OnFailure == "" {
			return fmt.Sprintf("step %s has no on_failure, so nothing binds %s", id, c.Steps[i].ErrorName())
		}
	}
	return ""
}
