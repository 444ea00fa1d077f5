package refusal

// conclusion is what an answer comes to by the phrases that decide.
type conclusion struct {
	verdict Verdict
	by      ground
}

// ground is what a conclusion rests on.
type ground uint8

const (
	byNothing ground = iota // no phrase decides: what is said is taken for the answer
	byDeed                  // something was done
	byStep                  // a step was taken, and nothing failed behind it
	byTurn                  // "but" sets a result against a limitation
	byRows                  // a list with figures
	byGivesUp
	byVoid
	byAnnouncement
	byCannot
	byUndone
	byHints
	byEfforts
	bySigns
	bySpeaks
	byHandsBack
)

// grounds are the grounds of findings by their roles.
var grounds = map[Role]ground{GivesUp: byGivesUp, Cannot: byCannot, Undone: byUndone, Hints: byHints, Efforts: byEfforts,
	Signs: bySigns, Speaks: bySpeaks, HandsBack: byHandsBack, ReturnsVoid: byVoid}

// final reports whether clues change nothing: the task is given up, given back
// without a result, or only announced.
func (c *conclusion) final() bool {
	return c.by == byGivesUp || c.by == byVoid || c.by == byAnnouncement
}

// conclude returns what the sentences come to.
func (r *reading) conclude() conclusion {
	if v := r.gaveBack(); v.Failed() {
		return conclusion{v, byVoid}
	}
	if by := r.delivers(); by != byNothing {
		return conclusion{by: by}
	}
	if f := r.failure(); f != nil {
		return conclusion{f.verdict, grounds[f.role]}
	}
	if words, _ := r.content(); words > 0 || r.asks || r.fails() {
		return conclusion{}
	}
	if v := r.announced(); v.Failed() {
		return conclusion{v, byAnnouncement}
	}
	return conclusion{}
}
