package fallback

import (
	"context"
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/state"
)

// settled has the local home know of a settlement of the home.
func (s *Store) settled(ctx context.Context, st *state.Settlement) {
	if len(st.Cells) > 0 {
		s.mu.Lock()
		for i := range st.Cells {
			s.cells.wrote(&st.Cells[i])
		}
		s.mu.Unlock()
	}
	if !s.shared.Load() {
		return
	}
	shadow := state.Settlement{Now: st.Now, Call: st.Call}
	if s.onError == dsl.StoreLocal {
		shadow.Spent = st.Spent
	}
	if err := s.local.Settle(context.WithoutCancel(ctx), &shadow); err != nil {
		s.log.Warn("what the state settled is not settled locally", "error", err)
	}
}

// settleLocally has the local home settle, and keeps it for the home. There is
// a place for the end of every call that is known to be in flight: a home that
// never heard of it would take the next call of the name for a repeated one.
func (s *Store) settleLocally(ctx context.Context, st *state.Settlement) error {
	if err := st.Check(); err != nil {
		return err
	}
	if err := s.homeOnly(ofSettlement(st)); err != nil {
		return err
	}
	flight, own := s.flights.find(&st.Call)
	keeps := !st.Call.IsZero() && !flight.untold || len(st.Leases)+len(st.Spent) > 0
	if keeps && !own && !s.room() {
		return s.full()
	}
	cells, err := s.localWrites(ctx, st.Cells)
	if err != nil {
		return err
	}
	expects, _, err := s.localExpects(ctx, st.Expects, st.Now)
	if err != nil {
		return err
	}
	local := *st
	local.Cells, local.Expects = cells, expects
	if err := s.local.Settle(ctx, &local); err != nil {
		return err
	}
	s.cells.dirty(st.Cells)
	s.flights.ended(&st.Call)
	if keeps {
		kept := *st
		kept.Cells, kept.Expects, kept.Leases, kept.Spent = nil, nil, slices.Clone(st.Leases), slices.Clone(st.Spent)
		s.keep(told{what: settling, settlement: kept, own: own})
	}
	return nil
}

// releaseLocally has the local home give back a call, and keeps it for the home.
func (s *Store) releaseLocally(ctx context.Context, id state.CallID) error {
	flight, own := s.flights.find(&id)
	keeps := !id.IsZero() && !flight.untold
	if keeps && !own && !s.room() {
		return s.full()
	}
	if err := s.local.Release(ctx, id); err != nil {
		return err
	}
	s.flights.ended(&id)
	if keeps {
		s.keep(told{what: release, call: id, own: own})
	}
	return nil
}
