package replay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
	"github.com/cbpolicy/cbpolicy/trace"
)

// Confirm is what follows a question in a recording, which nobody answers.
type Confirm string

// What can follow.
const (
	Stop    Confirm = "stop"    // the run is stopped there
	Approve Confirm = "approve" // the answer is yes, each time
	Decline Confirm = "decline" // the answer is no: the call is not made, and the run goes on
)

// Options set up a replay. Session.Registry is required.
type Options struct {
	// Session sets up the session of every run. Its id, store and clock are
	// the replay's own.
	Session session.Options
	Confirm Confirm // "": Stop
	// Kinds: a run, or a task of it, that names no chain runs the chain that is
	// named like the run's kind of task.
	Kinds bool
}

// Run replays a run. The error is that of the context, or of a session that
// cannot be set up.
func Run(ctx context.Context, r *trace.Run, o Options) (Result, error) {
	return drive(ctx, r, o, nil)
}

// drive replays a run, and tells what happens to whoever listens; nil: nobody does.
func drive(ctx context.Context, r *trace.Run, o Options, seen func(Entry)) (Result, error) {
	d, err := newDriver(r, o)
	if err != nil {
		return Result{}, err
	}
	d.seen = seen
	for i := range r.Events {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		if d.event(ctx, &r.Events[i]); d.result.Halted() {
			return d.halted(r.Events[i:]), nil
		}
	}
	if d.finish(ctx); ctx.Err() == nil && d.result.Halted() {
		return d.halted(nil), nil
	}
	if r.Broken != "" {
		d.result.Decision = Unknown
	}
	return d.result, ctx.Err()
}

// driver puts the events of a run to a session.
type driver struct {
	run      *trace.Run
	session  *session.Session
	gate     *actions.Gate
	clock    *session.VirtualClock
	waited   time.Duration // for room, by which the rest of the run is moved
	silences silences      // since when nothing was told of tasks
	swept    int64         // when the tasks beside the one at work were judged last
	confirm  Confirm
	pricing  session.Pricing
	chain    string            // of the run
	kind     string            // the chain of what names none; "": it has none
	chains   map[string]string // by task
	flights  []flight
	asked    *registry.Fired // the question that was just asked
	seen     func(Entry)     // nil: nobody listens
	result   Result
}

// flight is a call whose result is still to come.
type flight struct {
	task, id string
	step     *session.Step
	declined bool // it was not made
}

func newDriver(r *trace.Run, o Options) (*driver, error) {
	d := &driver{run: r, confirm: o.Confirm, pricing: o.Session.Pricing, chain: r.Chain, chains: map[string]string{}, silences: newSilences()}
	if o.Kinds {
		d.kind, d.chain = r.TaskKind, kindOf(r)
	}
	d.result = Result{
		Source: r.Source, Format: r.Format, Chain: d.chain, Decision: registry.Allow.String(), Broken: r.Broken, Fired: []string{},
	}
	for i := range r.Events {
		if isCall(&r.Events[i]) {
			d.result.ToolCalls++
		}
	}
	d.clock = session.NewVirtualClock(begin(r))
	in := o.Session
	in.ID, in.Clock, in.Store = "replay", d.clock, memory.New(memory.Options{Now: d.clock.Now})
	var err error
	if d.session, err = session.New(in); err != nil {
		return nil, err
	}
	d.gate = &actions.Gate{Session: d.session, Clock: d.clock, Confirmer: actions.ConfirmFunc(d.answer)}
	d.gate.Waiting = func(st *session.Step, v *registry.Verdict, w time.Duration) {
		d.note(v)
		d.tell(Waited, st, v, func(e *Entry) { e.WaitMS = registry.Milliseconds(w) })
		d.waited += w
	}
	return d, nil
}

// begin is when a run begins.
func begin(r *trace.Run) time.Time {
	if len(r.Events) == 0 {
		return time.Unix(0, trace.UntimedStart)
	}
	return time.Unix(0, r.Events[0].At)
}

func isCall(e *session.Event) bool { return e.Type == session.ToolUse || e.Type == session.Delegate }

// event puts one event to the session.
func (d *driver) event(ctx context.Context, e *session.Event) {
	at := e.At + int64(d.waited)
	if d.silent(ctx, at); d.result.Halted() {
		return
	}
	d.clock.Advance(max(time.Duration(at-d.clock.Now()), 0))
	if d.beside(ctx, e.Task); d.result.Halted() {
		return
	}
	d.silences.told(e, d.clock.Now())
	switch {
	case isCall(e):
		d.call(ctx, e)
	case e.Type == session.ToolResult && d.reported(ctx, e):
	default:
		if e.Type == session.TaskStart {
			d.chains[e.Task] = e.Chain
		}
		moved := *e
		moved.At = d.clock.Now()
		d.halts(d.session.Observe(ctx, &moved))
	}
}

// call has a call judged, and lets it be made if it may.
func (d *driver) call(ctx context.Context, e *session.Event) {
	d.result.HaltedAt++ // the number of the call, for now
	st := called(e)
	if st.Chain = d.chainOf(e.Task); st.Chain != "" {
		st.Run = cmp.Or(e.Task, "replay")
	}
	d.asked = nil
	task := d.session.TaskOf(e.Task)
	v, err := d.gate.Enter(ctx, st)
	if ctx.Err() != nil {
		return // nothing was decided
	}
	d.note(v)
	declined := err != nil && d.confirm == Decline && d.asked != nil && v.Decision == registry.Confirm
	d.tell(Called, st, v, func(e *Entry) { e.Declined, e.Stops = declined, err != nil && !declined })
	switch {
	case err == nil:
		d.flights = append(d.flights, flight{task, e.CallID, st, false})
	case declined:
		d.flights = append(d.flights, flight{task, e.CallID, st, true})
	default:
		d.stop(v.Decision.String(), blocked(v))
	}
}

// called is a recorded call as a step.
func called(e *session.Event) *session.Step {
	st := &session.Step{
		Call: session.Call{ID: e.CallID, Ability: e.Ability, Args: e.Args}, Worker: e.Worker, Task: e.Task,
	}
	if e.Type == session.Delegate && e.Ability == "" {
		st.Ability = session.DelegationTo(e.Worker)
	}
	return st
}

// chainOf is what a task runs; a call that names no task belongs to the run.
func (d *driver) chainOf(task string) string {
	if task == "" {
		return d.chain
	}
	return cmp.Or(d.chains[task], d.kind)
}

// answer answers a question, as the replay is to.
func (d *driver) answer(_ context.Context, q *actions.Question) ([]actions.Answer, error) {
	d.asked = &q.Rules[0]
	if d.result.FirstConfirm == nil {
		d.result.FirstConfirm = &Question{d.result.HaltedAt, d.asked.Rule.ID}
	}
	answer := actions.No
	if d.confirm == Approve {
		answer = actions.Yes
	}
	return slices.Repeat([]actions.Answer{answer}, len(q.Rules)), nil
}

// reported reports the result of a call that was let through, and reports
// whether it is that of a call at all.
func (d *driver) reported(ctx context.Context, e *session.Event) bool {
	task := d.session.TaskOf(e.Task)
	i := slices.IndexFunc(d.flights, func(f flight) bool { return f.id == e.CallID && f.task == task })
	if i < 0 { // a recording that does not say of every event which task it is of
		i = slices.IndexFunc(d.flights, func(f flight) bool { return f.id == e.CallID })
	}
	if i < 0 {
		return false
	}
	f := d.flights[i]
	d.flights = slices.Delete(d.flights, i, i+1)
	if f.declined {
		return true
	}
	o := session.Outcome{Step: f.step, Output: e.Output}
	if e.Error != nil {
		o.Failed, o.Class, o.Message = true, e.Error.Class, e.Error.Message
	}
	_ = d.session.After(ctx, o) // its store is in memory, and its own history has the result in any case
	return true
}

// stop notes what the run is stopped by.
func (d *driver) stop(decision string, f *registry.Fired) {
	d.result.Decision, d.result.Rule = decision, f.Rule.ID
	d.result.Reason, d.result.Explain = f.ReasonText(), f.Explain()
}

// note takes in the rules that a verdict names.
func (d *driver) note(v *registry.Verdict) {
	for i := range v.Fired {
		d.fired(&v.Fired[i])
	}
	if v.Decision == registry.Warned {
		d.result.Decision = v.Decision.String()
	}
	d.notes(v.Notes)
}

// notes takes in what verdicts say of themselves, once each.
func (d *driver) notes(all []string) {
	for _, note := range all {
		if !slices.Contains(d.result.Notes, note) {
			d.result.Notes = append(d.result.Notes, note)
		}
	}
}

func (d *driver) fired(f *registry.Fired) {
	if !slices.Contains(d.result.Fired, f.Rule.ID) {
		d.result.Fired = append(d.result.Fired, f.Rule.ID)
	}
}

// halted is the result of a run that is stopped before the rest of its events.
func (d *driver) halted(rest []session.Event) Result {
	t := trace.Sum(rest)
	d.result.Saved = &Saved{
		ToolCalls: d.result.ToolCalls - d.result.HaltedAt, Tokens: t.InputTokens + t.OutputTokens, Cents: Cents(d.cost(rest)),
	}
	return d.result
}

// cost is what events cost, by the session's prices where they do not tell it
// themselves. What may not be priced is left out.
func (d *driver) cost(events []session.Event) (nano int64) {
	for _, e := range trace.Usages(events) {
		if cost, err := d.pricing.Cost(&e); err == nil && nano <= math.MaxInt64-cost {
			nano += cost
		}
	}
	return nano
}

// ParseConfirm reads what is to follow a question.
func ParseConfirm(text string) (Confirm, error) {
	switch c := Confirm(text); c {
	case Stop, Approve, Decline:
		return c, nil
	}
	return "", fmt.Errorf("%q is none of stop, approve and decline", text)
}
