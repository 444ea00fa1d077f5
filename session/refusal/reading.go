package refusal

// sentence is what one sentence of an answer says.
type sentence struct {
	failure    *finding // nil: none
	unfinished Verdict
	delivers   bool
	step       bool // a step was taken
	turn       bool // begins with "but" and tells something
	neutral    bool // nothing of the result
	obstacle   bool // tells of what stood in the way; with a figure, it may be an answer
	row        bool // of a list or table, with a figure
	figure     bool // holds a digit
	asks       bool // asks for something
	words      int
	start, end int // in the text
}

// finding is a phrase that tells of a failure.
type finding struct {
	role    Role
	verdict Verdict
}

// reading is what the sentences of an answer say.
type reading struct {
	sentences []sentence
	words     int  // outside of sentences: code, quotations
	asks      bool // the worker asks for something
	code      bool // there is a block of code
	long      bool // a part was not read
}

// aside is from how many words on what else an answer holds is more than an
// explanation why nothing was done.
const aside = 20

// outweighs is from how many words on what else an answer holds outweighs a
// finding whose words a report may hold as well, 0 for other findings.
func outweighs(r Role) int {
	switch r {
	case Undone:
		return aside
	case Hints, Efforts:
		return 14
	case Signs:
		return 10
	}
	return 0
}

// silent reports whether no sentence tells of anything but the worker.
func (r *reading) silent() bool {
	words := r.words
	for i := range r.sentences {
		s := &r.sentences[i]
		if words += s.content(); s.obstacle && s.neutral && s.failure == nil {
			words += s.words
		}
		if s.figure {
			return false
		}
	}
	return words <= labelWords
}

// gaveBack returns the verdict of the first sentence that returns the task and
// says that nothing came of it.
func (r *reading) gaveBack() Verdict {
	for i := range r.sentences {
		if f := r.sentences[i].failure; f != nil && f.role == ReturnsVoid {
			return f.verdict
		}
	}
	return Verdict{}
}

// failure returns the finding that decides, nil if none does: the first that
// gives the task up, else the first that nothing else in the answer outweighs.
func (r *reading) failure() *finding {
	for i := range r.sentences {
		if f := r.sentences[i].failure; f != nil && f.role == GivesUp {
			return f
		}
	}
	if r.long {
		return nil
	}
	total, figures := r.content()
	before := 0
	for i := range r.sentences {
		s := &r.sentences[i]
		switch f := s.failure; {
		case f == nil:
			before += s.content()
		case f.role == Speaks:
			if r.silent() {
				return f
			}
		case outweighs(f.role) > 0:
			if total < outweighs(f.role) && figures == 0 {
				return f
			}
		case before == 0 && total < answered:
			return f
		}
	}
	return nil
}

// fails reports whether a sentence says that something was not done.
func (r *reading) fails() bool {
	for i := range r.sentences {
		if r.sentences[i].failure != nil {
			return true
		}
	}
	return false
}

// answers reports whether what "but" sets against the sentence before is a
// result. Against a limitation it is, against a hint of one if it holds a
// figure; against an effort it is an obstacle: "I tried to read the sensor, but
// it has been removed".
func (r *reading) answers(i int) bool {
	if i == 0 || r.sentences[i-1].failure == nil {
		return false
	}
	switch r.sentences[i-1].failure.role {
	case Hints, Signs:
		return r.sentences[i].figure
	case Efforts, Speaks:
		return false
	}
	return true
}

// failsFrom reports whether a sentence from one on says that something failed.
func (r *reading) failsFrom(i int) bool {
	for ; i < len(r.sentences); i++ {
		if f := r.sentences[i].failure; f != nil && f.role != Speaks {
			return true
		}
	}
	return false
}

// rowsOfResult is from how many rows with figures on a list is a result.
const rowsOfResult = 2

// delivers returns by what the answer says or shows that something was done.
func (r *reading) delivers() ground {
	rows, by := 0, byNothing
	for i := range r.sentences {
		s := &r.sentences[i]
		switch {
		case s.delivers:
			return byDeed
		case s.turn && r.answers(i):
			by = byTurn
		case s.step && !r.failsFrom(i+1) && by == byNothing:
			by = byStep
		}
		if s.row && s.failure == nil && !s.neutral {
			rows++
		}
	}
	if by == byNothing && rows >= rowsOfResult {
		by = byRows
	}
	return by
}

// content returns the number of words that neither fail, announce nor are
// neutral, and how many sentences of such words hold a figure.
func (r *reading) content() (words, figures int) {
	words = r.words
	for i := range r.sentences {
		s := &r.sentences[i]
		n := s.content()
		words += n
		if n > 0 && s.figure && !s.obstacle {
			figures++
		}
	}
	return words, figures
}

// content returns how many words of a sentence may be an answer: all or none.
func (s *sentence) content() int {
	if s.failure != nil || s.neutral || s.unfinished.Failed() {
		return 0
	}
	return s.words
}

// announced returns what the worker announced or left unfinished, if it did.
func (r *reading) announced() Verdict {
	for i := range r.sentences {
		if v := r.sentences[i].unfinished; v.Failed() {
			return v
		}
	}
	return Verdict{}
}
