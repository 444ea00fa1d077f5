package session

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"strconv"
	"sync"

	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// Session is one conversation of one agent with its user. Its methods are
// safe for any number of goroutines.
type Session struct {
	id      string
	decider Decider
	clock   Clock

	wall Clock // clock, or the machine's where the windows go by the store's

	mu          sync.Mutex
	latest      int64 // the latest time at which something happened
	tasks       tasks
	breakers    breakers
	onBreaker   func(BreakerChange)
	metrics     *breaker.Metrics
	onTask      func(Metadata)
	review      TaskReview
	live        bool   // the clock goes by itself
	over        bool   // End was called
	writer      uint64 // tells this session from others of its id
	nonce       string // writer, as a text
	log         *slog.Logger
	logs        bool     // somebody reads it
	notices     []func() // to be told once the session is unlocked
	delegations Delegation
	pricing     Pricing
	quotes      map[string]prices.Quote // by model
	priceNotes  []string
	pricesTold  int           // of priceNotes, by some verdict
	unpriced    []Halt        // of the event that is being observed
	judged      registry.Step // memory of the step that is being judged
	// Memory of the judgements without a step.
	stepless registry.Step
	noticed  registry.Verdict
	// Memory of asking a breaker.
	ticketOf   ticket
	holderOf   *holderName // nil: no open breaker was asked
	query      state.Query
	view       state.View
	expects    [1]state.Expect
	settling   state.Settlement // memory of telling the store of a call's end
	endedOf    ended            // the call that has ended
	reported   reportedCalls
	untold     []ended     // that events have told of, and the store could not be told of
	heard      int64       // the store's time, as it was last told
	spareCalls []*underway // memory for calls that begin
	callsMade  int         // for how many it was made
	patient    patience
	books      *books // nil: its money ends with the process
	stakeOf    stake
	written    []byte // memory of what a call has put out, as text
	history    History
	outputs    *registry.Values
	user       registry.Words
	seen       registry.Words // earlier outputs
	calls      int            // admitted so far
	runs       int
}

// New returns a session, or an error that names what is missing.
func New(o Options) (*Session, error) {
	switch {
	case o.ID == "":
		return nil, errors.New("session: no id")
	case o.Registry == nil:
		return nil, errors.New("session: no registry")
	case o.Store == nil:
		return nil, errors.New("session: no store")
	}
	s := &Session{
		id: o.ID, clock: o.Clock, wall: o.Clock, outputs: &registry.Values{},
		decider:   Decider{Registry: o.Registry, Store: o.Store, Record: o.Record, Judged: o.Judged, Clock: o.Clock},
		onBreaker: o.OnBreaker, onTask: o.OnTask, metrics: o.Metrics, review: o.Review,
	}
	s.decider.run = runKey(&registry.Step{Session: o.ID})
	if s.wall == nil {
		s.wall = SystemClock()
	}
	_, s.live = s.wall.(*systemClock)
	s.writer = maphash.String(maphash.MakeSeed(), o.ID)
	s.breakers, s.patient = newBreakers(o.Breakers, s.writer), patience{clock: s.wall, nonce: s.writer}
	s.nonce, s.books = strconv.FormatUint(s.writer, 36), newBooks(o.ID, o.Store, s.writer, o.Fresh, s.currentTask)
	s.log, s.logs, s.delegations, s.pricing = logger(o.Log), o.Log != nil, o.Delegation, o.Pricing
	meters := meter.Options{Forgiving: o.Delegation.Forgiving, CapTools: o.Delegation.Tools, Interactive: o.Interactive}
	if o.Edits != nil {
		meters.Edits = meter.Matcher(o.Edits)
	}
	if s.books != nil {
		meters.Moved, meters.Account = s.books.moved, s.books.account
	}
	s.tasks = newTasks(meters, s.at(0))
	s.tasks.recalled.calls = max(o.Recall, 0)
	var err error
	s.tasks.overrides, err = compileLimits(o.TaskLimits)
	return s, err
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// Registry returns the rules in force for the session.
func (s *Session) Registry() *registry.Registry { return s.decider.Registry }

// NewRun returns a run id that this session has not used.
func (s *Session) NewRun() string {
	s.mu.Lock()
	defer s.unlock()
	s.runs++
	return fmt.Sprintf("%s/%d", s.id, s.runs)
}

// Before decides whether the step may run now and, if it may, takes its place
// in every window. It neither waits nor asks. There is no error: whatever
// goes wrong, the verdict is an abort that says what.
func (s *Session) Before(ctx context.Context, st *Step, v *registry.Verdict) {
	s.mu.Lock()
	defer s.unlock()
	defer s.refuseOnPanic(v) // of a clock, or a step that is nil
	s.keepResults(ctx)
	rs, at := s.complete(st), s.at(0)
	k := s.tasks.find(st.Task)
	st.attempt = k.Attempts() + 1
	if s.refusedByEnd(rs, k, v) {
		return
	}
	rs.Tuning = s.tasks.tuningOf(k)
	if st.Final {
		rs.Meters = s.tasks.read(k, at, nil)
		s.decider.Final(ctx, rs, st.Held, v)
		s.refused(k, at, v)
		return
	}
	call, id := s.tasks.call(rs), s.callID(rs, k)
	s.estimate(k, st, call)
	call.Reserved = k.Reserved(call)
	money := s.stake(k, call, id)
	s.ticketOf.held = state.Lease{}
	defer s.giveBack(ctx, k, call, money)
	admission, t := movedOn, (*ticket)(nil)
	for p := s.patience(); admission == movedOn; {
		if s.judgeAbove(ctx, k, at, call, nil); s.refusedByEnd(rs, k, v) {
			s.noteEstimate(v, call, k)
			return
		}
		rs.Meters = s.tasks.read(k, at, call)
		var err error
		if admission, t = s.decide(ctx, rs, id, v, money, p); money.short(admission) {
			if err = money.secure(ctx, s.decider.Store, s.now()); errors.Is(err, errMoved) {
				admission, err = movedOn, nil
			}
		}
		if admission == movedOn {
			money.prepare()
			err = p.again(ctx, sessionMoney)
		}
		if err != nil {
			s.decider.Refuse(rs, v, registry.SlugStoreError, storeReason(err))
			admission = NotAdmitted
		}
	}
	if admission == NotAdmitted {
		s.refused(k, at, v)
		s.noteEstimate(v, call, k)
		return
	}
	s.notePrices(v)
	s.noteEstimate(v, call, k)
	for i := range v.Fired { // warnings
		s.tasks.tripped(k.ID(), &v.Fired[i], at)
	}
	k.Stuck(circles(v.Fired))
	s.letThrough(st, rs, k, call, id, t, admission, at)
	s.history.Add(st.Ability)
	money.made()
	s.ticketOf.held = state.Lease{} // it is the step's
}

// currentTask returns the task of an id as it is now: another, once it was forgotten.
func (s *Session) currentTask(id string) *meter.Task { return s.tasks.tree.Task(id) }

// refusedByEnd refuses a step of a task that was ended, by the rule that did it.
func (s *Session) refusedByEnd(rs *registry.Step, k *meter.Task, v *registry.Verdict) bool {
	by := s.tasks.endedBy(k)
	if by == nil {
		return false
	}
	v.RefuseAgain(rs, by)
	v.Notes = s.decider.notes()
	s.notePrices(v)
	s.decider.record(rs, nil, nil, v)
	return true
}

// refuseOnPanic, deferred, is that of a decider for a step of which nothing is
// known but its session. It makes that step only where it is needed.
func (s *Session) refuseOnPanic(v *registry.Verdict) {
	if r := recover(); r != nil {
		var none Admission
		s.decider.refuseFault(r, &registry.Step{Session: s.id}, v, &none)
	}
}

// decide has a step judged by the rules and by the breaker of its ability.
func (s *Session) decide(ctx context.Context, rs *registry.Step, call state.CallID, v *registry.Verdict, money *stake, p *patience) (admission Admission, t *ticket) {
	defer s.decider.refuseOnPanic(rs, v, &admission)
	if err := rs.Check(); err != nil {
		return s.decider.Decide(ctx, rs, v), nil // which says what is wrong
	}
	t = s.ticket(rs, call)
	admission = s.decider.decide(ctx, rs, call, v, t, money, p)
	if t != nil {
		s.measureMoved(t.guarded)
	}
	return admission, t
}

// refused ends what an abort over a meter concerns, and lets the clocks stand
// still while a person is asked.
func (s *Session) refused(k *meter.Task, at int64, v *registry.Verdict) {
	s.notePrices(v)
	for i := range v.Fired {
		f := &v.Fired[i]
		s.tasks.tripped(k.ID(), f, at)
		if s.tasks.end(k, f) {
			s.logEnded(k.ID(), f)
		}
	}
	next := s.tasks.reading.Next // nil: the check after the last step
	if next != nil && next.Worker != "" && v.Decision == registry.Abort {
		s.logRefused(meter.WorkerName(next.Worker), v.Blocking())
	}
	switch asks := v.Decision == registry.Confirm || v.Decision == registry.Review; {
	case asks:
		k.Held(next, at)
	case next == nil:
		k.Beat(at)
	default:
		k.Tried(at)
	}
}

// errorOnPanic, deferred, turns a store that panics into an error.
func errorOnPanic(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("session: the engine failed: %v", r)
	}
}

// User notes what the user, or the operator's system prompt, wrote: what
// in:user looks in. Text of a model, such as a delegation's prompt, does not
// belong here.
func (s *Session) User(text string) {
	s.mu.Lock()
	defer s.unlock()
	s.said(s.tasks.tree.Top(), text, s.at(0))
}

func (s *Session) said(k *meter.Task, text string, at int64) {
	s.user.Add(text)
	k.User(len(text), at)
	s.tasks.recalled.user(k.ID(), text)
}

// Approve records a yes to a confirm rule for this step. It admits one call,
// or with forRun every equal one until it expires. Expires is Unix
// nanoseconds by the session's clock; 0: never.
func (s *Session) Approve(ctx context.Context, st *Step, r *registry.Rule, forRun bool, expires int64) (err error) {
	s.mu.Lock()
	defer s.unlock()
	defer errorOnPanic(&err)
	a := state.Approval{
		Digest: registry.ApprovalDigest(s.complete(st), r), Session: s.id, ForRun: forRun, Expires: expires,
	}
	if err := s.decider.Store.Approve(ctx, a); err != nil {
		return fmt.Errorf("session %s: approve %s: %w", s.id, r.ID, err)
	}
	return nil
}

// now returns the time of a decision; 0: the store's.
func (s *Session) now() int64 {
	if s.clock == nil {
		return 0
	}
	return s.clock.Now()
}
