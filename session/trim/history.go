package trim

import "math"

// history is a list of messages, measured. Places in it are indexes of
// messages; the system's are as if they were not there.
type history struct {
	messages  []Message
	whole     Size
	system    int64
	estimated bool
	tail      []Size // from each place to the end
	anchors   []int  // the latest message of the user before each place; -1: none
	pinned    []bool // the message belongs together with one before it
}

func newHistory(messages []Message) *history {
	n := len(messages)
	h := &history{messages: messages, tail: make([]Size, n+1), anchors: make([]int, n+1), pinned: make([]bool, n)}
	for i := n - 1; i >= 0; i-- {
		m := &messages[i]
		h.estimated = h.estimated || m.Tokens <= 0
		h.tail[i] = h.tail[i+1]
		if m.System {
			h.system = add(h.system, m.tokens())
			continue
		}
		h.tail[i] = h.tail[i].plus(m)
	}
	h.whole = h.tail[0]
	h.findAnchors()
	h.pin()
	return h
}

// findAnchors finds for each place the latest message of the user before it.
// One that holds results is no beginning: its calls would be missing, as the
// results would be of one that makes calls.
func (h *history) findAnchors() {
	latest := -1
	for i := range h.messages {
		h.anchors[i] = latest
		if h.begins(i) {
			latest = i
		}
	}
	h.anchors[len(h.messages)] = latest
}

// begins reports whether a history may begin with a message.
func (h *history) begins(i int) bool {
	m := &h.messages[i]
	return !m.System && m.Role == User && len(m.ResultOf) == 0 && len(m.CallIDs) == 0
}

// pin finds what belongs together: from a message that makes calls to the
// last one that holds a result of them.
func (h *history) pin() {
	ends := make([]int, len(h.messages)) // where the results of a message's calls end
	callers := map[string]int{}
	for i := range h.messages {
		m := &h.messages[i]
		if m.System {
			continue
		}
		for _, id := range m.ResultOf {
			if caller, known := callers[id]; known {
				ends[caller] = i
			}
		}
		for _, id := range m.CallIDs {
			callers[id] = i
		}
	}
	end := 0
	for i := range h.messages {
		h.pinned[i] = i > 0 && i <= end
		end = max(end, ends[i])
	}
}

// cut returns the first place from which on the history fits a limit, with
// the message that stays as its beginning. If there is none it is the last
// place at which something is left.
func (h *history) cut(limit Size) int {
	last := 0
	for i := range h.messages {
		if h.messages[i].System || h.pinned[i] {
			continue
		}
		last = i
		if limit.exceededBy(h.from(i)) == None {
			return i
		}
	}
	return last
}

// anchorOf is the message that stays as the beginning of what is left from a
// place on; -1 if none need, or there is none.
func (h *history) anchorOf(place int) int {
	for i := place; i < len(h.messages); i++ {
		if !h.messages[i].System {
			if h.begins(i) {
				return -1
			}
			break
		}
	}
	return h.anchors[place]
}

// from is the size of what is left from a place on, its beginning included.
func (h *history) from(place int) Size {
	size := h.tail[place]
	if anchor := h.anchorOf(place); anchor >= 0 {
		size = size.plus(&h.messages[anchor])
	}
	return size
}

func (s Size) plus(m *Message) Size { return Size{s.Messages + 1, add(s.Tokens, m.tokens())} }

// add adds numbers that are not below 0, and stops at the greatest.
func add(a, b int64) int64 {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return math.MaxInt64
}
