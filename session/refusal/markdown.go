package refusal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// line reads what may stand at the beginning of a line. A line that only goes
// on does not end its sentence.
func (r *reader) line() {
	indent := len(r.text[r.at:]) - len(strings.TrimLeft(r.text[r.at:], " \t\r"))
	rest := r.text[r.at+indent:]
	heading := r.now.heading
	switch {
	case strings.HasPrefix(rest, "\n"):
		r.paragraph()
	case strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~"):
		r.paragraph()
		r.at += indent
		r.fence(rest[:3])
		return
	case strings.HasPrefix(rest, ">"):
		r.paragraph()
		if !r.quoted {
			r.skip(lineEnd(rest) + indent)
			return
		}
		indent++
	case strings.HasPrefix(rest, "#"):
		r.paragraph()
		r.now.heading = true
	case strings.HasPrefix(rest, "|"):
		r.paragraph()
		r.now.item = true
	case logMark(rest) > 0:
		r.end()
		indent += logMark(rest)
	case listMark(rest) > 0:
		r.paragraph()
		r.now.item = true
		indent += listMark(rest)
	case heading:
		r.paragraph()
	case isLabelled(rest):
		r.end()
	}
	r.at += indent
}

// maxLabel is how many bytes a label at the beginning of a line may take.
const maxLabel = 32

// isLabelled reports whether a line begins with a label such as "Reason:" or
// "**Next step:**": such a line begins a sentence of its own.
func isLabelled(s string) bool {
	s = strings.TrimLeft(s, "*_")
	end := strings.IndexByte(s[:min(len(s), maxLabel)], ':')
	if end <= 0 || !endsHere(s[end+1:]) || words(s[:end]) > labelWords {
		return false
	}
	if c, _ := utf8.DecodeRuneInString(s); !unicode.IsUpper(c) || !strings.ContainsFunc(s, unicode.IsLower) {
		return false // in a text in capitals one says nothing
	}
	return !strings.ContainsAny(s[:end], ".,;!?()\n")
}

// words is how many words, between blanks, a text has.
func words(s string) (n int) {
	for range strings.FieldsSeq(s) {
		n++
	}
	return n
}

// paragraph ends the sentence and what it stood in.
func (r *reader) paragraph() {
	r.end()
	r.now.heading, r.now.item = false, false
}

func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

// listMark returns the length of "- ", "* ", "• ", "1. " or "2) ", 0 if none.
func listMark(s string) int {
	for _, m := range [...]string{"- ", "* ", "+ ", "• ", "– "} {
		if strings.HasPrefix(s, m) {
			return len(m)
		}
	}
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n > 0 && n <= 3 && len(s) > n+1 && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		return n + 2
	}
	return 0
}

// logMark returns the length of what stands before a line of a log, such as
// "[worker-7] ", 0 if nothing does.
func logMark(s string) int {
	if !strings.HasPrefix(s, "[") {
		return 0
	}
	end := strings.IndexByte(s[:min(len(s), maxLabel)], ']')
	if end < 0 || end+1 == len(s) || s[end+1] != ' ' {
		return 0
	}
	return end + 2
}

// skip leaves out a part of the text; its words are content all the same.
func (r *reader) skip(size int) {
	r.reading.words += len(strings.Fields(r.text[r.at : r.at+size]))
	r.at += size
}

// fence leaves out a block of code.
func (r *reader) fence(mark string) {
	rest := r.text[r.at:]
	open := lineEnd(rest)
	r.reading.code = true
	r.at += open
	body := strings.Index(rest[open:], "\n"+mark)
	if body < 0 {
		r.skip(len(rest) - open)
		return
	}
	r.skip(body + 1)
	r.at += lineEnd(r.text[r.at:])
}

// closings are the marks that end a quotation.
var closings = map[rune]string{'"': `"`, '“': "”\"", '«': "»", '„': "“”", '`': "`"}

func isOpening(c rune) bool { return closings[c] != "" }

// quotation leaves out what stands in double quotes or is code within a line:
// it is somebody else's word, and counts as one. An opening mark whose end is
// not in the same paragraph is no more than a mark.
func (r *reader) quotation(c rune, size int) {
	if r.at >= r.endless[c] {
		rest := paragraphOf(r.text[r.at+size:])
		if end := strings.IndexAny(rest, closings[c]); end >= 0 {
			r.quote(size + end)
			return
		}
		if end := lastMark(r.text[r.at+size:], closings[c]); end >= 0 && r.at+size+end >= r.endless[c] {
			r.quote(size + end)
			return
		}
		r.noEnd(c, len(rest))
	}
	r.at += size
}

// lastMark returns the place of the mark that ends a quotation of several
// paragraphs, such as a letter: the only one, at the end of a line; else -1.
func lastMark(s, marks string) int {
	end := strings.IndexAny(s, marks)
	if end < 0 {
		return -1
	}
	_, size := utf8.DecodeRuneInString(s[end:])
	after := s[end+size:]
	if strings.TrimLeft(s[:end], " \t\r\n") == "" || strings.TrimSpace(after[:lineEnd(after)]) != "" || strings.ContainsAny(after, marks) {
		return -1
	}
	return end
}

// singleQuotation does the same for single quotes, which must not be apostrophes.
func (r *reader) singleQuotation(c rune, size int) {
	before, _ := utf8.DecodeLastRuneInString(r.text[:r.at])
	after, _ := utf8.DecodeRuneInString(r.text[r.at+size:])
	if r.at > 0 && !unicode.IsSpace(before) && before != '(' || !isWord(after) || r.at < r.endless[c] {
		r.at += size
		return
	}
	rest := paragraphOf(r.text[r.at+size:])
	for i, e := range rest {
		if e == '’' || e == '\'' {
			if next := i + utf8.RuneLen(e); !wordAt(rest, next) && next > 1 {
				r.quote(size + i)
				return
			}
		}
	}
	r.noEnd(c, len(rest))
	r.at += size
}

// noEnd notes that a kind of quotation does not end within a distance, so that
// no text is searched twice.
func (r *reader) noEnd(c rune, distance int) {
	if r.endless == nil {
		r.endless = map[rune]int{}
	}
	r.endless[c] = r.at + distance
}

// quote puts one unknown word in the place of a quotation, whose closing mark
// is at the given distance.
func (r *reader) quote(size int) {
	_, mark := utf8.DecodeRuneInString(r.text[r.at+size:])
	size += mark
	r.reading.words += len(strings.Fields(r.text[r.at : r.at+size]))
	r.add(token{start: r.at, end: r.at + size})
	// A full stop inside the quotation ends the sentence around it only if a
	// capital or nothing follows.
	inner := strings.TrimRight(r.text[r.at:r.at+size-mark], " ")
	r.at += size
	after := strings.TrimLeft(r.text[r.at:], " \t\r\n")
	c, _ := utf8.DecodeRuneInString(after)
	if strings.HasSuffix(inner, ".") && (after == "" || unicode.IsUpper(c)) {
		r.end()
	}
}

// paragraphOf returns the text up to the next blank line.
func paragraphOf(s string) string {
	if i := strings.Index(s, "\n\n"); i >= 0 {
		return s[:i]
	}
	return s
}

// maxTag bounds a tag such as <final_answer>.
const maxTag = 64

// tag leaves out a tag, and what a worker thought aloud between tags; it
// reports whether there was one.
func (r *reader) tag() bool {
	rest := r.text[r.at:]
	end := strings.IndexByte(rest[:min(len(rest), maxTag)], '>')
	if end < 0 {
		return false
	}
	name := strings.Trim(rest[1:end], "/")
	if c, _ := utf8.DecodeRuneInString(name); !unicode.IsLetter(c) {
		return false
	}
	r.paragraph()
	size := end + 1
	switch strings.ToLower(name) {
	case "think", "thinking", "thought", "reasoning", "scratchpad":
		if i := strings.Index(rest, "</"+name+">"); i > 0 {
			size = i
		}
	}
	r.at += size
	return true
}
