// Package decimal owns exact decimal numbers: parsing the number grammar of
// the rule language and comparing without rounding. It does no arithmetic.
package decimal

import (
	"cmp"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unique"
)

// Limits of the number grammar.
const (
	MaxExponent = 400  // greatest absolute value of a written exponent
	MaxDigits   = 1000 // most digits before and after the point together
)

// maxSmall is the most significant digits that always fit a uint64.
const maxSmall = 19

// Decimal is an exact decimal number, normalised so that equal numbers are
// equal values (==). The zero value is 0.
type Decimal struct {
	coef uint64 // the digits, if there are at most 19 significant ones
	// long holds the digits otherwise, without leading or trailing zeros. It
	// is unique so that a Decimal stays small and comparable.
	long unique.Handle[string]
	exp  int32 // the number is digits × 10^exp
	// size is how far the first digit stands before the point, which is
	// enough to tell most numbers apart; 0 for zero, where it says nothing.
	size int16
	neg  bool
}

// short is the long of a number that has none.
var short unique.Handle[string]

// FromInt returns n as a decimal.
func FromInt(n int64) Decimal {
	if n < 0 {
		return small(true, -uint64(n), 0)
	}
	return small(false, uint64(n), 0)
}

// small normalises a number whose coefficient fits a uint64.
func small(neg bool, coef uint64, exp int) Decimal {
	if coef == 0 {
		return Decimal{}
	}
	size := exp + digits(coef)
	for coef%10 == 0 {
		coef /= 10
		exp++
	}
	return Decimal{coef: coef, exp: int32(exp), size: int16(size), neg: neg}
}

// digits returns how many decimal digits a number above 0 has.
func digits(n uint64) int {
	d := bits.Len64(n) * 1233 >> 12 // log10(2) ≈ 1233/4096: d or d+1
	if n >= pow10[d] {
		d++
	}
	return d
}

// large normalises a number with more than 19 digits, which may still turn
// out small once the zeros around it are gone.
func large(neg bool, mantissa string, exp int) Decimal {
	digits := strings.TrimLeft(strings.Replace(mantissa, ".", "", 1), "0")
	trimmed := strings.TrimRight(digits, "0")
	exp += len(digits) - len(trimmed)
	if len(trimmed) <= maxSmall {
		coef, _ := strconv.ParseUint(trimmed, 10, 64) // at most 19 digits always fit
		return small(neg, coef, exp)
	}
	return Decimal{long: unique.Make(trimmed), exp: int32(exp), size: int16(exp + len(trimmed)), neg: neg}
}

// Cmp compares exactly: -1 if d < e, 0 if they are equal, +1 if d > e.
func (d Decimal) Cmp(e Decimal) int {
	if !d.neg && !e.neg && d.size != e.size && d.coef != 0 && e.coef != 0 {
		if d.size < e.size {
			return -1
		}
		return 1
	}
	if d.neg != e.neg {
		if d.neg {
			return -1
		}
		return 1
	}
	c := cmpAbs(d, e)
	if d.neg {
		return -c
	}
	return c
}

// pow10 holds the powers of ten that fit a uint64.
var pow10 = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
	1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// Below reports *d < *e. It is Cmp for where most numbers are told apart by
// their size, which costs no call.
func (d *Decimal) Below(e *Decimal) bool {
	return d.size < e.size && d.coef != 0 && e.coef != 0 && !d.neg && !e.neg || d.Cmp(*e) < 0
}

// NoSize is the size of a number that is not above zero.
const NoSize = math.MinInt

// Size returns how far the first digit of a number above zero stands before
// the point; NoSize for any other. Of two numbers that have a size, the one of
// greater size is greater.
func (d *Decimal) Size() int {
	if d.neg || d.isZero() {
		return NoSize
	}
	return int(d.size)
}

// PlainSize returns the size of the number that a text of digits, with or
// without a point among them, stands for, without reading it. It reports
// false for any other form and for a number below 1.
func PlainSize(s string) (size int, ok bool) {
	if s == "" || s[0]-'1' > 8 || len(s) > MaxDigits {
		return 0, false
	}
	for size = 1; size < len(s) && s[size]-'0' <= 9; size++ {
	}
	if size == len(s) {
		return size, true
	}
	if s[size] != '.' || size+1 == len(s) {
		return 0, false
	}
	for i := size + 1; i < len(s); i++ {
		if s[i]-'0' > 9 {
			return 0, false
		}
	}
	return size, true
}

// cmpAbs compares the absolute values.
func cmpAbs(d, e Decimal) int {
	if d.isZero() || e.isZero() {
		return cmp.Compare(sign(d), sign(e))
	}
	if d.long == short && e.long == short {
		switch diff := d.exp - e.exp; {
		case diff == 0:
			return cmp.Compare(d.coef, e.coef)
		case diff > 0 && int(diff) < len(pow10):
			if hi, lo := bits.Mul64(d.coef, pow10[diff]); hi == 0 {
				return cmp.Compare(lo, e.coef)
			}
			return 1
		case diff < 0 && int(-diff) < len(pow10):
			if hi, lo := bits.Mul64(e.coef, pow10[-diff]); hi == 0 {
				return cmp.Compare(d.coef, lo)
			}
			return -1
		}
	}
	x, y := d.text(), e.text()
	if c := cmp.Compare(len(x)+int(d.exp), len(y)+int(e.exp)); c != 0 {
		return c
	}
	// Equal magnitude and no leading zeros: the digits compare as text, and
	// as neither has trailing zeros the longer of two with a common start is greater.
	return strings.Compare(x, y)
}

func (d Decimal) isZero() bool { return d.coef == 0 && d.long == short }

func sign(d Decimal) int {
	if d.isZero() {
		return 0
	}
	return 1
}

func (d Decimal) text() string {
	if d.long != short {
		return d.long.Value()
	}
	return strconv.FormatUint(d.coef, 10)
}

func (d Decimal) appendDigits(b []byte) []byte {
	if d.long != short {
		return append(b, d.long.Value()...)
	}
	return strconv.AppendUint(b, d.coef, 10)
}

// Int returns d as an int64 if it is a whole number that fits.
func (d Decimal) Int() (int64, bool) {
	if d.long != short || d.exp < 0 || int(d.exp) >= len(pow10) {
		return 0, d.isZero()
	}
	hi, lo := bits.Mul64(d.coef, pow10[d.exp])
	if hi != 0 || lo > 1<<63-1 {
		return 0, false
	}
	if d.neg {
		return -int64(lo), true
	}
	return int64(lo), true
}

// TimesInt returns d × n, for turning a number with a unit into seconds. It
// reports false if the exact product needs more than 19 significant digits.
func (d Decimal) TimesInt(n int64) (Decimal, bool) {
	if n == 1 {
		return d, true
	}
	if n < 0 || d.long != short {
		return Decimal{}, false
	}
	hi, lo := bits.Mul64(d.coef, uint64(n))
	if hi != 0 {
		return Decimal{}, false
	}
	return small(d.neg, lo, int(d.exp)), true
}

// Scaled returns n × 10^exp, with exp from −18 to 18.
func Scaled(n int64, exp int) Decimal {
	if n < 0 {
		return small(true, -uint64(n), exp)
	}
	return small(false, uint64(n), exp)
}

// Quotient returns a number that compares with every decimal of at most 18
// digits behind the point as num/den does, 0 ≤ num ≤ den < 10^9: the quotient
// itself if it is such a decimal, else one between its two neighbours.
func Quotient(num, den int64) Decimal {
	const grid = 1_000_000_000
	high := num * grid / den
	rest := num * grid % den
	low, rest := rest*grid/den, rest*grid%den
	n := uint64(high)*grid + uint64(low) // at most 10^18
	if rest == 0 {
		return small(false, n, -18)
	}
	return small(false, n*10+5, -19)
}

// CeilScaled returns the least whole number that is not below d × 10^exp, with
// exp from 0 to 18; false if it does not fit an int64.
func (d Decimal) CeilScaled(exp int) (int64, bool) {
	if d.long != short {
		return 0, false
	}
	shift := int(d.exp) + exp
	n := d.coef
	switch {
	case shift > 18 || shift < -19:
		if n == 0 {
			return 0, true
		}
		if shift > 18 {
			return 0, false
		}
		n, shift = 1, 0 // less than one
		if d.neg {
			n = 0
		}
	case shift >= 0:
		hi, lo := bits.Mul64(n, pow10[shift])
		if hi != 0 {
			return 0, false
		}
		n = lo
	default:
		div := pow10[-shift]
		q, rest := n/div, n%div
		if n = q; rest > 0 && !d.neg {
			n++
		}
	}
	if n > math.MaxInt64 {
		return 0, false
	}
	if d.neg {
		return -int64(n), true
	}
	return int64(n), true
}
