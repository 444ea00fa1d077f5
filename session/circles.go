package session

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// circles reports whether a rule that fired says that an agent goes round in
// circles: one that a streak has come to its limit by.
func circles(fired []registry.Fired) bool {
	for i := range fired {
		for _, a := range fired[i].Rule.Condition {
			if saysCircles(a) {
				return true
			}
		}
	}
	return false
}

// streaks are the meters of what is done again and again.
var streaks = [...]string{
	"task.same_call_streak", "task.same_ability_streak", "task.alternation", "task.error_streak", "task.growing_edit_streak",
	"task.same_message_streak",
}

// saysCircles reports whether an atom holds where a streak is long. Of an
// expression that is not known, and one that reads a streak is taken for it.
func saysCircles(a dsl.Atom) bool {
	for _, streak := range streaks {
		switch a := a.(type) {
		case *dsl.Threshold:
			if string(a.Key) == streak && (a.Op == dsl.Greater || a.Op == dsl.GreaterEqual || a.Op == dsl.Equal) {
				return true
			}
		case *dsl.When:
			if strings.Contains(a.Expr, streak) {
				return true
			}
		}
	}
	return false
}
