package prefilter

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/internal/multimatch"
)

// Regexp matches as the regexp package does, and looks only where a match can
// begin, if it is known what matches begin with. It is safe for
// any number of goroutines.
type Regexp struct {
	whole *regexp.Regexp
	// Of a pattern of which the leads are known:
	first   func() *regexp.Regexp // from the beginning of the text
	later   func() *regexp.Regexp // from one character or more before the match
	leads   *multimatch.Matcher
	lengths []int // of the leads, in bytes
	gap     int   // characters from the beginning of a match to a lead

	needs formula // for a Filter, its literals without ids
}

// Compile compiles a pattern in the syntax of package regexp. The error is one of
// that package.
func Compile(pattern string) (*Regexp, error) {
	whole, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	re := &Regexp{whole: whole}
	a := analyse(pattern)
	re.lead(pattern, a)
	re.needs = a.required()
	return re, nil
}

// Everywhere returns a Regexp that looks everywhere, as the regexp package does,
// for comparing the two.
func (re *Regexp) Everywhere() *Regexp { return &Regexp{whole: re.whole, needs: re.needs} }

// lead finds out what matches begin with.
func (re *Regexp) lead(pattern string, a *analysis) {
	if a.tree == nil || strings.Contains(pattern, `\Q`) { // which would quote what is put behind it
		return
	}
	l := a.leadOf(a.tree)
	if !l.known {
		return
	}
	texts := append([]string{string(kelvin), string(longS)}, l.texts...)
	for _, s := range texts {
		re.lengths = append(re.lengths, len(s))
	}
	re.gap, re.leads = l.gap, multimatch.New(texts, true)
	re.first, re.later = anchored(pattern, 0, l.gap+1), anchored(pattern, 1, l.gap+1)
}

// anchored is the pattern after so many characters of any kind. It is compiled
// when it is first needed, which most patterns are not.
func anchored(pattern string, least, most int) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		re, err := regexp.Compile(fmt.Sprintf(`\A(?s:.{%d,%d}?)(?:%s)`, least, most, pattern))
		if err != nil {
			return nil // too large with what is put before it
		}
		return re
	})
}

// fewBytes is how short a text must be for the search to be no gain.
const fewBytes = 32

// MatchString reports whether the pattern matches somewhere in the text. It
// reads with r, which it overwrites.
func (re *Regexp) MatchString(text string, r *Reader) bool {
	if re.leads == nil || len(text) < fewBytes {
		return re.whole.MatchString(text)
	}
	*r = Reader{text: text, budget: len(text) / 2, last: -1}
	matches, sure := false, true
	re.leads.Each(text, func(id, end int) bool {
		if id < 2 { // kelvin or longS, which a lead may be written with
			sure = false
			return false
		}
		start := end - re.lengths[id]
		if start == r.last {
			return true
		}
		r.last = start
		matches, sure = re.at(start, r)
		return !matches && sure
	})
	*r = Reader{}
	if !sure {
		return re.whole.MatchString(text)
	}
	return matches
}

// at looks for a match that begins up to gap characters before the start of a
// lead. It is not sure if that takes more reading than it saves.
func (re *Regexp) at(start int, r *Reader) (matches, sure bool) {
	from := start
	for n := 0; n <= re.gap && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(r.text[:from])
		from -= size
	}
	pattern := re.later
	if from == 0 {
		pattern = re.first
	}
	here := pattern()
	if here == nil {
		return false, false
	}
	r.next = from
	r.budget -= perStart
	matches = here.MatchReader(r)
	return matches, r.budget > 0
}

// perStart is what beginning to look costs, in characters read.
const perStart = 4

// Reader reads the part of a text in which a match is looked for. The zero value
// is ready; reuse it.
type Reader struct {
	text   string
	next   int
	budget int // characters that may still be read
	last   int // where was looked last
}

// ReadRune reads as package regexp reads a string: an invalid byte is U+FFFD.
func (r *Reader) ReadRune() (c rune, size int, err error) {
	if r.next >= len(r.text) || r.budget <= 0 {
		return 0, 0, io.EOF
	}
	r.budget--
	if c = rune(r.text[r.next]); c < utf8.RuneSelf {
		r.next++
		return c, 1, nil
	}
	c, size = utf8.DecodeRuneInString(r.text[r.next:])
	r.next += size
	return c, size, nil
}
