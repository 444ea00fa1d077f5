package eval

import (
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// remembered is what is kept of a session.
type remembered struct {
	history session.History
	meters  *meter.Tree // nil: none are attached
	next    meter.Call  // the step that is being decided
}

// attach makes the session's meters readable for a step, but for those that
// the line gives.
func (r *remembered) attach(st *registry.Step, given meters, now int64) registry.Meters {
	if r.meters == nil {
		r.meters = meter.New(meter.Options{}, now)
	}
	r.next = meter.Call{ID: st.CallID, Ability: st.Ability, Worker: session.WorkerOf(st), Args: st.Args.Fingerprint(r.meters.Seed())}
	return attached{given, meter.Reading{Task: r.meters.Task(""), At: now, Next: &r.next}}
}

// add notes that the step was admitted. What came of it is never reported.
func (r *remembered) add(st *registry.Step, now int64) {
	r.history.Add(st.Ability)
	if r.meters != nil {
		r.meters.Task("").Begin(&r.next, now)
	}
}

// attached are the meters of a session, but for those given.
type attached struct {
	given   meters
	reading meter.Reading
}

// Meter implements registry.Meters.
func (a attached) Meter(name dsl.Key) (decimal.Decimal, bool) {
	if d, ok := a.given[name]; ok {
		return d, true
	}
	return a.reading.Meter(name)
}
