package document

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

// blockScalar is the end of a line whose value is the lines below it.
var blockScalar = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[:\-] +)[|>][+-]?[0-9]?[+-]?\s*(#.*)?$`) })

// openQuote looks, in a text that is no YAML, for a quoted value that does not
// end in its line and ends, if anywhere, where no value can: at the quote that
// another value begins with. The reader of YAML notices that at some later
// line only, which is the last one looked at.
func (d *Document) openQuote(last int) (diag.Position, bool) {
	var quote byte // of the value that we are in; 0: none
	var began diag.Position
	block := -1 // the indent of the line with a block scalar; -1: we are in none
	for number := 1; number <= len(d.lines) && (number <= last || quote != 0); number++ {
		line := d.line(number)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if quote == 0 {
			if block >= 0 && (indent > block || strings.TrimSpace(line) == "") {
				continue
			}
			block = -1
		}
		for i := 0; i < len(line); i++ {
			switch c := line[i]; {
			case quote == 0 && c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
				i = len(line)
			case quote == 0 && (c == '"' || c == '\'') && beginsValue(line[:i]):
				quote, began = c, diag.Position{Line: number, Column: 1 + utf8.RuneCountInString(line[:i])}
			case quote == '"' && c == '\\', quote == '\'' && c == '\'' && strings.HasPrefix(line[i+1:], "'"):
				i++
			case quote != 0 && c == quote:
				if began.Line < number && began.Line <= last && !endsValue(line[i+1:]) {
					return began, true
				}
				quote = 0
			}
		}
		if quote == 0 && blockScalar().MatchString(line) {
			block = indent
		}
	}
	return began, quote != 0 && began.Line <= last
}

// beginsValue reports whether a quote behind a text begins a quoted value.
func beginsValue(before string) bool {
	trimmed := strings.TrimRight(before, " \t")
	return trimmed == "" || strings.ContainsRune("[{,", rune(trimmed[len(trimmed)-1])) ||
		len(trimmed) < len(before) && strings.ContainsRune(":-?", rune(trimmed[len(trimmed)-1]))
}

// endsValue reports whether a value may end before a text.
func endsValue(after string) bool {
	trimmed := strings.TrimLeft(after, " \t")
	return trimmed == "" || strings.ContainsRune(",]}:", rune(trimmed[0])) || trimmed[0] == '#' && len(trimmed) < len(after)
}
