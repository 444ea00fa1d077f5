// Package ledger owns the money of one task as a value: what was spent, and what
// is set aside for each call under way, so that it can outlive the process that
// spends it. It says how the value changes and how it is written down. It keeps
// nothing, judges nothing and knows no store; package session has a store keep
// the value in a cell.
//
// Amounts are nano-dollars. What is set aside by a process that dies stays set
// aside until the same call is asked for again, if it can be: the money may be gone.
package ledger

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"
)

// Keep is how long a ledger is remembered that nothing moves.
const Keep = 30 * 24 * time.Hour

// MaxLive is for how many calls money is set aside by name. Of more, the earliest
// counts as spent, and goes on to when it ends: nobody knows its name any more.
const MaxLive = 4096

// Name names a call for which money is set aside.
type Name [16]byte

// State is a ledger. The zero State has seen no money.
type State struct {
	// Born tells the ledgers of a session from those of an earlier one of the
	// same id that has ended: any number but 0, with which its first money moved;
	// 0: none did.
	Born  uint64
	Spent int64
	// Writer and Seq tell who has written it last, and which of his writes it
	// was: by them he finds out what became of one whose answer was lost.
	Writer, Seq uint64
	earlier     []write // the last ones of the writers before, the latest first
	live        []entry // the earliest first
	// Neither is changed in place: States share them.
}

type entry struct {
	name   Name
	amount int64 // at least 0
}

// Total is what was spent and set aside, at most the greatest amount.
func (s State) Total() int64 {
	sum := s.Spent
	for i := range s.live {
		sum = plus(sum, s.live[i].amount)
	}
	return sum
}

// Aside is what is set aside for a call, and whether something is.
func (s State) Aside(n Name) (amount int64, ok bool) {
	if i := s.find(n); i >= 0 {
		return s.live[i].amount, true
	}
	return 0, false
}

// Reserve sets an amount aside for a call, in the place of what was set aside for it.
func (s State) Reserve(n Name, amount int64) State {
	s = s.drop(n)
	if len(s.live) == MaxLive {
		s.Spent = plus(s.Spent, s.live[0].amount)
		s.live = s.live[1:]
	}
	s.live = append(slices.Clip(s.live), entry{n, max(amount, 0)})
	return s
}

// Settle ends what is set aside for a call, if something is.
func (s State) Settle(n Name) State { return s.drop(n) }

// Spend counts an amount as spent; below 0, as no longer spent.
func (s State) Spend(amount int64) State {
	switch {
	case amount >= 0:
		s.Spent = plus(s.Spent, amount)
	case s.Spent < math.MaxInt64: // what is in a sum at the greatest amount is not known
		s.Spent = max(s.Spent+amount, 0)
	}
	return s
}

func (s State) find(n Name) int {
	return slices.IndexFunc(s.live, func(e entry) bool { return e.name == n })
}

func (s State) drop(n Name) State {
	if i := s.find(n); i >= 0 {
		s.live = slices.Concat(s.live[:i], s.live[i+1:])
	}
	return s
}

// plus adds amounts that are not below 0 and stops at the greatest.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// version is the form in which a State is written: the version, Born, Spent,
// Writer, Seq, how many writers were before, each with the number of his write, and
// a name and an amount for each call. The form before had no earlier writers.
const version, versionBefore = 2, 1

const (
	headSize       = headSizeBefore + 1
	headSizeBefore = 1 + 4*8
	writeSize      = 2 * 8
	entrySize      = len(Name{}) + 8
)

// Append writes the ledger to b.
func (s State) Append(b []byte) []byte {
	b = slices.Grow(b, headSize+len(s.earlier)*writeSize+len(s.live)*entrySize)
	b = append(b, version)
	b = binary.LittleEndian.AppendUint64(b, s.Born)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Spent))
	b = binary.LittleEndian.AppendUint64(b, s.Writer)
	b = binary.LittleEndian.AppendUint64(b, s.Seq)
	b = append(b, byte(len(s.earlier)))
	for i := range s.earlier {
		b = binary.LittleEndian.AppendUint64(b, s.earlier[i].writer)
		b = binary.LittleEndian.AppendUint64(b, s.earlier[i].seq)
	}
	for i := range s.live {
		b = append(b, s.live[i].name[:]...)
		b = binary.LittleEndian.AppendUint64(b, uint64(s.live[i].amount))
	}
	return b
}

// Errors of what is no ledger.
var (
	errVersion = errors.New("ledger: it was written by another version of this program")
	errLength  = errors.New("ledger: it is damaged: its length is wrong")
	errAmount  = errors.New("ledger: it is damaged: an amount is below 0, or a call is there twice")
	errWriter  = errors.New("ledger: it is damaged: a writer is there twice, or there are too many")
)

// Parse reads what Append has written, of this form or the one before; nothing is
// the zero State.
func Parse(b []byte) (State, error) {
	if len(b) == 0 {
		return State{}, nil
	}
	head, writers := headSize, 0
	switch {
	case b[0] == versionBefore:
		head = headSizeBefore
	case b[0] != version:
		return State{}, errVersion
	case len(b) >= headSize:
		writers = int(b[headSizeBefore])
	}
	calls := head + writers*writeSize
	n := (len(b) - calls) / entrySize
	if len(b) < calls || len(b) != calls+n*entrySize || n > MaxLive {
		return State{}, errLength
	}
	number := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	s := State{Born: number(1), Spent: int64(number(9)), Writer: number(17), Seq: number(25)}
	if s.Spent < 0 {
		return State{}, errAmount
	}
	for at := head; at < calls; at += writeSize {
		w := write{number(at), number(at + 8)}
		if _, twice := s.last(w.writer); twice || writers >= MaxWriters {
			return State{}, errWriter
		}
		s.earlier = append(s.earlier, w)
	}
	for at := calls; at < len(b); at += entrySize {
		e := entry{Name(b[at : at+len(Name{})]), int64(number(at + len(Name{})))}
		if e.amount < 0 || s.find(e.name) >= 0 {
			return State{}, errAmount
		}
		s.live = append(s.live, e)
	}
	return s, nil
}
