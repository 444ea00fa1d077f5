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
	reserve                    // amount is set aside
	settle                     // nothing is set aside any more
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

// compact leaves of postings what there is to do on a state, or on any, where that is
// nil: of every name that which was posted last, if it is not as good as done, and
// one sum.
func compact(due []posting, on *ledger.State) []posting {
	last, sum := map[ledger.Name]int{}, int64(0)
	for i := range due {
		if p := &due[i]; p.kind == spend {
			sum = plus(sum, p.amount)
		} else {
			last[p.name] = i
		}
	}
	left := make([]posting, 0, len(last)+1)
	for i := range due {
		p := &due[i]
		if p.kind == spend || last[p.name] != i {
			continue
		}
		if on != nil && p.kind == settle {
			if _, aside := on.Aside(p.name); !aside {
				continue
			}
		}
		left = append(left, *p)
	}
	if sum != 0 {
		left = append(left, posting{kind: spend, amount: sum})
	}
	return left
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
