package policytest

import (
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/registry"
)

// expectation is what a verdict is held against. Of the lists, a nil one is
// not looked at.
type expectation struct {
	decision registry.Decision
	pos      diag.Position // of the decision
	rules    *idList       // exactly those that have a say
	notRules *idList       // none of which fires, whatever its mode
	observed *idList       // exactly those that fire in mode=observe
	retry    *retry
}

// retry is how long a throttled step is told to wait.
type retry struct {
	ms  int64 // -1: no time is known
	pos diag.Position
}

// expectNodes are the fields of an expectation, as written.
type expectNodes struct{ expect, rules, notRules, observed, retry *document.Node }

// fields lists the fields of an expectation, the decision first.
func (e *expectNodes) fields() []document.Field {
	keep := func(name string, into **document.Node) document.Field {
		return document.Field{Name: name, Read: func(n *document.Node) { *into = n }}
	}
	return []document.Field{
		keep("expect", &e.expect), keep("rules", &e.rules), keep("not_rules", &e.notRules),
		keep("observed", &e.observed), keep("retry_after", &e.retry),
	}
}

// decisions are the words of expect, from weak to strong.
func decisions() []string {
	var words []string
	for d := registry.Allow; d <= registry.Abort; d++ {
		words = append(words, d.String())
	}
	return words
}

// expectation reads what is expected of a step of the chain; nil if the
// decision is not given or not understood.
func (l *loader) expectation(e *expectNodes, chain string, book *ruleBook) *expectation {
	if e.expect == nil {
		return nil
	}
	word, ok := l.Text(e.expect, "expect")
	if !ok {
		return nil
	}
	want := &expectation{pos: e.expect.Pos}
	if err := want.decision.UnmarshalText([]byte(word)); err != nil {
		hint := "known are " + strings.Join(decisions(), ", ")
		if like := diag.Suggest(word, decisions()); like != "" {
			hint = "did you mean " + like + "?"
		}
		l.Report(document.SyntaxID, e.expect.Pos, "there is no decision "+document.Quote(word), hint)
		return nil
	}
	if e.rules != nil {
		want.rules = l.ids(e.rules, deciding, chain, book)
	}
	if e.notRules != nil {
		want.notRules = l.ids(e.notRules, silent, chain, book)
	}
	if e.observed != nil {
		want.observed = l.ids(e.observed, observed, chain, book)
	}
	if e.retry != nil {
		want.retry = l.retry(e.retry)
	}
	return want
}

// retry reads a wait: a duration, or unknown.
func (l *loader) retry(n *document.Node) *retry {
	if n.Text == "unknown" {
		return &retry{ms: -1, pos: n.Pos}
	}
	d, ok := l.duration(n, "retry_after")
	if !ok {
		return nil
	}
	if d%time.Millisecond != 0 {
		l.Report(document.WrongTypeID, n.Pos, "retry_after is told in whole milliseconds, rounded up", "")
	}
	return &retry{ms: d.Milliseconds(), pos: n.Pos}
}
