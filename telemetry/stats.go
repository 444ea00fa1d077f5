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
	// How tasks ended: those that tripped and were begun anew after a review,
	// those that tripped and were not, and those that did not trip.
	Reviewed   Outcomes `json:"reviewed"`
	Unreviewed Outcomes `json:"unreviewed"`
	Quiet      Outcomes `json:"quiet"`
	Trips      []Trip   `json:"trips"` // in the order of their times
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
	if !m.CircuitBreakerTriggered {
		s.Quiet.add(m.FinalStatus)
		return
	}
	s.Triggered++
	if s.ByRule == nil {
		s.ByRule = map[string]int{}
	}
	s.ByRule[m.Rule]++
	if m.RetryCount > 0 {
		s.Reviewed.add(m.FinalStatus)
	} else {
		s.Unreviewed.add(m.FinalStatus)
	}
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
