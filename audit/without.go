package audit

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cut is what stands where a text was cut off.
const cut = "…"

// maxCut is how much of a text that was cut off may be left, in bytes.
const maxCut = 256

// maxCompared bounds the work on a text that was made to be much work, in bytes.
const maxCompared = 64 << 20

// without hides texts where they stand in another by themselves, and not inside
// of a longer word or number: as they are, quoted, or with their end cut off.
// Where it is whole, a text that holds one in a longer word is hidden too, for it
// may have been put in there.
func without(text string, hidden []string, whole bool) string {
	var spans []span
	for _, h := range hidden {
		forms := []string{h}
		if quoted := strconv.Quote(h); quoted[1:len(quoted)-1] != h {
			forms = append(forms, quoted[1:len(quoted)-1])
		}
		for _, form := range forms {
			compared := 0
			for at := range occurrences(text, form) {
				s := span{at, at + len(form)}
				alone := s.alone(text)
				if alone {
					spans = append(spans, s)
				}
				if compared += len(form); compared > maxCompared || whole && !alone {
					return Masked
				}
			}
			spans = append(spans, cutOff(text, form)...)
		}
	}
	if len(spans) == 0 {
		return text
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	end := 0
	for _, s := range spans {
		if s.from >= end {
			b.WriteString(text[end:s.from] + Masked)
		}
		end = max(end, s.to)
	}
	b.WriteString(text[end:])
	return b.String()
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// occurrences yields where a text stands in another, also where one overlaps
// the next.
func occurrences(text, part string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for from := 0; ; {
			at := strings.Index(text[from:], part)
			if at < 0 || !yield(from+at) {
				return
			}
			from += at + 1
		}
	}
}

// alone reports whether a part of a text is not a piece of a longer word.
func (s span) alone(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text[:s.to])
	after, _ := utf8.DecodeRuneInString(text[s.to:])
	return s.begins(text) && !(inWord(last) && inWord(after))
}

// begins reports whether no word goes on into a part of a text.
func (s span) begins(text string) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:s.from])
	first, _ := utf8.DecodeRuneInString(text[s.from:])
	return !(inWord(before) && inWord(first))
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// cutOff finds the beginnings of a text that stand before a cut.
func cutOff(text, whole string) (spans []span) {
	for at := range occurrences(text, cut) {
		for n := min(len(whole)-1, at, maxCut); n > 0; n-- {
			if s := (span{at - n, at}); strings.HasSuffix(text[:at], whole[:n]) && s.begins(text) {
				spans = append(spans, s)
				break
			}
		}
	}
	return spans
}
