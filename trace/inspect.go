package trace

import (
	"cmp"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// inspectSample is a sample that is being read.
type inspectSample struct {
	*builder
	limits Limits
	apart  map[string]field  // the texts that stand apart, by what refers to them
	user   map[string]bool   // by id: messages of the user that were added
	spans  map[string]string // by id: the span above
	tools  map[string]bool   // spans of tools
}

func inspectRun(f field, l Limits) *Run {
	r := &Run{Format: Inspect, ID: f.in("id").name(), Duration: f.in("total_time").seconds()}
	if epoch := f.in("epoch").name(); epoch != "" && epoch != "1" {
		r.ID += "/" + epoch
	}
	r.Labels = Labels{
		Success: inspectScore(f.in("scores").object()), Error: f.at("error", "message").text(), Stop: f.at("limit", "type").text(),
	}
	if e := f.in("error"); !e.none() {
		r.Labels.Error = cmp.Or(r.Labels.Error, "the log does not say which")
	}
	s := inspectSample{
		builder: newBuilder(r), limits: l, apart: map[string]field{},
		user: map[string]bool{}, spans: map[string]string{}, tools: map[string]bool{},
	}
	for name, text := range f.in("attachments").members() {
		s.apart[attachment+name] = text
	}
	events := f.in("events").objects()
	final := map[string]bool{} // the events that are over, by what they are of
	for _, e := range events {
		if !e.pending() {
			final[e.inspectKey()] = true
		}
	}
	for _, e := range events {
		if !e.pending() || !final[e.inspectKey()] {
			s.event(e)
		}
	}
	if len(events) == 0 {
		s.messages(f.in("messages"))
		for model, u := range f.in("model_usage").members() {
			s.spent(session.Event{MessageID: "usage of " + model, Model: model, Tokens: inspectTokens(u.object())})
		}
		if f.in("messages").Len() == 0 {
			r.defects.empty = "messages"
		}
	}
	return s.finish()
}

// pending reports whether an event was written before it was over: it comes
// again then, if the log goes on.
func (f field) pending() bool { return f.in("pending").Kind() == jsonv.Bool && f.in("pending").yes() }

// inspectKey is what an event and its like are known by.
func (f field) inspectKey() string {
	return f.in("event").text() + " " + cmp.Or(f.in("uuid").text(), f.in("id").text(), f.in("timestamp").text())
}

// inspectScore reads the first score: C and I stand for correct and incorrect.
func inspectScore(scores field) Outcome {
	if scores.Kind() != jsonv.Object || scores.Len() == 0 {
		return Unknown
	}
	first, _ := scores.Elem(0).Member("value")
	switch first.Text() {
	case "C", "true":
		return Yes
	case "I", "false":
		return No
	}
	if first.Kind() != jsonv.Number {
		return Unknown
	}
	return rewarded(field{first, "scores", scores.fault})
}

// attachment begins a reference to a text that stands apart.
const attachment = "attachment://"

// resolved returns a field, or the text apart that it refers to.
func (s *inspectSample) resolved(f field) field {
	if f.Kind() == jsonv.String && strings.HasPrefix(f.Text(), attachment) {
		if text, found := s.apart[f.Text()]; found {
			return text
		}
	}
	return f
}

func (s *inspectSample) event(e field) {
	at := e.in("timestamp").instant()
	s.seen(at)
	switch e.in("event").text() {
	case "span_begin":
		id := e.in("id").text()
		s.spans[id] = e.in("parent_id").text()
		s.tools[id] = e.in("type").text() == "tool"
	case "model":
		s.at(at).turn++
		s.model(e)
	case "tool":
		s.at(at)
		s.tool(e)
	}
}

// inTool reports whether a span is that of a tool or below one: what is told
// to a model there was written by another model.
func (s *inspectSample) inTool(span string) bool {
	for steps := 0; span != "" && steps < maxDepth; steps++ {
		if s.tools[span] {
			return true
		}
		span = s.spans[span]
	}
	return false
}

// model adds what the user has written since, and the model's answer.
func (s *inspectSample) model(e field) {
	if !s.inTool(e.in("span_id").text()) {
		for _, m := range e.in("input").parts() {
			s.prompt(m)
		}
	}
	s.at(e.in("completed").instant())
	output := e.in("output").object()
	id := ""
	for _, choice := range output.in("choices").objects() {
		m := choice.in("message").object()
		id = cmp.Or(id, m.in("id").text())
		s.said(s.resolved(m.in("content")).words())
	}
	s.spent(session.Event{MessageID: id, Model: e.in("model").text(), Tokens: inspectTokens(output.in("usage").object())})
}

// prompt adds a message of the user or the operator once.
func (s *inspectSample) prompt(m field) {
	role := m.in("role").text()
	if role != "user" && role != "system" {
		return
	}
	text := s.resolved(m.in("content")).words()
	key := cmp.Or(m.in("id").text(), text)
	if !s.user[key] {
		s.user[key] = true
		s.builder.user(text)
	}
}

// inspectTokens reads usage. Whether the input is with what came from the
// cache differs by provider and shows in the total.
func inspectTokens(u field) meter.Tokens {
	t := meter.Tokens{
		Input: u.in("input_tokens").count(), Output: u.in("output_tokens").count(),
		CacheRead: u.in("input_tokens_cache_read").count(), CacheWrite: u.in("input_tokens_cache_write").count(),
	}
	if total := u.in("total_tokens"); !total.none() && total.count() == plus(t.Input, t.Output) {
		return withoutCache(t)
	}
	return t
}

// tool adds a call and its result.
func (s *inspectSample) tool(e field) {
	id := e.in("id").text()
	s.checkArguments(e.in("function").text(), e.in("arguments"), s.limits)
	s.call(id, e.in("function").text(), s.arguments(e.in("arguments")))
	if e.in("result").none() && e.in("error").none() {
		return // still under way when the log was written, or lost
	}
	s.at(e.in("completed").instant())
	s.result(id, e.in("function").text(), s.resolved(e.in("result")).output(), inspectFailure(e.in("error").object()))
}

// arguments resolves those that stand apart.
func (s *inspectSample) arguments(f field) *registry.Values {
	if f.Kind() != jsonv.Object {
		return f.args(s.limits)
	}
	vs := &registry.Values{}
	for name, value := range f.members() {
		vs.Bind(name, registry.JSON(s.resolved(value).Value))
	}
	return vs
}

// inspectClasses are the classes of the types of errors that rules tell apart.
var inspectClasses = map[string]string{
	"parsing": session.ClassArguments, "file_not_found": session.ClassFileNotFound,
	"timeout": session.ClassNetwork, "approval": session.ClassCancelled,
}

func inspectFailure(e field) *session.Failure {
	if e.none() {
		return nil
	}
	message := e.in("message").text()
	return &session.Failure{Class: cmp.Or(inspectClasses[e.in("type").text()], session.ClassTool), Message: message}
}

// messages adds those of a sample without events, and so without times.
func (s *inspectSample) messages(all field) {
	for _, m := range all.objects() {
		s.message(0)
		content := s.resolved(m.in("content"))
		switch m.in("role").text() {
		case "assistant":
			s.said(content.words())
			for _, c := range m.in("tool_calls").objects() {
				s.checkArguments(c.in("function").text(), c.in("arguments"), s.limits)
				s.call(c.in("id").text(), c.in("function").text(), s.arguments(c.in("arguments")))
			}
		case "tool":
			s.result(m.in("tool_call_id").text(), m.in("function").text(), content.output(), inspectFailure(m.in("error").object()))
		default:
			s.prompt(m)
		}
	}
}
