package registry

import "github.com/cbpolicy/cbpolicy/dsl"

// WithoutStore makes the tally of a plan for which no store could be asked,
// for a reason: nothing is counted and no approval is held. It reports whether
// the step may be decided so, which is when it would be counted, and every rule
// that waits for a count and could refuse says on_store_error=allow.
func (p *Plan) WithoutStore(t *Tally, reason string) bool {
	*t = Tally{At: t.At[:0], Counts: t.Counts[:0], Approved: t.Approved[:0], Away: &Away{Reason: reason, Default: dsl.StoreDeny}}
	for _, c := range p.counters {
		t.At = append(t.At, -1)
		for _, rules := range c.rules {
			for _, r := range rules {
				if !r.allowsWithoutStore() {
					return false
				}
			}
		}
	}
	for range p.Guards {
		t.Approved = append(t.Approved, false)
	}
	for i := range p.held {
		if h := &p.held[i]; len(h.windows) > 0 && !h.rule.allowsWithoutStore() {
			return false
		}
	}
	return len(p.counters) > 0
}

// allowsWithoutStore reports whether a rule lets a step pass that could not
// be counted. A rule that never refuses does.
func (r *Rule) allowsWithoutStore() bool {
	return !r.deciding() || r.Options.OnStoreError == dsl.StoreAllow
}
