package file

import (
	"bytes"
	"context"
	"math"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// approval is the record of one approval.
type approval struct {
	forRun  bool
	expires int64 // Unix nanoseconds; 0: never
	given   int64 // when, to tell which is oldest
	// until is when it is forgotten if no admitted claim asks for it. 0: not
	// known yet, as an approval brings no time with it; the first look sets it.
	until int64
}

// held reports whether the approval is, at a time.
func (a *approval) held(now int64) bool { return a.expires == 0 || a.expires > now }

func approvalKey(session string, d registry.Digest) []byte {
	return append(key(kindApproval, hashOf(session)), d[:]...)
}

// approval reads an approval and reports whether there is one.
func (t *txn) approval(rec []byte) (approval, bool) { return t.parseApproval(rec, t.get(rec)) }

func (t *txn) parseApproval(rec, v []byte) (approval, bool) {
	if v == nil {
		return approval{}, false
	}
	f := t.fields(rec, v)
	a := approval{forRun: f.byte() != 0, expires: f.int64(), given: f.int64(), until: f.int64()}
	f.end()
	return a, true
}

func (t *txn) putApproval(rec []byte, a approval) {
	v := make([]byte, 1, 25)
	if a.forRun {
		v[0] = 1
	}
	t.add(rec, appendInt64(appendInt64(appendInt64(v, a.expires), a.given), a.until))
}

// Approve implements state.Store. If the session already holds as many
// approvals as it may, the oldest is dropped and will be asked for again.
func (s *Store) Approve(ctx context.Context, a state.Approval) error {
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	if err := a.Check(); err != nil {
		return err
	}
	seen := s.seen.Load() // the wall clock is no measure for a host that lives in another time
	return s.write(ctx, func(t *txn) error {
		now := max(t.latest, seen)
		rec := approvalKey(a.Session, a.Digest)
		old, known := t.approval(rec)
		if !known {
			t.makeRoom(a.Session, now)
		}
		forRun := a.ForRun || known && old.forRun && old.held(now)
		t.putApproval(rec, approval{forRun: forRun, expires: a.Expires, given: now})
		return nil
	})
}

// makeRoom drops, of a session with as many approvals as it may have, those
// that have expired or, if there is none, the oldest.
func (t *txn) makeRoom(session string, now int64) {
	var gone [][]byte
	var oldest []byte
	first, n := int64(math.MaxInt64), 0
	t.each(key(kindApproval, hashOf(session)), func(rec, v []byte) bool {
		a, _ := t.parseApproval(rec, v)
		if n++; !a.held(now) {
			gone = append(gone, bytes.Clone(rec))
		} else if oldest == nil || a.given < first {
			oldest, first = bytes.Clone(rec), a.given
		}
		return true
	})
	if n < t.store.maxApprovals {
		return
	}
	if len(gone) == 0 {
		gone = append(gone, oldest)
	}
	for _, rec := range gone {
		t.delete(rec)
	}
}

// judgeGuards tells which approvals are held, and returns them. Those that the
// call has consumed before count as held.
func (t *txn) judgeGuards(c *state.Claim, before *call, g *state.Grant) []approval {
	found := make([]approval, len(c.Guards))
	for i := range c.Guards {
		d := c.Guards[i].Approval
		held := false
		if d != (registry.Digest{}) {
			if held = before.consumed(d); !held {
				a, known := t.approval(approvalKey(c.Session, d))
				found[i], held = a, known && a.held(t.latest)
			}
		}
		g.Approved = append(g.Approved, held)
	}
	return found
}

// consume uses up the approvals that an admitted claim needed, and renews those
// that stay.
func (t *txn) consume(c *state.Claim, found []approval, by *call, g *state.Grant) {
	for i := range c.Guards {
		gu := &c.Guards[i]
		if !g.Approved[i] || by.consumed(gu.Approval) {
			continue
		}
		rec, a := approvalKey(c.Session, gu.Approval), found[i]
		switch {
		case fires(gu, c, g) && !a.forRun:
			t.delete(rec)
			if by != nil {
				by.approvals = append(by.approvals, gu.Approval)
			}
		case t.aging(a.until) && t.get(rec) != nil: // an approval is used up only where it was needed
			a.until = t.keepUntil()
			t.putApproval(rec, a)
		}
	}
}

// startWaiting lets the time begin after which an approval is forgotten.
func (t *txn) startWaiting(rec []byte) {
	if a, known := t.approval(rec); known && a.until == 0 {
		a.until = t.keepUntil()
		t.putApproval(rec, a)
	}
}
