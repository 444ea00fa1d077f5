package registry

import "github.com/cbpolicy/cbpolicy/dsl"

// NotGranted is the id of the rule that a block's G: lines make.
const NotGranted = "not_granted"

// BlockRules returns the rules that a model wrote in a block, for its own
// chain in one session: its B: lines, and for its G: lines the rule that any
// other ability in the chain aborts.
func BlockRules(b *dsl.Block, session string) Ruleset {
	return BlockRulesFor(b, b.ChainID(), session)
}

// BlockRulesFor is BlockRules for the chain that a PATCH block has changed a
// copy of, which keeps its own id.
func BlockRulesFor(b *dsl.Block, chain, session string) Ruleset {
	set := Ruleset{Scope: Scope{Origin: Model, Pattern: dsl.NamePattern(chain), Session: session}}
	for _, r := range b.Rules {
		set.Rules = append(set.Rules, RuleDef{Rule: r, Source: Source{File: b.File, Pos: r.Pos.Start}})
	}
	if len(b.Grants) > 0 {
		set.Rules = append(set.Rules, grantRule(b))
	}
	return set
}

func grantRule(b *dsl.Block) RuleDef {
	r := &dsl.Rule{
		Action:  dsl.Action{Kind: dsl.Abort},
		Reason:  "The block does not grant this ability",
		Options: dsl.Options{ID: NotGranted},
		Pos:     b.Grants[0].At,
	}
	for _, g := range b.Grants {
		r.Condition = append(r.Condition, &dsl.Ability{Not: true, Name: dsl.NamePattern(g.Name), At: g.At})
	}
	return RuleDef{Rule: r, Source: Source{File: b.File, Pos: b.Grants[0].At.Start}, Exact: true}
}
