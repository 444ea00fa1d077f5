package decimal

import (
	"strconv"
	"strings"
)

// plainZeros is how many zeros String writes out before it turns to an exponent.
const plainZeros = 20

// String prints the shortest plain form, or digits and an exponent where
// that would need more than twenty zeros. Parse reads it back to an equal value.
func (d Decimal) String() string {
	if d.isZero() {
		return "0"
	}
	s, exp := d.text(), int(d.exp)
	switch {
	case exp > plainZeros || exp > 0 && len(s)+exp > MaxDigits:
		s = scientific(s, exp)
	case exp >= 0:
		s += strings.Repeat("0", exp)
	case -exp < len(s):
		s = s[:len(s)+exp] + "." + s[len(s)+exp:]
	case -exp-len(s) <= plainZeros && 1-exp <= MaxDigits:
		s = "0." + strings.Repeat("0", -exp-len(s)) + s
	default:
		s = scientific(s, exp)
	}
	if d.neg {
		return "-" + s
	}
	return s
}

// scientific keeps the written exponent within MaxExponent by moving the
// point: a number that was read can always be written so.
func scientific(s string, exp int) string {
	switch {
	case exp > MaxExponent: // 5 followed by zeros, as in 500e399
		s += strings.Repeat("0", exp-MaxExponent)
		exp = MaxExponent
	case exp < -MaxExponent: // 0.005e-399, or many digits behind the point
		cut := -MaxExponent - exp
		if cut < len(s) {
			s = s[:len(s)-cut] + "." + s[len(s)-cut:]
		} else {
			s = "0." + strings.Repeat("0", cut-len(s)) + s
		}
		exp = -MaxExponent
	}
	return s + "e" + strconv.Itoa(exp)
}
