package session

import "github.com/cbpolicy/cbpolicy/dsl"

// History is what was admitted in a session. The zero History is empty. It
// is not safe for concurrent use.
type History struct {
	last  string              // added last: an agent often calls the same again
	spelt map[string]struct{} // as they were written, so that one that comes again costs a look
	seen  map[string]bool     // by folded ability: whether one so written is of the class that writes
}

// Add notes an admitted ability.
func (h *History) Add(ability string) {
	if h.spelt != nil && ability == h.last {
		return
	}
	h.last = ability
	if _, again := h.spelt[ability]; again {
		return
	}
	if h.seen == nil {
		h.spelt, h.seen = map[string]struct{}{}, map[string]bool{}
	}
	h.spelt[ability] = struct{}{}
	folded := dsl.Fold(ability)
	h.seen[folded] = h.seen[folded] || dsl.Writes.Covers(ability)
}

// Admitted implements registry.History.
func (h *History) Admitted(folded dsl.NamePattern) bool {
	if folded.Literal() {
		_, ok := h.seen[string(folded)]
		return ok
	}
	for name, writes := range h.seen {
		if folded.IsClass() && writes || !folded.IsClass() && folded.Match(name) {
			return true
		}
	}
	return false
}
