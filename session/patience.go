package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cbpolicy/cbpolicy/state"
)

// How a session goes on where others change what it wants to change, at every
// try of its own: at once at first, as it mostly is one other, then after pauses
// that grow, so that many get their turn one after the other.
const (
	triesAtOnce = 8
	// triesInTurn are made after each pause: what was seen before it is no longer
	// so, and the first try may do no more than find out what is.
	triesInTurn  = 2
	firstPause   = time.Millisecond
	longestPause = time.Second
	// mostPaused is for how long a session pauses in all, for one step or one
	// result, before it gives up.
	mostPaused = 10 * time.Second
)

// patience is what a session has left of it for one step or one result.
type patience struct {
	clock  Clock
	nonce  uint64 // the session's, so that no two pause alike
	tries  int
	paused time.Duration
}

// patience returns that of a step or a result that begins.
func (s *Session) patience() *patience {
	s.patient.tries, s.patient.paused = 0, 0
	return &s.patient
}

// again waits until a try is to be made again that others have come before. The
// error says that it is not, as the caller waits no longer or the pauses have
// come to mostPaused.
func (p *patience) again(ctx context.Context, what string) error {
	if err := ctx.Err(); err != nil {
		return &contended{what, err}
	}
	p.tries++
	if since := p.tries - triesAtOnce; since <= 0 || since%triesInTurn != 1 {
		return nil
	}
	if p.paused >= mostPaused {
		return &contended{what, nil}
	}
	pause := min(firstPause<<min((p.tries-triesAtOnce)/triesInTurn, 16), longestPause)
	pause = pause/2 + time.Duration(scatter(p.nonce, uint64(p.tries))%uint64(pause)) // half as long to half as long again
	p.paused += pause
	if err := p.clock.Sleep(ctx, pause); err != nil {
		return &contended{what, err}
	}
	return nil
}

// scatter is a number that is another for every nonce and every try: what
// SplitMix64 gives next.
func scatter(nonce, try uint64) uint64 {
	x := nonce + try*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// again reports whether an error is a conflict after which there is another try.
func again(err error) bool {
	if !errors.Is(err, state.ErrConflict) {
		return false
	}
	var over *contended
	return !errors.As(err, &over)
}

// storeReason is what a refusal says for which an error of the store is the reason.
func storeReason(err error) string {
	var over *contended
	if errors.As(err, &over) {
		return over.Error()
	}
	return "the state did not answer: " + err.Error()
}

// contended is the error of what others change all the time. The store has
// answered, every time.
type contended struct {
	what  string
	ended error // why the caller waits no longer; nil: it does
}

func (e *contended) Error() string {
	text := e.what + " is changed by others all the time"
	if e.ended != nil {
		return text + ": " + e.ended.Error()
	}
	return fmt.Sprintf("%s, and was so for %v", text, mostPaused)
}

// Unwrap returns state.ErrConflict, and what has ended the waiting.
func (e *contended) Unwrap() []error {
	if e.ended != nil {
		return []error{state.ErrConflict, e.ended}
	}
	return []error{state.ErrConflict}
}
