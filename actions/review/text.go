package review

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

// CutMark ends a text that was cut.
const CutMark = "…"

// cut makes a text valid UTF-8 of at most n bytes. What is longer ends at the
// end of a character and in CutMark, of which n is at least the length.
func cut(text string, n int) string {
	if len(text) <= n {
		return cutValid(strings.ToValidUTF8(text, "\uFFFD"), n) // U+FFFD may be longer than what it stands for
	}
	end := n
	for end > n-utf8.UTFMax && end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return shorten(strings.ToValidUTF8(text[:end], "\uFFFD"), n-len(CutMark)) + CutMark
}

// cutValid is cut for a text that is valid UTF-8.
func cutValid(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return shorten(text, n-len(CutMark)) + CutMark
}

// shorten returns the start of a valid text, at most n bytes.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// blankBraille is a pattern without dots: a symbol that looks like a space.
const blankBraille = '\u2800'

// shows reports whether a reader sees anything of a character.
func shows(r rune) bool {
	return !unicode.IsSpace(r) && r != blankBraille && !diag.Invisible(r)
}

var (
	// tagLike is what a reader of blocks, however lenient, takes for a tag.
	tagLike = regexp.MustCompile(`(?i)<([\s/\\]*nyaya)`)
	// ruleLike is a line that begins as one of a policy, a block or a chain
	// section: a word in capitals and a colon, maybe as an item of a list, a
	// quotation or in code.
	ruleLike = regexp.MustCompile(`^[\s\p{P}\p{S}\d]*[A-Z][A-Z_]*[ \t]*:`)
)

// harmless makes a text safe to hand to an agent: lines end in \n alone,
// characters that do not show are escaped, a <nyaya> tag is no tag any more.
func harmless(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = diag.Escape(strings.ReplaceAll(line, "\t", "    "))
	}
	return tagLike.ReplaceAllString(strings.Join(lines, "\n"), "‹$1")
}

// NoRule stands before a line of guidance that reads like a rule.
const NoRule = "(words, no rule) "

// item writes a text as an item of a list. Every line gets something before it
// that no rule begins with, so that none parses as one even within a block.
func item(b *strings.Builder, mark, text string) {
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		b.WriteString(mark)
		if ruleLike.MatchString(line) {
			b.WriteString(NoRule)
		}
		b.WriteString(strings.TrimRight(line, " "))
		b.WriteByte('\n')
		mark = "  | "
	}
}
