package diag

import (
	"strings"
	"unicode/utf8"
)

// maxSuggest is the longest word, in bytes, that Suggest looks at: a longer one is no slip of the pen.
const maxSuggest = 128

// Suggest returns the known word that was most likely meant: the nearest
// within an edit distance (Damerau-Levenshtein) of 2, letter case ignored;
// of several the first in the alphabet. A word of less than five characters
// allows one edit, one of less than three none. Without a likely one it returns "".
func Suggest(word string, known []string) string {
	if len(word) > maxSuggest {
		return ""
	}
	w := []rune(strings.ToLower(word))
	best, bestDistance := "", allowedEdits(len(w))+1
	for _, k := range known {
		if n := utf8.RuneCountInString(k); n-len(w) > 2 || len(w)-n > 2 {
			continue
		}
		d := distance(w, []rune(strings.ToLower(k)))
		if d < bestDistance || d == bestDistance && best != "" && k < best {
			best, bestDistance = k, d
		}
	}
	return best
}

func allowedEdits(length int) int {
	switch {
	case length < 3:
		return 0
	case length < 5:
		return 1
	}
	return 2
}

// distance counts insertions, deletions, substitutions and swaps of
// neighbours that turn a into b. It keeps three rows, as a swap looks two back.
func distance(a, b []rune) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
