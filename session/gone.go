package session

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/ledger"
)

// gone is the money of a session of which the store has nothing any more: the
// session has ended, and what it is owed is nobody's, or the store has lost sight of
// it for a while, as one that stands in for another may. It is kept until one of
// this id is seen again: the same, or the next.
type gone struct {
	born  uint64 // 0: there is none
	since uint64 // the first of its accounts
	owed  map[*book][]posting
}

// owe adds what is due in a book.
func (g *gone) owe(x *book, due []posting) {
	all := append(g.owed[x], due...)
	if len(all) > 2*maxDue {
		all = compact(all, nil)
	}
	if len(all) > 0 {
		g.owed[x] = all
	}
}

// account tells the money of this session from that of an earlier one of its id,
// which this process took for the same.
func (b *books) account() uint64 { return b.latest }

// moved posts a change of money that the meters tell of. What comes late of a
// session that has ended is nobody's: its ledgers are gone.
func (b *books) moved(k *meter.Task, m meter.Move) {
	var due [2]posting
	n := 0
	if m.Call != (meter.CallMoney{}) && m.Reserved > 0 {
		due[n] = posting{kind: settle, name: ledger.Name(m.Call)}
		n++
	}
	if m.Spent != 0 {
		due[n] = posting{kind: spend, amount: m.Spent}
		n++
	}
	switch {
	case m.Account >= b.since:
		b.chain(k, func(x *book) {
			for _, p := range due[:n] {
				x.post(p)
			}
		})
	case b.gone.born != 0 && m.Account >= b.gone.since:
		b.chain(k, func(x *book) { b.gone.owe(x, due[:n]) })
	}
}

// begunAnew has every ledger but the session's own looked at again: somebody has
// begun the session, or ended it, which was born so until now and then so.
func (b *books) begunAnew(was, is uint64) {
	b.epoch++
	for _, x := range b.of {
		if was != 0 {
			x.doubt()
		}
		if x != b.root {
			x.seen, x.state, x.known = state.Cell{}, ledger.State{}, 0
		}
	}
	switch {
	case was == 0 && is == b.gone.born:
		b.back()
	case was != 0:
		b.leave(was, is)
	}
	if is != 0 {
		b.gone = gone{}
	}
	for _, x := range b.of {
		x.look()
	}
}

// leave takes what is due for what belongs to a session that is gone.
func (b *books) leave(was, is uint64) {
	b.gone = gone{was, b.since, map[*book][]posting{}}
	for _, x := range b.of {
		b.gone.owe(x, x.due)
		x.due = nil
		b.drop(x)
	}
	b.latest++
	b.since = b.latest
}

// back makes what is owed to the session that was gone due again, beside what came
// to be in between.
func (b *books) back() {
	b.since = b.gone.since
	for x, due := range b.gone.owed {
		now := b.of[x.task.ID()]
		if now == nil {
			now, b.of[x.task.ID()] = x, x
		}
		now.doubt()
		now.due = slices.Concat(due, now.due)
	}
}
