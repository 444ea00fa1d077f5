package config

import (
	"errors"
	"strconv"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/refusal"
)

const delegationPrefix = "delegation."

func (r *reader) delegation(n *document.Node) {
	d := &r.config.Delegation
	var fields []document.Field
	add := func(name string, read func(n *document.Node)) {
		fields = append(fields, document.Field{Name: name, Read: func(n *document.Node) {
			r.mark(delegationPrefix+name, n)
			read(n)
		}})
	}
	add("cap", func(n *document.Node) {
		if failures := r.count(n, "cap", 1); failures > 0 {
			r.limit(registry.DelegationLimit, strconv.Itoa(failures), delegationPrefix+"cap", n)
		}
	})
	add("tools", func(n *document.Node) { d.Tools = r.flag(n, "tools") })
	add("reset_after", func(n *document.Node) { d.After = r.duration(n, "reset_after") })
	add("backoff", func(n *document.Node) { d.Factor = r.count(n, "backoff", 1) })
	add("max_reset", func(n *document.Node) { d.Most = r.duration(n, "max_reset") })
	add("alternatives", func(n *document.Node) { d.Alternatives = r.alternatives(n) })
	add("escalate", func(n *document.Node) { d.Escalate = r.flag(n, "escalate") })
	add("max_failed_paths", func(n *document.Node) { d.MaxFailedPaths = r.count(n, "max_failed_paths", 1) })
	add("refusals", r.refusals)
	r.Fields(n, "delegation", fields, map[string]string{"limit": "did you mean cap?"})
	if d.After == 0 && (d.Factor > 0 || d.Most > 0) {
		r.Report(document.SyntaxID, n.Pos, "backoff and max_reset say nothing without reset_after", "add reset_after: 10m")
	}
}

// refusals reads the phrases by which a worker says that it cannot.
func (r *reader) refusals(n *document.Node) {
	var own []refusal.Pattern
	var items []*document.Node
	table := refusal.Defaults()
	r.Fields(n, "refusals", []document.Field{
		{Name: "add", Read: func(n *document.Node) {
			items = n.Items
			for _, text := range r.texts(n, "add") {
				own = append(own, refusal.Pattern{Text: text})
			}
		}},
		{Name: "builtin", Read: func(n *document.Node) {
			if !r.flag(n, "builtin") {
				table = nil
			}
		}},
	}, map[string]string{"phrases": "did you mean add?"})
	if len(own) != len(items) {
		return // one of them was reported
	}
	detector, err := refusal.New(append(own, table...)) // own first, so that an error's index is that of the item
	var bad *refusal.PatternError
	switch {
	case errors.As(err, &bad) && bad.Index < len(items):
		r.Report(document.SyntaxID, items[bad.Index].Pos, document.Quote(bad.Text)+" is no phrase: "+bad.Message, "such as: i cannot ... the booking system")
	case err != nil:
		r.Report(document.SyntaxID, n.Pos, err.Error(), "")
	default:
		r.config.Delegation.Judge = detector.Judge
	}
}

// alternatives reads a map from workers to those who can take over.
func (r *reader) alternatives(n *document.Node) (all []session.Alternative) {
	if n.Kind != jsonv.Object {
		r.WrongType(n, "alternatives is a map from workers to lists of workers")
		return nil
	}
	for i, name := range n.Names {
		r.warnSelf(name.Text, n.Items[i])
		all = append(all, session.Alternative{Workers: dsl.NamePattern(name.Text), Use: r.texts(n.Items[i], "the alternatives of "+document.Quote(name.Text))})
	}
	return all
}
