package lint

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// danglingReference reports what refers to a step that does not exist, or to
// something that an existing step never binds, and conditions on keys that
// exist nowhere. An on_failure that names no step is refused by the reader.
func danglingReference(p *pass) {
	for _, c := range p.chains {
		for _, read := range c.templateReads() {
			if message := c.missingStep(read.ref.Key); message != "" && c.nowhere(read.ref.Key) {
				p.addKey(c.dangling(read.ref.Key, read.ref.Pos, diag.Error, message), read.ref.Key, true)
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
