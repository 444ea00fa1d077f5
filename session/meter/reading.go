package meter

import (
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// Reading reads the meters of a task at a time, with the call that is about
// to be made, if one is. It implements registry.Meters.
type Reading struct {
	Task *Task
	At   int64
	Next *Call // nil: none
	// Below is a call that a task below is about to make, or to make dearer: its
	// money is this task's too, and nothing else of it. nil: none.
	Below *Call
	// MoneyRead is set once one of the meters of money is read.
	MoneyRead bool
}

// The units of money and time: nano-dollars in a cent, nanoseconds in a second.
const (
	centExp   = -7
	secondExp = -9
)

// Meter returns a meter; false if the key is none.
func (r *Reading) Meter(name dsl.Key) (decimal.Decimal, bool) {
	k, t := r.Task, r.Task.tree
	switch name {
	case "task.tool_calls":
		return decimal.FromInt(k.calls + r.one()), true
	case "task.turn_calls":
		return decimal.FromInt(k.turn + r.one()), true
	case "session.tool_calls":
		return decimal.FromInt(t.total.calls + r.one()), true
	case "task.spend_cents":
		r.MoneyRead = true
		return decimal.Scaled(k.budget.with(r.money()), centExp), true
	case "session.spend_cents":
		r.MoneyRead = true
		return decimal.Scaled(t.root.budget.with(r.money()), centExp), true
	case "task.duration":
		return decimal.Scaled(k.clock.elapsed(r.At), secondExp), true
	case "session.duration":
		return decimal.Scaled(t.total.clock.elapsed(r.At), secondExp), true
	case "task.idle":
		return decimal.Scaled(k.idle(r.At), secondExp), true
	case "task.input_tokens":
		return decimal.FromInt(k.usage.input), true
	case "task.output_tokens":
		return decimal.FromInt(k.usage.output), true
	case "task.context_tokens":
		return decimal.FromInt(k.usage.contextTokens()), true
	case "task.messages":
		return decimal.FromInt(k.messages), true
	case "task.output_similarity":
		return k.outputs.similarity(), true
	case "task.error_streak":
		return decimal.FromInt(k.streaks.calls.errors), true
	case "task.same_message_streak":
		return decimal.FromInt(k.streaks.messages.n), true
	case "task.stuck_below":
		return decimal.FromInt(k.below), true
	}
	n, ok := r.streak(name)
	return decimal.FromInt(n), ok
}

// money is the call whose money is about to be spent.
func (r *Reading) money() *Call {
	if r.Below != nil {
		return r.Below
	}
	return r.Next
}

// one counts the call that is about to be made. One that is under way already
// counts once, however often it is asked for.
func (r *Reading) one() int64 {
	if r.Next == nil || r.Task.FindCall(r.Next) != 0 {
		return 0
	}
	return 1
}

// streak reads the meters that depend on what the next call is.
func (r *Reading) streak(name dsl.Key) (int64, bool) {
	k, t, next := r.Task, r.Task.tree, r.Next
	switch name {
	case "task.same_call_streak":
		if next == nil {
			return k.streaks.calls.sameCall, true
		}
		return k.streaks.calls.sameCallWith(t.keyOf(next)), true
	case "task.same_ability_streak":
		if next == nil {
			return k.streaks.calls.sameAbility, true
		}
		return k.streaks.calls.sameAbilityWith(t.name(next.Ability).print), true
	case "task.alternation":
		if next == nil {
			return k.streaks.calls.alternation, true
		}
		return k.streaks.calls.alternationWith(t.keyOf(next)), true
	case "task.growing_edit_streak":
		if next != nil {
			if bytes := next.editSize(t); bytes >= 0 {
				return k.streaks.edits.with(bytes), true
			}
		}
		return k.streaks.edits.n, true
	case "worker.failures":
		if next == nil {
			return 0, true
		}
		name := t.capped(next.Worker, next.Ability)
		return t.workers.failures(name, r.At), true
	case "tool.failures":
		if next == nil || next.Worker != "" {
			return 0, true
		}
		return t.tools.get(t.name(next.Ability).folded), true
	}
	return 0, false
}
