package trace

import (
	"cmp"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/session"
)

// finish completes the run. Results whose call came later in the source, as it
// can in one that is not in order, find it now.
func (b *builder) finish() *Run {
	for _, i := range b.lost {
		id := b.events[i].CallID
		c := (*call)(nil)
		if id != "" {
			c = b.pop(queue{id: id})
		}
		if c == nil {
			b.run.Orphans++
			b.events[i].CallID = b.uniqueID(id)
			continue
		}
		b.answer(c, i)
	}
	if b.run.Timed { // what came before the first time that was told is at it
		for i := range b.events[:b.untold] {
			b.events[i].At = b.first
		}
	}
	slices.SortStableFunc(b.events, func(x, y entry) int { return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(x.order, y.order)) })
	for _, c := range b.calls {
		if !c.answered {
			b.run.Unanswered = append(b.run.Unanswered, c.id)
		}
	}
	b.run.Events = make([]session.Event, 0, len(b.events))
	pending := map[string]int{} // calls without a result, by task
	for i := range b.events {
		e := &b.events[i].Event
		b.run.Events = append(b.run.Events, *e)
		if !b.asks {
			continue
		}
		switch e.Type {
		case session.ToolUse:
			pending[e.Task]++
		case session.ToolResult:
			pending[e.Task] = max(0, pending[e.Task]-1)
		}
		if next := i + 1; pending[e.Task] > 0 && next < len(b.events) && (b.events[next].At > e.At || b.events[next].Task != e.Task) {
			b.run.Events = append(b.run.Events, session.Event{Type: session.Asked, Task: e.Task, At: e.At})
		}
	}
	b.run.checkResults(b.pending(), b.turns)
	if b.run.Duration == 0 && b.run.Timed {
		b.run.Duration = time.Duration(b.latest - b.first)
	}
	return b.run
}
