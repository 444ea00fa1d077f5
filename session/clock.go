package session

import (
	"context"
	"sync/atomic"
	"time"
)

// Clock tells the time and waits. Every wait and every window of a session
// goes by it, so that tests and replays move time by hand.
type Clock interface {
	// Now returns Unix nanoseconds.
	Now() int64
	// Sleep waits for d, or until ctx is done, whose error it then returns.
	Sleep(ctx context.Context, d time.Duration) error
	// Timeout returns a channel that is closed once d has passed, and a
	// function that gives it up.
	Timeout(d time.Duration) (<-chan struct{}, func())
}

// SystemClock returns the machine's clock, which goes forward even when the
// wall clock is set back.
func SystemClock() Clock {
	start := time.Now()
	return &systemClock{start: start, base: start.UnixNano()}
}

type systemClock struct {
	start time.Time
	base  int64
}

func (c *systemClock) Now() int64 { return c.base + int64(time.Since(c.start)) }

func (c *systemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *systemClock) Timeout(d time.Duration) (<-chan struct{}, func()) {
	done := make(chan struct{})
	t := time.AfterFunc(d, func() { close(done) })
	return done, func() { t.Stop() }
}

// VirtualClock is a clock that only moves when it is told to: for tests, and
// for dry runs, whose time is that of a recording. A sleep moves it at once,
// and a timeout never comes. It is safe for any number of goroutines.
type VirtualClock struct {
	now atomic.Int64
}

// NewVirtualClock returns a clock that stands at the time.
func NewVirtualClock(at time.Time) *VirtualClock {
	c := &VirtualClock{}
	c.now.Store(at.UnixNano())
	return c
}

// Now implements Clock.
func (c *VirtualClock) Now() int64 { return c.now.Load() }

// Advance moves the clock forward.
func (c *VirtualClock) Advance(d time.Duration) { c.now.Add(int64(d)) }

// Sleep implements Clock.
func (c *VirtualClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.Advance(d)
	return nil
}

// Timeout implements Clock.
func (c *VirtualClock) Timeout(time.Duration) (<-chan struct{}, func()) {
	return nil, func() {}
}
