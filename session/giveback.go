package session

import (
	"context"

	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
)

// giveBack, deferred, gives back what the claim of a step has taken if the step is
// not made after all, as its decision could not be recorded, or something failed:
// the money that was set aside for it, and the lease of a breaker's probe, unless
// the call is under way already and holds it. Its place in the windows stays
// taken. It does nothing for a step that is made. Money that the store cannot be told
// of now it is told of with what comes next; a lease frees itself.
func (s *Session) giveBack(ctx context.Context, k *meter.Task, call *meter.Call, money *stake) {
	tell, lease := money.refused(), s.ticketOf.held
	s.ticketOf.held = state.Lease{}
	switch {
	case lease.Key != "" && k.FindCall(call) == 0:
		s.freeProbe(ctx, lease)
	case tell:
		s.keepMoney(ctx)
	}
}

// freeProbe tells the store that a probe is not made, and with it of all money.
func (s *Session) freeProbe(ctx context.Context, lease state.Lease) {
	free := func() (err error) {
		defer errorOnPanic(&err)
		return s.report(ctx, &state.Settlement{Now: s.now(), Leases: []string{lease.Key}, Holder: lease.Holder}, s.patience())
	}
	if err := free(); err != nil {
		s.note(func() {
			s.log.Warn("the state was not told that a probe is not made", "session", s.id, "lease", lease.Key, "error", err)
		})
	}
}
