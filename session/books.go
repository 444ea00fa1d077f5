package session

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/ledger"
)

// books keep the money of a session in its store, a ledger for each task and one
// for the session itself, so that it outlives the process. They are never asked
// for before a decision: the store is told what the decision was made by, and
// refuses one that was made by what is no longer so. Whatever moves money writes
// the session's own ledger as well, so that one look at that tells whether
// anything has moved.
//
// A nil *books keeps nothing: the store does not outlive the process.
type books struct {
	prefix  string // of the cells' keys
	writer  uint64
	seq     uint64 // of the latest write
	fresh   bool   // nobody has had the session before
	dropped bool   // there were books of tasks that were forgotten
	latest  uint64 // of the accounts that calls belong to: each session of this id has its own
	since   uint64 // the first one of this session
	gone    gone
	calls   uint64           // calls without an id that set money aside
	of      map[string]*book // by task
	root    *book
	epoch   uint64 // grows when somebody else is found to have moved money
	current func(task string) *meter.Task

	// Memory of one request.
	asked, written []*book
	cells          []state.Write
	expects        []state.Expect
	telling        state.Settlement // of money and nothing else
	view           state.View
	query          state.Query
}

// maxTold bounds the ledgers that one settlement writes.
const maxTold = 64

// newBooks returns those of a session; nil for a store that is over with its process.
func newBooks(session string, store state.Store, writer uint64, fresh bool, current func(string) *meter.Task) *books {
	if e, ok := store.(state.Ephemeral); ok && e.Ephemeral() {
		return nil
	}
	return &books{
		prefix: fmt.Sprintf("%s%d\x00%s\x00", state.HomeCells, len(session), session),
		writer: max(writer, 1), of: map[string]*book{}, epoch: firstEpoch, fresh: fresh, current: current,
	}
}

// book returns the book of a task. Where nobody else has kept money of the session,
// there is none of a new task either. A task that was forgotten, and begins anew,
// has that of the one before; what comes late for that one is of the same book.
func (b *books) book(k *meter.Task) *book {
	x := b.of[k.ID()]
	switch {
	case x == nil:
		x = &book{key: b.prefix + k.ID(), task: k}
		if k.Parent() == nil {
			b.root = x
			if b.fresh {
				x.known = b.epoch
			}
		} else if b.alone() {
			x.known = b.epoch
		}
		b.of[k.ID()] = x
	case x.task != k && b.current(k.ID()) == k:
		x.task, x.over = k, false
		x.count()
	}
	return x
}

// alone reports whether nobody else has ever moved money of the session, by what the
// store has said last: then none is kept of a task that has no book.
func (b *books) alone() bool {
	if b.root == nil || b.root.known != b.epoch || b.dropped && b.root.state.Born != 0 {
		return false
	}
	born := b.root.state.Born
	return born == 0 || born == b.writer && b.epoch == firstEpoch
}

// firstEpoch is that of books until somebody else is found to have moved money.
const firstEpoch = 1

// chain calls f for the book of a task and of those above it.
func (b *books) chain(k *meter.Task, f func(*book)) {
	for ; k != nil; k = k.Parent() {
		f(b.book(k))
	}
}

// passed posts that what is set aside for usage of a task is given back, as some of
// it has been reported: also that of processes which are over. The meters have told
// of what is this process's.
func (b *books) passed(k *meter.Task) {
	if b == nil || b.of[k.ID()] == nil {
		return
	}
	for _, name := range b.book(k).view.Passing(k.ID()) {
		b.chain(k, func(x *book) {
			if _, aside := x.view.Aside(name); aside {
				x.post(posting{kind: settle, name: name})
			}
		})
	}
}

// forget drops the book of a task that is long over, once the store is told all
// of it.
func (b *books) forget(task string) {
	if b == nil {
		return
	}
	if x := b.of[task]; x != nil {
		x.over = true
		b.drop(x)
	}
}

func (b *books) drop(x *book) {
	if x.over && len(x.due) == 0 {
		b.dropped = true
		delete(b.of, x.task.ID())
	}
}

// keys are the cells of the books.
func (b *books) keys() (keys []string) {
	if b == nil {
		return nil
	}
	for _, x := range b.of {
		keys = append(keys, x.key)
	}
	return keys
}

// name names a call for which money is set aside.
func (b *books) name(call state.CallID) (n ledger.Name) {
	if !call.IsZero() {
		copy(n[:], call[:])
		return n
	}
	b.calls++
	binary.LittleEndian.PutUint64(n[:], b.writer)
	binary.LittleEndian.PutUint64(n[8:], b.calls)
	return n
}

// born tells the ledgers of this session from those of another of its id.
func (b *books) born() uint64 {
	switch born := b.root.state.Born; {
	case born != 0:
		return born
	case b.latest == 0:
		return b.writer
	}
	return max(scatter(b.writer, b.latest), 1) // another than it has had
}

// put makes the writes of books, the session's own first, with one change more.
func (b *books) put(list []*book, more posting) []state.Write {
	b.written, b.cells, b.seq = append(b.written[:0], list...), b.cells[:0], b.seq+1
	born := b.born()
	for _, x := range list {
		b.cells = append(b.cells, x.write(more, born, b.writer, b.seq))
	}
	return b.cells
}

// expect appends what books are as they were last seen: a cell that was forgotten
// and written anew may have the version of the one before.
func expect(to []state.Expect, list []*book) []state.Expect {
	for _, x := range list {
		to = append(to, state.Expect{Key: x.key, Cell: x.seen})
	}
	return to
}

// doubtful reports whether nobody knows if one of the books was written.
func doubtful(list []*book) bool {
	return slices.ContainsFunc(list, func(x *book) bool { return x.tried.made() })
}

// outcome is what became of writes.
type outcome int

const (
	unwritten outcome = iota
	written
	perhaps // nobody knows
)

// answered notes what became of the writes that were put.
func (b *books) answered(o outcome) {
	for i, x := range b.written {
		switch o {
		case written:
			w := &b.cells[i]
			x.wrote(state.Cell{Version: w.Version + 1, Value: w.Value})
			x.known = b.epoch
			b.drop(x)
		case unwritten:
			x.unwritten()
		}
	}
	b.written, b.cells = b.written[:0], b.cells[:0]
}

// answer is answered for a settlement that returned an error, or none.
func (b *books) answer(err error) {
	switch {
	case err == nil:
		b.answered(written)
	case state.Refused(err):
		b.answered(unwritten)
	default:
		b.answered(perhaps)
	}
}

// seeAll notes what the cells of books are, the session's own first, and reports
// whether one is another than was known.
func (b *books) seeAll(list []*book, are []state.Cell) (moved bool, err error) {
	for i, x := range list {
		if x.seen.Version == are[i].Version && bytes.Equal(x.seen.Value, are[i].Value) {
			x.unwritten()
			x.known = b.epoch
			continue
		}
		moved = true
		born := b.root.state.Born
		if x == b.root {
			next, err := ledger.Parse(are[i].Value)
			if err != nil {
				return true, fmt.Errorf("the money of the session cannot be read: %w", err)
			}
			if next.Writer != b.writer {
				b.epoch++
			}
			if born = next.Born; born != x.state.Born {
				b.begunAnew(x.state.Born, born)
			}
		}
		if err := x.see(are[i], born); err != nil {
			return true, err
		}
		x.known = b.epoch
		b.drop(x)
	}
	return moved, nil
}

// owing are the books of which the store is not told all, the session's own
// first, up to maxTold; none, if it is.
func (b *books) owing() []*book {
	if b.root == nil {
		return nil
	}
	b.asked = append(b.asked[:0], b.root)
	for _, x := range b.of {
		if len(x.due) > 0 && x != b.root && len(b.asked) < maxTold {
			b.asked = append(b.asked, x)
		}
	}
	if len(b.asked) == 1 && len(b.root.due) == 0 {
		return nil
	}
	return b.asked
}

// load asks the store what the ledgers are, and reports whether one is another
// than was known.
func (b *books) load(ctx context.Context, store state.Store, now int64, list []*book) (moved bool, err error) {
	b.query.Now, b.query.Cells = now, b.query.Cells[:0]
	for _, x := range list {
		b.query.Cells = append(b.query.Cells, x.key)
	}
	if err := store.Load(ctx, b.query, &b.view); err != nil {
		return false, err
	}
	return b.seeAll(list, b.view.Cells)
}
