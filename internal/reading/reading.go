// Package reading makes of a text what a reader sees in it: escapes and
// entities undone, and characters that only look different in the form they
// are commonly written in. It does not judge what the text says.
package reading

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Of returns the text as a reader sees it, and whether that differs from the
// text itself. It does not for one that is Plain.
//
//   - The escapes of JSON, YAML and program text are undone, however often
//     they were escaped: \n, \", \u0020, and a backslash at the end of a line,
//     which folds it. A backslash before any other letter stays.
//   - The entities of HTML are undone: &nbsp;, &lt;, &#65;.
//   - Compatible characters become the common ones (full-width letters, odd
//     blanks; Unicode NFKC), the letters that Unicode has for tags become
//     visible, and characters without a shape of their own are left out.
func Of(text string) (read string, differs bool) {
	read = text
	if strings.IndexByte(read, '\\') >= 0 {
		read = unescape(read)
	}
	if strings.IndexByte(read, '&') >= 0 {
		read = html.UnescapeString(read)
	}
	if !isASCII(read) {
		read = norm.NFKC.String(strings.Map(shown, read))
	}
	return read, read != text
}

// Plain reports whether the text is in ASCII, without a backslash or an
// ampersand, so that it reads as it is written.
func Plain(text string) bool {
	return strings.IndexByte(text, '\\') < 0 && strings.IndexByte(text, '&') < 0 && isASCII(text)
}

// isASCII looks at eight bytes at a time: it is asked of every output.
func isASCII(s string) bool {
	const high = 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		eight := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		if eight&high != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// shown maps a character to the one that stands for it, or to -1 if it has no
// shape of its own.
func shown(r rune) rune {
	const tags = 0xE0000 // and behind it ASCII once more
	switch {
	case r < utf8.RuneSelf:
		return r
	case tags+' ' <= r && r <= tags+'~':
		return r - tags
	case r == '\u0085', r == '\u2028', r == '\u2029':
		return '\n'
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
		return -1
	}
	return r
}
