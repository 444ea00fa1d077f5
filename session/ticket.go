package session

import (
	"context"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// ticket is what a breaker says of a step that is about to be judged, as far as
// the session knows. Whether an open breaker's time has come is the store's to
// say: the lease of a probe is not to be had before.
type ticket struct {
	session    *Session
	call       state.CallID
	guarded    *guarded
	generation uint64
	refused    bool        // until an operator resets it
	probe      state.Lease // it can only be a probe; the zero Lease: the breaker is closed
	now        int64       // the store's time of the decision, once it is made
	held       state.Lease // that of the probe, once the store has granted it to the step
}

// ticket asks the breaker of a step; nil: it has none.
func (s *Session) ticket(rs *registry.Step, call state.CallID) *ticket {
	g := s.breakers.of(rs.Ability)
	if g == nil || WorkerOf(rs) != "" {
		return nil // a delegation has its own cap
	}
	t := &s.ticketOf
	*t = ticket{session: s, call: call, guarded: g, held: t.held}
	t.fill()
	return t
}

// fill says what the breaker does by its cell as it was last seen.
func (t *ticket) fill() {
	g := t.guarded
	t.generation, t.refused, t.probe = g.state.Generation, false, state.Lease{}
	switch {
	case g.state.Opened == 0:
	case g.config.Manual:
		t.refused = true
	default:
		t.probe = state.Lease{Key: g.lease, Holder: t.session.holder(t.call), TTL: g.config.Probe, From: g.state.Until(g.config)}
	}
}

// holderName is the name of the call that asked last: while a breaker is open, each
// that is refused has it.
type holderName struct {
	call   state.CallID
	number int
	name   string
}

// holder names a call as the holder of a probe's lease: the same name for a
// call that is asked for again, another for every other call of any session,
// also of one with the same id in another process.
func (s *Session) holder(call state.CallID) string {
	h, number := s.holderOf, s.calls+1
	if !call.IsZero() {
		number = 0
	}
	if h == nil || h.call != call || h.number != number {
		var room [128]byte
		b := append(append(room[:0], s.id...), '#')
		b = append(append(b, s.nonce...), '#')
		if number > 0 {
			b = strconv.AppendInt(b, int64(number), 10)
		} else {
			b = hex.AppendEncode(b, call[:])
		}
		if h == nil {
			h = &holderName{}
			s.holderOf = h
		}
		*h = holderName{call, number, string(b)}
	}
	return h.name
}

// loadBreaker asks the store for a breaker, and for its time.
func (s *Session) loadBreaker(ctx context.Context, g *guarded) (now int64, err error) {
	s.query.Now = s.now()
	s.query.Cells = append(s.query.Cells[:0], g.cell)
	if err := s.decider.Store.Load(ctx, s.query, &s.view); err != nil {
		return 0, err
	}
	s.heard = max(s.heard, s.view.Now)
	return s.view.Now, g.see(s.view.Cells[0], s.view.Now)
}

// refuse makes v the refusal of an open breaker, beside what the rules say.
func (t *ticket) refuse(v *registry.Verdict, until, now int64) {
	wait := time.Duration(-1)
	var text string
	if until > 0 {
		wait = time.Duration(max(until-now, 0))
		text = "CircuitBreakerOpen: " + t.guarded.ability + " has failed too often and is tried again in " + wait.Round(time.Millisecond).String()
	} else {
		text = "CircuitBreakerOpen: " + t.guarded.ability + " has failed too often and is not called until an operator resets it"
	}
	v.Add(SlugCircuitOpen, text, wait)
}
