package replay

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
)

// LongCall is how long a call may be under way, with nothing else told of its
// task, before the clocks of the task stand still. A recording does not tell a
// call that takes long from one that waits for a person's leave.
const LongCall = time.Minute

// silences are the tasks of a recording, as a session finds them, and since
// when nothing was told of each.
type silences struct {
	root  *silence
	tasks map[string]*silence   // by id
	stack []*silence            // the open tasks, the latest on top
	calls map[string][]*silence // by id: the tasks of those without a result
}

// unknownTask is an id that no task has: what is told of it is told of the root,
// and not of the task that was opened last.
const unknownTask = "\x00"

// silence is a task.
type silence struct {
	id      string
	parent  *silence
	last    int64 // when anything was told of it, or of a task below it
	pending int   // calls without a result
	spoke   bool  // it said something last, and has no call under way: its work may be done
	still   bool  // its clocks stand still
}

func newSilences() silences {
	root := &silence{id: unknownTask}
	return silences{root: root, tasks: map[string]*silence{}, stack: []*silence{root}, calls: map[string][]*silence{}}
}

// find returns the task of an id as a session does: of none, the one that was
// opened last; of one that is not known, the root.
func (s *silences) find(id string) *silence {
	if id == "" {
		return s.stack[len(s.stack)-1]
	}
	return cmp.Or(s.tasks[id], s.root)
}

// told notes an event.
func (s *silences) told(e *session.Event, at int64) {
	switch {
	case e.Type == session.TaskStart, e.Type == session.Heartbeat && e.Phase == session.Starting:
		s.open(e.Task, e.Parent)
	case e.Type == session.TaskEnd, e.Type == session.Heartbeat && (e.Phase == session.Done || e.Phase == session.Errored):
		s.find(e.Task).told(at)
		s.close(e.Task)
		return
	}
	k := s.find(e.Task)
	switch {
	case isCall(e):
		k.pending++
		s.calls[e.CallID] = append(s.calls[e.CallID], k)
	case e.Type == session.ToolResult && len(s.calls[e.CallID]) > 0:
		k = s.calls[e.CallID][0]
		s.calls[e.CallID] = s.calls[e.CallID][1:]
		k.pending = max(k.pending-1, 0)
	}
	k.told(at)
	k.still = e.Type == session.Asked
	if e.Type != session.Usage { // which belongs to what was said before it
		k.spoke = e.Type == session.AgentSaid && k.pending == 0
	}
}

// told notes a sign of life of a task, which is one of those above it too.
func (k *silence) told(at int64) {
	for t := k; t != nil; t = t.parent {
		t.last = max(t.last, at)
	}
}

func (s *silences) open(id, parent string) {
	k := s.tasks[id]
	if id == "" || slices.Contains(s.stack, k) {
		return
	}
	if k == nil {
		k = &silence{id: id, parent: cmp.Or(s.tasks[parent], s.root)}
		s.tasks[id] = k
	}
	s.stack = append(s.stack, k)
}

func (s *silences) close(id string) {
	if k := s.tasks[id]; k != nil {
		k.pending = 0
		s.stack = slices.DeleteFunc(s.stack, func(t *silence) bool { return t == k })
	}
}

// long returns the tasks whose clocks come to stand still before a time, in the
// order in which they do.
func (s *silences) long(before int64) []*silence {
	var all []*silence
	for _, k := range s.stack {
		if k.pending > 0 && !k.still && k.deadline() < before && !s.worksBelow(k) {
			all = append(all, k)
		}
	}
	slices.SortStableFunc(all, func(a, b *silence) int { return cmp.Compare(a.last, b.last) })
	return all
}

func (k *silence) deadline() int64 { return k.last + int64(LongCall) }

// worksBelow reports whether a task below another is at work. What that one
// waits for is then no person but the work below it, or a call there.
func (s *silences) worksBelow(k *silence) bool {
	for _, t := range s.stack {
		if t.spoke {
			continue
		}
		for p := t.parent; p != nil; p = p.parent {
			if p == k {
				return true
			}
		}
	}
	return false
}

// silent lets the clocks stand still of the tasks of which nothing is told
// before a time while a call of theirs is under way. Events of our own format
// tell themselves when a person is asked.
func (d *driver) silent(ctx context.Context, before int64) {
	if !d.run.Timed || d.run.Format == trace.Events {
		return
	}
	for _, k := range d.silences.long(before) {
		d.clock.Advance(max(time.Duration(k.deadline()-d.clock.Now()), 0))
		k.still = true
		d.halts(d.session.Observe(ctx, &session.Event{Type: session.Asked, Task: k.id, At: d.clock.Now()}))
		if d.result.Halted() {
			return
		}
	}
}
