package eval_test

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	// The escapes of the generator's alphabet: those of JSON and a folded line.
	escapes = regexp.MustCompile(`(?s)\\+(u[0-9a-fA-F]{4}|\n[ \t]*|[^\\])`)
	letters = map[string]string{"n": "\n", "r": "\r", "t": "\t", "f": " "}
)

// asRead is a text as a reader of it sees it: escapes and entities undone,
// characters that look different in their common form, those without a shape
// left out.
func asRead(text string) string {
	text = escapes.ReplaceAllStringFunc(text, func(escape string) string {
		code := strings.TrimLeft(escape, `\`)
		switch plain, known := letters[code]; {
		case known:
			return plain
		case code[0] == '\n':
			return ""
		case code[0] == 'u' && len(code) == 5:
			n, _ := strconv.ParseInt(code[1:], 16, 32)
			return string(rune(n))
		case len(code) == 1 && (unicode.IsLetter(rune(code[0])) || unicode.IsDigit(rune(code[0]))):
			return `\` + code
		}
		return code
	})
	text = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, html.UnescapeString(text))
	return norm.NFKC.String(text)
}
