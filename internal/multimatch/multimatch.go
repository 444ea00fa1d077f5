// Package multimatch owns finding which of many literal patterns occur in a
// text, in one pass over it whatever their number.
//
// It is an Aho-Corasick automaton with every transition precomputed over
// classes of equal bytes. Patterns are bytes: it knows no Unicode.
package multimatch

// Matcher finds literal patterns. It is immutable and safe for any number of
// goroutines. The zero value finds nothing.
type Matcher struct {
	few   []needle   // so few patterns that looking for each is cheaper; then nothing below is set
	class [256]uint8 // a byte's class; 0: in no pattern
	width int        // number of classes
	next  []uint32   // row+class → row of the target state, with hit in the top bit
	ends  [][]int32  // per state: the patterns that end there, shorter ones too
}

// hit marks a transition into a state where a pattern ends, so that scanning
// reads the ends of such states only.
const hit = 1 << 31

// fewPatterns is up to how many patterns a search for each in turn, which uses
// vector instructions, beats one pass of the automaton.
const fewPatterns = 4

// New compiles patterns. With fold, ASCII letters in texts match both cases;
// the patterns must then be lower-case. Empty patterns occur in every text.
func New(patterns []string, fold bool) *Matcher {
	if len(patterns) <= fewPatterns && !fold {
		m := &Matcher{}
		for _, p := range patterns {
			m.few = append(m.few, newNeedle(p))
		}
		return m
	}
	m := &Matcher{width: 1}
	m.classes(patterns, fold)
	m.build(patterns)
	return m
}

// classes gives every byte that occurs in a pattern a class of its own.
func (m *Matcher) classes(patterns []string, fold bool) {
	for _, p := range patterns {
		for i := range len(p) {
			if b := p[i]; m.class[b] == 0 && m.width < 256 {
				m.class[b] = uint8(m.width)
				m.width++
			}
		}
	}
	if fold {
		for b := 'A'; b <= 'Z'; b++ {
			m.class[b] = m.class[b+'a'-'A']
		}
	}
}

// build makes the trie and then, in breadth-first order, turns its missing
// edges into those of the longest proper suffix.
func (m *Matcher) build(patterns []string) {
	m.next = make([]uint32, m.width)
	m.ends = make([][]int32, 1)
	for id, p := range patterns {
		state := 0
		for i := range len(p) {
			at := state*m.width + int(m.class[p[i]])
			if m.next[at] == 0 {
				m.next[at] = uint32(len(m.ends))
				m.next = append(m.next, make([]uint32, m.width)...)
				m.ends = append(m.ends, nil)
			}
			state = int(m.next[at])
		}
		m.ends[state] = append(m.ends[state], int32(id))
	}
	fail := make([]int, len(m.ends))
	queue := make([]int, 0, len(m.ends))
	for c := range m.width {
		if s := int(m.next[c]); s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		m.ends[s] = append(m.ends[s], m.ends[fail[s]]...)
		for c := range m.width {
			at, suffix := s*m.width+c, m.next[fail[s]*m.width+c]
			if t := int(m.next[at]); t != 0 {
				fail[t] = int(suffix)
				queue = append(queue, t)
			} else {
				m.next[at] = suffix
			}
		}
	}
	for i, s := range m.next {
		m.next[i] = s * uint32(m.width)
		if len(m.ends[s]) > 0 {
			m.next[i] |= hit
		}
	}
}

// Find calls f with each pattern that occurs in the text, at least once,
// until f returns false. It reports whether f always returned true.
func (m *Matcher) Find(text string, f func(id int) bool) bool {
	for id := range m.few {
		if m.few[id].in(text) && !f(id) {
			return false
		}
	}
	if m.width == 0 {
		return true
	}
	for _, id := range m.ends[0] {
		if !f(int(id)) {
			return false
		}
	}
	next, row := m.next, uint32(0)
	for i := range len(text) {
		row = next[row+uint32(m.class[text[i]])]
		if row&hit != 0 {
			row &^= hit
			for _, id := range m.ends[int(row)/m.width] {
				if !f(int(id)) {
					return false
				}
			}
		}
	}
	return true
}

// Each calls f with each occurrence of a pattern that is not empty and the place
// behind it, in the order of the places, until f returns false. It is for a
// matcher made with fold, and finds nothing in another of few patterns.
func (m *Matcher) Each(text string, f func(id, end int) bool) {
	if m.width == 0 {
		return
	}
	next, row := m.next, uint32(0)
	for i := range len(text) {
		row = next[row+uint32(m.class[text[i]])]
		if row&hit != 0 {
			row &^= hit
			for _, id := range m.ends[int(row)/m.width] {
				if !f(int(id), i+1) {
					return
				}
			}
		}
	}
}
