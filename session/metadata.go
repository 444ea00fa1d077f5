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
	Halted    Status = "halted" // by a rule
)

// Metadata is a task in figures, for those who watch many. Programs that know
// such figures know these names.
type Metadata struct {
	Session string    `json:"session"`
	Task    string    `json:"task"`
	At      time.Time `json:"at"`

	ToolCallCount          int64   `json:"toolCallCount"` // of the current attempt, as all below
	MessageCount           int64   `json:"messageCount"`
	EstimatedContextTokens int64   `json:"estimatedContextTokens"`
	Duration               float64 `json:"duration"`   // seconds, to the millisecond
	SpendCents             float64 `json:"spendCents"` // of all attempts
	// QCRecommended: a rule over the task's meters warned, or asked for a review.
	QCRecommended bool `json:"qcRecommended"`
	// CircuitBreakerTriggered: such a rule asked for a review, or ended the task.
	CircuitBreakerTriggered bool     `json:"circuitBreakerTriggered"`
	RetryCount              int      `json:"retryCount"` // attempts beyond the first
	Warnings                []string `json:"warnings"`   // the reasons of the rules that warned
	// Rule is what triggered first, and TrippedAt when; "" and nil: nothing did.
	Rule      string     `json:"rule,omitempty"`
	Explain   string     `json:"explain,omitempty"`
	TrippedAt *time.Time `json:"trippedAt,omitempty"`

	FinalStatus   Status `json:"finalStatus,omitempty"` // "": it is still open, or nobody said
	FailureReason string `json:"failureReason,omitempty"`
}

// trip is what rules over a task's meters have said of it.
type trip struct {
	recommended, triggered bool
	rule, explain          string
	at                     int64
	warnings               []string
}

// maxWarnings bounds the different warnings that are kept of a task.
const maxWarnings = 20

// tripped notes a rule that fired.
func (t *tasks) tripped(id string, f *registry.Fired, at int64) {
	task, session := f.Rule.Meters()
	if !f.Decides() || !task && !session {
		return
	}
	n := t.trips[id]
	if n == nil {
		n = &trip{}
		t.trips[id] = n
	}
	switch f.Rule.Action.Kind {
	case dsl.Warn:
		n.recommended = true
		n.warn(f.ReasonText())
	case dsl.Review:
		n.recommended = true
		n.trigger(f, at)
	case dsl.Abort:
		n.trigger(f, at)
	}
}

func (n *trip) warn(reason string) {
	if len(n.warnings) < maxWarnings && !contains(n.warnings, reason) {
		n.warnings = append(n.warnings, reason)
	}
}

func (n *trip) trigger(f *registry.Fired, at int64) {
	if !n.triggered {
		n.triggered, n.rule, n.explain, n.at = true, f.Rule.ID, f.Explain(), at
	}
}

// Metadata returns a task in figures; "" is the session's own.
func (s *Session) Metadata(task string) Metadata {
	s.mu.Lock()
	defer s.unlock()
	return s.metadata(s.tasks.tree.Task(task), "", "", s.at(0))
}

// FinishTask closes a task, says how it went, and returns it in figures. A
// task that a rule ended is halted, whatever is said.
func (s *Session) FinishTask(id string, status Status, reason string) Metadata {
	s.mu.Lock()
	defer s.unlock()
	at := s.at(0)
	m := s.metadata(s.tasks.tree.Task(id), status, reason, at)
	s.closeTask(id, status, reason, at)
	return m
}

// tell tells the host of a task that is about to be closed.
func (s *Session) tell(id string, status Status, reason string, at int64) {
	k := s.tasks.tree.Task(id)
	if s.onTask == nil || id == "" || k.ID() != id || !k.Open() {
		return
	}
	m := s.metadata(k, status, reason, at)
	s.note(func() { s.onTask(m) })
}

func (s *Session) metadata(k *meter.Task, status Status, reason string, at int64) Metadata {
	reading := meter.Reading{Task: k, At: at}
	count := func(name dsl.Key) int64 {
		d, _ := reading.Meter(name)
		n, _ := d.CeilScaled(0)
		return n
	}
	scaled := func(name dsl.Key, exp int) float64 {
		d, _ := reading.Meter(name)
		n, _ := d.CeilScaled(exp)
		return float64(n) / math.Pow10(exp)
	}
	m := Metadata{
		Session: s.id, Task: k.ID(), At: time.Unix(0, at).UTC(),
		ToolCallCount: count("task.tool_calls"), MessageCount: count("task.messages"), EstimatedContextTokens: count("task.context_tokens"),
		Duration: scaled("task.duration", 3), SpendCents: scaled("task.spend_cents", 7),
		RetryCount: k.Attempts(), Warnings: []string{}, FinalStatus: status, FailureReason: reason,
	}
	if n := s.tasks.trips[k.ID()]; n != nil {
		m.QCRecommended, m.CircuitBreakerTriggered, m.Rule, m.Explain = n.recommended, n.triggered, n.rule, n.explain
		m.Warnings = append(m.Warnings, n.warnings...)
		if n.triggered {
			when := time.Unix(0, n.at).UTC()
			m.TrippedAt = &when
		}
	}
	if by := s.tasks.endedBy(k); by != nil {
		m.FinalStatus, m.FailureReason = Halted, by.ReasonText()+" ("+by.Explain()+")"
	}
	return m
}
