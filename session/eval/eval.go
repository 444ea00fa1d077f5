package eval

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// Options set up an evaluator. Registry is required.
type Options struct {
	Registry *registry.Registry
	// Builtins attaches a session: every meter is bound, begins at 0, and moves
	// with what is admitted; one that a step gives is as given. The built-in
	// rules themselves belong in the registry.
	Builtins bool
	// Store is where admitted steps are counted; nil: a new memory home. With one
	// of the host's, steps without "now" go by its time, unless there is a Clock.
	Store state.Store
	// Name tells evaluators that share a Store apart: a step without session and
	// run is a session of its own, in all of them.
	Name string
	// Clock gives the time of steps without "now"; nil: the machine's, or that of
	// the Store.
	Clock session.Clock
	// Record receives a record of every decision; nil: none is made.
	// What could not be kept is not let through; see session.Decider.
	Record func(*session.Record) error
	// Judged is that of the session.Decider; nil: nobody looks.
	Judged func(*registry.Step, *registry.Plan, *registry.Tally)
}

// lifetime is how long an evaluator's own store remembers what nobody ends:
// no result is ever reported to it, and steps may be years apart.
const lifetime = 200 * 365 * 24 * time.Hour

// Evaluator decides steps one after the other. Its methods may be called by
// any number of goroutines; steps are decided one at a time.
type Evaluator struct {
	opts     Options
	byStore  bool // steps without "now" go by the time of the store
	mu       sync.Mutex
	lines    int
	latest   int64 // the clock never goes back
	sessions map[string]*remembered
}

// New returns an evaluator.
func New(o Options) *Evaluator {
	e := &Evaluator{opts: o, byStore: o.Store != nil && o.Clock == nil, sessions: map[string]*remembered{}}
	if o.Clock == nil {
		e.opts.Clock = session.SystemClock()
	}
	if o.Store == nil {
		e.opts.Store = memory.New(memory.Options{Now: func() int64 { return e.latest }, Forget: lifetime})
	}
	return e
}

// Line decides one step given as JSON. A step that cannot be read gives an
// abort with the rule malformed_step.
func (e *Evaluator) Line(ctx context.Context, line []byte) (v registry.Verdict) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines++
	d := session.Decider{Registry: e.opts.Registry, Store: e.opts.Store, Record: e.opts.Record, Judged: e.opts.Judged, Clock: e.opts.Clock}
	in, err := parse(line)
	if err != nil {
		st := &registry.Step{}
		if in != nil {
			st = &in.step
			st.Now = in.now
		}
		d.Refuse(st, &v, registry.SlugMalformedStep, fmt.Sprintf("step %d cannot be judged: %v", e.lines, err))
		return v
	}
	kept := e.complete(in)
	if d.Decide(ctx, &in.step, &v) != session.NotAdmitted {
		kept.add(&in.step, e.latest)
	}
	return v
}

// complete fills in what the line leaves out and what earlier lines left. It
// returns the memory of the line's session.
func (e *Evaluator) complete(in *input) (kept *remembered) {
	timeless := in.now == 0
	if timeless {
		in.now = e.opts.Clock.Now()
	}
	e.latest = max(e.latest, in.now)
	st := &in.step
	if !timeless || !e.byStore { // else the machines that share the store would each count by their own clock
		st.Now = e.latest
	}
	switch { // without a session every run is one, without a run every line
	case st.Session == "" && st.Run == "":
		st.Session = fmt.Sprintf("\x00line %d%s", e.lines, e.opts.Name)
		kept = &remembered{}
	case st.Session == "":
		st.Session = "\x00run\x00" + st.Chain + "\x00" + st.Run
		fallthrough
	default:
		kept = e.remember(st.Session)
	}
	st.History = lineHistory{&kept.history, in.history}
	st.Declared = pending(in.pending)
	st.Words = lineWords(in)
	if e.opts.Builtins {
		st.Meters = kept.attach(st, in.meters, e.latest)
	} else if in.meters != nil {
		st.Meters = in.meters
	}
	return kept
}

// remember returns the memory of a session.
func (e *Evaluator) remember(name string) *remembered {
	kept := e.sessions[name]
	if kept == nil {
		kept = &remembered{}
		e.sessions[name] = kept
	}
	return kept
}

// lineHistory adds what the line says was admitted to what was.
type lineHistory struct {
	kept *session.History
	line []string
}

// Admitted implements registry.History.
func (h lineHistory) Admitted(folded dsl.NamePattern) bool {
	for _, ability := range h.line {
		if folded.Covers(ability) {
			return true
		}
	}
	return h.kept.Admitted(folded)
}

// pending are the keys that a later step can still bind.
type pending []dsl.Key

// Declared implements registry.Declarations: a key is pending if it or the
// value that holds it is.
func (p pending) Declared(k dsl.Key) registry.Declared {
	for _, name := range p {
		if k == name || strings.HasPrefix(string(k), string(name)+".") {
			return registry.Pending
		}
	}
	return registry.Undeclared
}

// words are what was said and put out, as the line gives it.
type words struct{ user, outputs registry.Words }

// InUser implements registry.Provenance.
func (w *words) InUser(text string) bool { return w.user.Has(text) }

// InOutputs implements registry.Provenance.
func (w *words) InOutputs(text string) bool { return w.outputs.Has(text) }

func lineWords(in *input) *words {
	w := &words{}
	for _, text := range in.user {
		w.user.Add(text)
	}
	in.step.Outputs.Leaves(w.outputs.Add)
	return w
}

func unknownField(name string) error {
	return hinted(fmt.Errorf("unknown field"), diag.Suggest(name, fields))
}

func unknownMeter(name string) error {
	return hinted(fmt.Errorf("unknown meter %q", name), diag.Suggest(name, dsl.Meters()))
}

func hinted(err error, suggestion string) error {
	if suggestion == "" {
		return err
	}
	return fmt.Errorf("%w (did you mean %q?)", err, suggestion)
}
