package session

import (
	"context"
	"errors"

	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/ledger"
)

// stake is what a step's claim says of the session's money: that it is as it was
// last seen, and what the step sets aside. A nil *stake says nothing.
type stake struct {
	books  *books
	task   *meter.Task
	name   ledger.Name
	amount int64
	posted bool // the amount is among what is due
	adopts bool // another process has set money aside for this very call
}

// errMoved: the money is another than the step was judged by.
var errMoved = errors.New("the money of the session has moved on")

// stake prepares that of a call; nil: the money is not kept.
func (s *Session) stake(ctx context.Context, k *meter.Task, call *meter.Call, id state.CallID) *stake {
	if s.books == nil {
		return nil
	}
	st := &s.stakeOf
	*st = stake{books: s.books, task: k}
	if root := s.books.book(s.tasks.tree.Task("")); root.state.Born != 0 {
		if list, _ := st.list(false); len(list) > 1 {
			// Tasks that this process has not heard of: those above are judged by
			// what is set aside in them. If they are not to be had, the claim says so.
			_, _ = s.books.load(ctx, s.decider.Store, s.now(), list)
		}
	}
	if k.FindCall(call) == 0 { // one that is under way has set it aside
		if call.Estimate > 0 || !id.IsZero() {
			st.name = s.books.name(id)
		}
		call.Money, st.amount = meter.CallMoney(st.name), max(call.Estimate, 0)
	}
	st.prepare(call)
	return st
}

// prepare posts what the step sets aside, once it is known what others have set
// aside for the same call.
func (st *stake) prepare(call *meter.Call) {
	st.retract()
	if st.name == (ledger.Name{}) {
		return
	}
	call.Taken, st.adopts = st.books.book(st.task).view.Aside(st.name)
	if st.adopts || st.amount == 0 {
		return
	}
	st.posted = true
	st.books.chain(st.task, func(x *book) { x.post(st.posting()) })
}

func (st *stake) posting() posting { return posting{reserve, st.name, st.amount} }

// retract takes back what was posted for a step that is not made.
func (st *stake) retract() {
	if st == nil || !st.posted {
		return
	}
	st.posted = false
	st.books.chain(st.task, func(x *book) { x.retract(st.posting()) })
}

// ready looks again at ledgers of which nobody knows whether they were written,
// before they are written once more.
func (st *stake) ready(ctx context.Context, store state.Store, now int64) error {
	if st == nil || !st.posted {
		return nil
	}
	list, doubt := st.list(true)
	if !doubt {
		return nil
	}
	moved, err := st.books.load(ctx, store, now, list)
	if err == nil && moved {
		err = errMoved
	}
	return err
}

// list are the ledgers that the claim is about, the session's own first: those
// that are to be confirmed, or all of them. Doubt: one may have been written.
func (st *stake) list(all bool) (list []*book, doubt bool) {
	b := st.books
	b.asked = append(b.asked[:0], b.root)
	doubt = b.root.tried.made()
	st.books.chain(st.task, func(x *book) {
		if x != b.root && (all || x.known != b.epoch) {
			b.asked = append(b.asked, x)
			doubt = doubt || x.tried.made()
		}
	})
	return b.asked, doubt
}

// ask puts into a claim what the ledgers are, and what they are to be.
func (st *stake) ask(c *state.Claim, expects []state.Expect) []state.Expect {
	if st == nil {
		return expects
	}
	list, _ := st.list(st.posted)
	for _, x := range list {
		expects = append(expects, state.Expect{Key: x.key, Cell: x.seen})
	}
	if st.posted {
		c.Cells = st.books.put(list)
	}
	return expects
}

// answered notes what the store has made of a claim.
func (st *stake) answered(g *state.Grant, expected []state.Cell, err error) error {
	if st == nil {
		return err
	}
	made := unwritten
	switch {
	case err != nil && !state.Refused(err), err == nil && g.Admitted && g.Repeated: // it may have written the cells before, and not now
		made = perhaps
	case err == nil && g.Admitted:
		made = written
	}
	st.books.answered(made)
	if err != nil {
		if !errors.Is(err, state.ErrConflict) || len(expected) != len(st.books.asked) {
			return err
		}
		moved, wrong := st.books.seeAll(st.books.asked, expected)
		switch {
		case wrong != nil:
			return wrong
		case moved:
			return errMoved
		}
		return err
	}
	for _, x := range st.books.asked {
		x.known = st.books.epoch
	}
	return nil
}

// keep notes that the step was let through: what another process has set aside
// for the call is this one's now.
func (st *stake) keep() {
	if st == nil || !st.adopts {
		return
	}
	st.books.chain(st.task, func(x *book) {
		switch aside, ok := x.view.Aside(st.name); {
		case ok && aside == st.amount:
			x.adopt(aside)
		case st.amount > 0:
			x.post(st.posting())
		case ok:
			x.post(posting{settle, st.name, 0})
		}
	})
}
