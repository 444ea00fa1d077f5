package explain

import (
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// then says what the action makes happen.
func (e *explainer) then() {
	r := e.rule
	if r.Options.Mode == dsl.Observe {
		e.say("Nothing is stopped: it only observes, and is listed in the verdict and logged.")
		if r.Action.Kind != dsl.Warn {
			e.say("If it were enforced, this would happen:")
		}
	}
	switch r.Action.Kind {
	case dsl.Abort:
		e.abort()
	case dsl.Confirm:
		e.confirm()
	case dsl.Throttle:
		e.throttle()
	case dsl.Review:
		e.say("The work is paused and handed to a reviewer; with the guidance that comes back it is tried again as a new attempt, in which calls, messages, context, clocks and streaks begin at 0.")
		e.say("After 2 reviews, or where there is no reviewer, the step is aborted.")
	case dsl.Warn:
		if r.Options.Mode == dsl.Enforce {
			e.say("The step runs; the warning is listed in the verdict, logged and reported.")
		}
	}
	if r.Reason != "" {
		e.say("The reason given is %s.", dsl.Quote(r.Reason))
		if strings.Contains(r.Reason, "{{") {
			e.say("Each {{name}} in it is filled in with the value at hand.")
		}
	}
	e.storeError()
}

func (e *explainer) abort() {
	task, session := e.rule.Ends()
	e.say("The step is refused.")
	switch {
	case task:
		e.say("As the rule looks at a meter of the task, this ends the task: every later step of it gets the same answer until the host resumes it.")
	case session:
		e.say("As the rule looks at a meter of the session, this ends the session: every later step of it gets the same answer until the host resumes it.")
	default:
		e.say("A chain's run ends there, and returns what its finished steps put out; in an agent's session, only this one call is refused.")
	}
}

func (e *explainer) confirm() {
	e.say("A person is asked, and the step waits for the answer for at most %s.", limitOr(e.rule.Action.Limit, actions.DefaultConfirmTimeout))
	e.say("Without an answer in that time, without anybody to ask, on a no or on an error, the step is aborted.")
	e.say("A yes is bound to the session, the ability, the arguments and this rule; it admits one call, unless it is given for the whole run.")
	e.say("It answers no other rule: after it, the step is judged again.")
}

func (e *explainer) throttle() {
	if !e.timed() {
		e.say("This execution stops with the status throttled and retry_after −1: no time is known at which the condition ends.")
		e.say("The chain may be run again later.")
		return
	}
	e.say("The step waits until there is room, but at most %s in all; then it is judged again.", limitOr(e.rule.Action.Limit, actions.DefaultMaxWait))
	e.say("Where that would take longer, this execution stops with the status throttled and tells retry_after; the chain may be run again later.")
	e.say("retry_after is the time until the entry leaves the window whose leaving makes room.")
	if len(e.frequencies()) > 1 {
		e.say("Of its counts, the first to have room ends the wait.")
	}
}

// timed reports whether time alone can end the condition: a window that
// admits something runs empty.
func (e *explainer) timed() bool {
	for _, f := range e.frequencies() {
		if f.Count > 0 {
			return true
		}
	}
	return false
}

// storeError says what happens while the state cannot be reached, where the
// rule needs it.
func (e *explainer) storeError() {
	o := e.rule.Options
	confirms := e.rule.Action.Kind == dsl.Confirm
	if o.Mode == dsl.Observe || e.rule.Action.Kind == dsl.Warn || len(e.frequencies()) == 0 && !confirms {
		return
	}
	counts := len(e.frequencies()) > 0
	switch mode := o.OnStoreError; {
	case mode == dsl.StoreDefault:
		e.say("While the state cannot be reached, the step is refused, unless the configuration says otherwise.")
	case mode == dsl.StoreDeny:
		e.say("While the state cannot be reached, the step is refused (on_store_error=deny).")
	case !counts:
		e.say("While the state cannot be reached, an approval counts only in the process that it is given to meanwhile; a host that keeps none refuses the step.")
	case mode == dsl.StoreAllow:
		e.say("While the state cannot be reached, nothing can be counted, and the rule lets the step pass (on_store_error=allow).")
	case mode == dsl.StoreLocal:
		e.say("While the state cannot be reached, it goes by a count in this process alone, with its limit divided by the fleet (on_store_error=local); a host that keeps none refuses the step.")
	}
}

// limitOr renders an action's limit, or the default where it states none.
func limitOr(d dsl.Duration, def time.Duration) string {
	if !d.IsZero() {
		return d.String()
	}
	return strings.TrimSuffix(def.String(), "0s") + " (the default)"
}
