package trace

import (
	"cmp"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/session"
)

// Our own events, in JSON Lines: a file is a run. An event without a time is
// at that of the event before it.

func isEvents(o *outline) bool {
	if o.hasAny("sessionId", "uuid", "message", "messageId", "leafUuid") {
		return false // Claude Code has types of the same names
	}
	for _, t := range [...]session.EventType{
		session.TaskStart, session.TaskEnd, session.Heartbeat, session.UserSaid, session.AgentSaid,
		session.ToolUse, session.Delegate, session.ToolResult, session.Usage, session.Asked,
	} {
		if o.has("type=" + string(t)) {
			return !o.list
		}
	}
	return false
}

func readEvents(in *input) {
	r := &Run{Format: Events, Source: in.source}
	now, size, untimed := int64(0), int64(0), 0
	err := in.eachRaw(func(line, column int) error {
		e, err := session.DecodeEvent(in.buf)
		if err != nil {
			return placed(in.source, line, column, err)
		}
		if size += int64(len(in.buf)); size > in.limits.RunBytes {
			return &LimitError{What: "a run", Limit: in.limits.RunBytes, Unit: "bytes"}
		}
		if now = cmp.Or(e.At, now); now == 0 {
			untimed++
		}
		e.At = now
		r.Events = append(r.Events, *e)
		return nil
	})
	if err == nil && len(r.Events) == 0 {
		err = in.fault("the file is empty")
	}
	if err != nil {
		in.finish(err)
		return
	}
	r.Timed = untimed < len(r.Events)
	for i := range untimed {
		r.Events[i].At = UntimedStart + int64(i)*untimedStep
		if r.Timed { // what comes before the first time is at it
			r.Events[i].At = r.Events[untimed].At
		}
	}
	slices.SortStableFunc(r.Events, func(x, y session.Event) int { return cmp.Compare(x.At, y.At) })
	r.describe()
	in.emit(r, nil, in.line)
}

// describe tells from the events of a run what a source of another format
// tells by itself.
func (r *Run) describe() {
	open := map[string]int{}
	var order []string
	for i := range r.Events {
		e := &r.Events[i]
		r.Chain, r.Model = cmp.Or(r.Chain, e.Chain), cmp.Or(r.Model, e.Model)
		switch e.Type {
		case session.ToolUse, session.Delegate:
			open[e.CallID]++
			order = append(order, e.CallID)
		case session.ToolResult:
			if open[e.CallID] == 0 {
				r.Orphans++
				continue
			}
			open[e.CallID]--
		}
	}
	for _, id := range order {
		if open[id] > 0 {
			open[id]--
			r.Unanswered = append(r.Unanswered, id)
		}
	}
	if r.Timed {
		r.Duration = time.Duration(r.Events[len(r.Events)-1].At - r.Events[0].At)
	}
}
