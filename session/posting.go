package session

import (
	"math"
	"slices"

	"github.com/cbpolicy/cbpolicy/state/ledger"
)

// posting is a change of a ledger.
type posting struct {
	kind   postingKind
	name   ledger.Name
	amount int64
}

type postingKind uint8

const (
	spend   postingKind = iota // amount more, or less, is spent
	reserve                    // amount is set aside, or what is already, if that is more
	restore                    // amount is set aside, as it was before, and no more
	settle                     // nothing is set aside any more
)

func (p *posting) on(st ledger.State) ledger.State {
	switch p.kind {
	case reserve:
		if aside, _ := st.Aside(p.name); aside >= p.amount {
			return st
		}
		return st.Reserve(p.name, p.amount)
	case restore:
		return st.Reserve(p.name, p.amount)
	case settle:
		return st.Settle(p.name)
	}
	return st.Spend(p.amount)
}

// compact leaves of postings what there is to do on a state, or on any, where that is
// nil: of every name what its postings come to, if it is not as good as done, and one
// sum.
func compact(due []posting, on *ledger.State) []posting {
	at, sum := map[ledger.Name]int{}, int64(0)
	left := make([]posting, 0, len(due))
	for _, p := range due {
		if p.kind == spend {
			sum = plus(sum, p.amount)
		} else if i, known := at[p.name]; known {
			left[i] = left[i].then(p)
		} else {
			at[p.name], left = len(left), append(left, p)
		}
	}
	left = slices.DeleteFunc(left, func(p posting) bool {
		if on == nil || p.kind != settle {
			return false
		}
		_, aside := on.Aside(p.name)
		return !aside
	})
	if sum != 0 {
		left = append(left, posting{kind: spend, amount: sum})
	}
	return left
}

// then is a posting and a later one of the same name in one.
func (p posting) then(next posting) posting {
	switch {
	case next.kind != reserve:
		return next
	case p.kind == settle:
		next.kind = restore
		return next
	}
	p.amount = max(p.amount, next.amount)
	return p
}

// additions are postings that may have been made already: compacted, and without
// what they take away in all.
func additions(due []posting) []posting {
	return slices.DeleteFunc(compact(due, nil), func(p posting) bool { return p.kind == spend && p.amount < 0 })
}

// plus adds amounts and stops at the greatest and the least.
func plus(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}
