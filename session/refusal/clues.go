package refusal

// evidence is which clues an answer holds, each once.
type evidence struct {
	seen wordSet // by the numbers of their patterns
	hits []hit
}

// hit is a clue in an answer.
type hit struct {
	pattern    int32
	last       int // the last sentence that holds it
	start, end int // its first place in the text
}

// clear forgets the clues of an answer.
func (e *evidence) clear() {
	clear(e.seen)
	e.hits = e.hits[:0]
}

// note takes the clues among the matches of the sentence that was said last.
func (r *reader) note(found []match) {
	e, sentence := &r.memory.clues, len(r.memory.sentences)-1
	for _, m := range found {
		switch {
		case r.d.patterns[m.pattern].role != Clue:
		case e.seen.has(word(m.pattern)):
			e.again(m.pattern, sentence)
		default:
			e.seen.add(word(m.pattern))
			e.hits = append(e.hits, hit{m.pattern, sentence, r.now.tokens[m.start].start, r.now.tokens[m.end-1].end})
		}
	}
}

// again notes that a clue stands in a later sentence too.
func (e *evidence) again(pattern int32, sentence int) {
	for i := range e.hits {
		if e.hits[i].pattern == pattern {
			e.hits[i].last = sentence
			return
		}
	}
}

// doubted is up to how many words on what else an answer holds clues decide; a
// longer one holds clues of all kinds.
const doubted = answered

// sumUp reaches the verdict by the points of what an answer shows and of its
// clues: above zero it is a failure. Its phrase is the clue with most points.
func (d *Detector) sumUp(text string, r *reading, c conclusion, e *evidence) Verdict {
	if words, _ := r.content(); !d.clued || words > doubted || len(r.sentences) == 0 {
		return c.verdict
	}
	sum, most, best := r.points(c.by), 0, -1
	for i, h := range e.hits {
		p := &d.patterns[h.pattern]
		points := p.points
		if h.last > 0 && h.last == len(r.sentences)-1 {
			points += p.closing
		}
		if sum += points; points > most {
			most, best = points, i
		}
	}
	last := &r.sentences[len(r.sentences)-1]
	switch {
	case sum <= 0:
		return Verdict{}
	case c.verdict.Failed() && (c.by != bySpeaks || !last.asks):
		return c.verdict
	case last.asks:
		return Verdict{Kind: HandedBack, Phrase: phrase(text[last.start:last.end])}
	case best < 0:
		return Verdict{}
	}
	h := e.hits[best]
	return Verdict{Kind: Refusal, Phrase: phrase(text[h.start:h.end]), Pattern: d.patterns[h.pattern].text}
}
