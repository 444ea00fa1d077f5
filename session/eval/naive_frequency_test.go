package eval_test

import (
	"fmt"
	"slices"
	"strings"
)

// history is all that outlives a line.
type history struct {
	latest   int64
	lines    int
	admitted map[string][]string // abilities, by session
	counters map[string]*counter
}

// counter holds the admission times of what it counts, and which runs and
// calls they stand for.
type counter struct {
	times []int64
	runs  []string
	calls []string
}

func newHistory() *history {
	return &history{admitted: map[string][]string{}, counters: map[string]*counter{}}
}

// enter gives a line its time, which never goes back, and, where it names no
// session, one for its run, or for the line alone.
func (h *history) enter(s step) step {
	h.lines++
	h.latest = max(h.latest, s.now)
	s.now = h.latest
	if s.session == "" && s.run != "" {
		s.session = "the session of run " + s.runID()
	} else if s.session == "" {
		s.session = fmt.Sprintf("the session of line %d alone", h.lines)
	}
	return s
}

// runID identifies the run; a run belongs to its chain.
func (s step) runID() string { return s.chain + "\n" + s.run }

// call identifies the call; "" if it has no identity and so is always new.
func (s step) call() string {
	if s.callID == "" {
		return ""
	}
	return strings.Join([]string{s.session, s.callID, s.ability, s.args.canonical()}, "\n")
}

// admit records a step that nothing refused: its ability, and one entry in
// every counter of the chain's rules that counts it.
func (h *history) admit(rules []rule, s step) {
	h.admitted[s.session] = append(h.admitted[s.session], s.ability)
	taken := map[string]bool{} // rules that count the same share a counter
	for _, r := range rules {
		if !nameMatches(r.section, s.chain) {
			continue
		}
		for _, a := range r.atoms {
			f, ok := a.(frequency)
			if !ok || !f.counts(s) || taken[f.subject(r, s)] {
				continue
			}
			taken[f.subject(r, s)] = true
			h.counter(f.subject(r, s)).take(s, f.name == "")
		}
	}
}

func (h *history) counter(subject string) *counter {
	if h.counters[subject] == nil {
		h.counters[subject] = &counter{}
	}
	return h.counters[subject]
}

// counts reports whether the atom counts the step: any step stands for its
// run, only a step that the name matches for a call.
func (a frequency) counts(s step) bool {
	return a.name == "" || abilityMatches(a.name, s.ability)
}

// subject is the identity of the counter: what it counts, and for whom.
func (a frequency) subject(r rule, s step) string {
	what := "runs"
	if a.name != "" {
		what = "calls of " + folded(a.name)
	}
	switch {
	case a.scope == "all":
		return what + "\nall\n" + r.section
	case a.scope == "session":
		return what + "\nsession\n" + r.section + "\n" + s.session
	case strings.HasPrefix(s.chain, "nyaya/"):
		// Model-written chains of a session share one counter, so that a new name resets no limit.
		return what + "\nnyaya\n" + s.session
	}
	return what + "\nchain\n" + s.chain
}

// adds reports whether the step would add an entry. A run that is named adds
// one in all, whichever calls it consists of. Everywhere else a call that is
// already in adds no further one.
func (c *counter) adds(s step, ofRuns bool) bool {
	if ofRuns && s.run != "" {
		return !slices.Contains(c.runs, s.runID())
	}
	return s.call() == "" || !slices.Contains(c.calls, s.call())
}

// take adds the step's entry.
func (c *counter) take(s step, ofRuns bool) {
	if !c.adds(s, ofRuns) {
		return
	}
	c.times = append(c.times, s.now)
	if ofRuns && s.run != "" {
		c.runs = append(c.runs, s.runID())
	}
	if call := s.call(); call != "" {
		c.calls = append(c.calls, call)
	}
}

// judge: the entries in (now−W, now], with the one the step would add, are
// more than the count.
func (a frequency) judge(r rule, h *history, s step) judgement {
	if !a.counts(s) {
		return plain(false, "")
	}
	span := int64(a.window) * unitSeconds(a.unit) * 1e9
	c := h.counter(a.subject(r, s))
	j := judgement{wait: unknown}
	var entries []int64
	for _, at := range append(a.past(s), c.times...) {
		if s.now-span < at && at <= s.now {
			entries = append(entries, at)
		}
		if age := s.now - at; age == span || age == span-1 || age == span+1 {
			j.edge = true
		}
	}
	total := len(entries)
	if c.adds(s, a.name == "") {
		total++
	}
	if total <= a.count {
		return j
	}
	j.holds, j.why = true, "exceeded"
	// As many of the oldest entries must leave as there are too many.
	if leave := total - a.count; leave <= len(entries) {
		slices.Sort(entries)
		j.wait = roundedUp(entries[leave-1] + span - s.now)
	}
	return j
}

// past are the entries that only this line knows of.
func (a frequency) past(s step) []int64 {
	if a.name == "" {
		return slices.Clone(s.executions)
	}
	var times []int64
	for _, c := range s.calls {
		if abilityMatches(a.name, c.ability) {
			times = append(times, c.at)
		}
	}
	return times
}

// roundedUp turns nanoseconds into milliseconds.
func roundedUp(nanoseconds int64) int64 { return (nanoseconds + 1e6 - 1) / 1e6 }
