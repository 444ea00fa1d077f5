package session

import (
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Choice is what a person can do about an ended task.
type Choice string

// The choices of an Alert.
const (
	// RaiseLimit lets the task go on with a limit of twice what it has come to.
	RaiseLimit Choice = "raise_limit"
	// Pause leaves the task ended; it can be resumed later.
	Pause Choice = "pause"
	// Narrow leaves the task ended and asks for a smaller task in its place.
	Narrow Choice = "narrow_scope"
	// Replan leaves the task ended and hands it back for a new plan.
	Replan Choice = "new_plan"
	// Dismiss leaves the task ended and says no more about it.
	Dismiss Choice = "dismiss"
)

// Option is a choice as it is shown.
type Option struct {
	Choice Choice `json:"choice"`
	Label  string `json:"label"`
}

// Alert is what a person is shown when a task is ended.
type Alert struct {
	Task     string   `json:"task"`
	Slug     string   `json:"slug"`     // the rule's id
	Title    string   `json:"title"`    // the rule's reason
	Counters string   `json:"counters"` // such as "tool calls: 51 of 50"
	Explain  string   `json:"explain"`
	Choices  []Option `json:"choices"`
}

// Alert makes the card of a halt.
func (h *Halt) Alert() Alert {
	a := Alert{
		Task: h.Task, Slug: h.Fired.Rule.ID, Title: h.Fired.ReasonText(), Explain: h.Fired.Explain(), Counters: h.Fired.Explain(),
		Choices: []Option{
			{RaiseLimit, "try again with a raised limit"}, {Pause, "pause"}, {Narrow, "narrow the scope"},
			{Replan, "hand back for a new plan"}, {Dismiss, "dismiss"},
		},
	}
	if h.Reason != nil {
		a.Counters = h.Reason.String()
	}
	if _, ok := raised(&h.Fired); !ok || !h.Ended {
		a.Choices = a.Choices[1:] // there is no limit that could be raised
	}
	return a
}

// Accept acts on a choice: a raised limit resumes the task, with that limit
// for it and the tasks below it; every other choice leaves it ended, for the
// host to go on from.
func (s *Session) Accept(h *Halt, c Choice) error {
	switch c {
	case RaiseLimit:
		limit, ok := raised(&h.Fired)
		if !ok {
			return fmt.Errorf("session %s: rule %s has no limit that can be raised for one task", s.id, h.Fired.Rule.ID)
		}
		if err := s.Resume(h.endedTask()); err != nil && !errors.Is(err, ErrNotEnded) {
			return err // one that goes on already, as of several cards another was accepted, is raised too
		}
		return s.Raise(h.endedTask(), h.Fired.Rule.ID, limit.String())
	case Pause, Narrow, Replan, Dismiss:
		return nil
	}
	return fmt.Errorf("session %s: %q is no choice of an alert", s.id, c)
}

// endedTask is what the halt ended: its task, or the session.
func (h *Halt) endedTask() string {
	if _, session := h.Fired.Rule.Ends(); session {
		return ""
	}
	return h.Task
}

// raised is twice what a built-in limit has come to, which leaves the task as
// much again as it has used; false if the rule has no such limit.
func raised(f *registry.Fired) (decimal.Decimal, bool) {
	actual, ok := decimal.Parse(f.Actual)
	if !ok || f.Why != registry.Exceeded || f.Rule.Scope.Origin != registry.Builtin {
		return decimal.Decimal{}, false
	}
	if f.Rule.ID == (OutputLoop{}).Slug() {
		return decimal.Decimal{}, false // a share of 1 is the most there is
	}
	return actual.TimesInt(2)
}

// Raise sets the limit of a built-in rule for one task and those below it; ""
// is the session. The limit is a number above 0 in the unit of the rule's meter.
// It is an error if there is no such task, or no such rule in force.
func (s *Session) Raise(task, rule, limit string) error {
	d, ok := decimal.Parse(limit)
	if _, fits := d.CeilScaled(0); !ok || !fits || d.Cmp(decimal.Decimal{}) <= 0 {
		return fmt.Errorf("session %s: the limit %q of rule %s is no number above 0", s.id, limit, rule)
	}
	if rule == (OutputLoop{}).Slug() && d.Cmp(decimal.FromInt(1)) > 0 {
		return fmt.Errorf("session %s: the limit %s of rule %s is above 1, the most that it can be", s.id, limit, rule)
	}
	s.mu.Lock()
	defer s.unlock()
	k := s.tasks.tree.Task(task)
	if k.ID() != task {
		return fmt.Errorf("session %s: there is no task %q", s.id, task)
	}
	if !s.hasBuiltin(rule, s.tasks.tuningOf(k)) {
		return fmt.Errorf("session %s: there is no built-in rule %q in force", s.id, rule)
	}
	setup := s.tasks.setup(task)
	if setup.Limits == nil {
		setup.Limits = registry.Limits{}
	}
	setup.Limits[rule] = d
	return nil
}

// hasBuiltin reports whether a built-in rule is in force for a task.
func (s *Session) hasBuiltin(id string, t *registry.Tuning) bool {
	for r := range s.decider.Registry.Set().Rules() {
		if r.ID == id && r.Scope.Origin == registry.Builtin && (!r.Standby || t.Has(id)) {
			return true
		}
	}
	return false
}
