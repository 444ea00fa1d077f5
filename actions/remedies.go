package actions

import (
	"slices"
	"sync"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

// remedies are the failure patterns whose remedies the attempts under way were
// given. The zero value is ready.
type remedies struct {
	mu sync.Mutex
	of map[string][]string // ids by task
}

// given records a failure, and notes that its remedy is being tried, with those
// of failures that looked alike.
func (r *remedies) given(p *review.Patterns, task string, c *review.Case, g *review.Guidance) {
	if p == nil {
		return
	}
	ids := append(review.Advised(c), p.Record(c, g))
	slices.Sort(ids)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[string][]string{}
	}
	r.of[task] = slices.Compact(ids)
}

// failed notes that an attempt has run away as well.
func (r *remedies) failed(p *review.Patterns, task string) { r.ended(p, task, false) }

func (r *remedies) ended(p *review.Patterns, task string, well bool) {
	r.mu.Lock()
	ids := r.of[task]
	delete(r.of, task)
	r.mu.Unlock()
	for _, id := range ids {
		_ = p.Outcome(id, well) // one that was dropped since needs no outcome
	}
}

// allFailed reports whether the calls of a task's latest attempt all failed.
func (g *Gate) allFailed(task string) bool {
	if g.Session.TaskOf(task) != task && task != "" {
		return false // it is not known, and its meters are those of the session
	}
	calls, failed := "0", "0"
	for _, m := range g.Session.Meters(task) {
		switch m.Name {
		case "task.tool_calls":
			calls = m.Value
		case "task.error_streak":
			failed = m.Value
		}
	}
	return calls != "0" && calls == failed
}
