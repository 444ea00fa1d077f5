package refusal

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// reader splits an answer into sentences. It leaves out what is not the
// worker's own word: quotations, code, what it thought aloud.
type reader struct {
	d       *Detector
	words   *wordReader
	text    string
	at      int
	quoted  bool // block quotations are read too
	clause  bool // the next word begins a clause
	now     draft
	memory  *memory
	endless map[rune]int // up to where a quotation that such a mark opens has no end
	reading reading
}

// memory is what an answer is read in, used again: every delegation's is read.
type memory struct {
	words     wordReader
	tokens    []token
	found     []match
	sentences []sentence
	clues     evidence
}

// memories are those of answers that were judged.
var memories = sync.Pool{New: func() any { return new(memory) }}

// put gives the memory back, without what it tells of the answer.
func (m *memory) put() {
	clear(m.sentences)
	m.words.s, m.sentences = "", m.sentences[:0]
	m.clues.clear()
	memories.Put(m)
}

// read reads a text in m, whose sentences it adds to those that are there. Quoted:
// also what stands in block quotations.
func (d *Detector) read(text string, m *memory, quoted bool) reading {
	m.words.s, m.words.start, m.words.end = text, 0, 0
	r := reader{d: d, text: text, words: &m.words, memory: m, quoted: quoted, now: draft{tokens: m.tokens[:0]}}
	from := len(m.sentences)
	r.all()
	m.tokens = r.now.tokens
	r.reading.sentences = m.sentences[from:]
	return r.reading
}

func (r *reader) all() {
	r.line()
	for r.at < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.text[r.at:])
		switch {
		case isWord(c):
			r.word()
		case c == '\n':
			r.at += size
			r.line()
		case isOpening(c):
			r.quotation(c, size)
		case c == '\'' || c == '‘':
			r.singleQuotation(c, size)
		case c == '<' && r.tag():
		default:
			r.punctuation(c, size)
			r.at += size
		}
	}
	r.finish()
}

// word takes a word into the sentence. "but" begins a sentence of its own, as
// what follows it is judged on its own, save in "nothing but", "can't but".
func (r *reader) word() {
	r.words.read(r.at)
	r.at = r.words.end
	r.figure()
	if r.words.isWhole() {
		w := r.d.words[string(r.words.buf)]
		if w != 0 && w == r.d.but && r.splits() {
			r.end()
		}
		t := token{word: w, start: r.words.start, end: r.words.end}
		t.stem, t.ending = r.d.stems.of(r.words.buf)
		r.add(t)
		return
	}
	for _, part := range r.words.parts() {
		t := token{word: r.d.words[string(part)], start: r.words.start, end: r.words.end}
		t.stem, t.ending = r.d.stems.of(part)
		r.add(t)
	}
}

// figure counts a figure that reports something. The code of a failure does
// not: "HTTP 500"; nor does what counts nothing or tries: "0", the 14 of "0 of
// 14", "3 attempts".
func (r *reader) figure() {
	n, d := len(r.now.tokens), r.d
	if !bytes.ContainsAny(r.words.buf, "0123456789") {
		if w := d.words[string(r.words.buf)]; n > 0 && r.now.counted == n && d.efforts.has(w) {
			r.now.figures--
		}
		return
	}
	after := func(back int) word {
		if n < back {
			return 0
		}
		return r.now.tokens[n-back].word
	}
	nought := string(r.words.buf) == "0" || after(1) == d.of && after(2) == d.nought
	if !nought && !d.codes[string(r.words.buf)] && !d.coded.has(after(1)) {
		r.now.figures++
		r.now.counted = n + 1
	}
}

func (r *reader) splits() bool {
	n := len(r.now.tokens)
	return n > 0 && !r.d.noBut.has(r.now.tokens[n-1].word)
}

func (r *reader) add(t token) {
	if len(r.now.tokens) == maxSentence {
		r.end()
	}
	t.clause, r.clause = r.clause, false
	if n := len(r.now.tokens); n > 0 && n == r.now.led {
		t.clause, t.first = true, true
	}
	r.now.tokens = append(r.now.tokens, t)
}

// punctuation ends a sentence or a clause.
func (r *reader) punctuation(c rune, size int) {
	after := r.text[r.at+size:]
	switch c {
	case '.':
		if strings.HasPrefix(after, ".") || r.at > 0 && r.text[r.at-1] == '.' {
			r.clause = true
		} else if endsHere(after) {
			r.end()
		}
	case '–':
		// Between figures it is a range.
		if r.at == 0 || !digitBefore([]byte{r.text[r.at-1]}) || !digitAt(after, 0) {
			r.end()
		}
	case '!', ';', '—':
		r.end()
	case '?':
		r.now.question = true
		r.end()
	case ':':
		if endsHere(after) && !r.leads() {
			r.now.label = true
			r.end()
		}
	case '-':
		// A dash between blanks, not a hyphen.
		if r.at > 0 && isBlank(r.text[r.at-1]) && after != "" && isBlank(after[0]) {
			r.end()
		}
	case '|':
		r.now.item = true
		r.clause = true
	case ',', '(', ')', '…':
		r.clause = true
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// endsHere reports whether a full stop or colon before a text ends something:
// a blank follows, if only behind closing marks.
func endsHere(after string) bool {
	after = strings.TrimLeft(after, "*_)]\"'”’~`>")
	if after == "" || isBlank(after[0]) {
		return true
	}
	c, _ := utf8.DecodeRuneInString(after)
	return unicode.IsSpace(c)
}

// leads takes what was read for the label of an outcome, if it is one: "Status:"
// or a heading "Result". Label and value are one sentence, wherever the value is.
func (r *reader) leads() bool {
	n := len(r.now.tokens)
	if n == 0 || n > labelWords || !r.d.outcomes.has(r.now.tokens[n-1].word) {
		return false
	}
	r.now.led = n
	return true
}

// finish closes the last sentence, which may be a label without a value.
func (r *reader) finish() {
	if r.now.led == len(r.now.tokens) {
		r.now.led, r.now.label = 0, true
	}
	r.end()
}

// end closes the sentence.
func (r *reader) end() {
	if r.now.heading && r.leads() {
		r.now.heading = false
	}
	if r.now.led > 0 && r.now.led == len(r.now.tokens) {
		return
	}
	why := r.now.why && len(r.now.tokens) == 0
	if len(r.now.tokens) > 0 {
		s, asks, found := r.d.say(r.text, &r.now, r.memory.found)
		r.memory.sentences = append(r.memory.sentences, s)
		r.reading.asks = r.reading.asks || asks
		r.memory.found = found
		r.note(found)
		why = s.failure != nil && r.now.label && s.words <= labelWords // "Execution halted: the disk is full"
	}
	// The rows of a list go on over the sentences in them.
	r.now = draft{tokens: r.now.tokens[:0], heading: r.now.heading, item: r.now.item, why: why}
	r.clause = false
}
