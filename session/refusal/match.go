package refusal

import (
	"math/bits"
	"slices"
)

// token is a word of an answer.
type token struct {
	word       word // 0: none that a pattern holds
	stem       word // the stem that it begins with, such as "fail*"; 0: none
	ending     word // the ending that it has, such as "*ed"; 0: none
	start, end int  // in the scanned text
	clause     bool // punctuation before it begins a clause
	first      bool // follows a label in its sentence
}

// match is a place in a sentence where a pattern applies.
type match struct {
	pattern    int32
	start, end int // tokens, end exclusive
	dropped    bool
}

// matches appends the places where patterns apply in a sentence, less those
// that a harmless or fruitless phrase overlaps. A pattern counts once per beginning, with
// its longest match.
func (d *Detector) matches(tokens []token, found []match) []match {
	cancels, sentence := false, true
	for at := range tokens {
		sentence = tokens[at].first || sentence && (at == 0 || d.leads.has(tokens[at-1].word))
		clause := sentence || d.beginsClause(tokens, at)
		t, clauses := &tokens[at], clauseBits(tokens[at:])
		for _, first := range [...]word{t.word, t.stem, t.ending} {
			if first == 0 || int(first) >= len(d.byFirst) {
				continue
			}
			for _, c := range d.byFirst[first] {
				if c.anchor == atSentence && !sentence || c.anchor == atClause && !clause {
					continue
				}
				p, end := &d.patterns[c.pattern], at+1
				if !c.word {
					end = p.match(tokens, at, clauses)
				}
				if end > at {
					found = append(found, match{pattern: c.pattern, start: at, end: end})
					cancels = cancels || p.role == Harmless || p.role == Fruitless || p.role == Opines
				}
			}
		}
	}
	if cancels {
		found = d.cancel(found)
	}
	return found
}

// cancel drops the matches that a harmless one overlaps, and the deliveries
// that a fruitless one does.
func (d *Detector) cancel(found []match) []match {
	for i := range found {
		m := &found[i]
		for _, h := range found {
			if cancels(d.patterns[h.pattern].role, d.patterns[m.pattern].role) && h.start < m.end && m.start < h.end {
				m.dropped = true // and cancels others all the same
				break
			}
		}
	}
	return slices.DeleteFunc(found, func(m match) bool { return m.dropped })
}

// cancels reports whether a phrase of one role cancels one of another.
func cancels(role, other Role) bool {
	switch role {
	case Harmless:
		return other != Clue
	case Fruitless:
		return other == Delivers || other == Steps
	case Opines:
		return other == Hints || other == Signs || other == Speaks
	}
	return false
}

// match returns the end of the longest match from a token on, -1 if there is
// none. Bit i of reach tells that i words were taken; so a pattern costs its
// parts times its span, whatever it holds.
// Bit i of clauses tells that no gap goes over word i.
func (p *pattern) match(tokens []token, at int, clauses uint64) int {
	rest := tokens[at:]
	if len(rest) > maxSpan {
		rest = rest[:maxSpan]
	}
	reach := uint64(1)
	for i := range p.elements {
		if reach = p.elements[i].step(rest, reach, clauses); reach == 0 {
			return -1
		}
	}
	for n := len(rest); n > 0; n-- {
		if reach&(1<<n) != 0 && (!p.last || at+n == len(tokens)) {
			return at + n
		}
	}
	return -1
}

// clauseBits returns as bits which of the words that a pattern may span begin a
// clause, and those beyond the end of the sentence.
func clauseBits(rest []token) uint64 {
	n := min(len(rest), maxSpan)
	set := ^uint64(0) << n
	for i := range n {
		if rest[i].clause {
			set |= 1 << i
		}
	}
	return set
}

// step returns where an element may end, for where it may begin.
func (e *element) step(rest []token, from, clauses uint64) uint64 {
	if e.gap {
		to := from
		for range gapWords {
			from = from &^ clauses << 1
			to |= from
		}
		return to
	}
	var to uint64
	if e.optional {
		to = from
	}
	for ; from != 0; from &= from - 1 {
		n := bits.TrailingZeros64(from)
		if n == len(rest) {
			break
		}
		if rest[n].in(e.single) {
			to |= 1 << (n + 1)
		}
		if !e.starts.has(rest[n].word) {
			continue
		}
		for _, s := range e.several {
			if startsWith(rest[n:], s) {
				to |= 1 << (n + len(s))
			}
		}
	}
	return to
}

func startsWith(tokens []token, words []word) bool {
	if len(tokens) < len(words) {
		return false
	}
	for i, w := range words {
		if tokens[i].word != w {
			return false
		}
	}
	return true
}

// beginsClause reports whether a clause begins within a sentence.
func (d *Detector) beginsClause(tokens []token, at int) bool {
	if tokens[at].clause || at > 0 && d.joins.has(tokens[at-1].word) {
		return true
	}
	if d.speakers.has(tokens[at].word) && d.opens.has(tokens[0].word) {
		return true // "After the sixth go I stopped"
	}
	// "I found that I cannot" begins a clause; "all that I cannot do" does not.
	return at > 1 && tokens[at-1].word == d.that && d.reports.has(tokens[at-2].word)
}

// in reports whether a set holds the word, its stem or its ending.
func (t *token) in(set wordSet) bool {
	return set.has(t.word) || t.stem != 0 && set.has(t.stem) || t.ending != 0 && set.has(t.ending)
}
