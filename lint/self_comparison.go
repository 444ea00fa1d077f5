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
	outcome := "never holds"
	if t.Op == dsl.GreaterEqual || t.Op == dsl.LessEqual || t.Op == dsl.Equal {
		outcome = "always holds"
	}
	switch arg := c.sameArgument(t); {
	case c.parameter(t.Key) != "" && c.parameter(t.Key) == c.parameter(t.Value.Param) && !c.isArg(t.Key) && !c.produced(t.Key):
		f.Message = fmt.Sprintf("rule %s compares %s with itself, which %s", id, t.Key, outcome)
	case arg != nil:
		f.Message = fmt.Sprintf("rule %s compares %s with %s, which is what every step gives for it: it %s", id, t.Key, t.Value.Param, outcome)
		f.Related = []diag.Related{{File: c.File, Pos: arg.Pos, Message: "the argument"}}
	default:
		return
	}
	p.add(f)
}

// parameter is the parameter that a key is exactly; "" if it is none.
func (c *flowChain) parameter(key dsl.Key) string {
	if param := c.Param(string(key)); param != nil {
		return param.Name
	}
	return ""
}

// sameArgument returns the first argument that a threshold's key means, if
// every such argument is given nothing but the parameter that the threshold
// compares with, and the key means nothing else.
func (c *flowChain) sameArgument(t *dsl.Threshold) (first *chain.Arg) {
	limit := c.parameter(t.Value.Param)
	if limit == "" || c.produced(t.Key) || c.isParam(t.Key) && c.parameter(t.Key) != limit {
		return nil
	}
	for _, i := range stepsOf(c.args, t.Key) {
		for j := range c.Steps[i].Args {
			a := &c.Steps[i].Args[j]
			if !covers(a.Name, t.Key) {
				continue
			}
			key, only := a.Value.Only()
			if a.Name != string(t.Key) || !only || c.parameter(key) != limit || c.produced(key) {
				return nil
			}
			if first == nil {
				first = a
			}
		}
	}
	return first
}
