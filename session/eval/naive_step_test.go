package eval_test

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// step is one line of input.
type step struct {
	malformed bool // cannot be judged; nothing else is set

	chain, run, session, ability, callID string

	args, outputs, params, meters node
	pending, history, user        []string
	executions                    []int64 // Unix nanoseconds
	calls                         []pastCall
	now                           int64 // Unix nanoseconds; 0: not given
}

// pastCall is a call that the host knows of.
type pastCall struct {
	ability string
	at      int64
}

// readStep reads a line; whatever is wrong with it makes the step malformed.
func readStep(line string) step {
	n, ok := readJSON(line)
	if !ok || !utf8.ValidString(line) || n.kind != isObject || n.repeats() {
		return step{malformed: true}
	}
	s := step{}
	for i, name := range n.names {
		if !s.set(name, n.items[i]) {
			return step{malformed: true}
		}
	}
	if s.chain == "" || s.ability == "" || hidden(s.ability) || caseVariants(s.args.names) ||
		hiddenKeys(s.args) || hiddenKeys(s.outputs) || hiddenKeys(s.params) {
		return step{malformed: true}
	}
	return s
}

// set reads one field and reports whether its value has the right form.
func (s *step) set(name string, n node) bool {
	var ok bool
	switch name {
	case "chain":
		s.chain, ok = n.text, n.kind == isText
	case "run":
		s.run, ok = n.text, n.kind == isText
	case "session":
		s.session, ok = n.text, n.kind == isText
	case "ability":
		s.ability, ok = n.text, n.kind == isText
	case "call_id":
		s.callID, ok = n.text, n.kind == isText
	case "step":
		ok = n.kind == isText
	case "args":
		s.args, ok = n, n.kind == isObject
	case "outputs":
		s.outputs, ok = n, n.kind == isObject
	case "params":
		s.params, ok = n, n.kind == isObject
	case "meters":
		s.meters, ok = n, n.kind == isObject
	case "pending":
		s.pending, ok = n.texts()
	case "history":
		s.history, ok = n.texts()
	case "user":
		s.user, ok = n.texts()
	case "executions":
		s.executions, ok = n.times()
	case "calls":
		s.calls, ok = n.pastCalls()
	case "now":
		s.now, ok = n.time()
	}
	return ok
}

func (n node) texts() (texts []string, ok bool) {
	for _, item := range n.items {
		if item.kind != isText {
			return nil, false
		}
		texts = append(texts, item.text)
	}
	return texts, n.kind == isList
}

func (n node) time() (int64, bool) {
	at, err := time.Parse(time.RFC3339Nano, n.text)
	return at.UnixNano(), n.kind == isText && err == nil
}

func (n node) times() (times []int64, ok bool) {
	for _, item := range n.items {
		at, ok := item.time()
		if !ok {
			return nil, false
		}
		times = append(times, at)
	}
	return times, n.kind == isList
}

func (n node) pastCalls() (calls []pastCall, ok bool) {
	for _, item := range n.items {
		var c pastCall
		named, dated := false, false
		item.members("ability", func(m node) { c.ability, named = m.text, m.kind == isText })
		item.members("at", func(m node) { c.at, dated = m.time() })
		if !named || !dated {
			return nil, false
		}
		calls = append(calls, c)
	}
	return calls, n.kind == isList
}

// hidden reports whether a name holds a control, zero-width or bidirectional character.
func hidden(name string) bool {
	return strings.ContainsFunc(name, func(c rune) bool {
		switch {
		case unicode.IsControl(c),
			0x200B <= c && c <= 0x200F, // zero-width space to right-to-left mark
			0x202A <= c && c <= 0x202E, // embeddings and overrides
			0x2060 <= c && c <= 0x2064, // word joiner and invisible operators
			0x2066 <= c && c <= 0x2069, // isolates
			c == 0x061C, c == 0xFEFF:
			return true
		}
		return false
	})
}

// hiddenKeys reports whether any member name in the value is hidden.
func hiddenKeys(n node) bool {
	return slices.ContainsFunc(n.names, hidden) || slices.ContainsFunc(n.items, hiddenKeys)
}

// caseVariants reports whether two names differ only in case.
func caseVariants(names []string) bool {
	for i, name := range names {
		for _, later := range names[i+1:] {
			if folded(name) == folded(later) {
				return true
			}
		}
	}
	return false
}
