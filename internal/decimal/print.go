package decimal

import (
	"slices"
	"strconv"
	"strings"
)

// plainZeros is how many zeros String writes out before it turns to an exponent.
const plainZeros = 20

// String prints the shortest plain form, or digits and an exponent where
// that would need more than twenty zeros. Parse reads it back to an equal value.
func (d Decimal) String() string {
	var room [2 * plainZeros]byte
	return string(d.Append(room[:0]))
}

// Append appends what String prints.
func (d Decimal) Append(b []byte) []byte {
	if d.isZero() {
		return append(b, '0')
	}
	if d.neg {
		b = append(b, '-')
	}
	start, exp := len(b), int(d.exp)
	b = d.appendDigits(b)
	switch n := len(b) - start; {
	case exp > plainZeros || exp > 0 && n+exp > MaxDigits:
	case exp >= 0:
		return append(b, zeros[:exp]...)
	case -exp < n:
		return slices.Insert(b, len(b)+exp, '.')
	case -exp-n <= plainZeros && 1-exp <= MaxDigits:
		lead := "0." + zeros
		lead = lead[:len("0.")-exp-n]
		b = append(b, lead...)
		copy(b[start+len(lead):], b[start:])
		copy(b[start:], lead)
		return b
	}
	return append(b[:start], scientific(string(b[start:]), exp)...)
}

// zeros are as many as are ever written out, plainZeros.
const zeros = "00000000000000000000"

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
