package decimal

// Parse reads [+-]?digits[.digits][e[+-]digits] after dropping surrounding
// blank, tab, CR and LF. It reports false for anything else, for an exponent
// beyond MaxExponent and for more than MaxDigits digits.
func Parse(s string) (Decimal, bool) {
	s = trim(s)
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	var coef uint64
	i, point, n := 0, -1, 0 // n counts significant digits in coef
	for ; i < len(s); i++ {
		c := s[i]
		if c-'0' <= 9 {
			if n < maxSmall {
				coef = coef*10 + uint64(c-'0')
			}
			if coef != 0 {
				n++
			}
			continue
		}
		if c != '.' || point >= 0 || i == 0 {
			break
		}
		point = i
	}
	mantissa := s[:i]
	if len(mantissa) == 0 || point == len(mantissa)-1 {
		return Decimal{}, false
	}
	exp, ok := exponent(s[i:])
	if !ok {
		return Decimal{}, false
	}
	count := len(mantissa)
	if point >= 0 {
		count--
		exp -= len(mantissa) - 1 - point
	}
	if count > MaxDigits {
		return Decimal{}, false
	}
	if n <= maxSmall {
		return small(neg, coef, exp), true
	}
	return large(neg, mantissa, exp), true
}

// exponent reads "" or e[+-]digits.
func exponent(s string) (int, bool) {
	if s == "" {
		return 0, true
	}
	if s[0] != 'e' || len(s) < 2 {
		return 0, false
	}
	s = s[1:]
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		s = s[1:]
	}
	if s == "" {
		return 0, false
	}
	e := 0
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return 0, false
		}
		if e = e*10 + int(s[i]-'0'); e > MaxExponent {
			return 0, false
		}
	}
	if neg {
		e = -e
	}
	return e, true
}

func trim(s string) string {
	for s != "" && blank(s[0]) {
		s = s[1:]
	}
	for s != "" && blank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
