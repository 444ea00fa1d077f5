package lint

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// undeclaredInput reports references {{x}} that are no parameter and no
// output of the chain. Who starts the chain may supply them, else the start
// is refused; in a reason they would be shown as they are.
func undeclaredInput(p *pass) {
	for _, c := range p.chains {
		for _, read := range c.templateReads() {
			if c.nowhere(read.ref.Key) && c.missingStep(read.ref.Key) == "" {
				p.undeclared(c, read.ref.Key, dsl.Span{Start: read.ref.Pos}, fmt.Sprintf("step %s reads", c.Steps[read.step].ID), c.known(valueNames))
			}
		}
		for i := range c.Rules {
			p.ruleInputs(c, &c.Rules[i])
		}
	}
}

// ruleInputs looks at the limits and the reason of a rule. A limit is a
// parameter; a reason may name any value.
func (p *pass) ruleInputs(c *flowChain, r *chain.Rule) {
	for _, atom := range r.Condition {
		if t, ok := atom.(*dsl.Threshold); ok && t.Value.Param != "" && !c.isParam(t.Value.Param) {
			p.undeclared(c, t.Value.Param, t.At, fmt.Sprintf("rule %s compares with", r.ID()), c.known(paramNames))
		}
	}
	for _, key := range references(r.Reason) {
		if implicit := c.Dialect == chain.Catalogue && covers("input", key); !key.IsMeter() && !implicit && !c.knows(key) {
			f := p.undeclared(c, key, dsl.Span{Start: r.Pos}, fmt.Sprintf("the reason of rule %s shows", r.ID()), c.known(allNames))
			p.marks[f] = mark{key: key, ref: true, below: true} // the place of the rule is that of its condition
		}
	}
}

func (p *pass) undeclared(c *flowChain, key dsl.Key, at dsl.Span, who string, known []string) *diag.Finding {
	name, _, _ := strings.Cut(string(key), ".")
	what := "is no parameter and no output"
	otherwise := fmt.Sprintf("declare %s under params", name)
	if c.produced(key) {
		what = "is an output and no parameter"
		otherwise = "a limit is a number or a parameter; compare the output itself in when:"
	}
	f := &diag.Finding{ID: UndeclaredInputID, Severity: diag.Warning, File: c.File, Pos: at.Start, End: at.End,
		Message: fmt.Sprintf("%s {{%s}}, which %s of the chain", who, key, what),
		Hint:    didYouMean(key, known, otherwise)}
	p.addKey(f, key, true)
	return f
}

// nowhere reports whether a key is no parameter and no step's output.
func (c *flowChain) nowhere(key dsl.Key) bool {
	return !c.isParam(key) && !c.produced(key)
}

// knows reports whether a key is a parameter, an argument or an output.
func (c *flowChain) knows(key dsl.Key) bool { return c.isArg(key) || !c.nowhere(key) }

// references returns the keys of the {{…}} in a text.
func references(text string) []dsl.Key {
	var keys []dsl.Key
	for {
		_, after, open := strings.Cut(text, "{{")
		inside, rest, closed := strings.Cut(after, "}}")
		if !open || !closed {
			return keys
		}
		if key := strings.Trim(inside, " \t"); key != "" && !strings.ContainsAny(key, "{} \t") {
			keys = append(keys, dsl.Key(key))
		}
		text = rest
	}
}
