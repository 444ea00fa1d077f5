package meter

import (
	"hash/maphash"
	"slices"
)

// The bounds of what is remembered of tasks that are over, and of calls that
// nobody reports.
const (
	MaxEnded   = 1024 // ended tasks whose counters are kept, in case their id is opened again; of more, the earliest is forgotten
	MaxFlights = 1024 // calls of one task that are under way; above, the oldest is taken for lost
	MaxNames   = 4096 // workers, and as many abilities, whose failures are counted each by itself
)

// Options set up a Tree. The zero Options are the defaults.
type Options struct {
	// Edits tells the abilities that edit files, for the growing-edit streak; nil: DefaultEdits.
	Edits func(folded string) bool
	// Interactive: the user watches, and what he says begins streaks and the
	// comparison of outputs anew.
	Interactive bool
	// Forgiving lets workers that failed start afresh after a time.
	Forgiving Forgiving
	// CapTools counts the failures of tools, too, as those of workers.
	CapTools bool
	// Moved is told of all money that was spent in a task, or is no longer
	// reserved; of what is reserved, who begins a call knows. nil: nobody is.
	Moved func(*Task, Move)
	// Account tells whose the money is that is about to be spent, where a session
	// outlives its accounts; nil: it has one. Moved is told it again.
	Account func() uint64
}

// Tree is the tasks of one session. There is always the root: the session
// itself, with the id "".
type Tree struct {
	seed  maphash.Seed
	edits func(string) bool
	names names

	root   *Task
	tasks  map[string]*Task
	active []*Task // a stack, the root at its bottom
	ended  []*Task // closed, the earliest first

	spare []flight // the list of a task that is over, for the next

	moved    func(*Task, Move)
	accounts func() uint64
	beats    bool // the source sends heartbeats
	capTools bool
	anew     bool // a user's message begins streaks anew
	workers  workers
	tools    counts
	total    totals
}

// totals are what is counted over the whole session and never starts anew.
type totals struct {
	calls int64
	clock clock
	// waiting says for whom the whole session waits: it was the last to rest.
	waiting waiting
}

// rest stops the session's clock.
func (t *totals) rest(why waiting, at int64) {
	t.waiting = why
	t.clock.pause(at)
}

// stir lets it run again, with the pause taken back if the agent has gone on
// without its user.
func (t *totals) stir(at int64, user bool) {
	if t.waiting == waitUser && !user {
		t.clock.cancel()
	} else {
		t.clock.resume(at)
	}
	t.waiting = waitNobody
}

// New returns a tree that is made at a time. The clocks of the root, and of
// the session, run from the first event.
func New(o Options, at int64) *Tree {
	if o.Edits == nil {
		o.Edits = DefaultEdits()
	}
	t := &Tree{seed: maphash.MakeSeed(), edits: o.Edits, tasks: map[string]*Task{}, capTools: o.CapTools, moved: o.Moved, accounts: o.Account, anew: o.Interactive, workers: workers{forgiving: o.Forgiving}}
	t.root = newTask(t, "", nil, at)
	t.tasks[""] = t.root
	t.active = []*Task{t.root}
	t.total.clock.start(at)
	t.root.rest(waitStart, at) // nothing runs before anything happens
	return t
}

// Start opens a task below another and puts it on top of the active ones. A
// parent that is not known, or "", is the root. A task that is open already is
// left alone; one that was closed goes on with its counters, if it is among the
// MaxEnded that were closed last, and begins anew otherwise. It returns the task.
func (t *Tree) Start(id, parent string, at int64) *Task {
	k := t.tasks[id]
	t.total.stir(at, true)
	switch {
	case k == nil:
		k = newTask(t, id, t.Task(parent), at)
		t.tasks[id] = k
	case k.open:
		return k
	default:
		t.ended = slices.DeleteFunc(t.ended, func(e *Task) bool { return e == k })
		k.reopen(at)
	}
	t.active = append(t.active, k)
	return k
}

// End closes a task. The root and tasks that are not open are left alone. It
// returns the id of the task whose counters it forgot to have room for these;
// "": none.
func (t *Tree) End(id string, at int64) (forgotten string) {
	k := t.tasks[id]
	if k == nil || !k.open || k == t.root {
		return ""
	}
	k.close(at)
	t.active = slices.DeleteFunc(t.active, func(a *Task) bool { return a == k })
	if t.ended = append(t.ended, k); len(t.ended) > MaxEnded {
		i := max(slices.IndexFunc(t.ended, t.nothingBelow), 0)
		forgotten = t.ended[i].id
		delete(t.tasks, forgotten)
		t.ended = slices.Delete(t.ended, i, i+1)
	}
	return forgotten
}

// nothingBelow reports whether no open task is below one that is closed: what
// ended it still ends those.
func (t *Tree) nothingBelow(k *Task) bool {
	for _, a := range t.active {
		for p := a.parent; p != nil; p = p.parent {
			if p == k {
				return false
			}
		}
	}
	return true
}

// Task returns the task of an id; the root if the id is not known.
func (t *Tree) Task(id string) *Task {
	if k := t.tasks[id]; k != nil {
		return k
	}
	return t.root
}

// Top returns the active task that was opened last.
func (t *Tree) Top() *Task { return t.active[len(t.active)-1] }

// Active calls f for every open task, the root first, in the order in which
// they were opened.
func (t *Tree) Active(f func(*Task)) {
	for _, k := range t.active {
		f(k)
	}
}

// Below calls f for a task and every open task below it.
func (t *Tree) Below(k *Task, f func(*Task)) {
	f(k)
	for _, a := range t.active {
		for p := a.parent; p != nil; p = p.parent {
			if p == k {
				f(a)
				break
			}
		}
	}
}

// Beats notes that the source sends heartbeats, so that silence while a call
// is under way means something.
func (t *Tree) Beats() { t.beats = true }

// Seed is what fingerprints of arguments are made with, see Call.
func (t *Tree) Seed() maphash.Seed { return t.seed }

// account is that of money which is about to be spent.
func (t *Tree) account() uint64 {
	if t.accounts == nil {
		return 0
	}
	return t.accounts()
}

// IsEdit reports whether a call edits a file.
func (t *Tree) IsEdit(c *Call) bool { return c.Worker == "" && t.name(c.Ability).edit }
