package config

import (
	"fmt"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/session"
)

// breakers reads the list of breakers, of which the first that covers an
// ability counts.
func (r *reader) breakers(n *document.Node) {
	r.config.Breakers = []session.Breaker{}
	for i, item := range r.List(n, "breakers", maxList) {
		r.mark(fmt.Sprintf("breakers[%d]", i), item)
		r.config.Breakers = append(r.config.Breakers, r.breaker(item))
	}
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
		{Name: "count_errors", Read: func(n *document.Node) { b.Count = r.texts(n, "count_errors") }},
		{Name: "ignore_errors", Read: func(n *document.Node) { b.Ignore = r.texts(n, "ignore_errors") }},
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

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
