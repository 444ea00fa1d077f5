package actions

import (
	"context"
	"sync"
)

// once sees to it that what is asked for by several at the same time is done
// once: who waits has the same answer. Where who had it done gave up, it is done
// for one of those who wait. The zero value is ready.
type once[T any] struct {
	mu   sync.Mutex
	open map[string]*underway[T]
}

// underway is something that is being done.
type underway[T any] struct {
	over   chan struct{}
	answer T
	err    error
	gaveUp bool // the context of who has it done ended: there is no answer for anybody
}

// do has something done, or waits for what is under way under its key.
func (o *once[T]) do(ctx context.Context, key string, f func() (T, error)) (answer T, err error) {
	o.mu.Lock()
	for u := o.open[key]; u != nil; u = o.open[key] {
		o.mu.Unlock()
		select {
		case <-u.over:
		case <-ctx.Done():
			return answer, ctx.Err()
		}
		if !u.gaveUp {
			return u.answer, u.err
		}
		o.mu.Lock()
	}
	u := &underway[T]{over: make(chan struct{}), gaveUp: true} // until it is done: f may panic
	if o.open == nil {
		o.open = map[string]*underway[T]{}
	}
	o.open[key] = u
	o.mu.Unlock()

	defer func() {
		o.mu.Lock()
		delete(o.open, key)
		o.mu.Unlock()
		close(u.over)
	}()
	u.answer, u.err = f()
	u.gaveUp = ctx.Err() != nil
	return u.answer, u.err
}
