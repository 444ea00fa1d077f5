package fallback

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// do has a call done by the home, or by the local one while it is away. The
// local one is called under the lock, with the outage as it stands, and with a
// context that does not end: by then the deadline of the caller's may have passed.
func (s *Store) do(ctx context.Context, home func(context.Context) error, local func(context.Context, *registry.Away) error) error {
	if err := ctx.Err(); err != nil {
		return over(err)
	}
	for waited := false; ; waited = true {
		if answered, err := s.ask(ctx, home); answered {
			return err
		}
		if err := ctx.Err(); canceled(err) {
			return over(err)
		}
		s.mu.Lock()
		away, telling := s.away, s.telling
		if away != nil && (telling == nil || waited) {
			defer s.mu.Unlock()
			return local(context.WithoutCancel(ctx), away)
		}
		s.mu.Unlock()
		if away != nil {
			s.wait(ctx, telling)
		} // else it has come back in between
	}
}

// canceled reports whether a context was ended by its caller, and not by its deadline.
func canceled(err error) bool { return errors.Is(err, context.Canceled) }

// wait waits, a deadline at most, until the home has been told everything, or
// is gone again. Those who do not would have more to be told all the time, and
// where there are many of them it would never be done.
func (s *Store) wait(ctx context.Context, telling <-chan struct{}) {
	late := time.NewTimer(s.timeout)
	defer late.Stop()
	select {
	case <-telling:
	case <-late.C:
	case <-ctx.Done():
	}
}

// ask has a call done by the home within the deadline, and reports whether it
// has answered. It is not asked while it is away.
func (s *Store) ask(ctx context.Context, do func(context.Context) error) (answered bool, err error) {
	if s.gone.Load() {
		return false, nil
	}
	if err := ctx.Err(); err != nil { // while the home was waited for
		return true, over(err)
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	err = do(limited)
	if err == errLeft {
		return false, nil
	}
	if reached(err) || canceled(ctx.Err()) {
		return true, err // that the caller wants no answer any more says nothing of the home
	}
	reason := state.Reason(err)
	if ctx.Err() != nil {
		reason = "no answer within the caller's deadline"
	} else if limited.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		reason = fmt.Sprintf("no answer in %v", s.timeout)
	}
	s.leave(reason)
	return false, nil
}

// limit gives a call of the home its deadline, unless the home does so itself:
// a second one would cost every call a timer.
func (s *Store) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timed {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.timeout)
}

// errLeft is the error of a call that the home has done, but that the local
// home is to do as well, since the home was left in between.
var errLeft = errors.New("state: the home was left")

// reached reports whether an error, or none, is an answer of the home.
func reached(err error) bool {
	return err == nil || errors.Is(err, state.ErrConflict) || errors.Is(err, state.ErrInvalid)
}

// over is the error of a context that is over. A deadline that has passed means
// for the caller that the store did not answer in time.
func over(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", state.ErrUnavailable, err)
	}
	return fmt.Errorf("state: not asked: %w", err)
}
