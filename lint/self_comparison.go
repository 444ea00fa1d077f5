package lint

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// selfComparison reports thresholds that compare a parameter with itself:
// directly, or because the argument that the key means is given that very
// parameter by every step that has it.
func selfComparison(p *pass) {
	for _, c := range p.chains {
		for i := range c.Rules {
			for _, atom := range c.Rules[i].Condition {
				if t, ok := atom.(*dsl.Threshold); ok && t.Value.Param != "" {
					p.compared(c, c.Rules[i].ID(), t)
				}
			}
		}
	}
}

func (p *pass) compared(c *flowChain, id string, t *dsl.Threshold) {
	f := &diag.Finding{ID: SelfComparisonID, Severity: diag.Warning, File: c.File, Pos: t.At.Start, End: t.At.End,
		Hint: "compare with a number, or with another parameter"}
	limit := c.Param(string(t.Value.Param))
	param, arg := c.sole(t.Key)
	if limit == nil || param != limit {
		return
	}
	outcome := "never holds"
	if t.Op == dsl.GreaterEqual || t.Op == dsl.LessEqual || t.Op == dsl.Equal {
		outcome = "always holds"
	}
	f.Message = fmt.Sprintf("rule %s compares %s with itself, which %s", id, t.Key, outcome)
	if arg != nil {
		f.Message = fmt.Sprintf("rule %s compares %s with %s, which is what every step gives for it: it %s", id, t.Key, t.Value.Param, outcome)
		f.Related = []diag.Related{{File: c.File, Pos: arg.Pos, Message: "the argument"}}
	}
	p.add(f)
}

// sole returns the parameter whose value is all that a key can be bound to:
// the key is the parameter itself, or an argument for which every step that
// has it gives nothing but the parameter; then the first such argument too.
// nil: there is no such parameter.
func (c *flowChain) sole(key dsl.Key) (param *chain.Param, first *chain.Arg) {
	param = c.Param(string(key))
	if c.produced(key) || param == nil && c.isParam(key) {
		return nil, nil
	}
	for _, i := range stepsOf(c.args, key) {
		for j := range c.Steps[i].Args {
			a := &c.Steps[i].Args[j]
			if !covers(a.Name, key) {
				continue
			}
			ref, only := a.Value.Only()
			given := c.Param(string(ref))
			if a.Name != string(key) || !only || given == nil || c.produced(ref) || param != nil && given != param {
				return nil, nil
			}
			param = given
			if first == nil {
				first = a
			}
		}
	}
	return param, first
}
