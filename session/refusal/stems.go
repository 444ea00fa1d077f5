package refusal

import (
	"bytes"
	"fmt"
	"strings"
)

// stems are the words of the patterns that stand for many: "fail*" for all
// that begin so, "*able" for all that end so.
type stems struct {
	before, after map[string]word
	// The longest of each, in bytes.
	maxBefore, maxAfter int
}

// minStem is how many letters a stem or ending has at least.
const minStem = 2

// of returns the longest stem that a word begins with and the longest ending
// that it has, 0 for none.
func (s *stems) of(w []byte) (stem, ending word) {
	for n := min(len(w), s.maxBefore); n >= minStem && stem == 0; n-- {
		stem = s.before[string(w[:n])]
	}
	for n := min(len(w), s.maxAfter); n >= minStem && ending == 0; n-- {
		ending = s.after[string(w[len(w)-n:])]
	}
	return stem, ending
}

// stemOrWords reads an alternative: a stem, an ending, or words. What is bad
// about it is "" if nothing is.
func (d *Detector) stemOrWords(text string) (words []word, bad string) {
	if !strings.Contains(text, "*") {
		words = d.wordsOf(text)
		switch {
		case len(words) > 0:
			return words, ""
		case text == "":
			return nil, "an alternative holds no word"
		}
		return nil, text + " is no word"
	}
	letters := strings.Trim(text, "*")
	r := wordReader{s: letters}
	whole := len(letters) == len(text)-1 && r.next() && r.start == 0 && r.end == len(letters) && !bytes.ContainsRune(r.buf, '\'')
	if !whole || len(r.buf) < minStem {
		return nil, fmt.Sprintf("%q is no stem: want a * before or after %d letters or more, alone between its bars", text, minStem)
	}
	w := d.number(text)
	if text[0] == '*' {
		d.stems.after[string(r.buf)] = w
		d.stems.maxAfter = max(d.stems.maxAfter, len(r.buf))
	} else {
		d.stems.before[string(r.buf)] = w
		d.stems.maxBefore = max(d.stems.maxBefore, len(r.buf))
	}
	return []word{w}, ""
}

// nested are pairs of a stem or ending and a longer one that it fits too.
func (s *stems) nested() (pairs [][2]word) {
	for short, w := range s.before {
		for long, v := range s.before {
			if w != v && strings.HasPrefix(long, short) {
				pairs = append(pairs, [2]word{w, v})
			}
		}
	}
	for short, w := range s.after {
		for long, v := range s.after {
			if w != v && strings.HasSuffix(long, short) {
				pairs = append(pairs, [2]word{w, v})
			}
		}
	}
	return pairs
}

// widen adds to the sets that hold a stem the longer stems that it fits too,
// for of all that fit a word only the longest is looked up.
func (d *Detector) widen() {
	pairs := d.stems.nested()
	for i := range d.patterns {
		for j := range d.patterns[i].elements {
			set := &d.patterns[i].elements[j].single
			for _, p := range pairs {
				if set.has(p[0]) {
					set.add(p[1])
				}
			}
		}
	}
}
