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
	call   *meter.Call
	name   ledger.Name // the zero Name: the call sets nothing aside
	other  ledger.Name // what it was named by before, if it is under way: then the name takes its place
	asked  int64       // what the call may cost by its host
	amount int64       // that, or what is set aside for it already, if that is more
	writes bool        // the claim asks for the amount
	wrote  bool        // it was asked for
	silent bool        // the store has not answered what it was asked last
	// unasked: the claim did not ask for the amount, as what stands in for the store
	// does not know the ledgers; away: it has answered in the place of the store.
	unasked, away bool
	limits        *meter.Reading // whether a limit of money was read
}

// errMoved: the money is another than the step was judged by.
var errMoved = errors.New("the money of the session has moved on")

// stake prepares that of a call; nil: the money is not kept.
func (s *Session) stake(k *meter.Task, call *meter.Call, id state.CallID) *stake {
	if s.books == nil {
		return nil
	}
	st := &s.stakeOf
	*st = stake{books: s.books, task: k, call: call, asked: max(call.Estimate, call.Reserved, 0), limits: &s.tasks.reading}
	s.tasks.reading.MoneyRead = false
	s.books.book(s.tasks.tree.Task(""))
	if call.Estimate > 0 || !id.IsZero() {
		st.name = s.books.name(id)
		flight := k.FindCall(call)
		if call.Passing && (flight == 0 || k.Passing(flight)) {
			st.name = st.name.Passing(k.ID())
		}
		if money := ledger.Name(k.Money(flight)); money != st.name {
			st.other = money
		}
		call.Money = meter.CallMoney(st.name)
	}
	st.prepare()
	return st
}

// prepare tells the meters what is set aside for the very call, by whomever. While
// it is under way anywhere, the greatest amount stays aside that it was asked for with.
func (st *stake) prepare() {
	if st == nil || st.name == (ledger.Name{}) {
		return
	}
	aside, _ := st.books.book(st.task).view.Aside(st.name)
	if st.amount = max(st.asked, aside); st.amount > 0 {
		st.call.Estimate = st.amount
	}
	st.writes, st.unasked = false, false
	st.books.chain(st.task, func(x *book) {
		aside, ok := x.view.Aside(st.name)
		if x.before = (posting{kind: settle, name: st.name}); ok {
			x.before = posting{restore, st.name, aside}
		}
		x.task.SetTaken(aside + st.otherwise(x))
		st.writes = st.writes || aside < st.amount
	})
}

// otherwise is what a ledger has set aside for the call by its other name.
func (st *stake) otherwise(x *book) (aside int64) {
	if st.other != (ledger.Name{}) {
		aside, _ = x.view.Aside(st.other)
	}
	return aside
}

// done ends what prepare has told the meters.
func (st *stake) done() {
	if st == nil {
		return
	}
	if st.name != (ledger.Name{}) {
		st.books.chain(st.task, func(x *book) { x.task.SetTaken(0) })
	}
	st.task = nil // it is nobody's any more
}

func (st *stake) posting() posting { return posting{reserve, st.name, st.amount} }

// list are the ledgers that the claim is about, the session's own first: those
// that are to be confirmed, or all of them.
func (st *stake) list(all bool) []*book {
	b := st.books
	b.asked = append(b.asked[:0], b.root)
	b.chain(st.task, func(x *book) {
		if x != b.root && (all || x.known != b.epoch) {
			b.asked = append(b.asked, x)
		}
	})
	return b.asked
}

// unknown reports whether nobody has ever said what one of the ledgers is, and the
// step spends of it, or is judged by it.
func (st *stake) unknown() bool {
	if st == nil || st.amount == 0 && !st.limits.MoneyRead {
		return false
	}
	unknown := st.books.root.known == 0
	st.books.chain(st.task, func(x *book) { unknown = unknown || x.known == 0 })
	return unknown
}

// ready looks again at ledgers of which nobody knows whether they were written,
// before they are written once more.
func (st *stake) ready(ctx context.Context, store state.Store, now int64) error {
	if st == nil || !st.writes {
		return nil
	}
	list := st.list(true)
	if !doubtful(list) {
		return nil
	}
	moved, err := st.books.load(ctx, store, now, list)
	switch st.silent = err != nil; {
	case errors.Is(err, state.ErrAway):
		st.writes, st.unasked = false, true
		return nil
	case err == nil && moved:
		return errMoved
	}
	return err
}

// ask puts into a claim what the ledgers are, and what they are to be.
func (st *stake) ask(c *state.Claim, expects []state.Expect) []state.Expect {
	if st == nil {
		return expects
	}
	list := st.list(st.writes)
	c.HomeOnly = st.unknown()
	if st.writes {
		st.wrote = true
		c.Cells = st.books.put(list, st.posting())
	}
	return expect(expects, list)
}

// answered notes what the store has made of a claim.
func (st *stake) answered(g *state.Grant, expected []state.Cell, err error) error {
	if st == nil {
		return err
	}
	b := st.books
	st.away = g.Away != nil
	st.silent = st.away || err != nil && !state.Refused(err)
	switch {
	case st.silent, err == nil && g.Admitted && g.Repeated: // it may have written the cells before, and not now
		b.answered(perhaps)
	case err == nil && g.Admitted:
		b.answered(written)
	default:
		b.answered(unwritten)
	}
	switch {
	case st.away: // nothing was said of them
	case err == nil:
		for _, x := range b.asked {
			x.known = b.epoch
		}
	case errors.Is(err, state.ErrConflict) && len(expected) == len(b.asked):
		if moved, wrong := b.seeAll(b.asked, expected); wrong != nil {
			return wrong
		} else if moved {
			return errMoved
		}
	}
	return err
}

// missing reports whether a ledger does not have what the step sets aside.
func (st *stake) missing() (missing bool) {
	if st == nil || st.name == (ledger.Name{}) {
		return false
	}
	st.books.chain(st.task, func(x *book) {
		aside, _ := x.view.Aside(st.name)
		missing = missing || aside < st.amount
	})
	return missing
}

// short reports whether a step was let through by a store that has not set aside
// what it asks for. Where the store was away it is told later.
func (st *stake) short(a Admission) bool {
	return st != nil && !st.away && (a == Repeated || a == Admitted && st.unasked) && st.missing()
}

// secure sets aside for a step that was let through what its claim has not: the
// call was let through before, for another amount, and a store that is asked
// again writes no cell again; or the store was away when the claim was made. With
// errMoved the money has moved on in between, and the step is to be judged again.
func (st *stake) secure(ctx context.Context, store state.Store, now int64) (err error) {
	defer errorOnPanic(&err)
	defer func() { st.silent = err != nil && !errors.Is(err, errMoved) }()
	list := st.list(true)
	if doubtful(list) {
		if moved, err := st.books.load(ctx, store, now, list); err != nil {
			return err
		} else if !st.missing() {
			return nil
		} else if moved {
			return errMoved
		}
	}
	st.wrote = true
	settlement := state.Settlement{Now: now, Cells: st.books.put(list, st.posting()), Expects: expect(nil, list)}
	err = store.Settle(ctx, &settlement)
	st.books.answer(err)
	if !errors.Is(err, state.ErrConflict) {
		return err
	}
	if _, wrong := st.books.load(ctx, store, now, list); wrong != nil {
		return wrong
	}
	return errMoved
}

// refused gives back what was set aside, or may have been, for a step that is not
// made: what was set aside for the call before stays. It reports whether the store
// is to be told, and answers.
func (st *stake) refused() (tell bool) {
	if st == nil || st.task == nil {
		return false
	}
	defer st.done()
	if !st.wrote {
		return false
	}
	list := st.list(true)
	doubt := doubtful(list)
	for _, x := range list {
		aside, ok := x.view.Aside(st.name)
		if doubt || ok != (x.before.kind == restore) || aside != x.before.amount {
			x.post(x.before)
			tell = !st.silent
		}
	}
	return tell
}

// made notes that the step is made, whether the store could be told or not.
func (st *stake) made() {
	if st == nil {
		return
	}
	defer st.done()
	if st.name == (ledger.Name{}) {
		return
	}
	st.books.chain(st.task, func(x *book) {
		if aside, _ := x.view.Aside(st.name); aside < st.amount {
			x.post(st.posting())
		}
		if st.otherwise(x) > 0 {
			x.post(posting{kind: settle, name: st.other})
		}
	})
}
