package replay

import (
	"context"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// sweepEvery is how often a host sweeps its session, and so a replay.
const sweepEvery = int64(time.Second)

// beside has the tasks judged that are open beside the one of an event, as a
// sweep would: a task that has fallen silent while others work has no event of
// its own that shows it. Times that are made up say nothing of silence.
func (d *driver) beside(ctx context.Context, task string) {
	now := d.clock.Now()
	if !d.run.Timed || now-d.swept < sweepEvery {
		return
	}
	d.swept = now
	halts := d.session.SweepBeside(ctx, task, now)
	d.halts(halts)
	if !d.result.Halted() {
		return
	}
	for i := range halts {
		h := &halts[i]
		if _, session := h.Fired.Rule.Ends(); h.Fired.Rule.ID == d.result.Rule && !session {
			d.result.Task = h.Task
			return
		}
	}
}

// halts takes in what came to hold between calls.
func (d *driver) halts(halts []session.Halt) {
	for i := range halts {
		h := &halts[i]
		d.fired(&h.Fired)
		d.notes(h.Notes)
		was := d.result.Halted()
		if !was && h.Fired.Decides() {
			d.halt(h)
		}
		d.tellHalt(h, !was && d.result.Halted())
	}
}

// halt acts on a rule that decides.
func (d *driver) halt(h *session.Halt) {
	switch decision := registry.DecisionOf(h.Action); {
	case h.Ended || decision == registry.Review || decision == registry.Abort:
		d.stop(decision.String(), &h.Fired)
	case decision == registry.Confirm:
		d.askBetween(&h.Fired)
	case decision == registry.Warned:
		d.result.Decision = decision.String()
	}
}

// askBetween notes a question that no call asks, and stops the run where
// questions do.
func (d *driver) askBetween(f *registry.Fired) {
	if d.result.FirstConfirm == nil {
		d.result.FirstConfirm = &Question{d.result.HaltedAt, f.Rule.ID}
	}
	if d.confirm == Stop || d.confirm == "" {
		d.stop(registry.Confirm.String(), f)
	}
}

// finish has the outputs of the last calls judged, which no later call would.
func (d *driver) finish(ctx context.Context) {
	var v registry.Verdict
	d.session.Before(ctx, &session.Step{Chain: d.chain, Final: true}, &v)
	d.note(&v)
	switch f := blocked(&v); {
	case f == nil:
	case v.Decision == registry.Confirm:
		d.askBetween(f)
	default:
		d.stop(v.Decision.String(), f)
	}
	if len(v.Fired) > 0 {
		d.tell(After, nil, &v, func(e *Entry) { e.Stops = d.result.Halted() })
	}
	if !d.result.Halted() {
		d.result.HaltedAt = 0
	}
}
