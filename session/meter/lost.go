package meter

import "slices"

// lost is a call whose result came, if it came, after its task was closed or
// begun anew.
type lost struct {
	number   Flight
	id       string // "": it has none
	counted  Counted
	attached Attachment
}

// Counted is what was counted for a call whose result had not come.
type Counted struct {
	nano    int64
	account uint64
}

// maxSpare is how large a list of calls is that is kept for the next task.
const maxSpare = 16

// lose ends the calls that are under way, of which nobody may tell any more.
func (k *Task) lose() {
	for i := range k.flights {
		k.miss(&k.flights[i])
	}
	if n := cap(k.flights); n > 0 && n <= maxSpare {
		clear(k.flights)
		k.tree.spare = k.flights[:0]
	}
	k.flights = nil
	k.spans++
}

// miss takes a call for lost.
func (k *Task) miss(f *flight) {
	if len(k.lost) == MaxFlights {
		forgotten := k.lost[0].attached
		k.lost = slices.Delete(k.lost, 0, 1)
		if forgotten != nil {
			forgotten.Dropped()
		}
	}
	k.lost = append(k.lost, lost{f.number, f.id, Counted{k.settle(f, &Result{}), f.account}, f.attached})
}

// Late tells of a result that comes after its task was closed or begun anew,
// or when its call was long taken for lost: what was counted for the call
// already. It does so once; false: nothing is known of such a
// call, or it was told of before.
func (k *Task) Late(f Flight) (counted Counted, ok bool) {
	i := slices.IndexFunc(k.lost, func(l lost) bool { return l.number == f })
	if i < 0 {
		return Counted{}, false
	}
	counted = k.lost[i].counted
	k.lost = slices.Delete(k.lost, i, i+1)
	return counted, true
}

// Recount puts what a call came to, in nano-dollars, in the place of what was counted for it.
func (k *Task) Recount(counted Counted, nano, at int64) {
	k.touchUsage(at)
	for t := k; t != nil; t = t.parent {
		t.budget.recount(counted.nano, nano)
	}
	k.moved(Move{Spent: nano - counted.nano, Account: counted.account})
}

// Span counts how often the task was closed or begun anew: a call that was
// under way before is none of those that are made since.
func (k *Task) Span() int { return k.spans }
