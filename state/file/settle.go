package file

import (
	"context"

	"github.com/cbpolicy/cbpolicy/state"
)

// Settle implements state.Store. Reservations and leases of the call that the
// settlement does not name stay as they are.
func (s *Store) Settle(ctx context.Context, st *state.Settlement) error {
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	if err := st.Check(); err != nil {
		return err
	}
	now := s.now(st.Now)
	return s.write(ctx, func(t *txn) error {
		t.enter(now)
		if err := t.judgeCells(st.Cells, nil); err != nil {
			return err
		}
		if err := t.judgeExpects(st.Expects); err != nil {
			return err
		}
		for _, name := range st.Leases {
			t.freeLease(hashOf(name), st.Holder)
		}
		t.spend(st.Spent)
		for i := range st.Cells {
			t.write(hashOf(st.Cells[i].Key), &st.Cells[i])
		}
		if !st.Call.IsZero() {
			t.delete(callKey(&st.Call))
		}
		return nil
	})
}

// Release implements state.Store. A run that other calls have joined stays
// counted, and an approval that the call consumed stays consumed.
func (s *Store) Release(ctx context.Context, id state.CallID) error {
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	if id.IsZero() {
		return nil
	}
	return s.write(ctx, func(t *txn) error {
		rec := callKey(&id)
		if c := t.call(rec); c != nil {
			t.giveBack(c)
			t.delete(rec)
		}
		return nil
	})
}

// giveBack undoes what a call has taken.
func (t *txn) giveBack(c *call) {
	for i := range c.entries {
		e := &c.entries[i]
		if e.run != nil {
			if m, in := t.marked(e.run); in && m.joined {
				continue
			}
			t.delete(e.run)
		}
		if cn := t.counter(e.counter); cn != nil {
			cn.remove(e.at)
		}
	}
	for _, h := range c.leases {
		t.freeLease(h.key, h.holder)
	}
	for _, r := range c.reserves {
		t.unreserve(r)
	}
}
