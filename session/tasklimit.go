package session

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/registry"
)

// TaskLimits replaces limits of built-in rules for the tasks it names, and for
// those below them that have none of their own. A task is named by its id, by
// the chain that it runs, or by both; an empty pattern names every task. The
// session itself is none: its limits are those of the rules, see Raise.
type TaskLimits struct {
	Task, Chain dsl.NamePattern
	Limits      map[string]string // a number by rule id, in the unit of the rule's meter
}

// taskLimits is the same, ready to be used.
type taskLimits struct {
	task, chain dsl.NamePattern // folded; "": every one
	limits      registry.Limits
}

func compileLimits(all []TaskLimits) ([]taskLimits, error) {
	var out []taskLimits
	for _, l := range all {
		limits := registry.Limits{}
		for _, rule := range slices.Sorted(maps.Keys(l.Limits)) {
			d, ok := decimal.Parse(l.Limits[rule])
			if !ok {
				return nil, fmt.Errorf("session: the limit %q of rule %s is no number", l.Limits[rule], rule)
			}
			limits[rule] = d
		}
		out = append(out, taskLimits{l.Task.Fold(), l.Chain.Fold(), limits})
	}
	return out, nil
}

func (l *taskLimits) names(id, chain string) bool {
	return (l.task == "" || l.task.Match(dsl.Fold(id))) && (l.chain == "" || chain != "" && l.chain.Match(dsl.Fold(chain)))
}

// limit gives a task that is opened its limits: of several that are set for a
// rule the first. What a task had before, raised for it, stays.
func (t *tasks) limit(id, chain string) {
	if id == "" {
		return
	}
	for i := range t.overrides {
		o := &t.overrides[i]
		if !o.names(id, chain) {
			continue
		}
		if t.limits[id] == nil {
			t.limits[id] = registry.Limits{}
		}
		for rule, limit := range o.limits {
			if _, set := t.limits[id][rule]; !set {
				t.limits[id][rule] = limit
			}
		}
	}
}
