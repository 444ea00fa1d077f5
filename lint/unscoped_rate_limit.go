package lint

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// unscopedRateLimit reports rate limits of the "*" section that count for
// each chain by itself, where chains that a model writes are among the files.
// All such chains of one session share a counter, so that a new name does not
// begin a new one; a new session does, and so does every chain of the operator's.
func unscopedRateLimit(p *pass) {
	block := slices.IndexFunc(p.blocks, func(b *dsl.Block) bool { return b.Mode.Kind == dsl.ModeNew || b.Mode.Kind == dsl.ModePatch })
	if block < 0 {
		return
	}
	written := p.blocks[block]
	for _, policy := range p.policies {
		for _, s := range policy.Sections {
			if s.Pattern != "*" {
				continue
			}
			for _, r := range s.Rules {
				for _, atom := range r.Condition {
					f, ok := atom.(*dsl.Frequency)
					if !ok || f.Scope != dsl.ScopeChain {
						continue
					}
					p.add(&diag.Finding{ID: UnscopedLimitID, Severity: diag.Warning, Confidence: diag.Possible, File: policy.File, Pos: f.At.Start, End: f.At.End,
						Message: fmt.Sprintf("rule %s counts for each chain by itself, and all chains that a model writes in one session as one; a new session begins anew", r.ID()),
						Hint:    "write @all to count everything together, or @session to say that each session counts alone",
						Related: []diag.Related{{File: written.File, Pos: written.Mode.Pos, Message: "a model writes " + chain.ModelPrefix + written.Mode.Name}}})
				}
			}
		}
	}
}
