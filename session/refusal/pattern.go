package refusal

import (
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

// Role is what a phrase says of the answer it stands in.
type Role uint8

// The roles. The zero value is GivesUp, what an operator most often adds.
const (
	GivesUp     Role = iota // the whole task is refused or failed: counts wherever it is said
	Cannot                  // a limitation: a refusal unless something was delivered before it
	Undone                  // what was asked for did not come about: a refusal unless the answer holds something else
	Hints                   // the worker lacks something: a refusal if the answer holds hardly anything else
	Efforts                 // something was tried: the same, and what "but" sets against it is an obstacle
	Signs                   // so does what it works with: the same, unless the sentence holds a figure
	Speaks                  // the worker speaks of itself: a refusal if the answer holds nothing else
	Opines                  // cancels what hints, signs or speaks and overlaps it
	Steps                   // a step was taken: the answer is a result, unless a failure follows
	HandsBack               // the task goes back: a failure unless something was delivered before it
	ReturnsVoid             // the task goes back, and says that there is no result
	Unfinished              // announced or stopped half-way: counts if the answer holds nothing else
	Harmless                // cancels any phrase that it overlaps, save clues
	Fruitless               // cancels any phrase that delivers and that it overlaps
	Delivers                // something was done: the answer is a result, if only in part
	Asks                    // its sentence asks for what the worker needs
	Obstacle                // its sentence says what stood in the way, unless it holds a figure
	Neutral                 // its sentence says nothing of the result: thanks, effort
	Clue                    // speaks for or against a failure by its points, which are summed up
)

// Pattern is a phrase and what it says.
type Pattern struct {
	// Text is the phrase: words, which match whatever their case, apostrophes
	// and contractions ("can not" is also "can't" and "cannot"), and
	//
	//	fail*     a word that begins so; *less: one that ends so; un*ed: both
	//	(a|b c)   one of these
	//	[a|b c]   one of these, or none
	//	<name>    one of a named list of words, such as <i>, <cannot>; [<name>]: or none
	//	...       up to five words of the same clause
	//	^ first   the phrase begins its sentence
	//	~ first   the phrase begins a clause
	//	$ last    the phrase ends its sentence
	//
	// It does not begin with a gap, and something in it is not optional.
	Text string
	Role Role
	// Points are what a clue adds for a failure, once however often it is said,
	// or takes off if under 0. Closing is added to them in the last sentence of
	// several. Each is from -20 to 20, not both are 0, and no other role has any.
	Points, Closing int
}

// PatternError says which pattern cannot be read, where and why.
type PatternError struct {
	Index   int    // in the table, from 0
	Text    string // the pattern
	Column  int    // in code points, from 1; 0: the pattern as a whole
	Message string
}

// Error names the pattern, the column and what is wrong.
func (e *PatternError) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("phrase %d %q: %s", e.Index+1, e.Text, e.Message)
	}
	return fmt.Sprintf("phrase %d %q, column %d: %s", e.Index+1, e.Text, e.Column, e.Message)
}

// The bounds of a table. A phrase spans at most maxSpan words, so that where
// it may end fits one machine word.
const (
	maxPatterns = 2000
	maxPattern  = 2000 // bytes
	maxElements = 16
	maxSpan     = 63
	gapWords    = 5
	maxPoints   = 20
)

var tooMany = fmt.Sprintf("a table holds at most %d phrases", maxPatterns)

// word is a number for a word that occurs in a pattern; other words are 0.
type word int32

type anchor uint8

const (
	anywhere anchor = iota
	atSentence
	atClause
)

// pattern is a compiled Pattern.
type pattern struct {
	text     string
	role     Role
	points   int
	closing  int
	anchor   anchor
	last     bool // ends its sentence
	elements []element
}

// candidate is a pattern that may begin with a word, with what is asked first.
type candidate struct {
	pattern int32
	anchor  anchor
	word    bool // it is that word and no more
}

// isWord reports whether a pattern is one of several words.
func (p *pattern) isWord() bool {
	return len(p.elements) == 1 && len(p.elements[0].several) == 0 && !p.last
}

// element is one position of a pattern: a gap, or alternatives.
type element struct {
	gap      bool
	optional bool
	single   wordSet
	starts   wordSet // of several
	several  [][]word
}

// wordSet is a set of words, a bit for each.
type wordSet []uint64

func (s wordSet) has(w word) bool { return int(w>>6) < len(s) && s[w>>6]&(1<<(w&63)) != 0 }

func (s *wordSet) add(w word) {
	for int(w>>6) >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[w>>6] |= 1 << (w & 63)
}

// all iterates over the words of a set.
func (s wordSet) all() iter.Seq[word] {
	return func(yield func(word) bool) {
		for i, bits64 := range s {
			for ; bits64 != 0; bits64 &= bits64 - 1 {
				if !yield(word(i<<6 + bits.TrailingZeros64(bits64))) {
					return
				}
			}
		}
	}
}

// addAll adds the words of another set.
func (s *wordSet) addAll(other wordSet) {
	for len(*s) < len(other) {
		*s = append(*s, 0)
	}
	for i, bits64 := range other {
		(*s)[i] |= bits64
	}
}

// first returns the words that a pattern may begin with.
func (p *pattern) first() wordSet {
	var set wordSet
	for i := range p.elements {
		e := &p.elements[i]
		set.addAll(e.single)
		set.addAll(e.starts)
		if !e.optional {
			break
		}
	}
	return set
}

func (e *element) add(words []word) {
	if len(words) == 1 {
		e.single.add(words[0])
		return
	}
	e.starts.add(words[0])
	e.several = append(e.several, words)
}

// span returns the most words that an element takes.
func (e *element) span() int {
	if e.gap {
		return gapWords
	}
	n := 1
	for _, s := range e.several {
		n = max(n, len(s))
	}
	return n
}

// number returns the word's number, a new one if it has none.
func (d *Detector) number(s string) word {
	w, known := d.words[s]
	if !known {
		w = word(len(d.words) + 1)
		d.words[s] = w
	}
	return w
}

func (d *Detector) setOf(words string) wordSet {
	var set wordSet
	for _, s := range strings.Fields(words) {
		set.add(d.number(s))
	}
	return set
}

// wordsOf returns the words of a text as they are matched: lower-case,
// contractions taken apart.
func (d *Detector) wordsOf(text string) []word {
	var out []word
	for r := (wordReader{s: text}); r.next(); {
		for _, part := range r.parts() {
			out = append(out, d.number(string(part)))
		}
	}
	return out
}
