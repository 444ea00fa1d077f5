package lint

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// duplicateRule reports rules of one scope that mean the same under different
// ids. Two rules of one id are refused by the registry, see compile.
func duplicateRule(p *pass) {
	operator := twins{pass: p, first: map[string]placed{}}
	for _, policy := range p.policies {
		for _, s := range policy.Sections {
			for _, r := range s.Rules {
				operator.add(s.Pattern, placed{r, policy.File, r.Pos})
			}
		}
	}
	for _, c := range p.chains {
		own := twins{pass: p, first: map[string]placed{}}
		for i := range c.Rules {
			own.add(dsl.NamePattern(c.ID), placed{c.Rules[i].Rule, c.File, c.Rules[i].Rule.Pos})
		}
	}
	for _, b := range p.blocks {
		own := twins{pass: p, first: map[string]placed{}}
		for _, r := range b.Rules {
			own.add(dsl.NamePattern(b.ChainID()), placed{r, b.File, r.Pos})
		}
	}
}

// placed is a rule and where it was written.
type placed struct {
	rule *dsl.Rule
	file string
	at   dsl.Span
}

// twins finds rules of equal meaning.
type twins struct {
	*pass
	first map[string]placed // by scope and meaning
}

func (t *twins) add(pattern dsl.NamePattern, r placed) {
	meaning := fmt.Sprintf("%q %s", pattern, meaningOf(r.rule))
	first, twice := t.first[meaning]
	if !twice {
		t.first[meaning] = r
		return
	}
	if first.rule.ID() == r.rule.ID() {
		return
	}
	f := t.pass.add(&diag.Finding{ID: DuplicateRuleID, Severity: diag.Warning, File: r.file, Pos: r.at.Start, End: r.at.End,
		Message: fmt.Sprintf("rule %q means the same as rule %q", r.rule.ID(), first.rule.ID()), Hint: "remove one of the two",
		Related: []diag.Related{{File: first.file, Pos: first.at.Start, Message: "the other one"}}})
	f.Witness = firing(pattern, r.rule)
}
