package trace

import (
	"cmp"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// pi writes a file a session, in JSON Lines.

func isPi(o *outline) bool { return o.has("type=session", "cwd") && !o.has("sessionId") }

func readPi(in *input) { in.session(func(lines []doc) (*Run, error) { return piRun(lines, in) }) }

func piRun(lines []doc, in *input) (*Run, error) {
	r := &Run{Format: Pi}
	begun := false
	b := newBuilder(r)
	for _, d := range lines {
		f := record(d.Value)
		at := f.in("timestamp").instant()
		b.seen(at)
		switch f.in("type").text() {
		case "session":
			begun = true
			r.ID = cmp.Or(r.ID, f.in("id").text())
			r.Model = cmp.Or(r.Model, f.in("modelId").text())
		case "message":
			b.at(at).turn++
			b.piMessage(f.in("id").text(), f.in("message").object(), in.limits)
		}
		if err := f.err(); err != nil {
			return nil, placed(in.source, d.line, 0, err)
		}
	}
	if !begun {
		return nil, &FieldError{Path: "type", Want: "session on one of the lines", Got: "nothing"}
	}
	return b.finish(), nil
}

func (b *builder) piMessage(id string, m field, l Limits) {
	switch m.in("role").text() {
	case "user":
		b.user(m.in("content").words())
	case "bashExecution": // a command that the user ran
		b.user(m.in("command").text())
	case "assistant":
		b.run.Model = cmp.Or(b.run.Model, m.in("model").text())
		b.said(m.in("content").words())
		u := m.in("usage").object()
		spent := session.Event{MessageID: id, Model: m.in("model").text(), Tokens: meter.Tokens{
			Input: u.in("input").count(), Output: u.in("output").count(),
			CacheRead: u.in("cacheRead").count(), CacheWrite: u.in("cacheWrite").count(),
		}}
		spent.Cost, spent.HasCost = u.at("cost", "total").dollars()
		b.spent(spent)
		// What a turn called that was stopped or failed was not made, and only
		// the last of the errors ended the session.
		why := m.in("stopReason").text()
		b.run.Labels.Error = ""
		if why == "error" {
			b.run.Labels.Error = cmp.Or(m.in("errorMessage").text(), "the model did not answer")
		}
		stopped := why == "aborted" || why == "error"
		for _, part := range m.in("content").parts() {
			if part.in("type").text() == "toolCall" {
				b.checkArguments(part.in("name").text(), part.in("arguments"), l)
				b.call(part.in("id").text(), part.in("name").text(), part.in("arguments").args(l))
				b.calls[len(b.calls)-1].dropped = stopped
			}
		}
	case "toolResult":
		var failure *session.Failure
		if m.in("isError").yes() {
			failure = failed(m.in("content").words())
		}
		b.result(m.in("toolCallId").text(), m.in("toolName").text(), m.in("content").output(), failure)
	}
}
