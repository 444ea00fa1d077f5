package refusal

// Kind is in which way a delegation failed by its answer.
type Kind uint8

// The kinds. The zero value is None: the answer is a result, if only in part.
const (
	None       Kind = iota
	Empty           // nothing was said: blanks, null, an empty list
	Incomplete      // announced and not done, or cut off
	Refusal         // the worker says that it cannot, will not or failed to
	HandedBack      // returned to who delegated, without a result
)

var kindNames = [...]string{"none", "empty", "incomplete", "refusal", "handed_back"}

// String returns the kind's name, as in logs: "none", "empty", "incomplete",
// "refusal", "handed_back".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Verdict is what an answer was judged to be. The zero value is a result.
type Verdict struct {
	Kind Kind
	// Phrase is the part of the answer that decided, blanks joined, at most
	// 200 bytes of it; "" for None, and where nothing was said.
	Phrase string
	// Pattern is the text of the pattern that matched; "" if it was none.
	Pattern string
}

// Failed reports whether the delegation counts as failed.
func (v Verdict) Failed() bool { return v.Kind != None }

// Detector judges answers by a table of phrases. It is immutable and safe for
// any number of goroutines. The zero value knows no phrases: it still tells
// empty answers, cut-off JSON and JSON that reports an error.
type Detector struct {
	words    map[string]word     // of every word in a pattern
	stems    stems               // of every stem and ending in a pattern
	lists    map[string][][]word // the named lists that were used
	patterns []pattern
	clued    bool          // some of them are clues
	byFirst  [][]candidate // patterns by a word they may begin with
	grammar
	plain *Detector // the same without the clues; nil: it is the same
}

// Default returns a detector for the table of this package. It compiles the
// table, which takes milliseconds: keep what it returns.
func Default() *Detector {
	d, err := New(Defaults())
	if err != nil {
		// The table is part of the program and every test compiles it.
		panic("refusal: the built-in table: " + err.Error())
	}
	return d
}

// New returns a detector for a table of patterns; [Defaults] is the built-in
// one, to be added to or replaced. A pattern that cannot be read is a
// [*PatternError] that names it.
func New(table []Pattern) (*Detector, error) {
	if len(table) > maxPatterns {
		return nil, &PatternError{Index: maxPatterns, Message: tooMany}
	}
	d := &Detector{words: map[string]word{}, lists: map[string][][]word{}}
	d.stems = stems{before: map[string]word{}, after: map[string]word{}}
	d.grammar = d.newGrammar()
	for i, p := range table {
		c, err := d.compile(p)
		if err != nil {
			err.Index = i
			return nil, err
		}
		d.patterns = append(d.patterns, c)
		d.clued = d.clued || c.role == Clue
	}
	d.widen()
	// Every word has its number now; word 0 is in no pattern.
	d.byFirst = make([][]candidate, len(d.words)+1)
	for i := range d.patterns {
		p := &d.patterns[i]
		c := candidate{int32(i), p.anchor, p.isWord()}
		for w := range p.first().all() {
			d.byFirst[w] = append(d.byFirst[w], c)
		}
	}
	plain := *d
	plain.clued = false
	d.plain, plain.plain = &plain, &plain
	return d, nil
}
