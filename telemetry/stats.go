package telemetry

import (
	"cmp"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/session"
)

// Stats answer what is asked of many tasks. The zero Stats are of none.
type Stats struct {
	Tasks       int            `json:"tasks"`
	Triggered   int            `json:"triggered"`   // tasks in which a rule asked for a review or ended it
	Recommended int            `json:"recommended"` // tasks for which a review was recommended
	ByRule      map[string]int `json:"by_rule"`     // triggered tasks by the rule that was first
	// How tasks ended: those that tripped and were reviewed, then or before they
	// began; those that tripped and were not; those that were reviewed before they
	// began and did not trip; and those with neither.
	Reviewed       Outcomes `json:"reviewed"`
	Unreviewed     Outcomes `json:"unreviewed"`
	ReviewedBefore Outcomes `json:"reviewed_before"`
	Quiet          Outcomes `json:"quiet"`
	// Totals are those of all tasks and their attempts; what goes on at the same
	// time counts each by itself. Money is not among them: a task has that of the
	// tasks below it, which have lines of their own.
	Totals session.Totals `json:"totals"`
	Trips  []Trip         `json:"trips"` // in the order of their times
}

// Outcomes counts how tasks ended.
type Outcomes struct {
	Tasks     int `json:"tasks"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Halted    int `json:"halted"`
}

// SuccessRate is the share of the tasks that completed, of those of which the
// end is known; false if none is.
func (o Outcomes) SuccessRate() (rate float64, known bool) {
	ended := o.Completed + o.Failed + o.Halted
	if ended == 0 {
		return 0, false
	}
	return float64(o.Completed) / float64(ended), true
}

func (o *Outcomes) add(s session.Status) {
	o.Tasks++
	switch s {
	case session.Completed:
		o.Completed++
	case session.Failed:
		o.Failed++
	case session.Halted:
		o.Halted++
	}
}

// Trip is a task in which a rule triggered.
type Trip struct {
	At         time.Time      `json:"at"`
	Session    string         `json:"session"`
	Task       string         `json:"task"`
	Rule       string         `json:"rule"`
	Explain    string         `json:"explain"`
	RetryCount int            `json:"retryCount"`
	Status     session.Status `json:"finalStatus"`
}

// Add takes in a task.
func (s *Stats) Add(m session.Metadata) {
	s.Tasks++
	if m.QCRecommended {
		s.Recommended++
	}
	s.total(m)
	switch reviewed := m.RetryCount > 0 || m.ReviewedBefore; {
	case m.CircuitBreakerTriggered && reviewed:
		s.Reviewed.add(m.FinalStatus)
	case m.CircuitBreakerTriggered:
		s.Unreviewed.add(m.FinalStatus)
	case m.ReviewedBefore:
		s.ReviewedBefore.add(m.FinalStatus)
	default:
		s.Quiet.add(m.FinalStatus)
	}
	if m.CircuitBreakerTriggered {
		s.trip(m)
	}
}

// total adds up what a task came to. A line of an older writer has no totals:
// the figures of its last attempt are what is known then.
func (s *Stats) total(m session.Metadata) {
	s.Totals.ToolCallCount += max(m.Totals.ToolCallCount, m.ToolCallCount)
	s.Totals.MessageCount += max(m.Totals.MessageCount, m.MessageCount)
	s.Totals.Duration += max(m.Totals.Duration, m.Duration)
}

// trip takes in a task in which a rule triggered.
func (s *Stats) trip(m session.Metadata) {
	s.Triggered++
	if s.ByRule == nil {
		s.ByRule = map[string]int{}
	}
	s.ByRule[m.Rule]++
	at := m.At
	if m.TrippedAt != nil {
		at = *m.TrippedAt
	}
	s.Trips = append(s.Trips, Trip{at, m.Session, m.Task, m.Rule, m.Explain, m.RetryCount, m.FinalStatus})
}

// Sort brings the trips into the order of their times.
func (s *Stats) Sort() {
	slices.SortStableFunc(s.Trips, func(a, b Trip) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Task, b.Task))
	})
}
