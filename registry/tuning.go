package registry

import (
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// Tuning is how built-in rules stand for one task and those below it, as the
// operator has set it, or a person raised a limit. It concerns no rule of
// another origin. The zero value changes nothing.
type Tuning struct {
	Limits Limits
	// Off are the rules, by their id, that the task is not judged by, and, with
	// false, those that stand by for it and that it is judged by.
	Off map[string]bool
	// OnExceed says what follows where a limit of the task is passed.
	OnExceed OnExceed
}

// Limits are other limits for built-in rules, by their id.
type Limits map[string]decimal.Decimal

// OnExceed is what follows where a built-in limit over a task's meters is
// passed, if not what the rule says. Money is out of it: a new attempt would
// find it spent, and so a review could not help.
type OnExceed int

// The zero value leaves every rule as it is written.
const (
	AsWritten      OnExceed = iota
	ReviewOnExceed          // what would abort asks for a review
	AbortOnExceed           // what would ask for a review aborts
)

// kind is the action that o puts in the place of another.
func (o OnExceed) kind() dsl.ActionKind {
	if o == AbortOnExceed {
		return dsl.Abort
	}
	return dsl.Review
}

// applied returns a built-in rule as it stands under o: the same, or a copy
// with another action.
func (o OnExceed) applied(r *dsl.Rule) *dsl.Rule {
	if o == AsWritten || !overAttempt(r) || r.Action.Kind != dsl.Abort && r.Action.Kind != dsl.Review {
		return r
	}
	changed := *r
	changed.Action = dsl.Action{Kind: o.kind()}
	return &changed
}

// overAttempt reports whether a rule limits what begins anew with an attempt.
func overAttempt(r *dsl.Rule) bool {
	if len(r.Condition) != 1 {
		return false
	}
	t, ok := r.Condition[0].(*dsl.Threshold)
	return ok && t.Key != "task.spend_cents" && t.Key.Segments()[0] == "task"
}

// pair makes the rule that stands in the place of a built-in one for tasks
// that have the other of abort and review follow. It shares what is compiled.
func (r *Rule) pair() {
	if r.Scope.Origin != Builtin {
		return
	}
	for _, o := range []OnExceed{ReviewOnExceed, AbortOnExceed} {
		if other := o.applied(&r.Rule); other.Action != r.Action {
			t := *r
			t.Rule, t.tuned = *other, true
			r.twin = &t
		}
	}
}

// of returns a rule as it stands for the task; nil: it is off.
func (t *Tuning) of(r *Rule) *Rule {
	if r.Standby && !t.Has(r.ID) {
		return nil
	}
	switch {
	case t == nil || r.Scope.Origin != Builtin:
		return r
	case t.Off[r.ID]:
		return nil
	case t.OnExceed != AsWritten && r.twin != nil && r.twin.Action.Kind == t.OnExceed.kind():
		return r.twin
	}
	return r
}

// Has reports whether the task is said to be judged by a rule, which may stand
// by for it. A nil Tuning says nothing.
func (t *Tuning) Has(rule string) bool {
	if t == nil {
		return false
	}
	off, said := t.Off[rule]
	return said && !off
}
