package config

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// The findings about what can be read, and does not do what it seems to.
const (
	DeadBreakerID     = "dead-breaker"
	MisspeltClassID   = "misspelt-class"
	SelfAlternativeID = "self-alternative"
)

// IDs returns the identifiers of the warnings that Parse can make.
func IDs() []string { return []string{DeadBreakerID, MisspeltClassID, SelfAlternativeID} }

// doubt reports what is no error.
func (r *reader) doubt(id string, pos diag.Position, message, hint string) *diag.Finding {
	f := r.Report(id, pos, message, hint)
	f.Severity = diag.Warning
	return f
}

// warnDeadBreakers tells of breakers that no ability can ever have, as the first
// that covers an ability counts.
func (r *reader) warnDeadBreakers(items []*document.Node) {
	list := r.config.Breakers
	for i := range list {
		own := list[i].Abilities.Fold()
		if own == "" {
			continue // which is an error
		}
		at := field(items[i], "abilities")
		if own.IsClass() {
			r.doubt(DeadBreakerID, at.Pos, "no ability has this breaker: "+document.Quote(string(own))+" is a class, and breakers are for names", "write the names, or patterns of them")
			continue
		}
		for j := range list[:i] {
			if earlier := list[j].Abilities.Fold(); earlier != "" && earlier.Includes(own) {
				f := r.doubt(DeadBreakerID, at.Pos, "no ability has this breaker: "+document.Quote(string(list[j].Abilities))+" comes before it and covers "+document.Quote(string(list[i].Abilities)), "put the narrower pattern first")
				f.Related = []diag.Related{{File: r.File, Pos: field(items[j], "abilities").Pos, Message: "the first that covers an ability counts"}}
				break
			}
		}
	}
}

// field is the value of a field of an object that has it.
func field(n *document.Node, name string) *document.Node {
	for i, key := range n.Names {
		if key.Text == name {
			return n.Items[i]
		}
	}
	return n
}

// warnClass tells of an error class that is a known one but for letter case, which
// counts.
func (r *reader) warnClass(n *document.Node) {
	for _, known := range session.Classes() {
		if n.Scalar() && n.Text != known && strings.EqualFold(n.Text, known) {
			f := r.doubt(MisspeltClassID, n.Pos, "the error class "+document.Quote(n.Text)+" is another than "+known+": letter case counts", "did you mean "+known+"?")
			f.Confidence = diag.Possible // an ability may have one that is called so
		}
	}
}

// warnSelf tells of alternatives to a worker that are the worker.
func (r *reader) warnSelf(worker string, use *document.Node) {
	if !dsl.NamePattern(worker).Literal() {
		return // it is another than some that the pattern covers
	}
	for _, n := range use.Items {
		if n.Scalar() && meter.WorkerName(n.Text) == meter.WorkerName(worker) {
			r.doubt(SelfAlternativeID, n.Pos, document.Quote(n.Text)+" is the worker itself, and never its alternative", "name another worker")
		}
	}
}
