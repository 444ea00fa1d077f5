package reading

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape undoes escapes. A run of backslashes counts as one: the text may
// have been escaped more than once.
func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		plain, rest, found := strings.Cut(s, `\`)
		b.WriteString(plain)
		if !found {
			return b.String()
		}
		s = escape(&b, strings.TrimLeft(rest, `\`))
	}
}

// escape writes what a backslash and the beginning of the text behind it stand
// for, and returns the rest.
func escape(b *strings.Builder, s string) (rest string) {
	if s == "" {
		b.WriteByte('\\')
		return ""
	}
	switch c := s[0]; c {
	case 'n', 'N', 'L', 'P': // the capitals are YAML's further ends of a line
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'f', 'v':
		b.WriteByte(' ')
	case '\n':
		return strings.TrimLeft(s[1:], " \t")
	case 'x', 'u', 'U':
		r, length := codePoint(s)
		if length == 0 {
			b.WriteByte('\\')
			return s
		}
		b.WriteRune(r)
		return s[length:]
	default:
		if isLetterOrDigit(c) {
			b.WriteByte('\\')
		}
		return s // the character itself: it may be one of many bytes
	}
	return s[1:]
}

// codePoint reads x41, u0041, u{41} or U00000041, and how long it is; 0 if it
// is none of them.
func codePoint(s string) (r rune, length int) {
	if strings.HasPrefix(s, "u{") {
		end := strings.IndexByte(s[:min(len(s), 10)], '}')
		if end < 0 {
			return 0, 0
		}
		r, ok := hex(s[2:end])
		if !ok {
			return 0, 0
		}
		return r, end + 1
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]
	if len(s) <= digits {
		return 0, 0
	}
	r, ok := hex(s[1 : 1+digits])
	if !ok {
		return 0, 0
	}
	length = 1 + digits
	if low := strings.TrimLeft(s[length:], `\`); utf16.IsSurrogate(r) && len(low) > 4 && low[0] == 'u' {
		second, _ := hex(low[1:5])
		if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
			return pair, len(s) - len(low) + 5
		}
	}
	return r, length
}

// hex reads hexadecimal digits, and nothing else.
func hex(s string) (r rune, ok bool) {
	n, err := strconv.ParseUint(s, 16, 31)
	return rune(n), err == nil
}

func isLetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
