package diag

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Invisible reports whether a character changes how text reads without
// showing itself: controls, zero-width and bidirectional characters, line
// separators and other default-ignorable ones.
func Invisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Escape makes text safe to show on a terminal: every invisible character is
// written as \n, \t or \u{hex}, and a byte that is not UTF-8 as \x and two
// digits. All else, backslashes included, stays as it is.
func Escape(s string) string {
	if !needsEscape(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		appendEscaped(&b, r, s[i:i+size])
		i += size
	}
	return b.String()
}

func needsEscape(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || Invisible(r) {
			return true
		}
	}
	return false
}

// appendEscaped writes one character; raw are the bytes it was decoded from.
func appendEscaped(b *strings.Builder, r rune, raw string) {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		const hex = "0123456789abcdef"
		b.WriteString(`\x`)
		b.WriteByte(hex[raw[0]>>4])
		b.WriteByte(hex[raw[0]&15])
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case Invisible(r):
		b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
	default:
		b.WriteString(raw)
	}
}
