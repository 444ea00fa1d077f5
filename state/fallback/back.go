package fallback

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// The home is probed after the first pause, and then after twice as long each
// time, up to the longest.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
)

// lastTry is how many deadlines long a store that is closed tries to tell the
// home what it kept.
const lastTry = 20

// leave goes away from the home.
func (s *Store) leave(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away != nil {
		return
	}
	s.away = &registry.Away{Reason: reason, Default: s.onError, Fleet: s.fleet}
	s.since, s.overfull = time.Now(), nil
	s.cells.outage++
	s.gone.Store(true)
	s.log.Warn("the state is unavailable", "reason", reason, "on_store_error", s.away.Mode(s.onError).String())
	if !s.closed {
		s.probing.Go(s.comeBack)
	}
}

// comeBack waits until the home is back, and is told of everything.
func (s *Store) comeBack() {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-s.running.Done():
			timer.Stop()
			return
		}
		if s.goBack(s.running) == nil {
			return
		}
	}
}

// goBack goes back to the home if it can be written, once it is told
// everything. A home that panics is not back: the host is not to fall with it.
func (s *Store) goBack(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: the home failed: %v", state.ErrUnavailable, r)
		}
	}()
	if err := s.probe(ctx); err != nil {
		return err
	}
	return s.tellAll(ctx)
}

// probeLives is how long the lease of a probe lasts that is not given back.
const probeLives = time.Second

// probe takes a lease at the home, of a name that nobody else has, and gives it
// back: a home that can only be read answers a claim of nothing, and is not back.
func (s *Store) probe(ctx context.Context) error {
	lease := state.Lease{Key: "fallback\x00" + rand.Text(), Holder: "probe", TTL: probeLives}
	claim, cancel := s.limit(ctx)
	defer cancel()
	var g state.Grant
	if err := s.home.Claim(claim, &state.Claim{Leases: []state.Lease{lease}}, &g); err != nil {
		return err
	}
	settle, cancel := s.limit(ctx)
	defer cancel()
	return s.home.Settle(settle, &state.Settlement{Leases: []string{lease.Key}, Holder: lease.Holder})
}

// tellAll tells the home of all that is kept, and then goes back to it. On an
// error the home is away still, or again.
func (s *Store) tellAll(ctx context.Context) error {
	telling := make(chan struct{})
	s.mu.Lock()
	s.telling = telling
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.telling = nil
		s.mu.Unlock()
		close(telling)
	}()
	for {
		t, err := s.next(ctx)
		if t == nil {
			return err
		}
		limited, cancel := s.limit(ctx)
		err = s.tell(limited, t)
		cancel()
		if !reached(err) && !t.once() {
			return err
		}
		s.done(err)
		if !reached(err) {
			return err
		}
	}
}

// done drops the call that the home was told of. What it says makes no sense
// it would say of it for ever.
func (s *Store) done(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[0].own {
		s.own--
	}
	s.kept[0] = nil
	s.kept = s.kept[1:]
	if err != nil {
		s.lost++
		s.log.Error("the state would not hear what was done while it was away", "error", err)
	}
}

// next is what the home is to be told next. Without an error nil means that
// it has been told everything: from then on it is asked again.
func (s *Store) next(ctx context.Context) (*told, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) > 0 {
		return s.kept[0], nil
	}
	t, err := s.handOver(ctx)
	if err != nil {
		return nil, err
	}
	if t != nil {
		s.kept = append(s.kept, t)
		return t, nil
	}
	if err := s.handOverApprovals(ctx); err != nil {
		return nil, err
	}
	if len(s.kept) > 0 {
		return s.kept[0], nil
	}
	s.kept = nil
	s.log.Info("the state is back", "away", time.Since(s.since))
	s.away = nil
	s.gone.Store(false)
	return nil, nil
}

// handOverApprovals takes the approvals that are left from the local home and
// keeps them for the other, so that none is in both.
func (s *Store) handOverApprovals(ctx context.Context) error {
	for session, of := range s.given.in {
		if session == "" { // which cannot be forgotten: they are this process's for good
			s.given.forget(session)
			continue
		}
		if err := s.local.Forget(ctx, state.Ended{Session: session}); err != nil {
			return err
		}
		for _, a := range slices.SortedFunc(maps.Values(of), byDigest) {
			s.kept = append(s.kept, &told{what: approving, approval: a})
		}
		s.given.forget(session)
	}
	return nil
}

// byDigest is an order that is the same each time.
func byDigest(a, b state.Approval) int { return bytes.Compare(a.Digest[:], b.Digest[:]) }

// Close ends the probing, and a second time does nothing. If the home is away
// it is tried once more: the error says how much it could not be told.
func (s *Store) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	if again {
		return nil
	}
	s.stop()
	s.probing.Wait()
	if s.Status().Kept == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastTry*s.timeout)
	defer cancel()
	err := s.goBack(ctx)
	if n := s.Status().Kept - s.spare(); err != nil && n > 0 {
		return fmt.Errorf("state: what was done while it was away is not told to it (calls: %d): %w", n, err)
	}
	return nil
}

// spare is how much is kept that the home need not hear.
func (s *Store) spare() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.kept {
		if t.spare {
			n++
		}
	}
	return n
}
