package page

import (
	"context"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// Run is what the page shows of a run.
type Run struct {
	Result replay.Result

	kind     string
	guessed  bool             // some of its money is that of models without a price
	values   []value          // one for every chart
	timeline *replay.Timeline // nil: the run was not halted
}

// value is what a run came to in a chart; not known: it does not count there.
type value struct {
	v     float64
	known bool
}

// Page collects runs and is then written.
type Page struct {
	options replay.Options
	measure func(context.Context, *trace.Run) (*replay.Measures, error)
	set     *registry.Set
	charts  []chart
	left    int // charts that are not drawn
	runs    []*Run
	fired   map[string]int // in how many runs, by rule id
	summary replay.Summary
}

// New returns an empty page about a replay with the options.
func New(o replay.Options) (*Page, error) {
	measure, err := replay.Measurer(o.Session)
	if err != nil {
		return nil, err
	}
	p := &Page{options: o, measure: measure, set: o.Session.Registry.Set(), fired: map[string]int{}}
	p.charts, p.left = chartsOf(p.set)
	return p, nil
}

// Examine replays a run, without adding it. It may be called by several
// goroutines at once.
func (p *Page) Examine(ctx context.Context, r *trace.Run) (*Run, error) {
	t, err := replay.Explain(ctx, r, p.options)
	if err != nil {
		return nil, err
	}
	m, err := p.measure(ctx, r)
	if err != nil {
		return nil, err
	}
	run := &Run{Result: t.Result, kind: m.Kind, guessed: len(m.PriceNotes) > 0, values: make([]value, len(p.charts))}
	for i := range p.charts {
		v, known := p.charts[i].of(m)
		run.values[i] = value{v, known}
	}
	if t.Result.Halted() {
		run.timeline = t
	}
	return run, nil
}

// Add adds a run, after those that were added before.
func (p *Page) Add(r *Run) {
	p.runs = append(p.runs, r)
	p.summary.Add(&r.Result)
	for _, id := range r.Result.Fired {
		p.fired[id]++
	}
}
