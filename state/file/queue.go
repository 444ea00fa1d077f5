package file

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cbpolicy/cbpolicy/state"
)

// maxBatch bounds the operations of one turn, so that others get theirs.
const maxBatch = 256

// queue holds the operations of this process that wait for the file. Whoever
// of them gets the turn does the work of all.
type queue struct {
	turn chan struct{} // full: somebody has the turn

	mu      sync.Mutex
	waiting []*request
}

// request is an operation that waits.
type request struct {
	do     func(*txn) error
	writes bool
	err    error
	done   chan struct{} // closed when err is set
}

func newQueue() queue { return queue{turn: make(chan struct{}, 1)} }

// take removes and returns requests from the queue: all that only read, or
// others too.
func (q *queue) take(writes bool) (batch []*request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(r *request) bool {
		if len(batch) == maxBatch || r.writes && !writes {
			return false
		}
		batch = append(batch, r)
		return true
	})
	return batch
}

func (q *queue) add(r *request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, r)
}

// withdraw removes a request and reports whether it was still waiting.
func (q *queue) withdraw(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, r)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// read runs an operation that changes nothing, write one that may.
func (s *Store) read(ctx context.Context, do func(*txn) error) error {
	return s.run(ctx, &request{do: do, done: make(chan struct{})})
}

func (s *Store) write(ctx context.Context, do func(*txn) error) error {
	return s.run(ctx, &request{do: do, writes: true, done: make(chan struct{})})
}

func (s *Store) run(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	late := time.NewTimer(s.wait)
	defer late.Stop()
	s.queue.add(r)
	for {
		var failed error
		select {
		case <-r.done:
			return r.err
		case <-ctx.Done():
			failed = unreachable(ctx.Err())
		case <-late.C:
			failed = s.fail(errors.New("other operations took all the time there was"))
		case s.queue.turn <- struct{}{}:
			failed = s.lead(ctx, r, late.C)
			<-s.queue.turn
			if failed == nil {
				continue // it was done, or the batch was full without it
			}
		}
		if s.queue.withdraw(r) {
			return failed
		}
		<-r.done // somebody is at it: what it did is known in a moment
		return r.err
	}
}

// lead does a turn for a request that may be done already: it waits for the
// file and runs what waits by then. An error means that there was no turn.
func (s *Store) lead(ctx context.Context, r *request, late <-chan time.Time) error {
	select {
	case <-r.done:
		return nil
	default:
	}
	f, err := s.acquire(ctx, r.writes, late)
	if err != nil {
		return err
	}
	batch := s.queue.take(r.writes)
	err = s.transact(f, batch, r.writes)
	for _, b := range batch {
		if b.err == nil {
			b.err = err
		}
		close(b.done)
	}
	return nil
}

// unreachable returns the error of a context that is over. A deadline that has
// passed means for the caller that the store did not answer in time.
func unreachable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", state.ErrUnavailable, err)
	}
	return fmt.Errorf("state: not asked: %w", err)
}

// fail returns the error of a file that could not be used.
func (s *Store) fail(err error) error {
	return fmt.Errorf("%w: %s: %w", state.ErrUnavailable, s.name, err)
}
