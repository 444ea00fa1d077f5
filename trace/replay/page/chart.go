package page

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// chart is one distribution over the runs, with the limits of the rules that
// look at it.
type chart struct {
	key    string // what rules call it
	title  string
	unit   string
	kind   number
	of     func(*replay.Measures) (float64, bool)
	limits []limit
}

// limit is a rule's limit of a chart's value.
type limit struct {
	rule *registry.Rule
	op   dsl.Op
	at   float64
	text string // the value as the rule has it
	more bool   // the rule has further conditions
}

// meterChart describes the chart of a meter.
type meterChart struct {
	meter, title, unit string
	kind               number
	counts             func(*replay.Measures) bool // nil: in every run
}

func timed(m *replay.Measures) bool { return m.Timed }

// meterCharts are the charts of meters. The first four are always drawn, the
// others where a rule reads them.
func meterCharts() []meterChart {
	return []meterChart{
		{"task.tool_calls", "Tool calls", "calls", whole, nil},
		{"task.spend_cents", "Spend", "cents", real, (*replay.Measures).Priced},
		{"task.same_call_streak", "Equal calls in a row", "calls", whole, nil},
		{"task.error_streak", "Failed calls in a row", "calls", whole, nil},
		{"task.same_ability_streak", "Calls of one ability in a row", "calls", whole, nil},
		{"task.alternation", "Two calls by turns", "calls", whole, nil},
		{"task.growing_edit_streak", "Growing edits in a row", "edits", whole, nil},
		{"task.same_message_streak", "Equal messages in a row", "messages", whole, nil},
		{"task.stuck_below", "Tasks below that go round in circles", "tasks", whole, nil},
		{"task.output_similarity", "Similarity of outputs", "0 to 1", share, nil},
		{"task.turn_calls", "Tool calls since the user wrote", "calls", whole, nil},
		{"task.duration", "Duration", "seconds", real, timed},
		{"task.idle", "Longest silence", "seconds", real, timed},
		{"task.input_tokens", "Input tokens", "tokens", whole, nil},
		{"task.output_tokens", "Output tokens", "tokens", whole, nil},
		{"task.context_tokens", "Tokens of context", "tokens", whole, nil},
		{"task.messages", "Messages", "messages", whole, nil},
		{"worker.failures", "Failed delegations to a worker", "failures", whole, nil},
		{"tool.failures", "Failures of a tool in a row", "failures", whole, nil},
		{"session.tool_calls", "Tool calls of the session", "calls", whole, nil},
		{"session.spend_cents", "Spend of the session", "cents", real, (*replay.Measures).Priced},
		{"session.duration", "Duration of the session", "seconds", real, timed},
	}
}

// always is how many of the charts are drawn whatever the rules read.
const always = 4

// maxCharts bounds the page: a policy may have thousands of frequency rules.
const maxCharts = 60

// chartsOf returns the charts of a policy, with its limits, and how many more
// there would be.
func chartsOf(set *registry.Set) (drawn []chart, left int) {
	var all []chart
	find := func(key string, c func() chart) *chart {
		i := slices.IndexFunc(all, func(c chart) bool { return c.key == key })
		if i < 0 {
			i = len(all)
			all = append(all, c())
		}
		return &all[i]
	}
	for _, m := range meterCharts() {
		find(m.meter, m.chart)
	}
	for r := range set.Rules() {
		if r.Standby {
			continue // its limit is not that of every run
		}
		for _, atom := range r.Condition {
			more := len(r.Condition) > 1
			switch a := atom.(type) {
			case *dsl.Threshold:
				if !a.Key.IsMeter() || a.Value.Param != "" {
					continue
				}
				i := slices.IndexFunc(all, func(c chart) bool { return c.key == string(a.Key) })
				at, err := strconv.ParseFloat(a.Value.Number.String(), 64)
				if i < 0 || err != nil { // a number beyond what can be drawn
					continue
				}
				all[i].limits = append(all[i].limits, limit{r, a.Op, at * float64(a.Value.Unit.Seconds()), a.Value.String(), more})
			case *dsl.Frequency:
				if a.Name == "" {
					continue // counts runs, of which each here is one
				}
				c := find(frequencyKey(a), func() chart { return frequencyChart(a) })
				c.limits = append(c.limits, limit{r, dsl.Greater, float64(a.Count), strconv.FormatInt(a.Count, 10), more})
			}
		}
	}
	drawn = slices.Clone(all[:always])
	for _, c := range all[always:] {
		if len(c.limits) > 0 {
			drawn = append(drawn, c)
		}
	}
	left = max(len(drawn)-maxCharts, 0)
	return drawn[:len(drawn)-left], left
}

func (m meterChart) chart() chart {
	return chart{key: m.meter, title: m.title, unit: m.unit, kind: m.kind, of: func(all *replay.Measures) (float64, bool) {
		d, read := all.Meters[dsl.Key(m.meter)]
		if !read || m.counts != nil && !m.counts(all) {
			return 0, false
		}
		v, err := strconv.ParseFloat(d.String(), 64)
		return v, err == nil
	}}
}

func frequencyKey(a *dsl.Frequency) string {
	return fmt.Sprintf("frequency:%s/%d", a.Name.Fold(), a.Window.Time())
}

// frequencyChart is the chart of how often abilities are called within a
// window, at the most, in a run that calls them.
func frequencyChart(a *dsl.Frequency) chart {
	name := string(a.Name)
	if name == "*" {
		name = "any ability"
	}
	return chart{key: frequencyKey(a), title: "Calls of " + name + " in " + a.Window.String(), unit: "calls", kind: whole,
		of: func(m *replay.Measures) (float64, bool) {
			n := m.Peak(a.Name, a.Window.Time())
			return float64(n), n > 0
		}}
}

// where is the edge of the limit: the least value that it stops, or the
// greatest one that it does not.
func (l *limit) where(kind number) float64 {
	if kind == whole && (l.op == dsl.Greater || l.op == dsl.LessEqual) {
		return l.at + 1
	}
	return l.at
}

// label is what the limit is called beside its line.
func (l *limit) label() string {
	label := l.rule.ID + " " + l.op.String() + " " + l.text
	if l.more {
		label += " …"
	}
	return label
}
