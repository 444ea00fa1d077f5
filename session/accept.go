package session

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Accept acts on a choice for what a halt has ended. A halt that ended nothing,
// such as a warning, can be paused for, which refuses the task from then on, begun
// anew, or dismissed, which changes nothing. The error says that the choice is
// none or could change nothing, or that the task is no longer there, closed,
// below one that was ended, or, as [ErrNotEnded], that it goes on already; nothing
// is done then. A task that several rules ended at once goes on when the limit of
// each is raised.
func (s *Session) Accept(h *Halt, c Choice) error {
	if h == nil || h.Fired.Rule == nil {
		return fmt.Errorf("session %s: %q is accepted for no halt", s.id, c)
	}
	s.mu.Lock()
	defer s.unlock()
	k, err := s.concerned(h)
	if err != nil {
		return err
	}
	switch c {
	case RaiseLimit:
		return s.raiseAgain(h, k)
	case Pause:
		s.pause(h, k)
		return nil
	case Narrow, Replan:
		return s.beginAgain(h, k, c == Replan)
	case Dismiss:
		if h.Ended {
			s.dismiss(h, k)
		}
		return nil
	}
	return fmt.Errorf("session %s: %q is no choice of an alert", s.id, c)
}

// concerned is the task that a choice is about.
func (s *Session) concerned(h *Halt) (*meter.Task, error) {
	if err := s.errOver(); err != nil {
		return nil, err
	}
	id := h.endedTask()
	k := s.tasks.tree.Task(id)
	switch {
	case k.ID() != id:
		return nil, fmt.Errorf("session %s: there is no task %q", s.id, id)
	case !k.Open() || h.Ended && k.Parent() == nil && s.tasks.told:
		return nil, fmt.Errorf("session %s: task %q was closed already", s.id, id)
	case h.Ended && !s.tasks.endedByRule(k, h.Fired.Rule):
		return nil, fmt.Errorf("session %s: task %q, which rule %s had ended: %w", s.id, id, h.Fired.Rule.ID, ErrNotEnded)
	}
	return k, nil
}

// below refuses to let a task go on that is below one that was ended.
func (s *Session) below(k *meter.Task) error {
	if by := s.tasks.endedBy(k.Parent()); by != nil {
		return fmt.Errorf("session %s: task %q is below one that was ended by %s", s.id, k.ID(), by.Rule.ID)
	}
	return nil
}

// raiseAgain raises the limit that a task has passed.
func (s *Session) raiseAgain(h *Halt, k *meter.Task) error {
	rule := h.Fired.Rule.ID
	limit, ok := raised(&h.Fired)
	switch {
	case !h.Ended:
		return fmt.Errorf("session %s: task %q, rule %s: %w", s.id, k.ID(), rule, ErrNotEnded)
	case !ok || !s.hasBuiltin(rule, s.tasks.tuningOf(k)):
		return fmt.Errorf("session %s: rule %s has no limit that can be raised for one task", s.id, rule)
	}
	if err := s.below(k); err != nil {
		return err
	}
	s.setLimit(k.ID(), rule, limit)
	if rule == (OutputLoop{}).Slug() {
		k.ForgetOutputs()
	}
	if !s.tasks.settled(k.ID(), h.Fired.Rule) {
		s.goOn(k)
	}
	return nil
}

// settled takes one of several rules off a task that they ended, and reports
// whether others are left; if not, nothing is changed.
func (t *tasks) settled(id string, r *registry.Rule) bool {
	n := t.trips[id]
	if n == nil || len(n.also) == 0 {
		return false
	}
	if i := indexOf(n.also, r); i >= 0 {
		n.also = slices.Delete(n.also, i, i+1)
		return true
	}
	t.ended[id] = &ending{n.also[0]}
	n.also = slices.Delete(n.also, 0, 1)
	return true
}

// SlugPaused is the rule id of a refusal while a person has paused a task that
// no rule has ended.
const SlugPaused = "paused"

// pause refuses a task and holds its clocks until it is resumed.
func (s *Session) pause(h *Halt, k *meter.Task) {
	at, by := s.at(0), &h.Fired
	if !h.Ended {
		var v registry.Verdict // a rule that does not abort cannot stand behind a refusal
		v.Refuse(&registry.Step{Session: s.id}, SlugPaused, fmt.Sprintf("the task is paused: %s (rule %s)", h.Fired.Explain(), h.Fired.Rule.ID))
		by = &v.Fired[0]
	}
	s.tasks.endBy(k.ID(), by)
	s.tasks.trip(k.ID()).paused = true
	s.tasks.hold(k, at)
}

// hold has the clocks of a task and of those below it stand still where it, or
// one above, is paused, and run on where none is.
func (t *tasks) hold(task *meter.Task, at int64) {
	t.tree.Below(task, func(k *meter.Task) {
		if t.paused(k) {
			k.Hold(at)
		} else {
			k.Release(at)
		}
	})
}

// paused reports whether a person has paused a task or one above.
func (t *tasks) paused(k *meter.Task) bool {
	for ; k != nil; k = k.Parent() {
		if n := t.trips[k.ID()]; n != nil && n.paused {
			return true
		}
	}
	return false
}

// beginAgain begins a task anew because a person wants it so.
func (s *Session) beginAgain(h *Halt, k *meter.Task, tell bool) error {
	limit, ok := afresh(&h.Fired)
	if !ok {
		return fmt.Errorf("session %s: what rule %s limits goes on in a new attempt, which it would end again", s.id, h.Fired.Rule.ID)
	}
	if err := s.below(k); err != nil {
		return err
	}
	before := map[*meter.Task]int{}
	s.tasks.tree.Below(k, func(t *meter.Task) { before[t] = t.Attempts() })
	s.anew(k)
	for t, n := range before {
		if t.Attempts() > n {
			s.tasks.trip(t.ID()).chosen++
		}
	}
	if limit != nil {
		s.setLimit(k.ID(), h.Fired.Rule.ID, *limit)
	}
	if tell {
		s.handBack(h, k)
	}
	return nil
}

// reviews is how often a task was begun anew, but for a person's choices.
func (t *tasks) reviews(k *meter.Task) int {
	if n := t.trips[k.ID()]; n != nil {
		return k.Attempts() - n.chosen
	}
	return k.Attempts()
}

// handBack tells the nearest open task above one that a new plan is wanted.
func (s *Session) handBack(h *Halt, k *meter.Task) {
	above := k.Parent()
	for above != nil && !above.Open() {
		above = above.Parent()
	}
	if above == nil {
		return
	}
	task, to, rule, explain := k.ID(), above.ID(), h.Fired.Rule.ID, h.Fired.Explain()
	n := s.tasks.trip(to)
	n.notices = appendLast(n.notices, fmt.Sprintf("task %q needs a new plan: %s (rule %s)", task, explain, rule), maxWarnings)
	s.note(func() {
		s.log.Warn("new plan wanted", "session", s.id, "task", to, "of", task, "rule", rule, "explain", explain)
	})
}

// dismiss closes a task that was ended, and those below it, the latest first.
func (s *Session) dismiss(h *Halt, k *meter.Task) {
	at := s.at(0)
	var open []*meter.Task
	s.tasks.tree.Below(k, func(t *meter.Task) {
		if t.Open() && t != k {
			open = append(open, t)
		}
	})
	for _, t := range slices.Backward(open) {
		s.closeAs(t, Halted, "", at)
	}
	s.closeAs(k, Halted, h.Fired.Explain(), at)
}

// raised is the limit that lets a task go on which a built-in rule has ended:
// twice what it has come to, which leaves it as much again as it has used; of a
// similarity, half of the way from the limit to 1. False if the rule has no such
// limit, or the limit is the greatest already.
func raised(f *registry.Fired) (decimal.Decimal, bool) {
	actual, ok := decimal.Parse(f.Actual)
	if !ok || f.Why != registry.Exceeded || f.Rule.Scope.Origin != registry.Builtin {
		return decimal.Decimal{}, false
	}
	if f.Rule.ID != (OutputLoop{}).Slug() {
		return actual.TimesInt(2)
	}
	const digits, one = 17, int64(1e17)
	limit, ok := decimal.Parse(f.Limit)
	n, fits := limit.CeilScaled(digits)
	if !ok || !fits || n >= one {
		return decimal.Decimal{}, false
	}
	return decimal.Scaled((n+one)*5, -digits-1), true // half of both together
}

// afresh reports whether a new attempt can go on where the rule has ended one.
// Of a built-in limit of money, which goes on, it is the limit that grants as
// much again; nil: the meters that the rule reads begin at 0.
func afresh(f *registry.Fired) (*decimal.Decimal, bool) {
	if _, session := f.Rule.Meters(); session {
		return nil, false
	}
	if !readsMoney(f.Rule) {
		return nil, true
	}
	spent, ok := decimal.Parse(f.Actual)
	limit, isNumber := decimal.Parse(f.Limit)
	if !ok || !isNumber || f.Why != registry.Exceeded || f.Rule.Scope.Origin != registry.Builtin {
		return nil, false
	}
	const nano = 7 // nano-dollars in a cent, as a power of ten
	a, fits := spent.CeilScaled(nano)
	b, alsoFits := limit.CeilScaled(nano)
	if !fits || !alsoFits || a+b < a {
		return nil, false
	}
	more := decimal.Scaled(a+b, -nano)
	return &more, true
}

// Raise sets the limit of a built-in rule for one task and those below it; ""
// is the session. The limit is a number above 0 in the unit of the rule's meter.
// It is an error if there is no such task, or no such rule in force.
func (s *Session) Raise(task, rule, limit string) error {
	d, err := registry.ParseLimit(rule, limit)
	if err != nil {
		return fmt.Errorf("session %s: %w", s.id, err)
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
	s.setLimit(task, rule, d)
	return nil
}

func (s *Session) setLimit(task, rule string, d decimal.Decimal) {
	setup := s.tasks.setup(task)
	if setup.Limits == nil {
		setup.Limits = registry.Limits{}
	}
	setup.Limits[rule] = d
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
