package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// Decider plans, claims and decides: what every door does with a step once
// it is complete. It is for hosts that keep their own history; others use a
// [Session]. Its methods are safe for any number of goroutines.
type Decider struct {
	Registry *registry.Registry
	Store    state.Store
	// Record receives a record of every decision; nil: none is made. It may
	// be called by several goroutines at once. An error says that it could not
	// be kept: a step that was let through is then refused, as
	// [registry.SlugRecordError]. Its place in a window stays taken; asked for
	// again with the same call id it takes no second one. A [Session] gives back
	// what was set aside for it, and the lease of a breaker's probe.
	Record func(*Record) error
	// Judged sees the plan and the counts of every decision, which are reused
	// afterwards; nil: nobody does. It is called like Record.
	Judged func(*registry.Step, *registry.Plan, *registry.Tally)
	// Clock tells the time of a record where neither the step nor the store
	// has; nil: the machine's.
	Clock Clock

	run string // of steps without a chain, where they are all of one session
}

// Admission tells how a step was let through.
type Admission int

// The ways in which a step is admitted, or not.
const (
	NotAdmitted Admission = iota
	Admitted
	Repeated // the same call was admitted before and has not ended: nothing was taken again

	movedOn Admission = -1 // it was judged by money that is another by now
)

// scratch is the memory of one decision.
type scratch struct {
	plan    registry.Plan
	claim   state.Claim
	grant   state.Grant
	leases  [1]state.Lease
	expects []state.Expect
	// The run that was here last, and its key.
	chain, id, session, run string
}

// runOf is runKey, with no text made anew for a run that comes again.
func (m *scratch) runOf(rs *registry.Step) string {
	if m.run == "" || m.chain != rs.Chain || m.id != rs.Run || m.session != rs.Session {
		m.chain, m.id, m.session, m.run = rs.Chain, rs.Run, rs.Session, runKey(rs)
	}
	return m.run
}

// ask has a breaker's part claimed: that it is as it was last seen; nothing, if
// it stays open, so that the rules are counted all the same; a lease, for a probe.
func (m *scratch) ask(t *ticket) {
	c := &m.claim
	m.expects, c.Cells = m.expects[:0], nil
	if t != nil {
		m.expects = append(m.expects, t.guarded.expect())
		c.Leases, c.Refused = nil, m.plan.Refused || t.refused
		if t.probe.Key != "" {
			m.leases[0] = t.probe
			c.Leases = m.leases[:]
		}
	}
}

// answer adds a breaker's refusal to the verdict.
func (m *scratch) answer(t *ticket, v *registry.Verdict) {
	switch {
	case t == nil:
	case t.refused:
		t.refuse(v, 0, m.grant.Now)
	case m.grant.Lease >= 0: // its time has not come, or another probe is under way
		t.refuse(v, m.grant.LeaseUntil, m.grant.Now)
	}
}

// Decide reaches the verdict on a step and, if it may run, takes its place in
// every window. rs.Now is the time; 0: the store's. There is no error:
// whatever goes wrong, the verdict is an abort that says what.
func (d *Decider) Decide(ctx context.Context, rs *registry.Step, v *registry.Verdict) (admission Admission) {
	defer d.refuseOnPanic(rs, v, &admission)
	if err := rs.Check(); err != nil {
		d.Refuse(rs, v, registry.SlugMalformedStep, err.Error())
		return NotAdmitted
	}
	return d.decide(ctx, rs, callID(rs), v, nil, nil, nil)
}

// refuseOnPanic, deferred, answers for an engine, a store or a listener that
// failed: the step is refused, and the host goes on.
func (d *Decider) refuseOnPanic(rs *registry.Step, v *registry.Verdict, admission *Admission) {
	if r := recover(); r != nil {
		d.refuseFault(r, rs, v, admission)
	}
}

// refuseFault refuses a step for a fault of the engine.
func (d *Decider) refuseFault(fault any, rs *registry.Step, v *registry.Verdict, admission *Admission) {
	*admission = NotAdmitted
	d.refuse(rs, v, registry.SlugInternalFault, fmt.Sprintf("the engine failed: %v", fault))
	defer func() { _ = recover() }() // of a listener that fails again, or a decider that was not set up
	d.record(rs, nil, nil, v)
}

// Refuse refuses a step before it is judged, for a reason for which no rule
// stands, such as a step that its host could not read. It is recorded as any
// other decision.
func (d *Decider) Refuse(rs *registry.Step, v *registry.Verdict, slug, reason string) {
	d.refuse(rs, v, slug, reason)
	d.record(rs, nil, nil, v)
}

// refuse makes v an abort for which no rule stands. It says of the rules in
// force what every verdict says of them.
func (d *Decider) refuse(rs *registry.Step, v *registry.Verdict, slug, reason string) {
	v.Refuse(rs, slug, reason)
	v.Notes = d.notes()
}

// notes are those of the rules in force; a decider that was not set up, and so
// panicked, has none.
func (d *Decider) notes() []string {
	if d.Registry == nil {
		return nil
	}
	return d.Registry.Set().Notes()
}

// Final reaches the verdict after a chain's last step. Rules in heldBefore
// fire again only if they abort; see [registry.Set.PlanFinal].
func (d *Decider) Final(ctx context.Context, rs *registry.Step, heldBefore map[string]bool, v *registry.Verdict) {
	var none Admission // nothing is about to be done
	defer d.refuseOnPanic(rs, v, &none)
	m := memories.Get().(*scratch)
	d.Registry.Set().PlanFinal(rs, &m.plan, heldBefore)
	d.decidePlanned(ctx, rs, callID(rs), v, nil, nil, nil, m)
}

// memories are the scratch of decisions that are over.
var memories = sync.Pool{New: func() any { return new(scratch) }}

func (d *Decider) decide(ctx context.Context, rs *registry.Step, call state.CallID, v *registry.Verdict, t *ticket, money *stake, p *patience) Admission {
	m := memories.Get().(*scratch) // after a panic it is not given back
	d.Registry.Set().Plan(rs, &m.plan)
	return d.decidePlanned(ctx, rs, call, v, t, money, p, m)
}

// decidePlanned decides on a step that is planned in m, which it gives back.
func (d *Decider) decidePlanned(ctx context.Context, rs *registry.Step, call state.CallID, v *registry.Verdict, t *ticket, money *stake, p *patience, m *scratch) (admission Admission) {
	set := m.plan.Set()
	m.claim = d.claimOf(rs, call, m)
	err := d.claim(ctx, t, money, p, m)
	if errors.Is(err, errMoved) {
		memories.Put(m)
		return movedOn
	}
	// What an unknown breaker would do with it, or money that nobody knows, nobody can say.
	if err != nil && (t != nil || money.unknown() || !d.goOn(ctx, rs, m, err)) {
		d.Refuse(rs, v, registry.SlugStoreError, storeReason(err))
		return NotAdmitted
	}
	if t != nil && m.grant.Admitted {
		t.held = t.probe
	}
	set.Decide(rs, &m.plan, &m.grant.Tally, v)
	v.Notes = append(set.Notes(), v.Notes...)
	m.answer(t, v)
	if err != nil {
		m.grant.Admitted = !v.Decision.Blocks()
	}
	if m.grant.Admitted == v.Decision.Blocks() {
		d.refuse(rs, v, registry.SlugInternalFault, "the state and the rules disagree on whether the step is admitted")
	}
	d.record(rs, &m.plan, &m.grant.Tally, v)
	switch {
	case v.Decision.Blocks():
	case m.grant.Repeated:
		admission = Repeated
	default:
		admission = Admitted
	}
	memories.Put(m)
	return admission
}

// claim puts a planned step to the store, and again while the breaker is no longer
// what the session has last seen of it. With errMoved the session's money is not
// what the step was planned by.
func (d *Decider) claim(ctx context.Context, t *ticket, money *stake, p *patience, m *scratch) error {
	m.grant.Away = nil // of another store
	if t == nil && money == nil {
		return d.Store.Claim(ctx, &m.claim, &m.grant)
	}
	if money != nil {
		if err := money.ready(ctx, d.Store, m.claim.Now); err != nil {
			return err
		}
	}
	for {
		m.ask(t)
		of := len(m.expects) // the breaker's
		if money != nil {
			m.expects = money.ask(&m.claim, m.expects)
		}
		m.claim.Expects = m.expects
		err := d.Store.Claim(ctx, &m.claim, &m.grant)
		if err == nil && t != nil {
			if t.now, t.guarded.at = m.grant.Now, m.grant.Now; money == nil {
				return nil
			}
		}
		told := errors.Is(err, state.ErrConflict) && len(m.grant.Expected) == len(m.expects)
		if told && t != nil {
			if wrong := t.guarded.see(m.grant.Expected[0], m.grant.Now); wrong != nil {
				err, told = fmt.Errorf("the breaker of %s cannot be read: %w", t.guarded.ability, wrong), false
			}
			t.fill()
		}
		if err = money.answered(&m.grant, m.grant.Expected[min(of, len(m.grant.Expected)):], err); !told || !errors.Is(err, state.ErrConflict) {
			return err
		}
		what := sessionMoney
		if t != nil {
			what = t.guarded.name()
		}
		if err := p.again(ctx, what); err != nil {
			return err
		}
	}
}

// sessionMoney is what an error calls the money of a session.
const sessionMoney = "the money of the session"

// claimOf is what a planned step asks of the store.
func (d *Decider) claimOf(rs *registry.Step, call state.CallID, m *scratch) state.Claim {
	run := d.run
	if rs.Chain != "" || run == "" {
		run = m.runOf(rs)
	}
	return state.Claim{
		Now: rs.Now, Session: rs.Session, Run: run, Call: call,
		Needs: m.plan.Needs, Guards: m.plan.Guards, Refused: m.plan.Refused,
	}
}

// goOn reports whether a step whose claim failed may be decided without the
// store: the host still wants an answer, and the rules say on_store_error=allow.
// A store that has looked at what the rules say has the last word.
func (d *Decider) goOn(ctx context.Context, rs *registry.Step, m *scratch, err error) bool {
	if ctx.Err() != nil || errors.Is(err, state.ErrDenied) || !m.plan.WithoutStore(&m.grant.Tally, state.Reason(err)) {
		return false
	}
	m.grant.Now, m.grant.Repeated = rs.Now, false
	return true
}

// runKey identifies an execution of a chain in the store. Without a chain,
// the session is the run.
func runKey(rs *registry.Step) string {
	if rs.Chain == "" {
		return "\x00" + rs.Session
	}
	if rs.Run == "" {
		return ""
	}
	return rs.Chain + "\x00" + rs.Run
}
