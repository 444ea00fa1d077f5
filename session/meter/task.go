package meter

import "slices"

// Task is a unit of work inside a session, with meters of its own.
type Task struct {
	id     string
	tree   *Tree
	parent *Task // nil: it is the root
	open   bool
	worked bool // the agent has said or called something in it

	calls    int64
	turn     int64 // calls since the user's last message
	messages int64
	budget   budget // of the tasks below it too
	usage    usage
	clock    clock
	last     int64 // of the latest event
	waiting  waiting
	question question // while somebody is asked: about what
	flights  []flight // the earliest first
	lost     []lost   // calls that were under way when the task was closed or begun anew
	spans    int      // how often it was
	streaks  streaks
	outputs  outputs
	attempts int // beyond the first
	stuck    bool
	below    int64 // open tasks below it that are stuck
	earlier  Earlier
}

func newTask(t *Tree, id string, parent *Task, at int64) *Task {
	k := &Task{id: id, tree: t, parent: parent, open: true, last: at}
	k.clock.start(at)
	if parent != nil && parent.clock.held {
		k.clock.hold(at)
	}
	return k
}

// ID returns the task's id; "" is the root.
func (k *Task) ID() string { return k.id }

// Open reports whether the task is open.
func (k *Task) Open() bool { return k.open }

// Parent returns the task above, or nil if it is the root.
func (k *Task) Parent() *Task { return k.parent }

// reopen lets the clocks of a closed task go on from where they stood.
func (k *Task) reopen(at int64) {
	k.open, k.last = true, at
	k.clock.resume(at)
}

// close stops the clocks and drops what only a task at work needs.
func (k *Task) close(at int64) {
	k.open, k.waiting = false, waitNobody
	k.clock.pause(at)
	k.lose()
	k.outputs.spare = nil
	k.Stuck(false)
}

// Worked reports whether the agent has done anything in the task. A root that
// only holds tasks has not.
func (k *Task) Worked() bool { return k.worked }

// User notes a message of the user, of a number of bytes. He is back for every
// task that waited for him.
func (k *Task) User(bytes int, at int64) {
	for _, t := range k.tree.active {
		if t.waiting == waitUser || t.waiting == waitBelow || t == k {
			t.goOn(true, at)
			t.last = max(t.last, at)
		}
	}
	k.alive(true, at)
	k.tree.total.stir(at, true)
	k.message(bytes)
	k.turn = 0
	if k.tree.anew {
		k.streaks = streaks{}
		k.outputs.reset()
	}
}

// Assistant notes what the agent said. If no call is under way, it may be
// waiting for its user from now on.
func (k *Task) Assistant(text string, at int64) {
	k.touch(at)
	k.worked = true
	k.message(len(text))
	k.streaks.said(fingerprint(k.tree.seed, text))
	k.outputs.add(k.tree.seed, text)
	if len(k.flights) == 0 {
		k.rest(waitUser, at)
	}
}

func (k *Task) message(bytes int) {
	k.messages++
	k.streaks.message()
	k.usage.unreported += int64(bytes)
}

// Spend adds a cost in nano-dollars to the task and to those above it.
func (k *Task) Spend(nano int64, at int64) {
	k.touchUsage(at)
	k.spendNano(nano)
}

func (k *Task) spendNano(nano int64) {
	for t := k; t != nil; t = t.parent {
		t.budget.spend(nano)
	}
	k.moved(Move{Spent: nano, Account: k.tree.account()})
}

// Begin notes a call that is under way from now on, and returns what to end it by.
func (k *Task) Begin(c *Call, at int64) Flight {
	k.touch(at)
	k.worked = true
	k.calls++
	k.turn++
	k.tree.total.calls++
	k.streaks.began()
	if len(k.flights) == MaxFlights {
		k.miss(&k.flights[0])
		k.flights = slices.Delete(k.flights, 0, 1)
	}
	f := flight{
		number: Flight(k.tree.total.calls), id: c.ID, key: k.tree.keyOf(c), ability: c.Ability, worker: c.Worker,
		edit: c.editSize(k.tree), reserved: max(c.Estimate, 0), passing: c.Passing, money: c.Money, account: k.tree.account(), args: c.Args,
		attached: c.Attached,
	}
	if k.flights == nil {
		k.flights, k.tree.spare = k.tree.spare, nil
	}
	k.flights = append(k.flights, f)
	k.reserve(f.reserved)
	return f.number
}

// Find returns the call under way that a result belongs to: the latest of
// that id, or, without an id, the earliest that has none. 0: there is none.
func (k *Task) Find(id string) Flight {
	if id == "" {
		return k.number(slices.IndexFunc(k.flights, func(f flight) bool { return f.id == "" }))
	}
	for i := len(k.flights) - 1; i >= 0; i-- {
		if k.flights[i].id == id {
			return k.flights[i].number
		}
	}
	return 0
}

// FindCall returns the call under way that a call repeats: the one of its id,
// ability and arguments. 0: there is none, or the call has no id.
func (k *Task) FindCall(c *Call) Flight {
	if c.ID == "" || len(k.flights) == 0 {
		return 0
	}
	return k.number(slices.IndexFunc(k.flights, func(f flight) bool {
		return f.id == c.ID && f.ability == c.Ability && f.args == c.Args
	}))
}

// Reserved is what is reserved for the call under way that a call repeats, in
// nano-dollars.
func (k *Task) Reserved(c *Call) int64 {
	if f := k.flight(k.FindCall(c)); f != nil {
		return f.reserved
	}
	return 0
}

// Money names what is reserved for a call under way, as Call.Money did.
func (k *Task) Money(f Flight) CallMoney {
	if x := k.flight(f); x != nil {
		return x.money
	}
	return CallMoney{}
}

// Passing reports whether what is reserved for a call under way stands for money
// that is reported apart from it.
func (k *Task) Passing(f Flight) bool {
	x := k.flight(f)
	return x != nil && x.passing
}

// Raise has a call under way that is asked for again cost as much as it may by now,
// if that is more. Its money is that of who asks.
func (k *Task) Raise(f Flight, c *Call) {
	x := k.flight(f)
	if x == nil {
		return
	}
	x.money, x.account = c.Money, k.tree.account()
	if more := c.Estimate - x.reserved; more > 0 {
		x.reserved, x.passing = c.Estimate, x.passing && c.Passing
		k.reserve(more)
	}
}

// flight is a call under way; nil: it is not.
func (k *Task) flight(f Flight) *flight {
	for i := range k.flights {
		if k.flights[i].number == f {
			return &k.flights[i]
		}
	}
	return nil
}

// number is that of the call at a place; 0 for none.
func (k *Task) number(i int) Flight {
	if i < 0 {
		return 0
	}
	return k.flights[i].number
}

// UnderWay reports whether a call has begun and not ended.
func (k *Task) UnderWay(f Flight) bool {
	return slices.ContainsFunc(k.flights, func(x flight) bool { return x.number == f })
}

// Worker returns who does a call under way; "": it is no delegation, or not under way.
func (k *Task) Worker(f Flight) string {
	if x := k.flight(f); x != nil {
		return x.worker
	}
	return ""
}

// Finish notes the result of a call. One that is not under way is a message
// and nothing more.
func (k *Task) Finish(f Flight, r Result, at int64) {
	k.answered(f, r.ID, at)
	k.message(r.size())
	i := slices.IndexFunc(k.flights, func(x flight) bool { return x.number == f })
	if i < 0 {
		return
	}
	done := k.flights[i]
	k.flights = slices.Delete(k.flights, i, i+1)
	k.settle(&done, &r)
	k.streaks.done(callDone{key: done.key, ability: k.tree.name(done.ability).print, output: r.print(k.tree.seed), failed: r.Failed}, done.edit)
	k.tree.judged(&done, &r, at)
}

// Undo takes back a call that was never made.
func (k *Task) Undo(f Flight) {
	if i := slices.IndexFunc(k.flights, func(x flight) bool { return x.number == f }); i >= 0 {
		k.settle(&k.flights[i], &Result{Settled: true})
		k.flights = slices.Delete(k.flights, i, i+1)
		k.calls--
		k.tree.total.calls--
	}
}
