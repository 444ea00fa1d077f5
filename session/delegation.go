package session

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/session/refusal"
)

// Delegation says what becomes of a worker that has failed. The zero
// Delegation keeps every failure for the session's life and knows no way
// round a worker that may not be called.
type Delegation struct {
	// Forgiving lets a worker start afresh a time after its last failure.
	meter.Forgiving
	// Alternatives are workers to turn to in the place of others.
	Alternatives []Alternative
	// Escalate offers, where no alternative is left, to hand a task back to
	// the one above; see Advise.
	Escalate bool
	// MaxFailedPaths is how many workers may be out of the running before
	// only the user can say how to go on; 0: DefaultMaxFailedPaths.
	MaxFailedPaths int
	// Tools caps tools, too: one that has failed as often as a worker may is
	// refused like it.
	Tools bool
	// Judge tells whether what a worker put out, without an error, is no
	// result: it is empty or incomplete, hands the task back, or says that the
	// worker cannot. It is called while the session is locked: it
	// must not call back. nil: that of refusal.Default.
	Judge func(output string) refusal.Verdict
}

// DefaultMaxFailedPaths lets an agent try three workers before it has to ask.
const DefaultMaxFailedPaths = 3

// Alternative names who can take over what some workers do.
type Alternative struct {
	Workers dsl.NamePattern
	Use     []string // in the order in which they are to be asked
}

// gave judges what a delegation put out. A judgement that fails lets no failure pass.
func (d *Delegation) gave(output string) (why string, gave bool) {
	defer func() {
		if r := recover(); r != nil {
			why, gave = fmt.Sprintf("the result could not be judged: %v", r), true
		}
	}()
	if d.Judge == nil {
		d.Judge = refusal.Default().Judge // compiled when it is first needed: few sessions delegate
	}
	v := d.Judge(output)
	return explainVerdict(v), v.Failed()
}

// explainVerdict says what is wrong with an answer.
func explainVerdict(v refusal.Verdict) string {
	switch v.Kind {
	case refusal.Empty:
		return "the answer is empty"
	case refusal.Incomplete:
		return "the answer is incomplete" + quoted(v.Phrase)
	case refusal.HandedBack:
		return "the task is handed back without a result" + quoted(v.Phrase)
	case refusal.Refusal:
		return "the worker says that it cannot" + quoted(v.Phrase)
	}
	return ""
}

func quoted(phrase string) string {
	if phrase == "" {
		return ""
	}
	return ": " + strconv.Quote(phrase)
}

// RecordFailure counts a failure of a worker that no reported result shows,
// such as a time-out that the host noticed. The reason is for the log.
func (s *Session) RecordFailure(worker, reason string) {
	s.mu.Lock()
	defer s.unlock()
	s.tasks.tree.FailWorker(worker, s.at(0))
	s.failed(worker, reason)
}

// failed keeps why a worker failed, and has it logged.
func (s *Session) failed(worker, reason string) {
	name := s.tasks.tree.WorkerName(worker)
	if s.tasks.reasons == nil {
		s.tasks.reasons = map[string]string{}
	}
	if s.tasks.reasons[name] != "" || len(s.tasks.reasons) < meter.MaxNames {
		s.tasks.reasons[name] = reason
	}
	s.warn("delegation failed", func() []any {
		return []any{"worker", name, "failures", s.tasks.tree.WorkerFailures(worker, s.latest), "reason", reason}
	})
}

// ResetWorker forgets the failures of a worker: it may be given tasks again,
// also one whose failures were counted with those of others because so many
// workers have failed that there was no room.
func (s *Session) ResetWorker(worker string) {
	s.mu.Lock()
	defer s.unlock()
	s.tasks.tree.ResetWorker(worker)
	delete(s.tasks.reasons, meter.WorkerName(worker))
}

// WorkerState is what is known of a worker that has failed.
type WorkerState struct {
	Worker   string `json:"worker"` // folded
	Failures int64  `json:"failures"`
	Reason   string `json:"reason,omitempty"` // of the last failure
	// FreeAt is when its failures are forgotten, Unix nanoseconds; 0: not by time.
	FreeAt int64 `json:"free_at,omitempty"`
}

// Workers returns the workers that have failures held against them, by name.
func (s *Session) Workers() []WorkerState {
	s.mu.Lock()
	defer s.unlock()
	return s.tasks.workers(s.at(0))
}

func (t *tasks) workers(at int64) []WorkerState {
	all := []WorkerState{}
	t.tree.EachWorker(at, func(name string, failures int64) {
		all = append(all, WorkerState{Worker: name, Failures: failures, Reason: t.reasons[name], FreeAt: t.tree.WorkerFree(name)})
	})
	slices.SortFunc(all, func(a, b WorkerState) int { return cmp.Compare(a.Worker, b.Worker) })
	return all
}

// until is how long a worker that is refused has to wait; -1: no time is known.
func (s *Session) until(worker string, at int64) time.Duration {
	if free := s.tasks.tree.WorkerFree(worker); free > 0 {
		return time.Duration(max(free-at, 0))
	}
	return -1
}

// delegation is the step of giving a worker a task, with nothing said of it.
func (s *Session) delegation(worker string) *registry.Step {
	return s.complete(&Step{Call: Call{Ability: DelegationTo(worker)}, Worker: worker})
}
