package session

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/ledger"
)

// book is the money of one task as the store has it, and as it will once it is
// told what is due.
type book struct {
	key  string
	task *meter.Task

	seen  state.Cell   // as the store last had it, as far as this session knows
	state ledger.State // what counts of that
	known uint64       // the epoch in which it was so; in another it is to be confirmed

	due   []posting    // what the store is not told yet, or may not have heard
	view  ledger.State // the state with what is due
	own   int64        // how much of the view this session has put there
	tried attempt
	seq   uint64 // of the latest write
	over  bool   // the task is forgotten: it is needed for what is due only
}

// attempt is a write whose answer is awaited, or was lost.
type attempt struct {
	state ledger.State
	due   int // how many postings are in it
}

func (a *attempt) made() bool { return a.state.Seq > 0 }

// posting is a change of a ledger.
type posting struct {
	kind   postingKind
	name   ledger.Name
	amount int64
}

type postingKind uint8

const (
	spend   postingKind = iota // amount more, or less, is spent
	reserve                    // amount is set aside
	settle                     // what is set aside, amount, is so no longer
)

func (p *posting) on(st ledger.State) ledger.State {
	switch p.kind {
	case reserve:
		return st.Reserve(p.name, p.amount)
	case settle:
		return st.Settle(p.name)
	}
	return st.Spend(p.amount)
}

// share is how much more of the ledger is this session's once it is posted.
func (p *posting) share() int64 {
	if p.kind == settle {
		return -p.amount
	}
	return p.amount
}

// post adds a change that the store is to be told of.
func (b *book) post(p posting) {
	b.view, b.own = p.on(b.view), b.own+p.share()
	if n := len(b.due); p.kind == spend && n > b.tried.due && b.due[n-1].kind == spend {
		b.due[n-1].amount += p.amount
	} else {
		b.due = append(b.due, p)
	}
	b.count()
}

// retract takes back what was set aside for a call that is not made, last of
// all. Where the store may have heard of it already, it is told that it is over.
func (b *book) retract(p posting) {
	if b.tried.due == len(b.due) {
		b.post(posting{settle, p.name, p.amount})
		return
	}
	b.due = b.due[:len(b.due)-1]
	b.own -= p.share()
	b.look()
}

// adopt makes what another has set aside for a call this session's own.
func (b *book) adopt(amount int64) {
	b.own += amount
	b.count()
}

// disown leaves this session nothing of what the store has.
func (b *book) disown() {
	b.own = 0
	for i := range b.due {
		b.own += b.due[i].share()
	}
}

// look works out the view anew.
func (b *book) look() {
	b.view = b.state
	for i := range b.due {
		b.view = b.due[i].on(b.view)
	}
	b.count()
}

// count tells the meters what is in the view beside this session's own.
func (b *book) count() { b.task.SetOutside(b.view.Total() - b.own) }

// see notes what the cell is. A write whose answer was lost was made if it is
// the latest; otherwise it is made again, and may count twice if another came
// after it.
func (b *book) see(c state.Cell, born int64) error {
	next, err := ledger.Parse(c.Value)
	if err != nil {
		return fmt.Errorf("the money of task %q cannot be read: %w", b.task.ID(), err)
	}
	if b.tried.made() && next.Writer == b.tried.state.Writer && next.Seq == b.tried.state.Seq {
		b.wrote(c)
		return nil
	}
	if next.Born != born {
		next = ledger.State{} // of an earlier session of this id
	}
	if next.Born != b.state.Born { // somebody has ended the session
		b.disown()
	}
	b.seen, b.state, b.tried = c, next, attempt{}
	b.look()
	return nil
}

// write is the write of what is due.
func (b *book) write(born int64, writer uint64) state.Write {
	next := b.view
	b.seq++
	next.Born, next.Writer, next.Seq = born, writer, b.seq
	b.tried = attempt{next, len(b.due)}
	return state.Write{Key: b.key, Version: b.seen.Version, Value: next.Append(nil), TTL: ledger.Keep}
}

// wrote notes that the write which was tried is what the cell is.
func (b *book) wrote(c state.Cell) {
	b.seen, b.state = c, b.tried.state
	b.due = b.due[:copy(b.due, b.due[b.tried.due:])]
	b.tried = attempt{}
	b.look()
}

// unwritten notes that the write which was tried was not made.
func (b *book) unwritten() { b.tried = attempt{} }
