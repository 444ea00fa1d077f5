package suggest

import (
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// wellEnded tells which of the runs limits are learned from. Where a source
// tells of any run of a kind whether it succeeded, it is those that did; otherwise
// it is those that are not known to have failed. A run that broke off, or in which
// an attack reached its goal, is none.
func wellEnded(all []*replay.Measures) []bool {
	type source struct{ format, kind string }
	tells := map[source]bool{}
	for _, m := range all {
		if m.Labels.Success != trace.Unknown {
			tells[source{m.Format, m.Kind}] = true
		}
	}
	well := make([]bool, len(all))
	for i, m := range all {
		l := &m.Labels
		switch {
		case l.Error != "" || l.Succeeded == trace.Yes:
		case tells[source{m.Format, m.Kind}]:
			well[i] = l.Success == trace.Yes
		default:
			well[i] = true
		}
	}
	return well
}

func count(all []bool) int {
	n := 0
	for _, yes := range all {
		if yes {
			n++
		}
	}
	return n
}
