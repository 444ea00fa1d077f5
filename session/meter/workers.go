package meter

import (
	"cmp"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// Forgiving says whether, and when, a worker that failed starts afresh. The
// zero Forgiving never lets it.
type Forgiving struct {
	// After is how long after its last failure a worker starts afresh; 0: never.
	After time.Duration
	// Factor is how many times longer it takes with every time that a worker
	// has started afresh and failed again; 0 and 1: always the same.
	Factor int
	// Most is the longest that it takes; 0: DefaultMostForgiving.
	Most time.Duration
}

// DefaultMostForgiving bounds what grows by a factor.
const DefaultMostForgiving = 24 * time.Hour

// Longest is the longest that it takes, by default or as set.
func (f Forgiving) Longest() time.Duration { return cmp.Or(f.Most, DefaultMostForgiving) }

// wait is how long it takes for a worker that has started afresh that many times.
func (f Forgiving) wait(rounds int) time.Duration {
	most, d := f.Longest(), f.After
	for ; rounds > 0 && f.Factor > 1 && d < most; rounds-- {
		if d > most/time.Duration(f.Factor) {
			return most
		}
		d *= time.Duration(f.Factor)
	}
	return d
}

// record is what is known of a worker that has failed.
type record struct {
	failures int64
	last     int64 // when it failed last
	rounds   int   // how often it has started afresh
}

// workers counts failed delegations by worker, for a bounded number of
// workers. Those that come when there is no room left share one record, so
// that nobody escapes by a new name, but for those that were reset by hand.
type workers struct {
	forgiving Forgiving
	of        map[string]*record
	rest      record
}

func (w *workers) record(name string) *record {
	if r := w.of[name]; r != nil || len(w.of) < MaxNames {
		return r
	}
	return &w.rest
}

// over is when a record is no longer held against its worker; 0: never.
func (w *workers) over(r *record) int64 {
	if w.forgiving.After == 0 || r.failures == 0 {
		return 0
	}
	return addTo(r.last, int64(w.forgiving.wait(r.rounds)))
}

func (w *workers) failures(name string, at int64) int64 {
	r := w.record(name)
	if r == nil || name == "" {
		return 0
	}
	if over := w.over(r); over > 0 && at >= over {
		return 0
	}
	return r.failures
}

func (w *workers) fail(name string, at int64) {
	r := w.record(name)
	if r == nil {
		if w.of == nil {
			w.of = map[string]*record{}
		}
		r = &record{}
		w.of[name] = r
	}
	if over := w.over(r); over > 0 && at >= over {
		r.failures, r.rounds = 0, r.rounds+1
	}
	r.failures++
	r.last = at
}

// succeed keeps the failures that are held against a worker. One that has
// started afresh and succeeds is as good as new.
func (w *workers) succeed(name string, at int64) {
	if r := w.of[name]; r != nil && w.failures(name, at) == 0 {
		w.clear(name, r)
	}
}

// clear makes a worker that has a record of its own as good as new. While there
// is no room for others it keeps its place, or it would share their record next.
func (w *workers) clear(name string, r *record) {
	if len(w.of) >= MaxNames {
		*r = record{}
		return
	}
	delete(w.of, name)
}

// maxReset bounds the records with those of workers that were reset by hand.
const maxReset = 2 * MaxNames

// reset forgets the failures of a worker. One that shares a record gets its own,
// and leaves the others theirs; if even that is too much, they are all forgiven.
func (w *workers) reset(name string) {
	switch r := w.record(name); {
	case r == nil:
	case r != &w.rest:
		w.clear(name, r)
	case len(w.of) < maxReset:
		w.of[name] = &record{}
	default:
		w.rest = record{}
	}
}

// WorkerName is the name under which a worker's failures are counted.
func WorkerName(name string) string { return dsl.Fold(strings.TrimSpace(name)) }

// WorkerName is WorkerName, remembered: it is asked for with every delegation.
func (t *Tree) WorkerName(name string) string { return t.name(strings.TrimSpace(name)).folded }

// ToolPrefix begins the name under which a tool's failures are counted where
// tools are capped as workers are.
const ToolPrefix = "tool:"

// capped is the name under which a call's failures are capped; "": they are not.
func (t *Tree) capped(worker, ability string) string {
	switch {
	case worker != "":
		return t.WorkerName(worker)
	case t.capTools:
		return t.name(ability).tool
	}
	return ""
}

// FailWorker counts a failure of a worker that no call of this tree shows.
func (t *Tree) FailWorker(name string, at int64) { t.workers.fail(WorkerName(name), at) }

// ResetWorker forgets the failures of a worker.
func (t *Tree) ResetWorker(name string) { t.workers.reset(WorkerName(name)) }

// WorkerFailures returns how often a worker has failed, as held against it at
// a time.
func (t *Tree) WorkerFailures(name string, at int64) int64 {
	return t.workers.failures(WorkerName(name), at)
}

// WorkerFree is when a worker that has failed starts afresh; 0: not by time.
func (t *Tree) WorkerFree(name string) int64 {
	if r := t.workers.record(WorkerName(name)); r != nil {
		return t.workers.over(r)
	}
	return 0
}

// EachWorker calls f for every worker whose failures are held against it at a
// time, in no order.
func (t *Tree) EachWorker(at int64, f func(name string, failures int64)) {
	for name := range t.workers.of {
		if n := t.workers.failures(name, at); n > 0 {
			f(name, n)
		}
	}
}
