package trace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Gemini CLI writes one object a session. A message of the model carries its
// calls, and these their results.

func isGeminiCLI(o *outline) bool {
	return o.has("sessionId") && o.hasAny("projectHash", "startTime") && !o.has("uuid")
}

func readGeminiCLI(in *input) {
	in.each(func(d doc, _ string) (*Run, error) {
		f := record(d.Value)
		return geminiRun(f, in.limits), f.err()
	})
}

func geminiRun(f field, l Limits) *Run {
	r := &Run{Format: GeminiCLI, ID: f.in("sessionId").text()}
	b := newBuilder(r)
	b.asks = true
	b.seen(f.in("startTime").instant())
	b.seen(f.in("lastUpdated").instant())
	for _, m := range b.filled(f.in("messages")) {
		b.message(m.in("timestamp").instant())
		switch m.in("type").text() {
		case "user":
			b.user(m.in("content").words())
		case "gemini":
			r.Model = cmp.Or(r.Model, m.in("model").text())
			b.said(m.in("content").words())
			b.spent(session.Event{MessageID: m.in("id").text(), Model: m.in("model").text(), Tokens: geminiTokens(m.in("tokens").object())})
			for _, c := range m.in("toolCalls").objects() {
				b.checkArguments(c.in("name").text(), c.in("args"), l)
				b.call(c.in("id").text(), c.in("name").text(), c.in("args").args(l))
			}
			for _, c := range m.in("toolCalls").objects() {
				b.geminiResult(c)
			}
		}
	}
	return b.finish()
}

// geminiTokens reads usage: the input is with what came from the cache, the
// output without what the model thought.
func geminiTokens(t field) meter.Tokens {
	in := t.in("input").count()
	cached := min(t.in("cached").count(), in)
	return meter.Tokens{
		Input: plus(in-cached, t.in("tool").count()), CacheRead: cached,
		Output: plus(t.in("output").count(), t.in("thoughts").count()),
	}
}

func (b *builder) geminiResult(c field) {
	var failure *session.Failure
	output := geminiOutput(c.in("result"))
	text := ""
	if output != nil {
		text = output.String()
	}
	status := strings.ToLower(c.in("status").text())
	if status == "" && geminiFailed(c.in("result")) {
		status = "error"
	}
	switch status {
	case "error":
		failure = failed(text)
	case "cancelled":
		failure = &session.Failure{Class: session.ClassCancelled, Message: text}
	default:
		if output == nil {
			return // still under way when the session was written, or lost
		}
	}
	b.at(c.in("timestamp").instant())
	b.result(c.in("id").text(), c.in("name").text(), output, failure)
}

// geminiFailed reports whether a function's response is an error.
func geminiFailed(result field) bool {
	if result.Kind() != jsonv.List {
		return false
	}
	return slices.ContainsFunc(result.list(), func(part field) bool {
		return !part.at("functionResponse", "response", "error").none()
	})
}

// geminiOutput returns what the functions' responses hold: the text of those
// that are nothing else, or the response as it is.
func geminiOutput(result field) *registry.Value {
	if result.Kind() != jsonv.List {
		return result.output()
	}
	var texts []string
	for _, part := range result.list() {
		response := part.at("functionResponse", "response")
		switch {
		case response.in("output").Kind() == jsonv.String:
			texts = append(texts, response.in("output").text())
		case response.in("error").Kind() == jsonv.String:
			texts = append(texts, response.in("error").text())
		case !response.none():
			texts = append(texts, string(response.AppendJSON(nil)))
		case part.in("text").Kind() == jsonv.String:
			texts = append(texts, part.in("text").text())
		}
	}
	return textOutput(strings.Join(texts, "\n"))
}
