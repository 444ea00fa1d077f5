package refusal

// sentence is what one sentence of an answer says.
type sentence struct {
	failure    *finding // nil: none
	unfinished Verdict
	delivers   bool
	neutral    bool // nothing of the result
	row        bool // of a list or table, with a figure
	words      int
}

// finding is a phrase that tells of a failure.
type finding struct {
	role    Role
	verdict Verdict
	needs   bool // a limitation that holds until something is supplied
}

// reading is what the sentences of an answer say.
type reading struct {
	sentences []sentence
	words     int  // outside of sentences: code, quotations
	asks      bool // the worker asks for something
	code      bool // there is a block of code
	long      bool // a part was not read
}

// dropNeeds takes limitations that wait for an answer to the worker's question
// for part of the question.
func (r *reading) dropNeeds() {
	for i := range r.sentences {
		if s := &r.sentences[i]; s.failure != nil && s.failure.needs {
			s.failure, s.neutral = nil, true
		}
	}
}

// failure returns the finding that tells most, the first of its like, and how
// many words of something else stand before it.
func (r *reading) failure() (found *finding, before int) {
	content := 0
	for i := range r.sentences {
		s := &r.sentences[i]
		switch {
		case s.failure != nil:
			if found == nil || s.failure.tells() > found.tells() {
				found, before = s.failure, content
			}
		case !s.neutral && !s.unfinished.Failed():
			content += s.words
		}
	}
	return found, before
}

func (f *finding) tells() int {
	switch f.role {
	case ReturnsVoid:
		return 2
	case GivesUp:
		return 1
	}
	return 0
}

// rowsOfResult is from how many rows with figures on a list is a result.
const rowsOfResult = 2

// delivers reports whether the answer says or shows that something was done.
func (r *reading) delivers() bool {
	rows := 0
	for i := range r.sentences {
		s := &r.sentences[i]
		if s.delivers {
			return true
		}
		if s.row && s.failure == nil && !s.neutral {
			rows++
		}
	}
	return rows >= rowsOfResult
}

// content returns the number of words that neither fail, announce nor are neutral.
func (r *reading) content() int {
	n := r.words
	for i := range r.sentences {
		if s := &r.sentences[i]; s.failure == nil && !s.neutral && !s.unfinished.Failed() {
			n += s.words
		}
	}
	return n
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
