package meter

import "math/bits"

// budget is money in nano-dollars: what was spent, and what is reserved for
// calls that are under way.
type budget struct {
	spent    int64
	reserved sum
	// kept is what there is in all by an account that others may have as well:
	// another process that has the session, or one that had it before.
	kept int64
	// taken is what of that was reserved for the very call that is about to be
	// made: only what the call may cost beyond it is new.
	taken int64
}

// Move is a change of what a task, and those above it, have spent and reserved.
type Move struct {
	// Call names the reservation that has ended, as Call.Money did; the zero
	// CallMoney: it concerns none.
	Call     CallMoney
	Reserved int64 // nano-dollars that were set aside for it
	Spent    int64 // nano-dollars that count as spent from now on; below 0: that no longer do
	// Account is what Options.Account said when the call began, or the money was
	// spent apart from calls.
	Account uint64
}

// CallMoney names the money that is set aside for a call, beyond its process.
type CallMoney [16]byte

// SetKept says what was spent and is reserved in the task and in those below it,
// in nano-dollars, by whomever. What the task itself has counted is the least.
func (k *Task) SetKept(nano int64) { k.budget.kept = nano }

// SetTaken says what others have reserved for the very call that is about to be
// made, in nano-dollars: of its own estimate only the rest is new. 0: nothing.
func (k *Task) SetTaken(nano int64) { k.budget.taken = nano }

// moved tells of a change of money.
func (k *Task) moved(m Move) {
	if k.tree.moved != nil && (m.Spent != 0 || m.Reserved != 0) {
		k.tree.moved(k, m)
	}
}

// sum adds up amounts that are taken away again: it may be greater than any
// amount, so that what was added last is not lost.
type sum struct{ high, low uint64 }

func (s *sum) add(n int64) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, uint64(n), 0)
	s.high += carry
}

func (s *sum) sub(n int64) {
	var borrow uint64
	s.low, borrow = bits.Sub64(s.low, uint64(n), 0)
	s.high -= borrow
}

// amount is the sum as an amount, the greatest where it is above.
func (s *sum) amount() int64 {
	if s.high > 0 || s.low > greatest {
		return greatest
	}
	return int64(s.low)
}

const greatest = 1<<63 - 1

// addTo adds an amount that is not below 0, and stops at the greatest number.
func addTo(sum, n int64) int64 {
	if sum += n; sum < 0 {
		return greatest
	}
	return sum
}

func (b *budget) spend(nano int64) { b.spent = addTo(b.spent, nano) }

// recount takes back what was counted, and counts what it came to. A sum that
// stands at the greatest amount stays there: what is in it is not known.
func (b *budget) recount(counted, nano int64) {
	if b.spent < greatest {
		b.spent = max(b.spent-counted, 0)
	}
	b.spend(nano)
}

// with is what it comes to with a call that is about to be made; nil: none is.
// A call that would be let through has its estimate in it, so that calls side
// by side cannot spend the same money; of one that is under way, what that is
// beyond what is reserved for it.
func (b *budget) with(next *Call) int64 {
	own, kept := addTo(b.spent, b.reserved.amount()), b.kept
	if next != nil {
		own = addTo(own, max(next.Estimate-next.Reserved, 0))
		kept = addTo(kept, max(next.Estimate-b.taken, 0))
	}
	return max(own, kept)
}

// reserve sets an amount aside in the task and in those above it.
func (k *Task) reserve(nano int64) {
	if nano == 0 {
		return
	}
	for t := k; t != nil; t = t.parent {
		t.budget.reserved.add(nano)
	}
}

// settle gives back what was reserved for a call, and counts what it came to,
// which it returns. Where that is not told, the reservation counts, as the money
// may be gone, unless it is reported apart from the call.
func (k *Task) settle(f *flight, r *Result) (cost int64) {
	switch {
	case r.Settled:
		cost = max(r.Cost, 0)
	case !f.passing:
		cost = f.reserved
	}
	for t := k; t != nil; t = t.parent {
		t.budget.reserved.sub(f.reserved)
		t.budget.spend(cost)
	}
	if k.tree.moved != nil {
		k.moved(Move{Call: f.money, Reserved: f.reserved, Spent: cost, Account: f.account})
	}
	f.reserved = 0
	return cost
}
