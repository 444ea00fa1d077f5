package actions

import (
	"context"
	"strconv"
	"sync"

	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/session/trim"
)

// reviews sees to it that an attempt is reviewed once, however many of its
// steps ask for it, at once or too late. The zero value is ready.
type reviews struct {
	underway once[*reviewed]
	mu       sync.Mutex
	latest   map[string]*reviewed // by task
}

// maxReviews is of how many tasks the latest review is remembered.
const maxReviews = 256

// reviewed is what a review that went well came to.
type reviewed struct {
	attempt  int // that has begun with it
	guidance *review.Guidance
	messages []trim.Message
	trimmed  trim.Report
}

// of returns what the review of a task's attempt came to: it has it done,
// unless it is under way or went well. One that failed is the answer to all who
// waited for it, and is done again for who asks later.
func (r *reviews) of(ctx context.Context, task string, attempt int, do func() (*reviewed, error)) (*reviewed, error) {
	return r.underway.do(ctx, strconv.Itoa(attempt)+" "+task, func() (*reviewed, error) {
		if was := r.before(task); was != nil && was.attempt > attempt {
			return was, nil
		}
		now, err := do()
		if err == nil {
			r.keep(task, now)
		}
		return now, err
	})
}

func (r *reviews) before(task string) *reviewed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.latest[task]
}

func (r *reviews) keep(task string, now *reviewed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.latest == nil || len(r.latest) >= maxReviews {
		r.latest = map[string]*reviewed{}
	}
	r.latest[task] = now
}
