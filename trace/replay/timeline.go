package replay

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
)

// Timeline is a run with every verdict that was reached on it.
type Timeline struct {
	Result Result `json:"result"`
	// Timed: the source tells when things happened; otherwise the times are
	// made up, a second a message.
	Timed   bool    `json:"timed"`
	Entries []Entry `json:"entries"`
}

// EntryKind says what an entry of a timeline is.
type EntryKind string

// The kinds.
const (
	Called  EntryKind = "call"    // a call was judged
	Waited  EntryKind = "wait"    // a call waits for room, and is judged again after it
	Between EntryKind = "between" // rules came to hold between calls
	After   EntryKind = "end"     // rules hold after the last event
	Unmade  EntryKind = "unmade"  // a call of the recording that comes after the halt
)

// Entry is one thing that happened.
type Entry struct {
	Kind EntryKind `json:"kind"`
	Call int       `json:"call"` // the number of the call, from 1; of the last one, where none is made
	// At is the time on the recorded clock, moved by the waits before; that of
	// a call that is not made is the recording's own.
	At time.Time `json:"at"`
	// ElapsedMS is the time since the run began, in milliseconds, rounded down.
	ElapsedMS int64           `json:"elapsed_ms"`
	Task      string          `json:"task,omitempty"`
	Ability   string          `json:"ability,omitempty"`
	Args      json.RawMessage `json:"args,omitempty"`
	Decision  string          `json:"decision,omitempty"` // "": none was reached
	// Fired are all rules that hold, those that only observe too.
	Fired  []registry.FiredJSON `json:"fired"`
	WaitMS int64                `json:"wait_ms,omitempty"` // of a wait, rounded up
	// Stops: the run ends here. Declined: the call was left out, and the run goes on.
	Stops    bool `json:"stops,omitempty"`
	Declined bool `json:"declined,omitempty"`
}

// Explain replays a run as Run does, and tells every verdict.
func Explain(ctx context.Context, r *trace.Run, o Options) (*Timeline, error) {
	t := &Timeline{Timed: r.Timed, Entries: []Entry{}}
	result, err := drive(ctx, r, o, t.add)
	if err != nil {
		return nil, err
	}
	t.Result = result
	if result.Halted() {
		t.unmade(r)
	}
	return t, nil
}

func (t *Timeline) add(e Entry) { t.Entries = append(t.Entries, e) }

// unmade adds the calls that the recording has after the halt.
func (t *Timeline) unmade(r *trace.Run) {
	n, began := 0, begin(r)
	for i := range r.Events {
		e := &r.Events[i]
		if !isCall(e) {
			continue
		}
		if n++; n <= t.Result.HaltedAt {
			continue
		}
		t.add(entry(Unmade, n, began, time.Unix(0, e.At), called(e)))
	}
}

// entry is what is told of every entry; a nil step is none.
func entry(kind EntryKind, call int, began, at time.Time, st *session.Step) Entry {
	e := Entry{Kind: kind, Call: call, At: at.UTC(), ElapsedMS: at.Sub(began).Milliseconds(), Fired: []registry.FiredJSON{}}
	if st == nil {
		return e
	}
	e.Task, e.Ability = st.Task, st.Ability
	if st.Args != nil && st.Args.Len() > 0 {
		e.Args = json.RawMessage(st.Args.String())
	}
	return e
}

// tell tells an entry with its verdict to whoever listens.
func (d *driver) tell(kind EntryKind, st *session.Step, v *registry.Verdict, more func(*Entry)) {
	if d.seen == nil {
		return
	}
	e := entry(kind, d.result.HaltedAt, begin(d.run), time.Unix(0, d.clock.Now()), st)
	j := v.JSON()
	e.Decision, e.Fired = j.Decision, j.Fired
	if more != nil {
		more(&e)
	}
	d.seen(e)
}

// tellHalt tells of a rule that came to hold between calls.
func (d *driver) tellHalt(h *session.Halt, stops bool) {
	if d.seen == nil {
		return
	}
	v := registry.Verdict{Fired: []registry.Fired{h.Fired}}
	if h.Fired.Decides() {
		v.Decision = registry.DecisionOf(h.Action)
	}
	d.tell(Between, nil, &v, func(e *Entry) { e.Task, e.Stops = h.Task, stops })
}
