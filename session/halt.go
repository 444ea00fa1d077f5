package session

import (
	"fmt"
	"strconv"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Halt is a rule that came to hold without a step being judged: at an event,
// or because time has passed. An abort over a meter has ended its task.
type Halt struct {
	Task   string // "": the session
	At     int64  // Unix nanoseconds
	Action dsl.ActionKind
	// Ended: the task, with those below it, is refused every step until the
	// host resumes it. Otherwise the host is told, and acts on it as it can.
	Ended  bool
	Fired  registry.Fired
	Reason HaltReason // nil: the rule is none of the five halts
	Notes  []string   // how it came about, such as a model that has no price
}

// String says what happened, to whom, by which rule.
func (h *Halt) String() string {
	who := "the session"
	if h.Task != "" {
		who = "task " + strconv.Quote(h.Task)
	}
	return fmt.Sprintf("%s: %s (%s, rule %s)", who, h.Fired.ReasonText(), h.Fired.Explain(), h.Fired.Rule.ID)
}

// HaltReason is why a task was halted, with the counters of the moment. It is
// one of the types below.
type HaltReason interface {
	// Slug is what a program tells the reason by: the id of the built-in rule.
	Slug() string
	// String gives the counters, such as "tool calls: 51 of 50".
	String() string
}

// ToolCallLimit: more calls than allowed.
type ToolCallLimit struct{ Actual, Limit int64 }

// TokenSpendLimit: more money than allowed, in cents, rounded up.
type TokenSpendLimit struct{ ActualCents, LimitCents int64 }

// DurationLimit: the task takes too long, in whole seconds, rounded up.
type DurationLimit struct{ ActualSecs, LimitSecs int64 }

// IdleTimeout: nothing has happened for too long, in whole seconds, rounded up.
type IdleTimeout struct{ IdleSecs, LimitSecs int64 }

// OutputLoop: the agent's last outputs are too much alike.
type OutputLoop struct {
	WindowSize        int
	SimilarityJaccard float64
	Threshold         float64
}

// Slug implements HaltReason.
func (ToolCallLimit) Slug() string { return "tool_call_limit" }

// Slug implements HaltReason.
func (TokenSpendLimit) Slug() string { return "token_spend_limit" }

// Slug implements HaltReason.
func (DurationLimit) Slug() string { return "duration_limit" }

// Slug implements HaltReason.
func (IdleTimeout) Slug() string { return "idle_timeout" }

// Slug implements HaltReason.
func (OutputLoop) Slug() string { return "output_loop" }

// String implements HaltReason.
func (r ToolCallLimit) String() string { return fmt.Sprintf("tool calls: %d of %d", r.Actual, r.Limit) }

// String implements HaltReason.
func (r TokenSpendLimit) String() string {
	return fmt.Sprintf("spend: %d of %d cents", r.ActualCents, r.LimitCents)
}

// String implements HaltReason.
func (r DurationLimit) String() string {
	return fmt.Sprintf("duration: %d of %d seconds", r.ActualSecs, r.LimitSecs)
}

// String implements HaltReason.
func (r IdleTimeout) String() string {
	return fmt.Sprintf("idle: %d of %d seconds", r.IdleSecs, r.LimitSecs)
}

// String implements HaltReason.
func (r OutputLoop) String() string {
	return fmt.Sprintf("similarity of the last %d outputs: %.2f of %.2f", r.WindowSize, r.SimilarityJaccard, r.Threshold)
}

// ReasonOf returns the typed reason of a fired rule; nil if it is none of the
// five halts. Whoever replaces a halt by a rule with the same id keeps its type.
func ReasonOf(f *registry.Fired) HaltReason {
	switch f.Rule.ID {
	case (ToolCallLimit{}).Slug():
		return ToolCallLimit{wholeUp(f.Actual), wholeUp(f.Limit)}
	case (TokenSpendLimit{}).Slug():
		return TokenSpendLimit{wholeUp(f.Actual), wholeUp(f.Limit)}
	case (DurationLimit{}).Slug():
		return DurationLimit{wholeUp(f.Actual), wholeUp(f.Limit)}
	case (IdleTimeout{}).Slug():
		return IdleTimeout{wholeUp(f.Actual), wholeUp(f.Limit)}
	case (OutputLoop{}).Slug():
		similarity, _ := strconv.ParseFloat(f.Actual, 64) // a meter is a number
		threshold, _ := strconv.ParseFloat(f.Limit, 64)
		return OutputLoop{meter.Window, similarity, threshold}
	}
	return nil
}

// wholeUp rounds the text of a meter up to a whole number.
func wholeUp(text string) int64 {
	d, _ := decimal.Parse(text)
	n, _ := d.CeilScaled(0)
	return n
}
