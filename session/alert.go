package session

import (
	"fmt"
	"strconv"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Choice is what a person can do about a halt; see [Session.Accept].
type Choice string

// The choices of an Alert.
const (
	// RaiseLimit lets the task go on with a limit of twice what it has come to.
	// That of output_loop goes half of the way to 1, and outputs are compared anew.
	RaiseLimit Choice = "raise_limit"
	// Pause leaves the task refused, and its clocks stand still, until
	// [Session.Resume]. The time away counts nowhere.
	Pause Choice = "pause"
	// Narrow has the task begun anew, as [Session.NewAttempt] does, for the
	// agent to do less of it. It is not one of the reviews that may be. Where
	// the limit is one of money, which goes on, it is granted once more.
	Narrow Choice = "narrow_scope"
	// Replan is Narrow, and the task above is told that a new plan is wanted:
	// in its notices, see TaskState, and in the log.
	Replan Choice = "new_plan"
	// Dismiss puts the card away. The task that was ended is closed as halted,
	// with those below it, as [Session.FinishTask] does.
	Dismiss Choice = "dismiss"
)

// Option is a choice as it is shown.
type Option struct {
	Choice Choice `json:"choice"`
	Label  string `json:"label"`
}

// Alert is what a person is shown when a task is ended.
type Alert struct {
	Task     string   `json:"task"`     // what was ended; "": the session
	Slug     string   `json:"slug"`     // the rule's id
	Title    string   `json:"title"`    // the rule's reason
	Counters string   `json:"counters"` // such as "tool calls: 51 of 50", exact
	Explain  string   `json:"explain"`
	Choices  []Option `json:"choices"`
}

// Alert makes the card of a halt. What would change nothing is no choice: to
// raise a limit that is not a built-in rule's, or to begin anew where what was
// passed goes on in a new attempt, as money and the session's meters do.
func (h *Halt) Alert() Alert {
	a := Alert{
		Task: h.endedTask(), Slug: h.Fired.Rule.ID, Title: h.Fired.ReasonText(), Explain: h.Fired.Explain(), Counters: h.counters(),
	}
	if _, ok := raised(&h.Fired); ok && h.Ended {
		a.Choices = append(a.Choices, Option{RaiseLimit, "try again with a raised limit"})
	}
	a.Choices = append(a.Choices, Option{Pause, "pause"})
	if _, ok := afresh(&h.Fired); ok {
		a.Choices = append(a.Choices, Option{Narrow, "narrow the scope"}, Option{Replan, "hand back for a new plan"})
	}
	a.Choices = append(a.Choices, Option{Dismiss, "dismiss"})
	return a
}

// counters are those of a halt's moment, not rounded; of another rule, what it explains.
func (h *Halt) counters() string {
	of := h.Fired.Actual + " of " + h.Fired.Limit
	switch r := h.Reason.(type) {
	case nil:
		return h.Fired.Explain()
	case TokenSpendLimit:
		return "spend: " + of + " cents"
	case DurationLimit:
		return "duration: " + of + " seconds"
	case IdleTimeout:
		return "idle: " + of + " seconds"
	case OutputLoop:
		short := func(share float64) string { return strconv.FormatFloat(share, 'g', -1, 64) }
		return fmt.Sprintf("similarity of the last %d outputs: %s of %s", r.WindowSize, short(r.SimilarityJaccard), short(r.Threshold))
	default:
		return r.String()
	}
}

// endedTask is what the halt ended: its task, or the session.
func (h *Halt) endedTask() string {
	if _, session := h.Fired.Rule.Ends(); session {
		return ""
	}
	return h.Task
}

// HaltOf is the halt behind a verdict on a step of a task, for its Alert: Before
// says with a verdict what a sweep says with a Halt. The halt is that of the task
// which the rule ended, which may be one above; nil: the verdict ended nothing,
// or what it ended goes on again.
func (s *Session) HaltOf(v *registry.Verdict, task string, at int64) *Halt {
	s.mu.Lock()
	defer s.unlock()
	for k := s.tasks.find(task); k != nil; k = k.Parent() {
		for i := range v.Fired {
			if f := &v.Fired[i]; s.tasks.endedByRule(k, f.Rule) {
				return &Halt{Task: k.ID(), At: at, Action: f.Rule.Action.Kind, Ended: true, Fired: *f, Reason: ReasonOf(f), Notes: v.Notes}
			}
		}
	}
	return nil
}

// endBy notes that a rule has ended a task, which others may have done with it.
func (t *tasks) endBy(id string, f *registry.Fired) {
	first, already := t.ended[id]
	switch {
	case !already:
		t.ended[id] = &ending{*f}
		t.tree.Below(t.tree.Task(id), func(k *meter.Task) { k.Stuck(false) }) // it goes no further
	case first.fired.Rule.Key() != f.Rule.Key():
		n := t.trip(id)
		if indexOf(n.also, f.Rule) < 0 {
			n.also = append(n.also, *f)
		}
	}
}

// endedByRule reports whether a task itself is ended by a rule, alone or with others.
func (t *tasks) endedByRule(k *meter.Task, r *registry.Rule) bool {
	e, ended := t.ended[k.ID()]
	if !ended {
		return false
	}
	if e.fired.Rule.Key() == r.Key() {
		return true
	}
	n := t.trips[k.ID()]
	return n != nil && indexOf(n.also, r) >= 0
}

// indexOf is the place of a rule among those that fired; -1: it did not.
func indexOf(all []registry.Fired, r *registry.Rule) int {
	for i := range all {
		if all[i].Rule.Key() == r.Key() {
			return i
		}
	}
	return -1
}
