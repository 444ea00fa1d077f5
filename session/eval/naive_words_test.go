package eval_test

import (
	"slices"
	"strings"
	"unicode"
)

// allOccur reports whether there are values and every leaf of every one of
// them occurs in one of the texts as a whole token sequence.
func allOccur(values []node, texts []string) bool {
	for _, value := range values {
		leaves := leavesOf([]node{value})
		if len(leaves) == 0 {
			return false
		}
		for _, leaf := range leaves {
			if !occurs(tokens(leaf), texts) {
				return false
			}
		}
	}
	return len(values) > 0
}

// occurs reports whether the words stand in one of the texts, in order and
// with nothing between. No words occur nowhere.
func occurs(words, texts []string) bool {
	for _, text := range texts {
		have := tokens(text)
		for i := 0; len(words) > 0 && i+len(words) <= len(have); i++ {
			if slices.Equal(have[i:i+len(words)], words) {
				return true
			}
		}
	}
	return false
}

// tokens splits a text into case-folded words. A mail address, a URL and a
// number with its separators are one word each.
func tokens(text string) (words []string) {
	add := func(word string) {
		if word != "" {
			words = append(words, folded(word))
		}
	}
	for _, chunk := range strings.Fields(text) {
		switch {
		case strings.Contains(chunk, "@") || strings.Contains(chunk, "://"):
			add(strings.Trim(chunk, `.,;:!?()[]<>"'`))
		case strings.ContainsFunc(chunk, unicode.IsDigit):
			for _, run := range strings.FieldsFunc(chunk, func(c rune) bool { return !wordy(c) && !strings.ContainsRune("-_./+", c) }) {
				add(strings.Trim(run, "-_./+"))
			}
		default:
			for _, run := range strings.FieldsFunc(chunk, func(c rune) bool { return !wordy(c) }) {
				add(run)
			}
		}
	}
	return words
}

// wordy reports whether a character belongs to a word: a letter, a digit, or
// a mark that combines with the letter before it.
func wordy(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) }
