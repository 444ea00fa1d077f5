package lint

import (
	"errors"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// compile puts all rules in force in registries that nothing uses, so that
// what a start would refuse is reported: two rules of one id, a limit that
// cannot be computed, an expression that does not compile.
func compile(p *pass) {
	var operator registry.Registry
	p.refused(operator.Load(p.policies...))
	for _, c := range p.chains {
		var reg registry.Registry
		if c.Block != nil {
			continue // the rules of a block are looked at below
		}
		p.refused(reg.Replace(run.Ruleset(c.Chain)))
	}
	for _, b := range p.blocks {
		if len(b.Rules) == 0 {
			continue
		}
		var reg registry.Registry
		p.refused(reg.Replace(blockRules(b)))
	}
}

// blockRules are the rules of a block as a session would register them.
func blockRules(b *dsl.Block) registry.Ruleset {
	set := registry.Ruleset{Scope: registry.Scope{Origin: registry.Model, Pattern: dsl.NamePattern(b.ChainID()), Session: "check"}}
	for _, r := range b.Rules {
		set.Rules = append(set.Rules, registry.RuleDef{Rule: r, Source: registry.Source{File: b.File, Pos: r.Pos.Start}})
	}
	return set
}

// refused reports why a registry took no rules.
func (p *pass) refused(err error) {
	var faults diag.List
	if !errors.As(err, &faults) {
		return
	}
	for _, f := range faults {
		if f.End == (diag.Position{}) {
			f.End = p.ruleEnd(f.File, f.Pos)
		}
		if f.Hint != "" || !strings.HasPrefix(f.Message, inExpression) {
			p.add(f)
			continue
		}
		if name := explain(f); name != "" {
			p.addKey(f, dsl.Key(name), false)
		} else {
			p.add(f)
		}
	}
}

// ruleEnd returns the place behind the rule that begins at a place.
func (p *pass) ruleEnd(file string, start diag.Position) diag.Position {
	if p.ends == nil {
		p.ends = map[registry.Source]diag.Position{}
		for _, policy := range p.policies {
			for _, s := range policy.Sections {
				p.addEnds(policy.File, s.Rules)
			}
		}
		for _, b := range p.blocks {
			p.addEnds(b.File, b.Rules)
		}
	}
	return p.ends[registry.Source{File: file, Pos: start}]
}

func (p *pass) addEnds(file string, rules []*dsl.Rule) {
	for _, r := range rules {
		p.ends[registry.Source{File: file, Pos: r.Pos.Start}] = r.Pos.End
	}
}

// The registry begins its messages about an expression with these words, and
// those about a name in it with the words behind them.
const (
	inExpression = "in the expression: "
	unknownKeyIn = inExpression + "unknown key "
	unknownMeter = inExpression + "unknown meter "
	unknownRoot  = inExpression + "unknown name "
)

// roots are what a path in an expression may begin with, and has().
var roots = []string{"chain", "step", "ability", "args", "outputs", "params", "task", "worker", "tool", "session", "risk", "has"}

// explain adds a hint to a fault in an expression. It returns the name that
// the fault is about, or "".
func explain(f *diag.Finding) string {
	f.Hint = "an expression compares what stands in args, outputs, params and meters, such as args.amount > 2 * params.limit"
	if rest, ok := strings.CutPrefix(f.Message, unknownKeyIn); ok {
		f.ID = UnknownKeyID
		path, declared, _ := strings.Cut(rest, ": the chain declares ")
		_, key, _ := strings.Cut(path, ".")
		f.Hint = didYouMean(dsl.Key(key), strings.Split(declared, ", "), "name what the chain declares")
		return key
	}
	if meter, ok := strings.CutPrefix(f.Message, unknownMeter); ok {
		f.Hint = didYouMean(dsl.Key(meter), dsl.Meters(), "the meters are "+strings.Join(dsl.Meters(), ", "))
		_, name, _ := strings.Cut(meter, ".")
		return name
	}
	if name, ok := strings.CutPrefix(f.Message, unknownRoot); ok {
		f.Hint = didYouMean(dsl.Key(name), roots, "an expression knows "+strings.Join(roots[:len(roots)-1], ", "))
		return name
	}
	return ""
}
