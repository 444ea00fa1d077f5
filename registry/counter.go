package registry

import (
	"cmp"
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// counter is what one or more frequency atoms of a group count. Rules that
// consist of nothing but one frequency atom hang on its windows; all others
// refer to a window by its index.
type counter struct {
	spec    string
	scope   dsl.Scope
	name    dsl.NamePattern // folded; "": executions
	origin  Origin
	windows []Window
	front   []int
	rules   [][]*Rule  // per window: the rules that ask for nothing else
	parts   []*counter // what it was joined from; nil: it is a group's own
}

// freqRef is a frequency atom of a rule: window Window of a counter.
type freqRef struct {
	atom    int
	counter *counter
	span    Window // identifies the window; its index is known once all are collected
	window  int
}

// add collects a window; pure tells that the rule hangs on it alone.
func (c *counter) add(w Window, pure *Rule) {
	i := c.index(w)
	if i < 0 {
		i = len(c.windows)
		c.windows = append(c.windows, Window{Span: w.Span, Limit: w.Limit})
		c.rules = append(c.rules, nil)
	}
	if pure != nil {
		c.rules[i] = append(c.rules[i], pure)
	}
	to := &c.windows[i]
	to.Refuses, to.Modes, to.Readers = to.Refuses || w.Refuses, to.Modes|w.Modes, to.Readers|w.Readers
}

// seal sorts the windows and finds the front: a window with a shorter or
// equal span and a higher or equal limit than another cannot be exceeded
// while the other is not, so it need not be looked at first.
func (c *counter) seal() {
	order := make([]int, len(c.windows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := c.windows[i], c.windows[j]
		return cmp.Or(cmp.Compare(a.Limit, b.Limit), -cmp.Compare(a.Span, b.Span))
	})
	windows, rules := make([]Window, len(order)), make([][]*Rule, len(order))
	c.front = nil
	for to, from := range order {
		windows[to], rules[to] = c.windows[from], c.rules[from]
		// Limits rise along the order, so only a longer span than all before can matter.
		if len(c.front) == 0 || windows[to].Span > windows[c.front[len(c.front)-1]].Span {
			c.front = append(c.front, to)
		}
	}
	c.windows, c.rules = windows, rules
}

// index returns where a window stands after seal.
func (c *counter) index(w Window) int {
	return slices.IndexFunc(c.windows, func(x Window) bool { return x.Span == w.Span && x.Limit == w.Limit })
}

// subject tells for whom the counter counts this step.
func (c *counter) subject(st *Step) string {
	switch c.scope {
	case dsl.ScopeAll:
		return ""
	case dsl.ScopeSession:
		return st.Session
	}
	if c.origin == Model {
		return st.Session + "\x00" + st.Chain
	}
	if !st.modelChain() {
		return st.Chain
	}
	// All model-written chains of a session share one counter, so that a new
	// name resets no limit.
	return st.Session + "\x00" + ModelPrefix
}

// need is the counter as the store is asked about it.
func (c *counter) need(st *Step) Need {
	n := Need{
		Counter: CounterID{Spec: c.spec, Subject: c.subject(st)},
		Windows: c.windows, Front: c.front, Run: c.name == "",
	}
	if len(st.Past) > 0 || len(st.PastRuns) > 0 {
		n.Past = c.past(st)
	}
	return n
}

// past lists the times that count for this step only.
func (c *counter) past(st *Step) []int64 {
	if c.name == "" {
		return st.PastRuns
	}
	var times []int64
	for _, call := range st.Past {
		if c.name.Covers(call.Ability) {
			times = append(times, call.At.UnixNano())
		}
	}
	slices.Sort(times)
	return times
}
