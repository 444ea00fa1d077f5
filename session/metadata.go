package session

import (
	"math"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Status is how a task ended.
type Status string

// The ways in which a task ends. Without a status it was closed, and nobody
// said how it went.
const (
	Completed Status = "completed"
	Failed    Status = "failed"
	Halted    Status = "halted" // stopped by a rule, whether it ended the task or a step for good
)

// Metadata is a task in figures, for those who watch many. Programs that know
// such figures know these names. A task that was begun anew after a review has
// the counts of its current attempt, which is what limits compare, and those of
// all attempts in Totals.
type Metadata struct {
	Session string    `json:"session"`
	Task    string    `json:"task"`
	At      time.Time `json:"at"`

	ToolCallCount          int64   `json:"toolCallCount"` // of the current attempt, as the three below
	MessageCount           int64   `json:"messageCount"`
	EstimatedContextTokens int64   `json:"estimatedContextTokens"`
	Duration               float64 `json:"duration"`   // seconds, to the millisecond
	SpendCents             float64 `json:"spendCents"` // of all attempts
	// QCRecommended: a rule over the task's meters warned, or asked for a review,
	// or the work was such that it had to be reviewed before it began.
	QCRecommended bool `json:"qcRecommended"`
	// CircuitBreakerTriggered: such a rule asked for a review, or ended the task,
	// or it was stopped because a review before it began was not given.
	CircuitBreakerTriggered bool     `json:"circuitBreakerTriggered"`
	RetryCount              int      `json:"retryCount"` // attempts beyond the first
	Warnings                []string `json:"warnings"`   // the reasons of the rules that warned
	// Rule is what triggered first, and TrippedAt when; "" and nil: nothing did.
	Rule      string     `json:"rule,omitempty"`
	Explain   string     `json:"explain,omitempty"`
	TrippedAt *time.Time `json:"trippedAt,omitempty"`

	FinalStatus   Status `json:"finalStatus,omitempty"` // "": it is still open, or nobody said
	FailureReason string `json:"failureReason,omitempty"`

	// ReviewedBefore: the work was reviewed before it began.
	ReviewedBefore bool   `json:"reviewedBefore"`
	Totals         Totals `json:"totals"`
}

// Totals are what a task came to in all its attempts. What the model is given
// to read is no sum: EstimatedContextTokens is of the current attempt only.
type Totals struct {
	ToolCallCount int64   `json:"toolCallCount"`
	MessageCount  int64   `json:"messageCount"`
	Duration      float64 `json:"duration"` // seconds, to the millisecond
}

// Metadata returns a task in figures; "" is the session's own.
func (s *Session) Metadata(task string) Metadata {
	s.mu.Lock()
	defer s.unlock()
	return s.metadata(s.tasks.tree.Task(task), "", "", s.at(0))
}

func (s *Session) metadata(k *meter.Task, status Status, reason string, at int64) Metadata {
	reading := meter.Reading{Task: k, At: at}
	// ceil is a meter in units of 10^-exp, rounded up.
	ceil := func(name dsl.Key, exp int) int64 {
		d, _ := reading.Meter(name)
		n, _ := d.CeilScaled(exp)
		return n
	}
	earlier := k.Earlier()
	took := ceil("task.duration", 9)
	m := Metadata{
		Session: s.id, Task: k.ID(), At: time.Unix(0, at).UTC(),
		ToolCallCount: ceil("task.tool_calls", 0), MessageCount: ceil("task.messages", 0), EstimatedContextTokens: ceil("task.context_tokens", 0),
		Duration: seconds(took), SpendCents: float64(ceil("task.spend_cents", 7)) / 1e7,
		RetryCount: k.Attempts(), Warnings: []string{}, FinalStatus: status, FailureReason: reason,
	}
	m.Totals = Totals{m.ToolCallCount + earlier.Calls, m.MessageCount + earlier.Messages, seconds(took + int64(earlier.Duration))}
	if n := s.tasks.trips[k.ID()]; n != nil {
		m.QCRecommended, m.CircuitBreakerTriggered, m.Rule, m.Explain = n.recommended, n.triggered, n.rule, n.explain
		m.Warnings, m.ReviewedBefore = append(m.Warnings, n.warnings...), n.before
		if n.triggered {
			when := time.Unix(0, n.at).UTC()
			m.TrippedAt = &when
		}
	}
	if by, cause := s.tasks.haltedBy(k); by != nil {
		m.FinalStatus, m.FailureReason = Halted, whyHalted(by, cause)
	}
	return m
}

// seconds are nanoseconds as seconds, rounded up to the millisecond.
func seconds(ns int64) float64 { return math.Ceil(float64(ns)/1e6) / 1e3 }

// whyHalted is why a rule stopped a task, with what stood in the way of a review.
func whyHalted(by *registry.Fired, cause error) string {
	why := by.ReasonText()
	if explain := by.Explain(); explain != why {
		why += " (" + explain + ")"
	}
	if cause != nil {
		why += ": " + cause.Error()
	}
	return why
}
