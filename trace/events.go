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
	open := map[string][]int{} // by id, the calls without a result, in order
	var calls []pending
	var ids []string
	answered := map[int]bool{}
	turns := turnsOf{latest: map[string]int{}, calling: map[string]int64{}}
	for i := range r.Events {
		e := &r.Events[i]
		r.Chain, r.Model = cmp.Or(r.Chain, e.Chain), cmp.Or(r.Model, e.Model)
		turns.next(e)
		switch {
		case isCall(e):
			open[e.CallID] = append(open[e.CallID], len(calls))
			calls, ids = append(calls, pending{len(calls) + 1, called(e), e.Task, turns.latest[e.Task]}), append(ids, e.CallID)
		case e.Type != session.ToolResult:
		case len(open[e.CallID]) == 0:
			r.Orphans++
		default:
			answered[open[e.CallID][0]] = true
			open[e.CallID] = open[e.CallID][1:]
		}
	}
	var left []pending
	for i, c := range calls {
		if !answered[i] {
			r.Unanswered, left = append(r.Unanswered, ids[i]), append(left, c)
		}
	}
	r.checkResults(left, turns.latest)
	if r.Timed {
		r.Duration = time.Duration(r.Events[len(r.Events)-1].At - r.Events[0].At)
	}
}

// turnsOf counts the turns of agents, which events do not tell: calls of a task
// at one time, with nothing said and no result between them, are of one turn.
type turnsOf struct {
	latest  map[string]int   // by task
	calling map[string]int64 // by task whose agent is in a turn: when that was
}

func (t *turnsOf) next(e *session.Event) {
	switch at, going := t.calling[e.Task]; {
	case isCall(e):
		if !going || at != e.At {
			t.latest[e.Task]++
		}
		t.calling[e.Task] = e.At
	case e.Type == session.AgentSaid:
		t.latest[e.Task]++
		t.calling[e.Task] = e.At
	case e.Type == session.ToolResult, e.Type == session.UserSaid:
		delete(t.calling, e.Task)
	}
}
