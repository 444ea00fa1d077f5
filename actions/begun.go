package actions

import (
	"sync"

	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// begun remembers work that may not begin. The zero value is ready.
type begun struct {
	mu      sync.Mutex
	refused map[string]map[string]bool // by task: the abilities of the work, folded
}

// refuse notes that the work of a task may not begin.
func (b *begun) refuse(task string, w *review.Work) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refused == nil {
		b.refused = map[string]map[string]bool{}
	}
	abilities := b.refused[task]
	if abilities == nil {
		abilities = map[string]bool{}
		b.refused[task] = abilities
	}
	for _, a := range w.Abilities {
		abilities[dsl.Fold(a)] = true
	}
}

// forget frees a task: its work was reviewed, or it is over.
func (b *begun) forget(task string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.refused, task)
}

// harmless notes that work of a task needs no review. It names no critical
// ability then, and frees none.
func (b *begun) harmless(task string, w *review.Work) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range w.Abilities {
		delete(b.refused[task], dsl.Fold(a))
	}
}

// none reports whether no work was refused.
func (b *begun) none() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.refused) == 0
}

// stands reports whether work of one of the tasks was refused, and whether it
// named the ability.
func (b *begun) stands(tasks []string, ability string) (refused, named bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, task := range tasks {
		abilities, is := b.refused[task]
		refused = refused || is
		named = named || abilities[dsl.Fold(ability)]
	}
	return refused, named
}

// refusedWork stops a step of work that may not begin; nil: it is none. What is
// refused for a task is refused for those below it.
func (g *Gate) refusedWork(st *session.Step, v *registry.Verdict) error {
	if g.Review.Mandatory == nil || g.begun.none() {
		return nil
	}
	refused, named := g.begun.stands(g.tasksOf(st.Task), st.Ability)
	critical := g.Review.Mandatory.Assess(review.Work{Abilities: []string{st.Ability}}).Review
	if !named && (!refused || !critical) {
		return nil
	}
	v.Refuse(&registry.Step{Chain: st.Chain, ID: st.ID, Ability: st.Ability, Args: st.Args, Task: st.Task, Session: g.Session.ID()},
		MandatoryReview, "work of this task that must be reviewed before it begins was refused, and not reviewed since")
	return stop(ErrAborted, v, nil, nil)
}

// tasksOf returns a task by the name that a step gives it, and those above it.
func (g *Gate) tasksOf(id string) []string {
	above := map[string]string{}
	for _, t := range g.Session.Snapshot().Tasks {
		above[t.Task] = t.Parent
	}
	tasks := []string{id} // also one that is not open yet
	for task := g.Session.TaskOf(id); task != ""; task = above[task] {
		tasks = append(tasks, task)
	}
	return append(tasks, "")
}

// named is the task that Begin is about: as it is called, as it may be opened
// later, or the active one.
func (g *Gate) named(task string) string {
	if task == "" {
		return g.Session.TaskOf("")
	}
	return task
}
