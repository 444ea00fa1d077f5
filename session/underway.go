package session

import (
	"context"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// underway is a call that has begun and whose result nobody has told of yet: all
// that its result settles. It is kept with the call in the meters, where an event
// finds it, and every Step that was let through as this call knows it. Of a call
// that an event began there is one only if its ability has a breaker.
type underway struct {
	session *Session
	task    *meter.Task
	flight  meter.Flight // 0: its result was told of

	asked    bool // Before has let it through, and Steps know it
	id       string
	ability  string
	worker   string
	args     uint64
	number   int  // counts the session's admitted calls, from 1; 0: it is none
	binds    bool // the session keeps its output
	admitted state.CallID

	guarded    *guarded // nil: the ability has no breaker
	generation uint64   // of the breaker when the call began, as far as the session knew
	began      int64    // of a call that nobody was asked about: when, by the store's time, at the earliest; 0: while the breaker was open
	probe      string   // holds the lease of a probe under this name; "": it is none
	probeUntil int64    // when that lease is over
}

// maxSpareCalls is how many of them are kept to be used again.
const maxSpareCalls = 64

// callBegins returns memory for a call that begins. Where there is none left, as
// much more is made as there was, up to maxSpareCalls: calls without a result take
// it for good.
func (s *Session) callBegins() *underway {
	if len(s.spareCalls) == 0 {
		more := make([]underway, min(max(s.callsMade, 1), maxSpareCalls))
		for i := range more {
			more[i].session = s
			s.spareCalls = append(s.spareCalls, &more[i])
		}
		s.callsMade += len(more)
	}
	n := len(s.spareCalls) - 1
	u := s.spareCalls[n]
	s.spareCalls = s.spareCalls[:n]
	return u
}

// free gives the memory back of a call that is over. A Step that still knows it
// sees by the flight that it is another call's, or nobody's.
func (u *underway) free() {
	s := u.session
	*u = underway{session: s}
	if len(s.spareCalls) < maxSpareCalls {
		s.spareCalls = append(s.spareCalls, u)
	}
}

// Dropped implements meter.Attachment. What a Step knows of is settled by After,
// however late.
func (u *underway) Dropped() {
	if !u.asked {
		u.free()
	}
}

// attached is what is kept with a call; nil: nothing.
func attached(k *meter.Task, f meter.Flight) *underway {
	u, _ := k.Attached(f).(*underway)
	return u
}

// letThrough notes that Before has let a step through as a call, which begins
// unless it is under way.
func (s *Session) letThrough(st *Step, rs *registry.Step, k *meter.Task, call *meter.Call, id state.CallID, t *ticket, admission Admission, at int64) {
	flight := k.FindCall(call)
	k.Raise(flight, call)
	u := attached(k, flight)
	if u == nil {
		u = s.callBegins()
		call.Attached = u
		if flight == 0 {
			flight = k.Begin(call, at)
			s.tasks.recalled.begin(flight, rs)
		} else {
			k.Attach(flight, u)
		}
	}
	if u.guarded = nil; t != nil {
		if admission == Admitted || u.probe != t.probe.Holder { // a call that is repeated renews no lease
			u.probeUntil = t.now + int64(t.probe.TTL)
		}
		u.guarded, u.generation, u.probe = t.guarded, t.generation, t.probe.Holder
		s.heard = max(s.heard, t.now)
	}
	if admission == Admitted || u.number == 0 {
		s.calls++
		u.number = s.calls
	}
	u.asked, u.task, u.flight, u.admitted, u.began = true, k, flight, id, 0
	u.id, u.ability, u.worker, u.args, u.binds = st.Call.ID, st.Ability, call.Worker, call.Args, st.Outputs == nil
	st.call, st.flight = u, flight
	st.repeated, st.reported = admission == Repeated, false
	if st.unsettled != nil { // nobody reports that again
		s.tellLater(st.unsettled)
		st.unsettled = nil
	}
	s.askedAgain(&id)
}

// callTold takes in a call that an event tells of. One that Before has let
// through is the same call, told once more, also if After was told its result
// meanwhile: it counts once.
func (s *Session) callTold(ctx context.Context, rs *registry.Step, k *meter.Task, at int64) {
	call := s.tasks.call(rs)
	if rs.CallID != "" {
		flight := k.Find(rs.CallID)
		u := attached(k, flight)
		if u != nil && u.asked && sameCall(u.ability, u.worker, rs) || flight == 0 && s.reported.take(k, rs, call.Args) {
			k.Tried(at)
			return
		}
	}
	var u *underway
	if call.Worker == "" { // a delegation has its own cap
		u = s.unasked(ctx, rs)
	}
	if u != nil {
		call.Attached = u
	}
	flight := k.Begin(call, at)
	if u != nil {
		u.task, u.flight = k, flight
	}
	s.tasks.recalled.begin(flight, rs)
}

// sameCall reports whether a step is of the ability, or the worker, of a call of its
// id: a delegation may be told of without the ability.
func sameCall(ability, worker string, rs *registry.Step) bool {
	if to := WorkerOf(rs); to != "" && worker != "" {
		return meter.WorkerName(to) == meter.WorkerName(worker)
	}
	return ability == rs.Ability || dsl.Fold(ability) == dsl.Fold(rs.Ability)
}

// unasked is a call that nobody was asked about, with the generation of its
// breaker; nil: there is none. The store is asked only where the breaker was open
// when it was last seen: what the result says hangs on whether it still is.
func (s *Session) unasked(ctx context.Context, rs *registry.Step) *underway {
	g := s.breakers.of(rs.Ability)
	if g == nil {
		return nil
	}
	if g.state.Opened != 0 {
		s.lookAtBreaker(ctx, g)
	}
	u := s.callBegins()
	u.ability, u.guarded, u.generation = rs.Ability, g, g.state.Generation
	if g.state.Opened == 0 {
		u.began = s.storeTime()
	}
	return u
}

// storeTime is what the store's time is at least. A session that goes by it and has
// not heard of it yet takes its own clock's for it.
func (s *Session) storeTime() int64 {
	if s.clock == nil && s.heard > 0 {
		return s.heard
	}
	return s.present()
}

// lookAtBreaker asks the store for a breaker. If it does not answer, what is
// known stands.
func (s *Session) lookAtBreaker(ctx context.Context, g *guarded) {
	var err error
	func() {
		defer errorOnPanic(&err)
		_, err = s.loadBreaker(ctx, g)
	}()
	if err != nil {
		s.warn("the state was not asked for a breaker", func() []any { return []any{"ability", g.ability, "error", err} })
	}
}

// after is the breaker of the call once a result is told of at a time, and whether
// that changed it. An open breaker is moved by its probe only.
func (u *underway) after(r breaker.Result, st breaker.State, now int64) (breaker.State, bool) {
	if st.Opened != 0 && u.probe == "" {
		return st, false
	}
	return st.After(r, u.generationIn(st), now, u.guarded.config)
}

// generationIn is the generation that the call began in, if the breaker is now in
// a state. Where nobody was asked, the session may have known an old one: a
// generation that is no later than the call, as generations are no earlier than the
// time at which the breaker opened, is that of the call.
func (u *underway) generationIn(st breaker.State) uint64 {
	if u.began > 0 && st.Generation <= uint64(u.began) {
		return st.Generation
	}
	return u.generation
}
