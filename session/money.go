package session

import (
	"context"
	"errors"
	"slices"

	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
)

// report tells the store of a settlement, and with it of all money that it does
// not know of yet. A conflict that is left concerns what the settlement has
// itself.
func (s *Session) report(ctx context.Context, st *state.Settlement, p *patience) error {
	store, own := s.decider.Store, len(st.Cells)
	if s.books == nil {
		return store.Settle(ctx, st)
	}
	defer func() { st.Cells = st.Cells[:own] }()
	for {
		list := s.books.owing()
		if len(list) == 0 {
			return store.Settle(ctx, st)
		}
		if slices.ContainsFunc(list, func(x *book) bool { return x.tried.made() }) {
			if _, err := s.books.load(ctx, store, st.Now, list); err != nil {
				return err
			}
			continue // what was made is no longer owed
		}
		st.Cells = append(st.Cells[:own], s.books.put(list)...)
		err := store.Settle(ctx, st)
		switch {
		case err == nil:
			s.books.answered(written)
		case state.Refused(err):
			s.books.answered(unwritten)
		default:
			s.books.answered(perhaps)
		}
		if !errors.Is(err, state.ErrConflict) {
			return err
		}
		if moved, wrong := s.books.load(ctx, store, st.Now, list); wrong != nil || !moved {
			return errors.Join(err, wrong)
		}
		if err := p.again(ctx, sessionMoney); err != nil {
			return err
		}
	}
}

// lookAtMoney asks the store what a task, and those above it, have spent, before
// it is ended for that. If it does not answer, what is known stands.
func (s *Session) lookAtMoney(ctx context.Context, k *meter.Task) {
	b := s.books
	b.asked = append(b.asked[:0], b.book(s.tasks.tree.Task("")))
	b.chain(k, func(x *book) {
		if x != b.root {
			b.asked = append(b.asked, x)
		}
	})
	if _, err := b.load(ctx, s.decider.Store, s.now(), b.asked); err != nil {
		s.log.Warn("the state was not asked what the session has spent", "session", s.id, "error", err)
	}
}

// tellMoney tells the store of all money that it does not know of yet.
func (s *Session) tellMoney(ctx context.Context) (err error) {
	defer errorOnPanic(&err)
	if s.books == nil || len(s.books.owing()) == 0 {
		return nil
	}
	return s.report(ctx, &state.Settlement{Now: s.now()}, s.patience())
}

// keepMoney is tellMoney where nobody waits for an error: what could not be told
// is told with what comes next.
func (s *Session) keepMoney(ctx context.Context) {
	if err := s.tellMoney(ctx); err != nil {
		s.log.Warn("the state was not told what the session has spent", "session", s.id, "error", err)
	}
}
