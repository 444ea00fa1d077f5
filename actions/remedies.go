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
