package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// ClassNotRecorded is the class of a step's failure in a dry run whose
// recording has no entry left for the step.
const ClassNotRecorded = "NotRecorded"

// DryRunOptions set up a dry run. Chain and Recording are required.
type DryRunOptions struct {
	Chain     *chain.Chain
	Recording *Recording
	// Session sets up the session that the run is in. The chain's rules are
	// added to its Registry; nil: an empty one. The id, the store and the clock are
	// the dry run's own.
	Session session.Options
	// Params override those of the recording.
	Params map[string]chain.Value
	// Progress is told of every step; nil: nobody is told.
	Progress func(Event)
	// Review is how the run is reviewed. Its time is no recording's: take a
	// reviewer that answers at once.
	Review actions.Review
	// Warn is told of every entry of the recording that a run to the end had
	// no use for, in the order of the file; nil: nobody is told. A run that
	// ended early leaves entries over as a matter of course.
	Warn func(*diag.Finding)
}

// UnusedID is the id of the findings that [DryRunOptions.Warn] is told of.
const UnusedID = "unused-entry"

// DryRun runs a chain against a recording: nothing is called, time is that of
// the recording, questions are answered by it, and waiting takes no time. Two
// runs of the same input give the same result, byte for byte. The errors are
// those of [Runner.Run]; the result is nil if the run was not begun, as with a
// recording that does not fit the chain, for which the error is a [diag.List].
func DryRun(ctx context.Context, o DryRunOptions) (*Result, error) {
	if o.Chain == nil || o.Recording == nil {
		return nil, errors.New("run: a dry run needs a chain and a recording")
	}
	if l := o.Recording.Check(o.Chain); l.Err() != nil {
		return nil, l
	}
	clock := session.NewVirtualClock(o.Recording.begin())
	in := o.Session
	in.ID, in.Clock, in.Store = "dryrun", clock, memory.New(memory.Options{Now: clock.Now})
	in.Breakers = Breakers(o.Chain, in.Breakers)
	if in.Registry == nil {
		in.Registry = &registry.Registry{}
	}
	s, err := session.New(in)
	if err != nil {
		return nil, err
	}
	playback := &playback{recording: o.Recording, session: s, clock: clock, next: map[string]int{}}
	r, err := New(Options{
		Chain:     o.Chain,
		Gate:      &actions.Gate{Session: s, Clock: clock, Confirmer: actions.ConfirmFunc(playback.answer), Review: o.Review},
		Abilities: AbilityFunc(notCalled), Progress: o.Progress, PastRuns: o.Recording.pastRuns(),
	})
	if err != nil {
		return nil, err
	}
	r.call = playback.call
	params := maps.Clone(o.Recording.Params)
	if params == nil {
		params = map[string]chain.Value{}
	}
	maps.Copy(params, o.Params)
	result, err := r.Run(ctx, params, chain.Host)
	if err == nil && o.Warn != nil {
		playback.unused(func(f *diag.Finding) { quietly(func() { o.Warn(f) }) })
	}
	return result, err
}

// epoch is when a dry run begins whose recording does not say.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func (r *Recording) begin() time.Time {
	if r.Start.IsZero() {
		return epoch
	}
	return r.Start
}

func (r *Recording) pastRuns() []int64 {
	var times []int64
	for _, t := range r.Executions {
		times = append(times, t.UnixNano())
	}
	return times
}

// notCalled stands where abilities would: a dry run plays back instead.
func notCalled(context.Context, string, json.RawMessage) (Output, error) {
	return Output{}, errors.New("a dry run calls no ability")
}

// playback answers for abilities and people from a recording.
type playback struct {
	recording *Recording
	session   *session.Session
	clock     *session.VirtualClock
	next      map[string]int // by step: where to look for its next entry
}

// call returns what the recording says of the step's next call, and lets
// pass the time that it took.
func (p *playback) call(ctx context.Context, st *chain.Step, _ jsonv.Value) (Output, error) {
	for i := p.next[st.ID]; i < len(p.recording.Steps); i++ {
		entry := &p.recording.Steps[i]
		if entry.Step != st.ID {
			continue
		}
		p.next[st.ID] = i + 1
		p.clock.Advance(entry.Took)
		p.use(ctx, entry.Usage)
		switch {
		case entry.Error != nil:
			return Output{}, &AbilityError{entry.Error.Class, entry.Error.Message}
		case entry.Output != nil:
			return Output{*entry.Output}, nil
		}
		return Output{}, nil
	}
	return Output{}, &gapError{AbilityError{ClassNotRecorded,
		fmt.Sprintf("%s records no output for step %q at this point (call %d of it)", p.recording.File, st.ID, p.calls(st.ID)+1)}}
}

// use has the session count what a call took of a model. What that brings to
// hold is found by the next judgement.
func (p *playback) use(ctx context.Context, u *Usage) {
	if u == nil {
		return
	}
	p.session.Observe(ctx, &session.Event{Type: session.Usage, Model: u.Model, Cost: u.Cost, HasCost: u.Cost > 0, Tokens: meter.Tokens{
		Input: u.InputTokens, Output: u.OutputTokens, CacheRead: u.CacheReadTokens, CacheWrite: u.CacheWriteTokens, CacheWrite1h: u.CacheWrite1hTokens,
	}})
}

// gapError is a hole in the recording. It says nothing of what the step would
// have done, so no on_failure catches it.
type gapError struct{ AbilityError }

// Unwrap gives class and message to errors.As.
func (e *gapError) Unwrap() error { return &e.AbilityError }

// calls returns how many entries of a step were played back.
func (p *playback) calls(step string) int {
	n := 0
	for _, entry := range p.recording.Steps[:p.next[step]] {
		if entry.Step == step {
			n++
		}
	}
	return n
}

// unused reports the entries that were not played back.
func (p *playback) unused(warn func(*diag.Finding)) {
	for i := range p.recording.Steps {
		entry := &p.recording.Steps[i]
		if i < p.next[entry.Step] {
			continue
		}
		message, hint := fmt.Sprintf("step %q did not run: the entry is not used", entry.Step), "its condition does not hold, a jump passes over it, or a breaker refused it"
		if p.calls(entry.Step) > 0 {
			message, hint = fmt.Sprintf("step %q was not called again: the entry is not used", entry.Step), "remove it"
		}
		warn(&diag.Finding{ID: UnusedID, Severity: diag.Warning, File: p.recording.File, Pos: entry.Pos, Message: message, Hint: hint})
	}
}

// answer says what the recording says to each rule of a question.
func (p *playback) answer(_ context.Context, q *actions.Question) ([]actions.Answer, error) {
	answers := make([]actions.Answer, len(q.Rules))
	for i := range q.Rules {
		switch p.recording.Answer(q.Step, q.Rules[i].Rule.ID) {
		case Approve:
			answers[i] = actions.Yes
		case Decline:
			answers[i] = actions.No
		default:
			return nil, fmt.Errorf("the recording answers nothing to rule %s at step %s", q.Rules[i].Rule.ID, q.Step)
		}
	}
	return answers, nil
}
