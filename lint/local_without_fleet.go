package lint

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// localWithoutFleet reports, once, rules that are counted in each process while
// the state does not answer, where many processes share that and nobody says how
// many: each then admits the whole limit.
func localWithoutFleet(p *pass) {
	if !p.fleetUnknown {
		return
	}
	var first *diag.Finding
	more := 0
	for _, policy := range p.policies {
		for _, s := range policy.Sections {
			for _, r := range s.Rules {
				switch {
				case r.Options.OnStoreError != dsl.StoreLocal:
				case first == nil:
					first = &diag.Finding{ID: LocalWithoutFleetID, Severity: diag.Warning, File: policy.File, Pos: r.Pos.Start, End: r.Pos.End,
						Message: "rule " + r.ID(),
						Hint:    "write fleet: in the configuration, and how many processes share the state; each then admits its part of a limit"}
				default:
					more++
				}
			}
		}
	}
	if first == nil {
		return
	}
	subject, verb := "", "is"
	if more > 0 {
		subject, verb = fmt.Sprintf(" (and %d more)", more), "are"
	}
	first.Message += fmt.Sprintf("%s %s counted locally while the state, which is shared, does not answer, and no fleet is set: every process then admits the whole limit", subject, verb)
	p.add(first)
}
