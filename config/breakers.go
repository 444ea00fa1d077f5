package config

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// breakers reads the list of breakers, of which the first that covers an
// ability counts.
func (r *reader) breakers(n *document.Node) {
	r.config.Breakers = []session.Breaker{}
	items := r.List(n, "breakers", maxList)
	for i, item := range items {
		r.mark(fmt.Sprintf("breakers[%d]", i), item)
		r.config.Breakers = append(r.config.Breakers, r.breaker(item))
	}
	r.warnDeadBreakers(items)
}

func (r *reader) breaker(n *document.Node) (b session.Breaker) {
	r.Fields(n, "a breaker", []document.Field{
		{Name: "abilities", Required: true, Read: func(n *document.Node) {
			if text, ok := r.Text(n, "abilities"); ok {
				b.Abilities = r.pattern(n, text)
			}
		}},
		{Name: "failure_threshold", Read: func(n *document.Node) { b.Threshold = r.count(n, "failure_threshold", 1) }},
		{Name: "reset_timeout_seconds", Read: func(n *document.Node) {
			b.Reset = time.Duration(r.count(n, "reset_timeout_seconds", 1)) * time.Second
		}},
		{Name: "probe_timeout_seconds", Read: func(n *document.Node) {
			b.Probe = time.Duration(r.count(n, "probe_timeout_seconds", 1)) * time.Second
		}},
		{Name: "count_errors", Read: func(n *document.Node) { b.Count = r.classes(n, "count_errors") }},
		{Name: "ignore_errors", Read: func(n *document.Node) { b.Ignore = r.classes(n, "ignore_errors") }},
		{Name: "reset", Read: func(n *document.Node) {
			switch n.Text {
			case "manual":
				b.Manual = true
			case "auto":
			default:
				r.wrong(n, "reset", "write auto, or manual for a breaker that only an operator closes")
			}
		}},
		{Name: "off", Read: func(n *document.Node) { b.Off = r.flag(n, "off") }},
	}, map[string]string{
		"ability": "did you mean abilities?", "half_open_max": "there is always one probe; a number of them is not set",
		"reset_timeout": "did you mean reset_timeout_seconds?",
	})
	for _, class := range b.Count {
		if contains(b.Ignore, class) {
			r.Report(document.SyntaxID, n.Pos, "the error class "+document.Quote(class)+" is both counted and ignored", "remove it from one of the two")
		}
	}
	return b
}

// classes reads a list of error classes. Any name may be one, as abilities have
// classes of their own.
func (r *reader) classes(n *document.Node, what string) []string {
	all := r.texts(n, what)
	for _, item := range n.Items {
		r.warnClass(item)
	}
	return all
}

// Alerts say when a breaker needs somebody's attention, and over which window
// failure rates are taken. Values of 0 mean the default.
type Alerts struct {
	breaker.Alerts
	Window time.Duration
}

const alertsPrefix = "breaker_alerts."

func (r *reader) alerts(n *document.Node) {
	a := &r.config.Alerts
	var fields []document.Field
	add := func(name string, read func(n *document.Node)) {
		fields = append(fields, document.Field{Name: name, Read: func(n *document.Node) {
			r.mark(alertsPrefix+name, n)
			read(n)
		}})
	}
	add("trips", func(n *document.Node) { a.Trips = r.count(n, "trips", 1) })
	add("failure_rate", func(n *document.Node) {
		limit, err := share.read(n.Text, true)
		if err != nil || !n.Scalar() {
			r.wrong(n, "failure_rate", share.wanted(n.Text))
			return
		}
		a.FailureRate, _ = strconv.ParseFloat(limit, 64)
	})
	add("calls", func(n *document.Node) { a.Calls = r.count(n, "calls", 1) })
	add("open", func(n *document.Node) { a.Open = r.duration(n, "open") })
	add("window", func(n *document.Node) { a.Window = r.duration(n, "window") })
	r.Fields(n, "breaker_alerts", fields, nil)
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
