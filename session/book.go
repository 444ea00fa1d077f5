package session

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/ledger"
)

// book is the money of one task as the store has it, and as it will once it is
// told what is due. All that the meters of the task count is in it.
type book struct {
	key  string
	task *meter.Task

	seen  state.Cell   // as the store last had it, as far as this session knows
	state ledger.State // what counts of that
	known uint64       // the epoch in which it was so; in another it is to be confirmed

	due   []posting    // what the store is not told yet, or may not have heard
	view  ledger.State // the state with what is due
	tried attempt
	// before is what was set aside for the call that is about to be made before it
	// was asked for, as the posting that sets it aside again.
	before posting
	// The texts of two writes, used by turns: the one that seen is of, if we made it,
	// and the one before.
	text, spare []byte
	room        int  // how many of what is due there may be before it is compacted; 0: maxDue
	over        bool // the task is forgotten: it is needed for what is due only
}

// attempt is a write whose answer is awaited, or was lost.
type attempt struct {
	state ledger.State
	due   int // how many of what is due are in it
}

func (a *attempt) made() bool { return a.state.Seq > 0 }

// maxDue is how many postings there may be, at least, before they are compacted.
const maxDue = 32

// post adds a change that the store is to be told of.
func (b *book) post(p posting) {
	b.due = append(b.due, p)
	b.view = p.on(b.view)
	if len(b.due) > max(b.room, maxDue) {
		on := &b.state
		if b.tried.made() {
			on = &b.tried.state
		}
		b.due = slices.Concat(b.due[:b.tried.due], compact(b.due[b.tried.due:], on))
		b.room = 2 * len(b.due)
	}
	b.count()
}

// look works out the view anew.
func (b *book) look() {
	b.view = b.state
	for i := range b.due {
		b.view = b.due[i].on(b.view)
	}
	b.count()
}

// count tells the meters of the task what there is in all.
func (b *book) count() { b.task.SetKept(b.view.Total()) }

// see notes what the cell is, in the session that was born so. Of a write whose
// answer was lost it tells whether it was made: then what was in it is due no more.
// Where nobody knows, nothing of it is lost, and what it adds may count twice.
func (b *book) see(c state.Cell, born uint64) error {
	next, err := ledger.Parse(c.Value)
	if err != nil {
		return fmt.Errorf("the money of task %q cannot be read: %w", b.task.ID(), err)
	}
	if next.Born != born {
		next = ledger.State{} // of an earlier session of this id
	}
	if n := b.tried.due; b.tried.made() {
		switch b.fate(&next, born) {
		case ledger.Made:
			b.due = b.due[:copy(b.due, b.due[n:])]
		case ledger.Unknown:
			b.doubt()
		}
	}
	b.seen, b.state, b.tried = c, next, attempt{}
	b.text, b.spare = nil, b.text
	if len(b.due) > 0 {
		b.due = compact(b.due, &b.state)
	}
	b.look()
	return nil
}

// doubt leaves of a write of which nobody knows whether it was made what adds to the
// ledger, to be made again.
func (b *book) doubt() {
	if n := b.tried.due; n > 0 {
		b.due = slices.Concat(additions(b.due[:n]), b.due[n:])
	}
	b.tried = attempt{}
}

// fate is what became of the write that was tried, by the ledger as it is now.
func (b *book) fate(is *ledger.State, born uint64) ledger.Fate {
	tried := &b.tried.state
	if tried.Born != born {
		return ledger.Unknown // it was to be the first of the session, and another's was
	}
	return is.FateOf(tried.Writer, tried.Seq, b.state)
}

// write is the write of what is due, and of one change more.
func (b *book) write(more posting, born, writer, seq uint64) state.Write {
	next := b.view
	if more != (posting{}) {
		next = more.on(next)
	}
	next.Born = born
	next = next.Sign(writer, seq)
	b.tried = attempt{next, len(b.due)}
	text := next.Append(b.spare[:0])
	b.spare = nil
	return state.Write{Key: b.key, Version: b.seen.Version, Value: text, TTL: ledger.Keep}
}

// wrote notes that the write which was tried is what the cell is, with the text of
// the write.
func (b *book) wrote(c state.Cell) {
	b.seen, b.state = c, b.tried.state
	b.text, b.spare = c.Value, b.text
	b.due = b.due[:copy(b.due, b.due[b.tried.due:])]
	b.tried = attempt{}
	b.look()
}

// unwritten notes that the write which was tried was not made.
func (b *book) unwritten() {
	b.tried = attempt{}
}
