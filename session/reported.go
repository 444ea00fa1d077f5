package session

import (
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// reportedCall is a call whose result After was told: events may tell of it late,
// of its beginning too.
type reportedCall struct {
	task            *meter.Task
	id              string
	ability, worker string
	args            uint64
}

// maxReported is of how many calls, the latest of the session, it is known that
// After was told their results.
const maxReported = 64

// reportedCalls are the latest of them, in a ring. The zero value is empty.
type reportedCalls struct {
	list []reportedCall
	next int
}

// add notes a call that After was told of. One without an id cannot be told from
// others.
func (r *reportedCalls) add(u *underway) {
	if u.id == "" {
		return
	}
	c := reportedCall{u.task, u.id, u.ability, u.worker, u.args}
	if len(r.list) < maxReported {
		r.list = append(r.list, c)
		return
	}
	r.list[r.next] = c
	r.next = (r.next + 1) % maxReported
}

// take reports whether a call that an event tells of is one of them. It is none of
// them any more then: told once more, it is another call.
func (r *reportedCalls) take(k *meter.Task, rs *registry.Step, args uint64) bool {
	for i := range r.list {
		c := &r.list[i]
		if c.id == rs.CallID && c.task == k && c.args == args && sameCall(c.ability, c.worker, rs) {
			*c = reportedCall{}
			return true
		}
	}
	return false
}
