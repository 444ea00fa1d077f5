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
	around        []affixes
	// The longest of each, in bytes.
	maxBefore, maxAfter int
}

// affixes are a beginning and an ending that a word has both: "un*ed".
type affixes struct {
	before, after string
	word          word
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
	for i := range s.around {
		if a := &s.around[i]; len(w) > len(a.before)+len(a.after) && bytes.HasPrefix(w, []byte(a.before)) && bytes.HasSuffix(w, []byte(a.after)) {
			ending = a.word
		}
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
	if before, after, ok := strings.Cut(text, "*"); ok && before != "" && after != "" {
		return d.affixed(text, before, after)
	}
	letters := strings.Trim(text, "*")
	stem, whole := stemOf(letters)
	if !whole || len(letters) != len(text)-1 {
		return nil, fmt.Sprintf("%q is no stem: want a * before or after %d letters or more, alone between its bars", text, minStem)
	}
	w := d.number(text)
	if text[0] == '*' {
		d.stems.after[stem] = w
		d.stems.maxAfter = max(d.stems.maxAfter, len(stem))
	} else {
		d.stems.before[stem] = w
		d.stems.maxBefore = max(d.stems.maxBefore, len(stem))
	}
	return []word{w}, ""
}

// stemOf returns letters as they are matched, and whether they are letters
// enough and nothing else.
func stemOf(letters string) (string, bool) {
	r := wordReader{s: letters}
	whole := r.next() && r.start == 0 && r.end == len(letters) && !bytes.ContainsRune(r.buf, '\'')
	return string(r.buf), whole && len(r.buf) >= minStem
}

// affixed reads an alternative such as "un*ed".
func (d *Detector) affixed(text, before, after string) (words []word, bad string) {
	first, ok := stemOf(before)
	last, whole := stemOf(after)
	if !ok || !whole {
		return nil, fmt.Sprintf("%q is no stem: want %d letters or more before and behind its *", text, minStem)
	}
	w, known := d.words[text]
	if !known {
		w = d.number(text)
		d.stems.around = append(d.stems.around, affixes{first, last, w})
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
	for _, a := range s.around {
		for short, w := range s.after {
			if strings.HasSuffix(a.after, short) {
				pairs = append(pairs, [2]word{w, a.word})
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
