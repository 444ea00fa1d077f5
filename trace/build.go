package trace

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// UntimedStart is when a run begins whose source tells no times: the year
// 2000, in Unix nanoseconds.
const UntimedStart = 946_684_800 * int64(time.Second)

// untimedStep is how long after the one before a message of such a run is.
const untimedStep = int64(time.Second)

// builder makes the events of a run out of what a reader finds in its source,
// in the order of the source. It keeps the clock, gives calls ids of their own,
// and finds the call of every result.
type builder struct {
	run    *Run
	now    int64 // of what is added
	first  int64 // the earliest and the latest time that the source tells
	latest int64
	untold int            // how many events were added before the source told any time
	task   string         // of what is added
	turn   int            // what the agent says and calls at once has one number
	turns  map[string]int // by task: the last one in which its agent did anything
	events []entry
	calls  []*call
	open   map[queue][]*call // calls that may be without a result, in order
	lost   []int             // results that found no call: where in events they are
	ids    map[string]bool
	usage  map[string]int // by message id: where in events it is

	// asks: the program asks its user before it makes calls, and the source does
	// not tell how long that took: no clock may run between a call and its result.
	asks bool
}

// entry is an event and where it belongs among those of its time.
type entry struct {
	session.Event
	order float64
}

// call is a call that was added.
type call struct {
	id, source string // its id, and that which its source gave it
	task       string
	entry      int
	turn       int
	answered   bool
	dropped    bool // the source says that it was not made
}

// queue is a way to find calls: by the id of the source or by the name of the
// tool, among all or only among those that the source gave no id.
type queue struct {
	id, name  string
	nameless  bool // by order alone
	withoutID bool
}

func newBuilder(run *Run) *builder {
	return &builder{run: run, turns: map[string]int{}, open: map[queue][]*call{}, ids: map[string]bool{}, usage: map[string]int{}}
}

// at sets the time of what comes next. A time that is not told is that of
// what came before.
func (b *builder) at(t int64) *builder {
	if t == 0 {
		return b
	}
	b.seen(t)
	b.now = t
	return b
}

// seen notes a time that the source tells, of something that is no event.
func (b *builder) seen(t int64) {
	if t == 0 {
		return
	}
	if b.first == 0 || t < b.first {
		b.first = t
	}
	b.latest = max(b.latest, t)
	b.run.Timed = true
}

// message begins a further message. In a source without times a second goes by.
func (b *builder) message(t int64) *builder {
	b.turn++
	if t != 0 || b.run.Timed {
		return b.at(t)
	}
	if b.now == 0 {
		b.now = UntimedStart
	} else {
		b.now += untimedStep
	}
	return b
}

func (b *builder) add(e session.Event) int {
	switch {
	case !b.run.Timed:
		b.now = cmp.Or(b.now, UntimedStart)
		b.untold = len(b.events) + 1
	case b.now == 0:
		b.now = b.first
	}
	e.At = b.now
	if e.Task == "" {
		e.Task = b.task
	}
	b.events = append(b.events, entry{e, float64(len(b.events))})
	return len(b.events) - 1
}

// user adds what the user or the operator wrote; a text of blanks is nothing.
func (b *builder) user(text string) {
	if strings.TrimSpace(text) != "" {
		b.add(session.Event{Type: session.UserSaid, Text: text})
	}
}

// asked adds that the agent waits for a person.
func (b *builder) asked() { b.add(session.Event{Type: session.Asked}) }

// said adds what the agent said; a text of blanks is nothing.
func (b *builder) said(text string) {
	if strings.TrimSpace(text) != "" {
		b.acted(b.add(session.Event{Type: session.AgentSaid, Text: text}))
	}
}

// acted notes that the agent of an entry's task went on to the current turn.
func (b *builder) acted(entry int) {
	task := b.events[entry].Task
	b.turns[task] = max(b.turns[task], b.turn)
}

// startTask and endTask open and close a task. The prompt is what its agent
// was told to do.
func (b *builder) startTask(id, parent, prompt string) {
	b.add(session.Event{Type: session.TaskStart, Task: id, Parent: parent, Text: prompt})
}

func (b *builder) endTask(id string) { b.add(session.Event{Type: session.TaskEnd, Task: id}) }

// spent adds usage of a model. That of a message that was added before
// replaces it, field by field, where it is greater. A cost of 0 says that the
// source knows no price, and not that the message was free.
func (b *builder) spent(u session.Event) {
	u.Type, u.Model = session.Usage, cmp.Or(u.Model, b.run.Model)
	u.HasCost = u.HasCost && u.Cost > 0
	none := u.Tokens == meter.Tokens{} && !u.HasCost
	if i, known := b.usage[u.MessageID]; known && u.MessageID != "" {
		was := &b.events[i].Event
		was.Tokens = was.Tokens.Greatest(u.Tokens)
		was.Cost, was.HasCost = max(was.Cost, u.Cost), was.HasCost || u.HasCost
		return
	}
	if none {
		return
	}
	b.usage[u.MessageID] = b.add(u)
}

// call adds a call of a tool, with the id that the source gave it.
func (b *builder) call(id, name string, args *registry.Values) {
	b.begin(id, name, session.Event{Type: session.ToolUse, Ability: name, Args: args})
}

// delegate adds a task that is given to another agent.
func (b *builder) delegate(id, name, worker string, args *registry.Values) {
	b.begin(id, name, session.Event{Type: session.Delegate, Worker: worker, Args: args})
}

func (b *builder) begin(id, name string, e session.Event) {
	c := &call{source: id, id: b.uniqueID(id), turn: b.turn}
	e.CallID = c.id
	if name == "" && e.Worker == "" {
		b.run.defects.nameless.add(len(b.calls)+1, "")
	}
	c.entry = b.add(e)
	b.acted(c.entry)
	c.task = b.events[c.entry].Task
	b.calls = append(b.calls, c)
	queues := []queue{{nameless: true}, {name: name}}
	if id == "" {
		queues = append(queues, queue{nameless: true, withoutID: true}, queue{name: name, withoutID: true})
	} else {
		queues = append(queues, queue{id: id})
	}
	for _, q := range queues {
		b.open[q] = append(b.open[q], c)
	}
}

// uniqueID is the id of the source, or one made of it that no call has yet.
func (b *builder) uniqueID(id string) string {
	unique := id
	for n := len(b.calls) + 1; unique == "" || b.ids[unique]; n++ {
		unique = id + "#" + strconv.Itoa(n)
	}
	b.ids[unique] = true
	return unique
}

// result adds what came of a call, found by the source's id, or else by order.
// The name is that of the tool; "" if the source does not repeat it.
func (b *builder) result(id, name string, output *registry.Value, failure *session.Failure) {
	c := b.take(id, name)
	e := session.Event{Type: session.ToolResult, Output: output, Error: failure}
	if c == nil {
		e.CallID = id
		b.lost = append(b.lost, b.add(e))
		return
	}
	e.CallID, e.Task = c.id, c.task
	b.answer(c, b.add(e))
}

// take finds the call that a result belongs to: the first open one that has
// its id; else, of all calls if the result is without an id and of those
// without one if it has one, the first of that name, or the first.
func (b *builder) take(id, name string) *call {
	if id != "" {
		if c := b.pop(queue{id: id}); c != nil {
			return c
		}
	}
	if name != "" {
		if c := b.pop(queue{name: name, withoutID: id != ""}); c != nil {
			return c
		}
	}
	return b.pop(queue{nameless: true, withoutID: id != ""})
}

// pop takes the first open call of a queue. Those that were answered by
// another way are dropped from it on the way.
func (b *builder) pop(q queue) *call {
	for len(b.open[q]) > 0 {
		c := b.open[q][0]
		b.open[q] = b.open[q][1:]
		if !c.answered {
			c.answered = true
			return c
		}
	}
	return nil
}

// answer puts a result behind its call.
func (b *builder) answer(c *call, result int) {
	r, asked := &b.events[result], &b.events[c.entry]
	r.CallID, r.Task = asked.CallID, asked.Task
	if r.At <= asked.At {
		r.At, r.order = asked.At, max(r.order, asked.order+0.5)
	}
}
