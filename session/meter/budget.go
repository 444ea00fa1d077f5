package meter

// budget is money in nano-dollars: what was spent, and what is reserved for
// calls that are under way.
type budget struct{ spent, reserved int64 }

// addTo adds an amount that is not below 0, and stops at the greatest number.
func addTo(sum, n int64) int64 {
	if sum += n; sum < 0 {
		return 1<<63 - 1
	}
	return sum
}

func (b *budget) spend(nano int64) { b.spent = addTo(b.spent, nano) }

// with is what it comes to with a call that is about to be made; nil: none is.
// A call that would be let through has its estimate in it, so that calls side
// by side cannot spend the same money.
func (b *budget) with(next *Call) int64 {
	sum := addTo(b.spent, b.reserved)
	if next != nil {
		sum = addTo(sum, max(next.Estimate, 0))
	}
	return sum
}

// reserve sets an amount aside in the task and in those above it.
func (k *Task) reserve(nano int64) {
	if nano == 0 {
		return
	}
	for t := k; t != nil; t = t.parent {
		t.budget.reserved = addTo(t.budget.reserved, nano)
	}
	k.tree.total.budget.reserved = addTo(k.tree.total.budget.reserved, nano)
}

// settle gives back what was reserved for a call, and counts what it came to.
// Where that is not told, the reservation counts, as the money may be gone,
// unless it is reported apart from the call.
func (k *Task) settle(f *flight, r Result) {
	cost := f.reserved
	switch {
	case r.Settled:
		cost = max(r.Cost, 0)
	case f.passing:
		cost = 0
	}
	for t := k; t != nil; t = t.parent {
		t.budget.reserved = max(t.budget.reserved-f.reserved, 0)
		t.budget.spend(cost)
	}
	total := &k.tree.total.budget
	total.reserved = max(total.reserved-f.reserved, 0)
	total.spend(cost)
	f.reserved = 0
}
