package registry

import (
	"strings"
	"unicode"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// Words is a body of text that can be asked whether a value occurs in it as a
// whole: the user's words, or the outputs seen so far. The zero Words is
// empty. It is not safe for concurrent use.
//
// A text is cut into tokens: maximal runs of letters, digits and marks,
// case-folded. What belongs together stays one token, so that no part of it
// counts as the whole: a mail address, a URL, and a run with a digit in it
// that is joined by "-", "_", ".", "/" or "+" (an account number, a date, an
// amount).
type Words struct {
	text strings.Builder
	// added is what was added since somebody asked: most sessions have no rule
	// that asks.
	added []string
	size  int    // of added, in bytes
	last  string // a poll says the same again and again, which adds nothing
}

// Marks that no token holds: one ends a token, the other a text, so that a
// sequence never runs from one text into the next.
const (
	tokenEnd = "\x00"
	textEnd  = "\x01"
)

// Add adds a text.
func (w *Words) Add(text string) {
	if text == w.last {
		return
	}
	w.last = text
	w.added = append(w.added, text)
	w.size += len(text)
}

// cut cuts what was added into its tokens.
func (w *Words) cut() {
	for _, text := range w.added {
		w.text.WriteString(textEnd + tokenEnd)
		for _, t := range tokens(text) {
			w.text.WriteString(t)
			w.text.WriteString(tokenEnd)
		}
	}
	w.added, w.size = nil, 0
}

// Len returns the memory the words take, in bytes.
func (w *Words) Len() int { return w.text.Len() + w.size }

// Has reports whether the value's tokens occur as one unbroken sequence in
// one of the texts. A value without tokens never does.
func (w *Words) Has(value string) bool {
	ts := tokens(value)
	if len(ts) == 0 {
		return false
	}
	w.cut()
	return strings.Contains(w.text.String(), tokenEnd+strings.Join(ts, tokenEnd)+tokenEnd)
}

// tokens cuts a text into its tokens.
func tokens(text string) []string {
	var out []string
	for _, chunk := range strings.Fields(dsl.Fold(text)) {
		out = appendTokens(out, chunk)
	}
	return out
}

// appendTokens cuts what stands between blanks.
func appendTokens(out []string, chunk string) []string {
	if strings.Contains(chunk, "@") || strings.Contains(chunk, "://") {
		if t := strings.Trim(chunk, `.,;:!?()[]{}<>"'`+"`"+"\x00\x01"); isWord(t) {
			return append(out, t)
		}
	}
	for _, run := range strings.FieldsFunc(chunk, func(r rune) bool { return !isToken(r) && !isJoiner(r) }) {
		run = strings.TrimFunc(run, isJoiner)
		if strings.ContainsFunc(run, unicode.IsDigit) {
			out = append(out, run)
			continue
		}
		out = append(out, strings.FieldsFunc(run, isJoiner)...)
	}
	return out
}

// isWord reports whether a text holds any letter or digit, and nothing that
// marks the end of a token.
func isWord(s string) bool {
	return strings.ContainsFunc(s, isToken) && !strings.ContainsAny(s, tokenEnd+textEnd)
}

func isToken(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func isJoiner(r rune) bool { return strings.ContainsRune("-_./+", r) }
