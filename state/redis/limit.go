package redis

import (
	"context"
	"sync"
	"time"
)

// limit gives requests their deadlines. Those of contexts that never end share
// one, as long as it is good for nearly the whole time: a timer of its own would
// be a good part of what a request costs here.
type limit struct {
	timeout time.Duration

	mu     sync.Mutex
	shared context.Context
	end    context.CancelFunc
	until  time.Time // shared is given out until then
}

// parts is which part of the time a request that shares a deadline may lack.
const parts = 32

// of returns a context that ends with another, and when the time is over.
func (l *limit) of(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx != context.Background() && ctx != context.TODO() {
		return context.WithTimeout(ctx, l.timeout)
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !now.Before(l.until) {
		l.shared, l.end = context.WithDeadline(ctx, now.Add(l.timeout))
		l.until = now.Add(l.timeout / parts)
	}
	return l.shared, func() {}
}

// close ends what shares a deadline.
func (l *limit) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end != nil {
		l.end()
	}
	l.until = time.Time{}
}
