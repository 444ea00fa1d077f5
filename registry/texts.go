package registry

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// texts cuts the texts of numbers from pieces that hold many: the meters of a task
// change with every event, and those that a rule fires by are shown each time. A
// text outlives its step, and keeps no more than its piece. The zero value is ready.
type texts struct {
	piece  *strings.Builder
	latest [8]struct { // a meter is read more than once before it changes
		number decimal.Decimal
		text   string
	}
	next int
}

// textPiece is how large a piece is, in bytes.
const textPiece = 1 << 10

// of is n.String().
func (t *texts) of(n decimal.Decimal) string {
	for i := range t.latest {
		if l := &t.latest[i]; l.number == n && l.text != "" {
			return l.text
		}
	}
	l := &t.latest[t.next]
	t.next = (t.next + 1) % len(t.latest)
	l.number, l.text = n, t.cut(n)
	return l.text
}

func (t *texts) cut(n decimal.Decimal) string {
	var room [64]byte
	text := n.Append(room[:0])
	if t.piece == nil || t.piece.Cap()-t.piece.Len() < len(text) {
		t.piece = &strings.Builder{} // the one before belongs to the texts in it
		t.piece.Grow(max(textPiece, len(text)))
	}
	start := t.piece.Len()
	t.piece.Write(text)
	return t.piece.String()[start:]
}
