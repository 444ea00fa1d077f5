package multimatch

import "strings"

// needle is a pattern that is looked for by itself, by the byte of it that is
// least likely to occur in text.
type needle struct {
	pattern string
	rare    byte
	at      int // of rare in pattern
}

// common lists bytes from the most frequent in text to the least; a byte that
// is not listed is rarer than all that are.
const common = " etaoinsrhldcumfpgwyb,.vk\"'-xjqz_:/01259834ETAOINSRHLDCUM67\n"

func newNeedle(pattern string) needle {
	n := needle{pattern: pattern}
	best := -1
	for i := range len(pattern) {
		rank := strings.IndexByte(common, pattern[i])
		if rank < 0 {
			rank = len(common)
		}
		if rank > best {
			best, n.at, n.rare = rank, i, pattern[i]
		}
	}
	return n
}

// maxMisses is how often a rare byte may turn up in vain before the search is
// left to the standard library, which no text makes slow.
const maxMisses = 8

// in reports whether the pattern occurs in the text.
func (n *needle) in(text string) bool {
	if n.pattern == "" {
		return true
	}
	for range maxMisses {
		if len(text) < len(n.pattern) {
			return false
		}
		i := strings.IndexByte(text[n.at:], n.rare)
		if i < 0 {
			return false
		}
		if strings.HasPrefix(text[i:], n.pattern) {
			return true
		}
		text = text[i+1:]
	}
	return strings.Contains(text, n.pattern)
}
