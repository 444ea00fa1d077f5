package lint

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// guarded reports whether some rule certainly asks or stops before a chain
// calls a sink with what a source has put out. The chain's own rules, those of
// the block that wrote it and those of the policies count, and so do the
// grants of the block: what it does not grant is refused.
func (p *pass) guarded(c *flowChain, sink, source string) bool {
	guards := func(r *dsl.Rule) bool { return p.guards(r, sink, source) }
	if slices.ContainsFunc(c.Rules, func(r chain.Rule) bool { return guards(r.Rule) }) {
		return true
	}
	if b := c.Block; b != nil {
		granted := len(b.Grants) == 0 || slices.ContainsFunc(b.Grants, func(g dsl.Grant) bool { return g.Name == sink })
		if !granted || slices.ContainsFunc(b.Rules, guards) {
			return true
		}
	}
	return slices.ContainsFunc(p.policies, func(policy *dsl.Policy) bool {
		return slices.ContainsFunc(policy.Sections, func(s dsl.Section) bool {
			return s.Pattern.Match(c.ID) && slices.ContainsFunc(s.Rules, guards)
		})
	})
}

// guards reports whether a rule asks or stops whenever the sink is about to be
// called after the source. Only atoms that certainly hold then may stand in
// it: those about the ability that is called, and after: about the source. All
// others look at values or counts, and let some of the calls pass.
func (p *pass) guards(r *dsl.Rule, sink, source string) bool {
	if r.Options.Mode == dsl.Observe || r.Action.Kind != dsl.Abort && r.Action.Kind != dsl.Confirm {
		return false
	}
	return !slices.ContainsFunc(r.Condition, func(atom dsl.Atom) bool {
		switch a := atom.(type) {
		case *dsl.Ability:
			return a.Not == (covered([]dsl.NamePattern{a.Name}, sink) || p.slip(a.Name, sink))
		case *dsl.After:
			return a.Not || !covered([]dsl.NamePattern{a.Name}, source) && !p.slip(a.Name, source)
		}
		return true
	})
}

// slip reports whether a name is that of no ability and was meant to be this
// one: that is an error of its own, and would be corrected.
func (p *pass) slip(name dsl.NamePattern, ability string) bool {
	return p.abilities.unmatched(name) != "" && diag.Suggest(string(name), []string{ability}) != ""
}
