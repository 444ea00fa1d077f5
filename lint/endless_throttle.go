package lint

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// endlessThrottle reports throttle rules whose condition time does not end:
// none of their atoms is a frequency with room to come. Such a rule never
// waits; it stops the step, as an abort would, without saying so.
func endlessThrottle(p *pass) {
	p.everyRule(func(file string, r *dsl.Rule) {
		if r.Action.Kind != dsl.Throttle {
			return
		}
		for _, atom := range r.Condition {
			if f, ok := atom.(*dsl.Frequency); ok && f.Count > 0 {
				return
			}
		}
		why := "none of its conditions is a frequency, and nothing else ends by waiting"
		for _, atom := range r.Condition {
			if _, ok := atom.(*dsl.Frequency); ok {
				why = "with a count of 0 there is never room"
			}
		}
		p.add(&diag.Finding{ID: EndlessThrottleID, Severity: diag.Warning, File: file, Pos: r.Pos.Start, End: r.Pos.End,
			Message: fmt.Sprintf("rule %s throttles, but no wait ever helps: %s", r.ID(), why),
			Hint:    "write abort or confirm, or add a frequency such as frequency:web.fetch>10/1m"})
	})
}
