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
	if s.books == nil {
		return s.decider.Store.Settle(ctx, st)
	}
	told, err := s.reportMoney(ctx, st, p)
	if !errors.Is(err, state.ErrAway) || st.Call.IsZero() && len(st.Leases)+len(st.Spent)+len(st.Cells)+len(st.Expects) == 0 {
		return err
	}
	if s.noteUntold(err); told {
		return nil
	}
	return s.decider.Store.Settle(ctx, st) // what stands in for the store takes the rest; the money stays due
}

// reportMoney reports a settlement and the money. With an error told says that the
// store has the settlement, and not all of the money.
func (s *Session) reportMoney(ctx context.Context, st *state.Settlement, p *patience) (told bool, err error) {
	store, b, cells, expects := s.decider.Store, s.books, st.Cells, st.Expects
	itself := func() { st.Cells, st.Expects = cells, expects }
	defer itself()
	for {
		itself() // what was owed at the try before may be owed no more
		list := s.books.owing()
		if len(list) == 0 {
			return false, store.Settle(ctx, st)
		}
		if doubtful(list) {
			if _, err := s.books.load(ctx, store, st.Now, list); err != nil {
				return false, err
			}
			continue // what was made is no longer owed
		}
		if st.Cells = b.put(list, posting{}); len(cells) > 0 {
			st.Cells = slices.Concat(cells, st.Cells)
		}
		b.expects = expect(append(b.expects[:0], expects...), list)
		st.Expects = b.expects
		err := store.Settle(ctx, st)
		s.books.answer(err)
		switch {
		case err == nil && len(s.books.owing()) > 0: // there were more than one settlement tells of
			return true, s.report(ctx, &state.Settlement{Now: st.Now}, p)
		case !errors.Is(err, state.ErrConflict):
			return false, err
		}
		if moved, wrong := s.books.load(ctx, store, st.Now, list); wrong != nil || !moved {
			return false, errors.Join(err, wrong)
		}
		if err := p.again(ctx, sessionMoney); err != nil {
			return false, err
		}
	}
}

// lookAtMoney asks the store what a task, and those above it, have spent, before
// it is ended for that, and what is set aside for the call of a task below it
// that is about to be made. If it does not answer, what is known stands.
func (s *Session) lookAtMoney(ctx context.Context, k *meter.Task) {
	b := s.books
	b.asked = append(b.asked[:0], b.book(s.tasks.tree.Task("")))
	add := func(x *book) {
		if !slices.Contains(b.asked, x) {
			b.asked = append(b.asked, x)
		}
	}
	b.chain(k, add)
	if step := s.stakeOf.task; step != nil {
		b.chain(step, add)
	}
	if _, err := b.load(ctx, s.decider.Store, s.now(), b.asked); err != nil {
		s.note(func() {
			s.log.Warn("the state was not asked what the session has spent", "session", s.id, "error", err)
		})
	}
	if s.stakeOf.task != nil {
		s.stakeOf.prepare()
	}
}

// Flush tells the store of all money, and of all results that events have told of,
// of which it does not know yet. It is for a host that stops without ending the
// session: everything else that tells the store of something tells it of this as
// well. An error means that it could not be told; it is lost with the process then,
// unless Flush is called again and returns none. What is owed to a session that
// another process has ended is told to nobody.
func (s *Session) Flush(ctx context.Context) error {
	s.mu.Lock()
	defer s.unlock()
	return errors.Join(s.tellResults(ctx), s.tellMoney(ctx))
}

// tellMoney tells the store of all money that it does not know of yet.
func (s *Session) tellMoney(ctx context.Context) error {
	if s.books == nil {
		return nil
	}
	return s.tellBooks(ctx)
}

func (s *Session) tellBooks(ctx context.Context) (err error) {
	defer errorOnPanic(&err)
	if len(s.books.owing()) == 0 {
		return nil
	}
	s.books.telling = state.Settlement{Now: s.now()}
	return s.report(ctx, &s.books.telling, s.patience())
}

// tellDue is tellMoney where there is something else that the store was told of, or
// is to be: that it is away, and stood in for, is no error.
func (s *Session) tellDue(ctx context.Context) error {
	err := s.tellMoney(ctx)
	if errors.Is(err, state.ErrAway) {
		s.noteUntold(err)
		return nil
	}
	return err
}

// keepMoney is tellMoney where nobody waits for an error: what could not be told
// is told with what comes next.
func (s *Session) keepMoney(ctx context.Context) {
	if err := s.tellMoney(ctx); err != nil {
		s.noteUntold(err)
	}
}

// noteUntold notes that money stays due.
func (s *Session) noteUntold(err error) {
	s.note(func() {
		s.log.Warn("the state was not told what the session has spent", "session", s.id, "error", err)
	})
}
