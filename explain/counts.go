package explain

import (
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// counts says how the rule's frequency atoms count.
func (e *explainer) counts() {
	for _, f := range e.frequencies() {
		e.counter(f)
	}
	if len(e.frequencies()) == 0 {
		return
	}
	e.say("The window slides with the time: an entry counts from its admission until the window is over.")
	e.say("A refused attempt takes no place; a call that failed after it was admitted keeps its own.")
	if len(e.frequencies()) < len(e.rule.Condition) {
		e.say("The other parts of the condition are judged first; every step that the count is about is counted all the same, whether they hold or not.")
	}
	e.say("A counter remembers at most %d entries.", dsl.MaxHistory)
}

// counter says what one atom's counter is about.
func (e *explainer) counter(f *dsl.Frequency) {
	if f.Name == "" {
		e.say("A run of the chain counts once, at its first admitted step; until then each of its steps is tried as the first.")
	} else {
		e.say("Every admitted call counts, repetitions of a call whose result is still awaited aside.")
		switch {
		case f.Name.IsClass():
			e.say("All abilities that may write share the count.")
		case !f.Name.Literal():
			e.say("All abilities that %s covers share the count.", f.Name)
		}
	}
	model := e.rule.Scope.Origin == registry.Model
	switch f.Scope {
	case dsl.ScopeAll:
		e.say("There is one counter for everything that the rule applies to (@all).")
	case dsl.ScopeSession:
		e.say("Each session has a counter of its own (@session).")
	default:
		if model {
			e.say("The chain has a counter of its own in this session.")
			return
		}
		e.say("Each chain has a counter of its own, for all its sessions together.")
		if e.coversModel() {
			e.say("All chains that a model writes in one session share one, so that a new name resets nothing.")
		}
	}
}
