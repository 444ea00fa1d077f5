package session

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// DelegatePrefix begins the ability of a delegation.
const DelegatePrefix = "delegate."

// tasks is a session's work: the meters of its tasks, what has been ended,
// and the limits that hold for one task only.
type tasks struct {
	tree      *meter.Tree
	ended     map[string]*ending    // by task; "": the session
	setups    map[string]*taskSetup // by task
	merged    map[string]*taskSetup // by task: with those of the tasks above, until one is changed
	overrides []taskLimits          // of tasks that are opened
	held      map[string]*holding   // by task

	recalled recaller
	trips    map[string]*trip // by task
	told     bool             // the host was told of the session's own task

	reasons     map[string]string // by worker: why it failed last
	delegations map[string]string // by worker: the ability of a delegation to it
	models      map[string]string // by task: that of the latest usage

	// Memory of the judgement under way.
	reading meter.Reading
	next    meter.Call
}

// ending is the rule that ended a task.
type ending struct {
	fired registry.Fired
}

func newTasks(o meter.Options, at int64) tasks {
	return tasks{
		tree: meter.New(o, at), ended: map[string]*ending{}, setups: map[string]*taskSetup{},
		held: map[string]*holding{}, trips: map[string]*trip{}, models: map[string]string{},
	}
}

// find returns the task that a step or an event belongs to: the one it names,
// the root if that is not known; the active one that was opened last if it
// names none.
func (t *tasks) find(id string) *meter.Task {
	if id == "" {
		return t.tree.Top()
	}
	return t.tree.Task(id)
}

// read makes the meters of a task readable by rules: with the step that is
// about to be done, or none.
func (t *tasks) read(k *meter.Task, at int64, next *meter.Call) registry.Meters {
	t.reading = meter.Reading{Task: k, At: at, Next: next, MoneyRead: t.reading.MoneyRead}
	return &t.reading
}

// readAbove makes the meters of a task readable with what a call below it is
// about to spend.
func (t *tasks) readAbove(k *meter.Task, at int64, below *meter.Call) registry.Meters {
	t.reading = meter.Reading{Task: k, At: at, Below: below, MoneyRead: t.reading.MoneyRead}
	return &t.reading
}

// call describes a step to the meters.
func (t *tasks) call(st *registry.Step) *meter.Call {
	t.next = meter.Call{ID: st.CallID, Ability: st.Ability, Worker: WorkerOf(st), Args: st.Args.Fingerprint(t.tree.Seed())}
	if t.tree.IsEdit(&t.next) {
		t.next.NewText = newText(st.Args)
	}
	return &t.next
}

// DelegationTo is the ability of a delegation to a worker, whose name is written
// without blanks around it.
func DelegationTo(worker string) string { return DelegatePrefix + strings.TrimSpace(worker) }

// WorkerOf is who a step delegates to; "": it is no delegation.
func WorkerOf(st *registry.Step) string {
	if st.Worker != "" {
		return st.Worker
	}
	n := len(DelegatePrefix)
	if len(st.Ability) <= n || !strings.EqualFold(st.Ability[:n], DelegatePrefix) {
		return ""
	}
	return st.Ability[n:]
}

// delegation is the ability of a delegation to a worker, remembered.
func (t *tasks) delegation(worker string) string {
	ability, known := t.delegations[worker]
	if !known {
		if t.delegations == nil || len(t.delegations) >= meter.MaxNames {
			t.delegations = map[string]string{}
		}
		ability = DelegationTo(worker)
		t.delegations[worker] = ability
	}
	return ability
}

// editArgs are the names under which editing tools take what they write.
var editArgs = [...]string{
	"new_string", "new_str", "new_text", "content", "file_text", "replacement", "insert_text", "patch", "diff", "edits", "text",
}

// newText is how many bytes an edit writes.
func newText(args *registry.Values) int64 {
	n := int64(0)
	for _, name := range editArgs {
		n += args.TextBytes(name)
	}
	return n
}

// endedBy returns the rule that ended a task, or one above it, or the
// session; nil if none did.
func (t *tasks) endedBy(k *meter.Task) *registry.Fired {
	if len(t.ended) == 0 {
		return nil
	}
	for ; k != nil; k = k.Parent() {
		if e, ok := t.ended[k.ID()]; ok {
			return &e.fired
		}
	}
	return nil
}

// end ends what a fired abort over a meter concerns, and reports whether it
// ended anything.
func (t *tasks) end(k *meter.Task, f *registry.Fired) bool {
	task, session := f.Rule.Ends()
	if !task && !session || !f.Decides() {
		return false
	}
	id := k.ID()
	if session {
		id = ""
	}
	t.endBy(id, f)
	return true
}

// forget drops what is known of a task that is long over.
func (t *tasks) forget(id string) {
	delete(t.ended, id)
	delete(t.setups, id)
	clear(t.merged) // some may be below it
	delete(t.held, id)
	delete(t.recalled.of, id)
	delete(t.trips, id)
	delete(t.models, id)
}
