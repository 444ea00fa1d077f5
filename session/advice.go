package session

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Way is how to go on with a task for a worker.
type Way string

// The ways. Each is tried only where those before it do not lead on.
const (
	Go       Way = "go"       // the worker may be given the task
	Switch   Way = "switch"   // give it to an alternative
	Wait     Way = "wait"     // the worker starts afresh after a time
	Escalate Way = "escalate" // hand the task back to the one above
	AskUser  Way = "ask_user" // only the user can say how to go on
)

// Advice is what to do about a task for a worker.
type Advice struct {
	Worker string `json:"worker"`
	Way    Way    `json:"way"`
	// Why the worker may not be given the task, in words for the user; "" where it may.
	Why string `json:"why,omitempty"`
	Use string `json:"use,omitempty"` // for Switch: the worker to turn to
	// After is how long to wait until the worker starts afresh; -1: it does not by time.
	After time.Duration `json:"after_ns"`
	To    string        `json:"to,omitempty"` // for Escalate: the task above; "" is the session
	// FailedPaths is how many workers may not be called any more in this session.
	FailedPaths int `json:"failed_paths"`
}

// CanDelegate reports whether a worker may be given a task now, and if not,
// why, and what to do instead, in words for the user. It takes nothing: the
// delegation itself is judged by Before.
func (s *Session) CanDelegate(ctx context.Context, worker string) (ok bool, why string) {
	a := s.Advise(ctx, "", worker)
	return a.Way == Go, a.Why
}

// Advise says how to go on with a task for a worker: with it, or by which way
// round it. Without a way round, a cap on failures would bring an agent to a
// stop; with too many of them it would go round for ever. The task is the one
// that would delegate; "" is the active one that was opened last.
func (s *Session) Advise(ctx context.Context, task, worker string) (a Advice) {
	s.mu.Lock()
	defer s.unlock()
	defer func() {
		if r := recover(); r != nil {
			a = Advice{Worker: worker, Way: AskUser, After: -1, Why: fmt.Sprintf("the engine failed: %v", r)}
		}
	}()
	worker = strings.TrimSpace(worker)
	at, k := s.at(0), s.tasks.find(task)
	a = Advice{Worker: worker, Way: Go, After: -1}
	refusal := s.refusal(ctx, k, worker, at)
	if refusal == nil {
		return a
	}
	a.Why = refusal.ReasonText()
	if refusal.Rule.ID == registry.DelegationLimit {
		a.Why = fmt.Sprintf("%s has failed %s times in this session", worker, refusal.Actual)
		a.After = s.until(worker, at)
		a.FailedPaths = s.failedPaths(refusal, at)
	}
	a.Use = s.alternative(ctx, k, worker, at)
	d := &s.delegations
	switch {
	case a.Use != "":
		a.Way = Switch
		a.Why += ": give the task to " + a.Use
	case a.After >= 0:
		a.Way = Wait
		a.Why += ": it may be tried again in " + duration.Format(a.After.Round(time.Second))
	case d.Escalate && k.Parent() != nil && a.FailedPaths < d.FailedPaths():
		a.Way, a.To = Escalate, k.Parent().ID()
		a.Why += ": hand the task back, with what is known by now"
	default:
		a.Way = AskUser
		a.Why += ": ask how to go on"
	}
	return a
}

// FailedPaths is how many workers may be out of the running, by default or as set.
func (d *Delegation) FailedPaths() int { return cmp.Or(d.MaxFailedPaths, DefaultMaxFailedPaths) }

// refusal is the rule that would refuse a worker a task of k now; nil: none.
func (s *Session) refusal(ctx context.Context, k *meter.Task, worker string, at int64) *registry.Fired {
	if by := s.tasks.endedBy(k); by != nil {
		return by
	}
	rs := s.delegation(worker)
	rs.Meters, rs.Tuning = s.tasks.read(k, at, s.tasks.call(rs)), s.tasks.tuningOf(k)
	var v registry.Verdict
	s.decider.preview(ctx, rs, &v)
	if v.Decision != registry.Abort {
		return nil
	}
	return v.Blocking()
}

// alternative is the first worker to turn to that may be called; "": none.
func (s *Session) alternative(ctx context.Context, k *meter.Task, worker string, at int64) string {
	name := meter.WorkerName(worker)
	for _, a := range s.delegations.Alternatives {
		if !a.Workers.Fold().Match(name) {
			continue
		}
		for _, use := range a.Use {
			if meter.WorkerName(use) != name && s.refusal(ctx, k, use, at) == nil {
				return use
			}
		}
	}
	return ""
}

// failedPaths counts the workers that have failed as often as the refused one may.
func (s *Session) failedPaths(refused *registry.Fired, at int64) int {
	limit, _ := decimal.Parse(refused.Limit)
	n := 0
	s.tasks.tree.EachWorker(at, func(name string, failures int64) {
		if !strings.HasPrefix(name, meter.ToolPrefix) && decimal.FromInt(failures).Cmp(limit) >= 0 {
			n++
		}
	})
	return n
}

// preview judges a step that is not to be admitted now: it counts what the
// step would come to, and takes nothing.
func (d *Decider) preview(ctx context.Context, rs *registry.Step, v *registry.Verdict) {
	var none Admission
	unrecorded := &Decider{Registry: d.Registry} // nothing is decided
	defer unrecorded.refuseOnPanic(rs, v, &none)
	if err := rs.Check(); err != nil {
		d.refuse(rs, v, registry.SlugMalformedStep, err.Error())
		return
	}
	m := memories.Get().(*scratch)
	set := d.Registry.Set()
	set.Plan(rs, &m.plan)
	claim := d.claimOf(rs, callID(rs), m)
	claim.Refused = true
	m.grant.Away = nil // of another store
	if err := d.Store.Claim(ctx, &claim, &m.grant); err != nil && !d.goOn(ctx, rs, m, err) {
		d.refuse(rs, v, registry.SlugStoreError, storeReason(err))
		return
	}
	set.Decide(rs, &m.plan, &m.grant.Tally, v)
	v.Notes = append(set.Notes(), v.Notes...)
	memories.Put(m)
}
