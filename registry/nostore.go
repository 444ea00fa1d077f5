package registry

import "github.com/cbpolicy/cbpolicy/dsl"

// WithoutStore makes the tally of a plan for which no store could be asked,
// for a reason: nothing is counted and no approval is held. It reports whether
// the step may be decided so, which is when it would be counted, and every rule
// that reads such a count says on_store_error=allow, be it to refuse or to warn.
func (p *Plan) WithoutStore(t *Tally, reason string) bool {
	*t = Tally{At: t.At[:0], Counts: t.Counts[:0], Approved: t.Approved[:0], Away: &Away{Reason: reason, Default: dsl.StoreDeny}}
	for i := range p.Needs {
		t.At = append(t.At, -1)
		for j := range p.Needs[i].Windows {
			if p.Needs[i].Windows[j].Readers != ModesOf(dsl.StoreAllow) {
				return false
			}
		}
	}
	for range p.Guards {
		t.Approved = append(t.Approved, false)
	}
	return len(p.Needs) > 0
}
