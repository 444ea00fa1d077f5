package policytest

import (
	"time"

	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/duration"
)

// duration reads a duration of at least 0.
func (l *loader) duration(n *document.Node, what string) (time.Duration, bool) {
	text, ok := l.Text(n, what)
	if !ok {
		return 0, false
	}
	d, ok := duration.Parse(text)
	if !ok || d < 0 {
		l.Report(document.WrongTypeID, n.Pos, what+" cannot be "+document.Quote(text), "write a duration such as 90s, 59m, 1h30m or 2d")
		return 0, false
	}
	return d, true
}
