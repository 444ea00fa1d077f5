package dsl

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

const escapeHint = `the escapes are \" \\ \n \t and \u{hex}, such as \u{200b}`

// unquote reads a quoted string, quotes included, that stands at an offset.
func (s *source) unquote(text string, offset int) (string, *diag.Finding) {
	body := text[1 : len(text)-1]
	if !strings.Contains(body, `\`) {
		return body, nil
	}
	var b strings.Builder
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			b.WriteByte(body[i])
			i++
			continue
		}
		r, size := escape(body[i+1:]) // the lexer lets no string end in a lone backslash
		if size == 0 {
			_, next := utf8.DecodeRuneInString(body[i+1:])
			from := offset + 1 + i
			return "", s.fault(from, from+1+next, "unknown escape "+inQuotes(body[i:i+1+next]), escapeHint)
		}
		b.WriteRune(r)
		i += 1 + size
	}
	return b.String(), nil
}

// escape reads what follows a backslash: the character it stands for and how
// many bytes were read; 0 if it is no escape.
func escape(s string) (r rune, size int) {
	switch s[0] {
	case '"', '\\':
		return rune(s[0]), 1
	case 'n':
		return '\n', 1
	case 't':
		return '\t', 1
	case 'u':
		digits, _, closed := strings.Cut(strings.TrimPrefix(s[1:], "{"), "}")
		n, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || !closed || s[1] != '{' || len(digits) > 6 || !utf8.ValidRune(rune(n)) {
			return 0, 0
		}
		return rune(n), 1 + len("{}") + len(digits)
	}
	return 0, 0
}
