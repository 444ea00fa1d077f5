package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
)

// Measures are what rules would have read on a run that no rule stops. It ends
// all the same at a call that no session admits, such as one whose ability has
// control characters in its name.
type Measures struct {
	Source, Format string
	Kind           string // the chain that ran, or else the kind of task; "": neither is known
	Labels         trace.Labels
	Timed          bool
	Totals         trace.Totals
	// Meters are the greatest readings there were, of any task. A meter that
	// was never read is not among them.
	Meters map[dsl.Key]decimal.Decimal
	Calls  []MeasuredCall // in their order
	// PriceNotes tell of each model without a price how it was counted, in the
	// order of the run.
	PriceNotes []string
}

// Priced reports whether it is known what the run cost: its source tells, or
// its models have prices.
func (m *Measures) Priced() bool {
	spend := m.Meters["task.spend_cents"]
	return m.Totals.HasCost || spend.Cmp(decimal.Decimal{}) > 0
}

// MeasuredCall is a call that was made.
type MeasuredCall struct {
	Ability string
	At      int64 // Unix nanoseconds
	folded  string
}

// Peak returns the greatest number of calls of abilities that match within a
// window of time, as a frequency rule counts them.
func (m *Measures) Peak(name dsl.NamePattern, window time.Duration) int {
	name = name.Fold()
	peak := 0
	var times []int64
	for i := range m.Calls {
		c := &m.Calls[i]
		if !name.Covers(c.Ability) {
			continue
		}
		times = append(times, c.At)
		for times[0] <= c.At-int64(window) {
			times = times[1:]
		}
		peak = max(peak, len(times))
	}
	return peak
}

// Peaks returns Peak for every ability that was called, by its folded name.
func (m *Measures) Peaks(window time.Duration) map[string]int {
	recent := map[string][]int64{}
	peaks := map[string]int{}
	for i := range m.Calls {
		c := &m.Calls[i]
		times := append(recent[c.folded], c.At)
		for times[0] <= c.At-int64(window) {
			times = times[1:]
		}
		recent[c.folded] = times
		peaks[c.folded] = max(peaks[c.folded], len(times))
	}
	return peaks
}

// watchRule always holds and decides nothing, so that every judgement is seen,
// also those between calls.
const watchRule = "B:task.messages>=0|warn|id=watch,mode=observe\n"

// Measurer returns a function that measures runs, in sessions that are set up
// as the options say, but for their rules. It may be used by several goroutines at once.
func Measurer(o session.Options) (func(context.Context, *trace.Run) (*Measures, error), error) {
	policy, faults := dsl.ParsePolicy("watch.cbp", []byte(watchRule))
	if err := faults.Err(); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	o.Registry = &registry.Registry{}
	if err := o.Registry.Load(policy); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	o.Breakers, o.TaskLimits, o.Record = nil, nil, nil
	if o.Pricing.Unknown == prices.Deny { // which would stop the run
		o.Pricing.Unknown = prices.Dearest
	}
	return func(ctx context.Context, r *trace.Run) (*Measures, error) { return measure(ctx, r, o) }, nil
}

func measure(ctx context.Context, r *trace.Run, o session.Options) (*Measures, error) {
	m := &Measures{
		Source: r.Source, Format: r.Format, Kind: kindOf(r), Labels: r.Labels, Timed: r.Timed, Totals: r.Totals(),
	}
	names := dsl.Meters()
	greatest, read := make([]decimal.Decimal, len(names)), make([]bool, len(names))
	o.Judged = func(st *registry.Step, _ *registry.Plan, _ *registry.Tally) {
		if st.Meters == nil {
			return
		}
		for i, name := range names {
			if v, ok := st.Meters.Meter(dsl.Key(name)); ok && (!read[i] || v.Cmp(greatest[i]) > 0) {
				greatest[i], read[i] = v, true
			}
		}
	}
	if _, err := Run(ctx, r, Options{Session: o}); err != nil {
		return nil, err
	}
	m.Meters = make(map[dsl.Key]decimal.Decimal, len(names))
	for i, name := range names {
		if read[i] {
			m.Meters[dsl.Key(name)] = greatest[i]
		}
	}
	asked := map[string]bool{}
	for i := range r.Events {
		e := &r.Events[i]
		if e.Type == session.Usage && !asked[e.Model] {
			if note := o.Pricing.Note(e); note != "" {
				asked[e.Model] = true
				m.PriceNotes = append(m.PriceNotes, note)
			}
		}
		if isCall(e) {
			ability := called(e).Ability
			m.Calls = append(m.Calls, MeasuredCall{ability, e.At, dsl.Fold(ability)})
		}
	}
	slices.SortStableFunc(m.Calls, func(a, b MeasuredCall) int { return cmp.Compare(a.At, b.At) })
	return m, nil
}

// kindOf is the kind of task of a run: its chain, where it names one.
func kindOf(r *trace.Run) string { return cmp.Or(r.Chain, r.TaskKind) }
