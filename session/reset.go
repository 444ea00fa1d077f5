package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// ResetBreaker closes the breaker of an ability, as an operator may. That it has
// closed is told as any other change; a closed one begins its row of failures anew,
// of which nobody is told.
func (s *Session) ResetBreaker(ctx context.Context, ability string) (err error) {
	s.mu.Lock()
	defer s.unlock()
	defer errorOnPanic(&err)
	g := s.breakers.of(ability)
	if g == nil {
		return fmt.Errorf("session %s: %s has no breaker", s.id, ability)
	}
	before, at, err := g.reset(ctx, s.decider.Store, s.now(), s.patience(), func() (int64, error) { return s.loadBreaker(ctx, g) })
	if err != nil {
		return fmt.Errorf("session %s: reset %s: %w", s.id, g.name(), err)
	}
	s.measureMoved(g)
	if c := changeOf(g, before, g.state, at); c != nil {
		s.changed(c)
	}
	return nil
}

// reset closes a breaker as load finds it in the store, and returns what it was
// and when.
func (g *guarded) reset(ctx context.Context, store state.Store, now int64, p *patience, load func() (int64, error)) (before breaker.State, at int64, err error) {
	for {
		if at, err = load(); err != nil {
			return before, at, err
		}
		before = g.state
		after := before.Reset(at)
		write := g.write(after)
		err = store.Settle(ctx, &state.Settlement{Now: now, Cells: []state.Write{write}})
		if err == nil {
			g.wrote(&write, after)
		}
		if !errors.Is(err, state.ErrConflict) {
			return before, at, err
		}
		if err = p.again(ctx, g.name()); err != nil {
			return before, at, err
		}
	}
}
