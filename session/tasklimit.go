package session

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// TaskLimits sets built-in rules up for the tasks it names, and for those
// below them as far as they have nothing of their own. A task is named by its
// id, by the chain that it runs, or by both; an empty pattern names every task.
// The session itself is none: its limits are those of the rules, see Raise.
type TaskLimits struct {
	Task, Chain dsl.NamePattern
	Limits      map[string]string // a number by rule id, in the unit of the rule's meter
	// Off are rules by id: true, the task is not judged by them; false, it is,
	// whatever a task above says, and also if it stands by for such tasks; see
	// registry.Builtins. For a whole set, with what the set stands in the place
	// of, registry.Builtins.TaskSet says it.
	Off map[string]bool
	// OnExceed says what follows where a limit of the task is passed.
	OnExceed registry.OnExceed
	Review   TaskReview
}

// TaskReview is how a task is reviewed. The zero value is as any other.
type TaskReview struct {
	Role     string // what the reviewer is to be, such as a senior tester
	Preamble string // what the operator has to say to the reviewer
	// Most is how many reviews there may be; 0: as many as in the session,
	// below 0: none.
	Most int
}

// or fills in from another what is not set.
func (r TaskReview) or(other TaskReview) TaskReview {
	return TaskReview{cmp.Or(r.Role, other.Role), cmp.Or(r.Preamble, other.Preamble), cmp.Or(r.Most, other.Most)}
}

// taskSetup is how built-in rules and reviews stand for a task.
type taskSetup struct {
	registry.Tuning
	review TaskReview
}

// or fills in from another what is not set.
func (s *taskSetup) or(other *taskSetup) {
	s.Limits, s.Off = missing(s.Limits, other.Limits), missing(s.Off, other.Off)
	s.OnExceed, s.review = cmp.Or(s.OnExceed, other.OnExceed), s.review.or(other.review)
}

// missing adds to a map what another has more.
func missing[M ~map[string]V, V any](to, from M) M {
	for key, v := range from {
		if to == nil {
			to = M{}
		}
		if _, set := to[key]; !set {
			to[key] = v
		}
	}
	return to
}

// taskLimits is the same as TaskLimits, ready to be used.
type taskLimits struct {
	task, chain dsl.NamePattern // folded; "": every one
	setup       taskSetup
}

func compileLimits(all []TaskLimits) ([]taskLimits, error) {
	var out []taskLimits
	for _, l := range all {
		limits := registry.Limits{}
		for _, rule := range slices.Sorted(maps.Keys(l.Limits)) {
			d, err := registry.ParseLimit(rule, l.Limits[rule])
			if err != nil {
				return nil, fmt.Errorf("session: %w", err)
			}
			limits[rule] = d
		}
		for _, rule := range slices.Sorted(maps.Keys(l.Off)) {
			if err := registry.CheckBuiltin(rule); err != nil {
				return nil, fmt.Errorf("session: %w", err)
			}
		}
		tuning := registry.Tuning{Limits: limits, Off: maps.Clone(l.Off), OnExceed: l.OnExceed}
		out = append(out, taskLimits{l.Task.Fold(), l.Chain.Fold(), taskSetup{tuning, l.Review}})
	}
	return out, nil
}

func (l *taskLimits) names(id, chain string) bool {
	return (l.task == "" || l.task.Match(dsl.Fold(id))) && (l.chain == "" || chain != "" && l.chain.Match(dsl.Fold(chain)))
}

// limit sets a task up that is opened: of several that set one thing the first
// counts. What was set for the task itself stays.
func (t *tasks) limit(id, chain string) {
	if id == "" {
		return
	}
	for i := range t.overrides {
		if o := &t.overrides[i]; o.names(id, chain) {
			t.setup(id).or(&o.setup)
		}
	}
}

// setup is that of one task, to be changed.
func (t *tasks) setup(id string) *taskSetup {
	clear(t.merged)
	if t.setups[id] == nil {
		t.setups[id] = &taskSetup{}
	}
	return t.setups[id]
}

// setupOf is what holds for a task: its own, and as far as it has none, that
// of the tasks above. nil: nothing was set.
func (t *tasks) setupOf(k *meter.Task) *taskSetup {
	if len(t.setups) == 0 {
		return nil
	}
	all, known := t.merged[k.ID()]
	if !known {
		if t.merged == nil {
			t.merged = map[string]*taskSetup{}
		}
		all = t.merge(k)
		t.merged[k.ID()] = all
	}
	return all
}

// merge is setupOf, which remembers it: it is asked for at every event.
func (t *tasks) merge(k *meter.Task) *taskSetup {
	var only, all *taskSetup
	for ; k != nil; k = k.Parent() {
		switch own := t.setups[k.ID()]; {
		case own == nil:
		case only == nil:
			only = own
		default:
			if all == nil {
				all = &taskSetup{}
				all.or(only)
			}
			all.or(own)
		}
	}
	if all == nil {
		return only
	}
	return all
}

// tuningOf is how built-in rules stand for a task; nil: as in the policy.
func (t *tasks) tuningOf(k *meter.Task) *registry.Tuning {
	if s := t.setupOf(k); s != nil {
		return &s.Tuning
	}
	return nil
}

// Tune sets built-in rules up for one open task and those below it, in the
// place of what was set for it before; "" is the session. The patterns of l
// name nothing here. The error says that there is no such task or rule, or that
// a rule can have no such limit; nothing is changed then.
func (s *Session) Tune(task string, l TaskLimits) error {
	compiled, err := compileLimits([]TaskLimits{l})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.unlock()
	if s.tasks.tree.Task(task).ID() != task {
		return fmt.Errorf("session %s: there is no task %q", s.id, task)
	}
	own := compiled[0].setup
	own.or(s.tasks.setup(task))
	*s.tasks.setup(task) = own
	return nil
}
