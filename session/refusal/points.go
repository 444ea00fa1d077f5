package refusal

// The points of what an answer shows besides its clues: like theirs, they were
// fitted to the tuned sets, five to the unit of log odds, and rounded.
const (
	pointsOfLastAsk      = 10
	pointsOfAsk          = 2
	pointsOfLastHalf     = 9
	pointsOfLastFailure  = 5
	pointsOfFailure      = 3
	pointsOfLastSpeaking = 2
	pointsOfLastFigure   = -3
	pointsOfLastDeed     = -2
	pointsOfDeed         = -5
	pointsOfLostDeed     = -8
	pointsOfStep         = -5
	pointsOfAnswerFigure = -2
	pointsOfTale         = 3
)

// groundPoints are the points of what the phrases that decide come to. A result
// has some more than were fitted: in doubt an answer is one, as a worker that is
// wrongly taken to have failed is soon given nothing more to do.
var groundPoints = [...]int{byNothing: -9, byDeed: -12, byStep: -9, byTurn: -16, byRows: -9, byCannot: 3, byUndone: 5,
	byHints: 4, byEfforts: 5, bySigns: 2, bySpeaks: 5, byHandsBack: 7}

// The points of how much an answer holds: each pair is a count from which on
// they are added.
var (
	contentPoints  = [...][2]int{{1, -2}, {12, -3}, {20, -3}, {30, -3}}
	figurePoints   = [...][2]int{{1, -3}, {2, -2}, {4, -2}}
	sentencePoints = [...][2]int{{3, -2}, {4, -2}}
)

// taleWords is from how many words on an answer tells at length.
const taleWords = 49

// points sums up what an answer shows besides its clues.
func (r *reading) points(by ground) int {
	var words, figures int
	var asked, failed, deed, lost, step bool
	last := len(r.sentences) - 1
	for i := range r.sentences {
		s := &r.sentences[i]
		words += s.words
		if s.figure {
			figures++
		}
		failed, asked = failed || i < last && s.failure != nil, asked || i < last && s.asks
		kept := !r.failsFrom(i + 1)
		step = step || s.step && kept
		kept = kept && (s.failure == nil || s.failure.role == Speaks)
		deed, lost = deed || s.delivers && kept, lost || s.delivers && !kept
	}
	content, answerFigures := r.content()
	return groundPoints[by] + r.sentences[last].lastPoints() +
		reached(contentPoints[:], content) + reached(figurePoints[:], figures) +
		only(failed, pointsOfFailure) + only(deed, pointsOfDeed) + only(lost, pointsOfLostDeed) + only(step, pointsOfStep) +
		only(answerFigures > 0, pointsOfAnswerFigure) + only(asked && !r.sentences[last].asks, pointsOfAsk) +
		reached(sentencePoints[:], len(r.sentences)) + only(words >= taleWords, pointsOfTale)
}

// lastPoints are those of the last sentence of an answer.
func (s *sentence) lastPoints() int {
	sum := only(s.figure, pointsOfLastFigure)
	switch {
	case s.asks:
		sum += pointsOfLastAsk
	case s.failure != nil && s.failure.role == Speaks:
		sum += pointsOfLastSpeaking
	case s.failure != nil:
		sum += pointsOfLastFailure
	case s.delivers:
		sum += pointsOfLastDeed
	case s.unfinished.Failed() && !s.step:
		sum += pointsOfLastHalf
	}
	return sum
}

// reached adds the points of all counts that are reached.
func reached(all [][2]int, n int) (sum int) {
	for _, one := range all {
		if n >= one[0] {
			sum += one[1]
		}
	}
	return sum
}

func only(holds bool, points int) int {
	if holds {
		return points
	}
	return 0
}
