package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// The measures of a drawing, in its own units.
const (
	chartWidth  = 480
	plotFrom    = 34.0 // left and right ends of the plot
	plotTo      = 470.0
	plotHeight  = 120.0
	labelHeight = 14.0
	labelChar   = 6.4 // roughly, of the font of the labels
	maxLabels   = 8   // rows
	maxLabel    = 40  // characters
	axisHeight  = 22.0
)

// chartView is a chart as it is drawn.
type chartView struct {
	Title, Unit   string
	Runs, All     int
	Median, P99   string
	Max           string
	Width, Height string
	Top, Bottom   string // of the plot
	Left, Right   string
	Most          int // runs of the highest bar
	Bars          []barView
	Lines         []lineView
	Ticks         []tick
	AxisY         string
	Limits        []limitView
	Log           bool
	Describe      string // for who cannot see it
}

// barView is a bar: the halted runs stand on the others.
type barView struct {
	X, Width                     string
	FineY, FineHeight            string
	HaltedY, HaltedHeight, Title string
}

// lineView is a limit's line, with its label where there is room for it.
type lineView struct {
	X, Top, LabelX, LabelY, Anchor, Label, Class, Title string
}

// limitView is a limit as a row of a table.
type limitView struct {
	Rule, Condition, Action, Class string
	Beyond                         int // runs whose value the limit stops, whatever else the rule asks for
}

// drawing returns a chart of the runs.
func (p *Page) drawing(i int) chartView {
	c := &p.charts[i]
	var values, edges []float64
	var halted []bool
	for _, r := range p.runs {
		if v := r.values[i]; v.known {
			values, halted = append(values, v.v), append(halted, r.Result.Halted())
		}
	}
	view := chartView{Title: diag.Escape(c.title), Unit: c.unit, Runs: len(values), All: len(p.runs)}
	for j := range c.limits {
		edges = append(edges, c.limits[j].where(c.kind))
	}
	s := newScale(values, edges, c.kind, plotFrom, plotTo)
	view.Log = s.log
	top := view.lines(c, s) + 6
	view.Top, view.Bottom, view.Left, view.Right = coordinate(top), coordinate(top+plotHeight), coordinate(plotFrom), coordinate(plotTo)
	view.Width, view.Height = fmt.Sprint(chartWidth), coordinate(top+plotHeight+axisHeight)
	view.AxisY = coordinate(top + plotHeight + 15)
	view.bars(s.bars(values, halted), c.kind, top)
	view.Ticks = s.ticks()
	view.limits(c, values)
	if slices.Sort(values); len(values) > 0 {
		view.Median, view.P99, view.Max = compact(rank(values, 50)), compact(rank(values, 99)), compact(values[len(values)-1])
	}
	view.Describe = fmt.Sprintf("%s per run: %d runs, median %s, 99th percentile %s, most %s %s", view.Title, view.Runs,
		cmp.Or(view.Median, "none"), cmp.Or(view.P99, "none"), cmp.Or(view.Max, "none"), view.Unit)
	return view
}

// rank is the value of the nearest rank.
func rank(sorted []float64, percent int) float64 {
	return sorted[max((len(sorted)*percent+99)/100, 1)-1]
}

// bars draws the bars, the highest of which fills the plot.
func (v *chartView) bars(all []bar, kind number, top float64) {
	for _, b := range all {
		v.Most = max(v.Most, b.fine+b.halted)
	}
	for _, b := range all {
		height := func(n int) float64 {
			if n == 0 {
				return 0
			}
			return max(float64(n)/float64(v.Most)*plotHeight, 2) // one run among thousands is still seen
		}
		fine, halted := height(b.fine), height(b.halted)
		fine = min(fine, plotHeight-halted)
		bottom := top + plotHeight
		view := barView{
			X: coordinate(b.x + 0.5), Width: coordinate(max(b.width-1, 1)),
			FineY: coordinate(bottom - fine), FineHeight: coordinate(fine),
			HaltedY: coordinate(bottom - fine - halted), HaltedHeight: coordinate(halted),
			Title: fmt.Sprintf("%s: %d runs, %d halted", b.span(kind), b.fine+b.halted, b.halted),
		}
		v.Bars = append(v.Bars, view)
	}
}

// span names the values of a bar.
func (b *bar) span(kind number) string {
	switch {
	case b.to == 0:
		return "0"
	case kind == whole && b.to == b.from+1:
		return compact(b.from)
	case kind == whole:
		return compact(b.from) + " to " + compact(b.to-1)
	}
	return compact(b.from) + " to " + compact(b.to)
}

// lines draws the limits, with labels in as many rows as it takes, and returns
// how high those are.
func (v *chartView) lines(c *chart, s *scale) float64 {
	order := make([]int, len(c.limits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(c.limits[a].where(c.kind), c.limits[b].where(c.kind))
	})
	var ends []float64 // of the labels, by row
	for _, i := range order {
		l := &c.limits[i]
		x := s.x(l.where(c.kind))
		label := shortened(diag.Escape(l.label()), maxLabel)
		line := lineView{
			X: coordinate(x), Class: classOf(l), Anchor: "start", LabelX: coordinate(x + 4),
			Title: diag.Escape(l.label() + " · " + l.rule.Condition.String()),
		}
		width := float64(len([]rune(label)))*labelChar + 10
		from := x
		if x+width > chartWidth {
			line.Anchor, line.LabelX, from = "end", coordinate(x-4), x-width
		}
		row := slices.IndexFunc(ends, func(end float64) bool { return end <= from })
		if row < 0 && len(ends) < maxLabels {
			row = len(ends)
			ends = append(ends, 0)
		}
		if row >= 0 {
			ends[row] = from + width
			line.Label, line.LabelY = label, coordinate(float64(row)*labelHeight+11)
		} else { // the line has no label, and begins below them
			row = len(ends)
		}
		line.Top = coordinate(float64(row)*labelHeight + 2)
		v.Lines = append(v.Lines, line)
	}
	return float64(len(ends)) * labelHeight
}

// limits lists the limits with how many runs are beyond each.
func (v *chartView) limits(c *chart, values []float64) {
	for i := range c.limits {
		l := &c.limits[i]
		beyond := 0
		for _, x := range values {
			if l.beyond(x) {
				beyond++
			}
		}
		v.Limits = append(v.Limits, limitView{diag.Escape(l.rule.ID), diag.Escape(l.rule.Condition.String()), actionText(l.rule.Rule.Action, l.rule.Options.Mode), classOf(l), beyond})
	}
}

// beyond reports whether the limit holds for a value.
func (l *limit) beyond(v float64) bool {
	switch l.op {
	case dsl.Greater:
		return v > l.at
	case dsl.GreaterEqual:
		return v >= l.at
	case dsl.Less:
		return v < l.at
	case dsl.LessEqual:
		return v <= l.at
	case dsl.Equal:
		return v == l.at
	}
	return v != l.at
}

// classOf is how a limit looks: as what it does.
func classOf(l *limit) string {
	switch {
	case l.rule.Options.Mode == dsl.Observe:
		return "observe"
	case l.rule.Action.Kind == dsl.Warn:
		return "warn"
	}
	return "stop"
}

func actionText(a dsl.Action, mode dsl.Mode) string {
	if mode == dsl.Observe {
		return a.String() + ", observed only"
	}
	return a.String()
}

// shortened cuts a text after so many characters.
func shortened(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return strings.TrimRight(string(runes[:n-1]), " ") + "…"
}
