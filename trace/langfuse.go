package trace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Langfuse exports a trace with its observations beside it, or in it as its API
// returns it. What kind of thing one is
// says its type: a GENERATION is a call of a model, a TOOL one of a tool.

func isLangfuse(o *outline) bool {
	if o.has("projectId", "observations") {
		return true
	}
	return o.has("trace") && o.hasAny("trace.projectId", "trace.id", "observations") && !o.hasAny("trace.resourceSpans", "trace.batches")
}

func readLangfuse(in *input) {
	in.each(func(d doc, _ string) (*Run, error) {
		f := record(d.Value)
		return langfuseRun(f, in.limits), f.err()
	})
}

// observation is a part of a trace.
type observation struct {
	field
	id, kind   string
	parent     string
	start, end int64
	tokens     meter.Tokens
}

func langfuseRun(f field, l Limits) *Run {
	t := f.in("trace").object()
	if t.none() {
		t = f
	}
	r := &Run{Format: Langfuse, ID: t.in("id").text(), TaskKind: t.in("name").text()}
	b := newBuilder(r)
	trace := langfuseTrace{builder: b, limits: l, byID: map[string]*observation{}}
	var all []*observation
	for _, o := range b.filled(f.in("observations")) {
		x := &observation{
			field: o, id: o.in("id").text(), kind: o.langfuseKind(l), parent: o.in("parentObservationId").text(),
			start: o.in("startTime").instant(), end: o.in("endTime").instant(), tokens: o.langfuseUsage(),
		}
		if x.id != "" && trace.byID[x.id] != nil {
			continue // it was exported twice
		}
		x.end = cmp.Or(x.end, x.start)
		trace.byID[x.id] = x
		all = append(all, x)
		b.seen(x.start)
		b.seen(x.end)
	}
	for _, o := range all {
		trace.uncircle(o)
	}
	slices.SortStableFunc(all, func(x, y *observation) int { return cmp.Compare(x.start, y.start) })
	for _, o := range all {
		trace.ending(o)
		switch o.kind {
		case "TOOL":
			b.langfuseTool(o, l)
		case "GENERATION":
			trace.generation(o)
		}
	}
	return b.finish()
}

// langfuseTrace is a trace that is being read.
type langfuseTrace struct {
	*builder
	limits Limits
	byID   map[string]*observation
	first  string // the generation that was first
	asked  bool   // what the user wrote was found
}

// ending notes how an outermost observation ended; the last one says how the
// run did.
func (t *langfuseTrace) ending(o *observation) {
	if t.byID[o.parent] != nil || o.kind == "TOOL" || o.kind == "EVENT" {
		return
	}
	t.run.Labels.Error = ""
	if o.in("level").text() == "ERROR" {
		t.run.Labels.Error = cmp.Or(o.in("statusMessage").text(), "its outermost observation failed")
	}
}

// langfuseTool adds a call and its result.
func (b *builder) langfuseTool(o *observation, l Limits) {
	meta := o.in("metadata").inner(l).in("attributes")
	name := o.in("name").text()
	for _, prefix := range toolPrefixes {
		name = strings.TrimPrefix(name, prefix)
	}
	for _, key := range toolNames {
		if told := meta.in(key); told.Kind() == jsonv.String {
			name = told.Text()
			break
		}
	}
	input := o.in("input").inner(l)
	if inner := input.in("input"); input.Len() == 1 && inner.Kind() == jsonv.Object {
		input = inner // wrapped by LangSmith
	}
	b.checkObject(name, o.in("input"), l)
	b.at(o.start).call(o.id, name, input.args(l))
	if o.in("endTime").none() {
		return
	}
	output := responseOutput(o.in("output").inner(l))
	var failure *session.Failure
	if o.in("level").text() == "ERROR" {
		failure = failed(o.in("statusMessage").text())
	}
	b.at(o.end).result(o.id, name, output, failure)
}

// uncircle takes an observation out from below those that are below it.
func (t *langfuseTrace) uncircle(o *observation) {
	above := t.byID[o.parent]
	for range maxNesting {
		if above == nil {
			return
		}
		if above == o {
			break
		}
		above = t.byID[above.parent]
	}
	o.parent = ""
}

// above returns the generations above an observation, the nearest first.
func (t *langfuseTrace) above(o *observation) []*observation {
	var all []*observation
	for range maxNesting {
		parent := t.byID[o.parent]
		if parent == nil {
			break
		}
		if parent.kind == "GENERATION" {
			all = append(all, parent)
		}
		o = parent
	}
	return all
}

// generation adds what a model answered. Libraries nest: a generation below
// another is the same call of the model, says nothing new, and counts only if
// it reports other usage than the one above. What the user wrote is taken from
// the first call only: what later ones are told may be the words of a model.
func (t *langfuseTrace) generation(o *observation) {
	above := t.above(o)
	spent := session.Event{MessageID: o.id, Model: o.in("model").text(), Tokens: o.tokens}
	for _, a := range above {
		if spent.Tokens != (meter.Tokens{}) && sameButHour(a.tokens, spent.Tokens) {
			return
		}
	}
	t.first = cmp.Or(t.first, o.id)
	if !t.asked && (o.id == t.first || slices.ContainsFunc(above, func(a *observation) bool { return a.id == t.first })) {
		t.at(o.start)
		for _, text := range o.in("input").inner(t.limits).askedTexts(nil) {
			t.asked = true
			t.user(text)
		}
	}
	t.at(o.end).turn++
	if len(above) == 0 {
		t.said(o.in("output").inner(t.limits).saidText())
	}
	spent.Cost, spent.HasCost = o.langfuseCost()
	t.run.Model = cmp.Or(t.run.Model, spent.Model)
	t.spent(spent)
}

// sameButHour reports whether two usages are equal. Not every library tells
// how long a cache lasts.
func sameButHour(t, u meter.Tokens) bool {
	t.CacheWrite1h, u.CacheWrite1h = 0, 0
	return t == u
}
