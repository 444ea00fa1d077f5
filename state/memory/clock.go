package memory

import (
	"sync/atomic"
	"time"
)

// clock tells the store's time, which never goes back: it is the latest that
// the store has seen, of its own clock and of the times that callers brought.
//
// The wall clock is read once; from there on time is the machine's monotonic
// clock, which no correction of the wall clock moves. Readings of it need not
// be remembered to be ascending, so that callers without a time of their own
// share no written memory.
type clock struct {
	source func() int64 // nil: the wall clock made monotonic
	start  time.Time
	epoch  int64 // start in Unix nanoseconds

	brought atomic.Int64 // the latest time that did not come from the monotonic clock
	read    atomic.Bool  // the monotonic clock has been read
}

func newClock(source func() int64) *clock {
	start := time.Now()
	return &clock{source: source, start: start, epoch: start.UnixNano()}
}

// now returns the time of a request that brought the time given, or none (0).
func (c *clock) now(given int64) int64 {
	switch {
	case given == 0 && c.source == nil:
		if !c.read.Load() {
			c.read.Store(true)
		}
		return max(c.monotonic(), c.brought.Load())
	case given == 0:
		given = c.source()
	case c.read.Load():
		given = max(given, c.monotonic())
	}
	for {
		last := c.brought.Load()
		if given <= last {
			return last
		}
		if c.brought.CompareAndSwap(last, given) {
			return given
		}
	}
}

// look returns the time that a request would have which brought the time given,
// or none (0), and leaves no trace.
func (c *clock) look(given int64) int64 {
	switch {
	case given == 0 && c.source == nil:
		given = c.monotonic()
	case given == 0:
		given = c.source()
	case c.read.Load():
		given = max(given, c.monotonic())
	}
	return max(given, c.brought.Load())
}

// seen returns the latest time seen, for requests that bring none and must not
// set the time: the wall clock is no measure for a host that lives in another time.
func (c *clock) seen() int64 {
	t := c.brought.Load()
	if c.read.Load() {
		t = max(t, c.monotonic())
	}
	return t
}

func (c *clock) monotonic() int64 { return c.epoch + int64(time.Since(c.start)) }
