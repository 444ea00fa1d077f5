package dsl

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

// checkText refuses what no line may hold: more than MaxLine bytes, bytes
// that are not UTF-8, and control characters other than tab. It runs before
// the lexer, whose time grows faster than the text.
func (s *source) checkText() *diag.Finding {
	if n := len(s.text) - s.skip; n > MaxLine {
		f := s.fault(s.skip, s.skip, fmt.Sprintf("the text is %d bytes long; at most %d are allowed", n, MaxLine),
			"split the rule, or shorten its pattern or reason")
		return withID(f, LimitID)
	}
	return s.checkCharacters()
}

// checkCharacters is checkText without the limit on the length.
func (s *source) checkCharacters() *diag.Finding {
	for i := 0; i < len(s.text); {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if r == utf8.RuneError && size == 1 {
			return s.fault(i, i+1, "the text is not valid UTF-8", "save it as UTF-8")
		}
		if r != '\t' && unicode.IsControl(r) {
			return s.fault(i, i+size, fmt.Sprintf("control character U+%04X", r), `remove it; a quoted string may hold it as \n, \t or \u{…}`)
		}
		i += size
	}
	return nil
}
