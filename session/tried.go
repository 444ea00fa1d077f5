package session

import (
	"bytes"
	"slices"

	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// tried is a breaker that was written, where nobody knows whether it was, until the
// store shows it.
type tried struct {
	cell     state.Cell
	from, to breaker.State
	made     bool // it was seen
}

// maxTried bounds those that a breaker looks for. One that is not looked for any
// more counts as not made: then a result may count twice, never not at all.
const maxTried = 64

// try notes a write of which the answer was lost.
func (g *guarded) try(w *state.Write, from, to breaker.State) *tried {
	t := &tried{cell: state.Cell{Version: w.Version + 1, Value: w.Value}, from: from, to: to}
	if len(g.tries) == maxTried {
		g.tries = slices.Delete(g.tries, 0, 1)
	}
	g.tries = append(g.tries, t)
	return t
}

// giveUp ends the looking for a write; nil: there is none.
func (g *guarded) giveUp(t *tried) {
	if t != nil {
		g.tries = slices.DeleteFunc(g.tries, func(other *tried) bool { return other == t })
	}
}

// recognize finds the write that has made a cell what it is: no two are the same.
func (g *guarded) recognize(c state.Cell) {
	if len(g.tries) == 0 {
		return
	}
	g.tries = slices.DeleteFunc(g.tries, func(t *tried) bool {
		t.made = t.cell.Version == c.Version && bytes.Equal(t.cell.Value, c.Value)
		return t.made
	})
}

// dropTries ends the looking for writes of a version that was written by another
// result.
func (g *guarded) dropTries(version int64) {
	if len(g.tries) > 0 {
		g.tries = slices.DeleteFunc(g.tries, func(t *tried) bool { return t.cell.Version == version })
	}
}
