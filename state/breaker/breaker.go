// Package breaker owns the circuit breaker of one ability as a value: what
// its states are, what moves it from one to the next, and how it is written
// down. It keeps nothing, asks no clock and knows no store; package session
// decides by the value as it was last seen, which the store confirms, has a
// probe's lease claimed, and writes what came of it. Times are the store's.
//
//	closed ──(Threshold counted failures in a row)──► open
//	open ──(Reset has passed)──► half-open: one probe, which holds a lease
//	half-open ──(the probe succeeds)──► closed
//	half-open ──(the probe fails)──► open
//
// A probe that is never reported frees itself when its lease runs out, and
// another one is let through. Every change begins a new generation; a result
// of a call that was let through in an earlier one says nothing any more.
package breaker

import (
	"encoding/binary"
	"errors"
	"time"
)

// Forget is how long a breaker is remembered that nothing moves: a closed one
// from its last counted failure or change, an open one from when it lets a probe
// through. Then it is as if the ability had never been called: failures further
// apart are not in a row. One that only an operator closes stays for ever.
const Forget = 24 * time.Hour

// The defaults of Config.
const (
	DefaultThreshold = 5
	DefaultReset     = 30 * time.Second
	DefaultProbe     = time.Minute
)

// Config says when a breaker opens and when it tries again. Values of 0 mean
// the default.
type Config struct {
	Threshold int           // counted failures in a row
	Reset     time.Duration // how long it stays open before a probe
	Probe     time.Duration // how long a probe may take to be reported
	Manual    bool          // it stays open until an operator resets it
}

// WithDefaults fills in what is 0.
func (c Config) WithDefaults() Config {
	if c.Threshold <= 0 {
		c.Threshold = DefaultThreshold
	}
	if c.Reset <= 0 {
		c.Reset = DefaultReset
	}
	if c.Probe <= 0 {
		c.Probe = DefaultProbe
	}
	return c
}

// Stricter takes of each setting the one that lets less through; a probe may
// take as long as d says.
func (c Config) Stricter(d Config) Config {
	c, d = c.WithDefaults(), d.WithDefaults()
	return Config{
		Threshold: min(c.Threshold, d.Threshold), Reset: max(c.Reset, d.Reset), Probe: d.Probe, Manual: c.Manual || d.Manual,
	}
}

// Phase is what a breaker does with a call.
type Phase uint8

// The phases. The zero value is Closed.
const (
	Closed   Phase = iota // calls go through
	Open                  // calls are refused
	HalfOpen              // one call goes through as a probe
)

// String returns the name of the phase, as it stands in metrics.
func (p Phase) String() string { return [...]string{"closed", "open", "half-open"}[p] }

// State is a breaker. The zero State is closed and has seen nothing.
type State struct {
	// Generation grows with every change of phase. It is at least the time at
	// which the breaker opened, so that one that was forgotten in between has
	// none a second time.
	Generation uint64
	Failures   uint32 // counted ones in a row, while closed
	Trips      uint32 // how often it opened
	Opened     int64  // when it opened last, Unix nanoseconds; 0: it is closed
	OpenFor    int64  // nanoseconds it was open in all, but for the current time
}

// Phase returns what the breaker does with a call at a time.
func (s State) Phase(now int64, c Config) Phase {
	switch {
	case s.Opened == 0:
		return Closed
	case c.Manual || now < s.Until(c):
		return Open
	}
	return HalfOpen
}

// Until is when an open breaker lets a probe through, Unix nanoseconds.
func (s State) Until(c Config) int64 {
	if until := s.Opened + int64(c.Reset); until > s.Opened {
		return until
	}
	return 1<<63 - 1
}

// Keep is how long the state, once written down, says anything; 0: for ever.
func (s State) Keep(c Config) time.Duration {
	switch {
	case s.Opened == 0:
		return Forget
	case c.Manual:
		return 0
	}
	if keep := c.Reset + c.Probe + Forget; keep > c.Reset {
		return keep
	}
	return 1<<63 - 1
}

// Result is what became of a call, as far as a breaker is concerned.
type Result uint8

// The results. Neutral ones say nothing of the ability: it was called
// wrongly, or the call was cancelled or refused.
const (
	Neutral Result = iota
	Success
	Failure
)

// After is the breaker once a call has ended that was let through in a
// generation, and whether it changed.
func (s State) After(r Result, generation uint64, now int64, c Config) (State, bool) {
	if r == Neutral || generation != s.Generation {
		return s, false
	}
	switch {
	case s.Opened != 0: // the probe
		if r == Success {
			return s.closed(now), true
		}
		return s.opened(now), true
	case r == Success:
		was := s.Failures
		s.Failures = 0
		return s, was > 0
	}
	s.Failures++
	if int64(s.Failures) >= int64(c.Threshold) {
		return s.opened(now), true
	}
	return s, true
}

// Reset is the breaker once an operator has closed it.
func (s State) Reset(now int64) State {
	if s.Opened == 0 {
		s.Failures = 0
		return s
	}
	return s.closed(now)
}

func (s State) opened(now int64) State {
	if s.Opened != 0 {
		s.OpenFor += max(now-s.Opened, 0)
	} else {
		s.Trips++
	}
	s.Generation, s.Failures, s.Opened = max(s.Generation+1, uint64(max(now, 0))), 0, max(now, 1)
	return s
}

func (s State) closed(now int64) State {
	s.OpenFor += max(now-s.Opened, 0)
	s.Generation, s.Failures, s.Opened = s.Generation+1, 0, 0
	return s
}

// size is how many bytes a written State has: a version and the fields.
const size = 1 + 8 + 4 + 4 + 8 + 8

// The forms in which a State is written: alone, and with a mark.
const (
	plain  = 1
	marked = 2
)

// Append writes the state to b.
func (s State) Append(b []byte) []byte { return s.append(b, plain) }

// AppendMarked is Append with a mark behind it, which Parse leaves out: two writers
// that come to the same state can tell whose write is there.
func (s State) AppendMarked(b []byte, mark uint64) []byte {
	return binary.LittleEndian.AppendUint64(s.append(b, marked), mark)
}

func (s State) append(b []byte, form byte) []byte {
	b = append(b, form)
	b = binary.LittleEndian.AppendUint64(b, s.Generation)
	b = binary.LittleEndian.AppendUint32(b, s.Failures)
	b = binary.LittleEndian.AppendUint32(b, s.Trips)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Opened))
	return binary.LittleEndian.AppendUint64(b, uint64(s.OpenFor))
}

// ErrFormat says that what was read is no State of a version that is known.
var ErrFormat = errors.New("breaker: the state is damaged, or of a newer version")

// Parse reads what Append or AppendMarked wrote. No bytes are the zero State.
func Parse(b []byte) (State, error) {
	if len(b) == 0 {
		return State{}, nil
	}
	if !(b[0] == plain && len(b) == size || b[0] == marked && len(b) == size+8) {
		return State{}, ErrFormat
	}
	return State{
		Generation: binary.LittleEndian.Uint64(b[1:]),
		Failures:   binary.LittleEndian.Uint32(b[9:]),
		Trips:      binary.LittleEndian.Uint32(b[13:]),
		Opened:     int64(binary.LittleEndian.Uint64(b[17:])),
		OpenFor:    int64(binary.LittleEndian.Uint64(b[25:])),
	}, nil
}
