package suggest

import (
	"math/big"
	"slices"
)

// values are what a meter, or the calls of an ability, came to: one a run.
type values []*big.Rat

// quantile returns the value of the nearest rank: the least one that so many
// percent of the values do not exceed. There must be one.
func (v values) quantile(percent int) *big.Rat {
	rank := (len(v)*percent + 99) / 100
	return v[max(rank, 1)-1]
}

func (v values) sort() { slices.SortFunc(v, (*big.Rat).Cmp) }

// rounding is how a limit is rounded up.
type rounding int

const (
	toOne     rounding = iota // to a whole number, and to one more than the percentile at least
	toWhole                   // to two digits, and to a whole number
	toTwoDigs                 // to two digits
)

// above returns a limit so many percent above a value.
func above(v *big.Rat, percent int, r rounding) *big.Rat {
	limit := new(big.Rat).Mul(v, big.NewRat(int64(100+percent), 100))
	if r == toOne {
		limit = ceil(limit)
		if least := new(big.Rat).Add(v, big.NewRat(1, 1)); limit.Cmp(least) < 0 {
			return ceil(least)
		}
		return limit
	}
	return twoDigits(limit, r == toWhole)
}

// ceil rounds up to a whole number.
func ceil(r *big.Rat) *big.Rat {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return new(big.Rat).SetInt(q)
}

// twoDigits rounds a number above 0 up so that it has two digits that count.
func twoDigits(r *big.Rat, whole bool) *big.Rat {
	ten, hundred := big.NewRat(10, 1), big.NewRat(100, 1)
	unit, rest := big.NewRat(1, 1), new(big.Rat).Set(r)
	for rest.Cmp(hundred) >= 0 {
		rest.Quo(rest, ten)
		unit.Mul(unit, ten)
	}
	for !whole && rest.Sign() > 0 && rest.Cmp(ten) < 0 {
		rest.Mul(rest, ten)
		unit.Quo(unit, ten)
	}
	return unit.Mul(unit, ceil(rest))
}

// text prints a number that ends, exactly.
func text(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, exact := r.FloatPrec()
	if !exact {
		digits = 3 // a similarity, which no limit is learned for, is the only ratio
	}
	return r.FloatString(digits)
}
