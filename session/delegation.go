package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// CanDelegate reports whether a worker may be given a task now, and if not,
// why, in words for the user. It takes nothing: the delegation itself is
// judged by Before.
func (s *Session) CanDelegate(ctx context.Context, name string) (ok bool, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &Step{Call: Call{Ability: delegatePrefix + name}, Worker: name}
	rs, at := s.complete(st), s.at(0)
	k := s.tasks.find("")
	if by := s.tasks.endedBy(k); by != nil {
		return false, by.ReasonText()
	}
	rs.Meters, rs.Limits = s.tasks.read(k, at, s.tasks.call(rs)), s.tasks.limitsOf(k)
	var v registry.Verdict
	s.decider.preview(ctx, rs, &v)
	if v.Decision != registry.Abort {
		return true, ""
	}
	f := v.Blocking()
	return false, fmt.Sprintf("%s (%s)", f.ReasonText(), f.Explain())
}

// RecordFailure counts a failure of a worker that no reported result shows,
// such as a time-out that the host noticed. The reason is for the log.
func (s *Session) RecordFailure(worker, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks.tree.FailWorker(worker)
	if s.tasks.reasons == nil {
		s.tasks.reasons = map[string]string{}
	}
	if name := meter.WorkerName(worker); s.tasks.reasons[name] != "" || len(s.tasks.reasons) < meter.MaxNames {
		s.tasks.reasons[name] = reason
	}
}

// ResetWorker forgets the failures of a worker: it may be given tasks again.
func (s *Session) ResetWorker(worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks.tree.ResetWorker(worker)
	delete(s.tasks.reasons, meter.WorkerName(worker))
}

// WorkerState is what is known of a worker that has failed.
type WorkerState struct {
	Worker   string `json:"worker"` // folded
	Failures int64  `json:"failures"`
	Reason   string `json:"reason,omitempty"` // of the last failure that was recorded with one
}

// Workers returns the workers that have failed in this session, by name.
func (s *Session) Workers() []WorkerState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tasks.workers()
}

func (t *tasks) workers() []WorkerState {
	all := []WorkerState{}
	t.tree.EachWorker(func(name string, failures int64) {
		all = append(all, WorkerState{Worker: name, Failures: failures, Reason: t.reasons[name]})
	})
	slices.SortFunc(all, func(a, b WorkerState) int { return cmp.Compare(a.Worker, b.Worker) })
	return all
}

// preview judges a step that is not to be admitted now: it counts what the
// step would come to, and takes nothing.
func (d *Decider) preview(ctx context.Context, rs *registry.Step, v *registry.Verdict) {
	var none Admission
	defer refuseOnPanic(rs, v, &none)
	if err := rs.Check(); err != nil {
		v.Refuse(rs, registry.SlugMalformedStep, err.Error())
		return
	}
	m := memories.Get().(*scratch)
	set := d.Registry.Set()
	set.Plan(rs, &m.plan)
	claim := claimOf(rs, m)
	claim.Refused = true
	if err := d.Store.Claim(ctx, &claim, &m.grant); err != nil && !d.goOn(ctx, rs, m) {
		v.Refuse(rs, registry.SlugStoreError, "the state did not answer: "+err.Error())
		return
	}
	set.Decide(rs, &m.plan, &m.grant.Tally, v)
	memories.Put(m)
}
