package session

import (
	"context"
	"fmt"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Observe takes in an event and returns the rules that came to hold with it.
// The clocks are judged at the event's own time before it is applied, so that
// a silence is seen by the event that ends it; everything is once it is
// applied. It claims nothing: a step that is to be allowed or refused goes to
// Before.
//
// A result settles its call as After would: it moves the breaker of the ability,
// and where the call was let through by Before, ends its claim and decides its
// probe. What is told of it later, by After or by an event, changes nothing; a
// ToolUse or a Delegate of such a call, with its id, is that call and no second
// one, also if it comes late, with its arguments and after at most 63 further
// results. A call that nobody was asked about is never a probe: while the breaker is not
// closed its result decides nothing, nor does that of a call that began before the
// breaker opened.
//
// There is no error: an event that makes no sense is a message of its task, and a
// rule that fails holds. A result that the store cannot be told of is logged, and
// told with what comes next; of more than 1024 the earliest is lost.
func (s *Session) Observe(ctx context.Context, e *Event) (halts []Halt) {
	s.mu.Lock()
	defer s.unlock()
	defer s.haltOnPanic(&halts)
	at := s.at(e.At)
	k := s.tasks.find(e.Task)
	halts = s.judge(ctx, k, at, nil)
	s.unpriced = nil
	s.keepResults(ctx)
	k = s.apply(ctx, e, k, at)
	s.keepMoney(ctx)
	halts = s.judge(ctx, k, at, append(halts, s.unpriced...))
	return s.judgeAbove(ctx, k, at, nil, halts)
}

// haltOnPanic, deferred, turns a clock or an event that panics into a halt of
// the session, which is then refused every step: nobody knows where it stands.
func (s *Session) haltOnPanic(halts *[]Halt) {
	r := recover()
	if r == nil {
		return
	}
	var v registry.Verdict
	v.Refuse(&registry.Step{Session: s.id}, registry.SlugInternalFault, fmt.Sprintf("the engine failed: %v", r))
	s.tasks.ended[""] = &ending{v.Fired[0]}
	s.logEnded("", &v.Fired[0])
	*halts = append(*halts, Halt{At: s.latest, Action: v.Fired[0].Rule.Action.Kind, Ended: true, Fired: v.Fired[0]})
}

// Sweep judges every open task at a time, Unix nanoseconds, or 0 for now by
// the session's clock, and returns the rules that came to hold since the last
// judgement. Call it every second or so: time is the only thing that happens
// without an event.
func (s *Session) Sweep(ctx context.Context, now int64) (halts []Halt) {
	s.mu.Lock()
	defer s.unlock()
	defer s.haltOnPanic(&halts)
	at := s.at(now)
	s.keepResults(ctx)
	s.keepMoney(ctx)
	s.tasks.tree.Active(func(k *meter.Task) { halts = s.judge(ctx, k, at, halts) })
	return halts
}

// SweepBeside is Sweep for every open task but the one that a step or an event
// with this id belongs to, which is judged with them: for a host that has no
// clock of its own but the times of what happens, such as a recording's.
func (s *Session) SweepBeside(ctx context.Context, task string, now int64) (halts []Halt) {
	s.mu.Lock()
	defer s.unlock()
	defer s.haltOnPanic(&halts)
	at, own := s.at(now), s.tasks.find(task)
	s.tasks.tree.Active(func(k *meter.Task) {
		if k != own {
			halts = s.judge(ctx, k, at, halts)
		}
	})
	return halts
}

// at is the time of something that happens: what it says itself, or now. The
// time of a session does not go back.
func (s *Session) at(given int64) int64 {
	if given == 0 {
		given = s.present()
	} else if s.live {
		given = min(given, s.present()+maxAhead) // the clock of who tells it is wrong
	}
	s.latest = max(s.latest, given)
	return s.latest
}

// maxAhead is how far the time of an event may be ahead of a clock that goes
// by itself: as much as machines differ.
const maxAhead = int64(time.Minute)

// present is what the clock shows, whatever times events have told; what is
// shared with other sessions goes by it. A clock that fails stands still.
func (s *Session) present() (now int64) {
	if s.live {
		return s.wall.Now() // ours, which does not fail
	}
	defer func() {
		if recover() != nil {
			now = s.latest
		}
	}()
	return s.wall.Now()
}

// apply changes the meters by an event, and returns the task it belongs to.
func (s *Session) apply(ctx context.Context, e *Event, k *meter.Task, at int64) *meter.Task {
	switch e.Type {
	case TaskStart:
		return s.openTask(e.Task, e.Parent, e.Chain, at)
	case TaskEnd:
		s.endTask(e.Task, "", "", at)
	case Heartbeat:
		return s.beat(e, k, at)
	case UserSaid:
		s.said(k, e.Text, at)
	case Asked:
		k.Asked(e.CallID, at)
	case AgentSaid:
		k.Assistant(e.Text, at)
		s.tasks.recalled.agent(k.ID(), e.Text)
	case ToolUse, Delegate:
		s.callTold(ctx, s.called(e), k, at)
	case ToolResult:
		s.resultTold(ctx, e, k, at)
	case Usage:
		cost, denied := s.cost(k, e)
		k.Usage(e.MessageID, e.Tokens, cost, at)
		s.books.passed(k)
		if e.Model != "" {
			s.tasks.models[k.ID()] = e.Model
		}
		if denied != nil {
			s.noPrice(k, denied, at)
		}
	}
	return k
}

// put has a result say what a call has put out. Where that is no text, it is
// written to memory that is used again, until it is spelt.
func (s *Session) put(r *meter.Result, output *registry.Value) {
	if !output.Structured() {
		r.Output, r.Raw = output.String(), nil
		return
	}
	if cap(s.written) > maxWritten {
		s.written = nil
	}
	s.written = output.AppendText(s.written[:0])
	r.Output, r.Raw = "", s.written
}

// maxWritten is how much of that memory is kept, in bytes.
const maxWritten = 64 << 10

// spell makes the text of a result that is to be read or kept.
func spell(r *meter.Result) {
	if r.Raw != nil {
		r.Output, r.Raw = string(r.Raw), nil
	}
}

// done tells the meters of a call's end.
func (s *Session) done(k *meter.Task, flight meter.Flight, r meter.Result, class string, at int64) {
	worker := k.Worker(flight)
	if worker != "" || s.tasks.recalled.calls > 0 {
		spell(&r)
	}
	s.tasks.recalled.end(k.ID(), flight, r, class, at)
	why := r.Output
	if worker != "" && !r.Failed {
		why, r.Gave = s.delegations.gave(r.Output)
	}
	k.Finish(flight, r, at)
	if worker != "" && r.Fails() {
		s.failed(worker, why)
	}
}

// beat is a heartbeat: a sign of life, which also opens and closes its task.
func (s *Session) beat(e *Event, k *meter.Task, at int64) *meter.Task {
	s.tasks.tree.Beats()
	switch {
	case e.Task == "":
	case e.Phase == Starting:
		k = s.openTask(e.Task, e.Parent, e.Chain, at)
	case e.Phase == Done || e.Phase == Errored:
		status := Completed
		if e.Phase == Errored {
			status = Failed
		}
		s.endTask(e.Task, status, e.Text, at)
		return k
	}
	k.Beat(at)
	return k
}

// StartTask opens a task below another, as an event would, and judges nothing:
// for a host that has every step judged. A parent that is not open, or "", is
// the session itself; a chain of "" is none. A task that was closed goes on with
// its counters, unless meter.MaxEnded others have been closed since: it is
// forgotten then, and begins at 0, though what it has spent and done counts in
// the session still.
func (s *Session) StartTask(id, parent, chain string) {
	s.mu.Lock()
	defer s.unlock()
	s.openTask(id, parent, chain, s.at(0))
}

func (s *Session) openTask(id, parent, chain string, at int64) *meter.Task {
	if s.over {
		return s.tasks.tree.Task("") // nothing is begun any more
	}
	if k := s.tasks.tree.Task(id); k.ID() != id || !k.Open() { // one that is open is left alone
		s.tasks.limit(id, chain)
	}
	return s.tasks.tree.Start(id, parent, at)
}

// EndTask closes a task. One that is not open is left alone.
func (s *Session) EndTask(id string) {
	s.mu.Lock()
	defer s.unlock()
	s.endTask(id, "", "", s.at(0))
}

// called is an observed call as a step. It is good until the next is completed.
func (s *Session) called(e *Event) *registry.Step {
	rs := &s.judged
	*rs = registry.Step{Ability: e.Ability, Worker: e.Worker, CallID: e.CallID, Args: e.Args}
	if e.Type == Delegate && rs.Ability == "" {
		rs.Ability = s.tasks.delegation(e.Worker)
	}
	return rs
}
