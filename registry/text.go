package registry

import (
	"fmt"
	"strconv"
)

// quoteASCII quotes a name so that nothing in it is invisible.
func quoteASCII(s string) string { return strconv.QuoteToASCII(s) }

// codePoint names a character, such as U+202E.
func codePoint(r rune) string { return fmt.Sprintf("U+%04X", r) }
