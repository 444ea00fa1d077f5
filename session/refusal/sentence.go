package refusal

// maxSentence is how many words are judged as one sentence; a longer one is
// judged in parts.
const maxSentence = 200

// draft is a sentence while it is read.
type draft struct {
	tokens   []token
	question bool
	label    bool // ends in a colon
	why      bool // follows a label that tells of a failure
	led      int  // words of an outcome's label that it begins with
	heading  bool
	item     bool // of a list or table
	figures  int  // that report something
	counted  int  // the token behind which the last of them ends
}

// labelWords is up to how many words before a colon are a label, not content.
const labelWords = 3

// turnWords is from how many words on a sentence that begins with "but" gives
// something after a limitation: "I have no live data, but a litre is about 2 EUR".
const turnWords = 5

// told are the phrases of a sentence that decide what it says, nil if there is none.
type told struct {
	failure *match // the most telling one
	speaks  *match // of the worker itself
	step    *match
	asks    bool
}

// say tells what a sentence says, and whether it asks for something.
func (d *Detector) say(text string, s *draft, found []match) (sentence, bool, []match) {
	out := sentence{words: len(s.tokens), row: s.item && s.figures > 0, figure: s.figures > 0,
		start: s.tokens[0].start, end: s.tokens[len(s.tokens)-1].end}
	out.neutral = s.question || s.why || s.heading || s.label && len(s.tokens) <= labelWords
	found = d.matches(s.tokens, found[:0])
	t := d.tell(text, s, found, &out)
	out.obstacle = out.obstacle && !out.neutral
	out.neutral = out.neutral || out.obstacle && s.figures == 0
	out.step = t.step != nil && (t.failure == nil || t.failure.start < t.step.start)
	switch {
	case t.failure != nil:
		out.failure = d.finding(text, s, t.failure)
		if out.failure.role == Undone && out.unfinished.Failed() {
			out.failure.verdict = out.unfinished // says more closely how it ended
		}
	case !out.neutral && !out.unfinished.Failed() && out.words >= turnWords && d.turns.has(s.tokens[0].word):
		out.turn = true
	case t.speaks != nil && !s.question && !s.label && !t.asks && !out.unfinished.Failed():
		out.failure = d.finding(text, s, t.speaks)
	}
	// "I need the key before I can start" says what is missing; it asks nothing.
	asks := s.question && !holds(s, d.other) || t.asks && t.failure == nil
	out.asks = asks
	return out, asks, found
}

// tell notes in a sentence what its phrases say, and returns those that decide.
func (d *Detector) tell(text string, s *draft, found []match, out *sentence) told {
	conditional := d.begins(s.tokens, d.ifs)
	states := !s.question && !conditional && !d.begins(s.tokens, d.whens)
	var t told
	for i := range found {
		m := &found[i]
		switch role := d.patterns[m.pattern].role; role {
		case Harmless, Fruitless, Opines, Clue:
		case Neutral:
			out.neutral = true
		case Obstacle:
			out.obstacle = true
		case Asks:
			out.neutral, t.asks = true, true
		case Delivers:
			out.delivers = out.delivers || states && !d.denies(s.tokens, m.start)
		case Steps:
			if states && !d.denies(s.tokens, m.start) {
				t.step = m
			}
		case Speaks:
			if !conditional {
				t.speaks = m
			}
		case Unfinished:
			if !s.question && !out.unfinished.Failed() {
				out.unfinished = d.verdict(text, s, m, Incomplete)
			}
		default:
			if s.question || conditional && role != ReturnsVoid || role == Signs && s.figures > 0 {
				continue
			}
			if t.failure == nil || rank(role) > rank(d.patterns[t.failure.pattern].role) {
				t.failure = m
			}
		}
	}
	return t
}

// rank orders what one sentence may say of a failure.
func rank(r Role) int {
	switch r {
	case ReturnsVoid:
		return 4
	case GivesUp:
		return 3
	case HandsBack, Undone:
		return 2
	case Cannot:
		return 1
	case Efforts, Signs:
		return -1
	}
	return 0 // Hints
}

func (d *Detector) finding(text string, s *draft, m *match) *finding {
	role, kind := d.patterns[m.pattern].role, Refusal
	if role == HandsBack || role == ReturnsVoid {
		kind = HandedBack
	}
	return &finding{role: role, verdict: d.verdict(text, s, m, kind)}
}

func (d *Detector) verdict(text string, s *draft, m *match, kind Kind) Verdict {
	return Verdict{
		Kind:    kind,
		Phrase:  phrase(text[s.tokens[m.start].start:s.tokens[m.end-1].end]),
		Pattern: d.patterns[m.pattern].text,
	}
}

// begins reports whether a sentence begins with one of some words. One that
// begins with a condition speaks of a case, not of the task.
func (d *Detector) begins(tokens []token, words wordSet) bool {
	for _, t := range tokens {
		if words.has(t.word) {
			return true
		}
		if !d.leads.has(t.word) {
			return false
		}
	}
	return false
}

// denies reports whether a word such as "nothing" stands before a place in its
// clause: "so nothing was booked" delivers nothing; "No, I moved it" does.
func (d *Detector) denies(tokens []token, at int) bool {
	for ; at >= 0; at-- {
		if d.nones.has(tokens[at].word) {
			return true
		}
		if tokens[at].clause || at > 0 && d.joins.has(tokens[at-1].word) && !d.nones.has(tokens[at-1].word) {
			return false
		}
	}
	return false
}

func holds(s *draft, w word) bool {
	for _, t := range s.tokens {
		if t.word == w {
			return true
		}
	}
	return false
}
