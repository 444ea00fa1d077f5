package trace

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// What went into a model and came out of it is recorded by tracing libraries
// as they got it, in the shape of whichever API was called. Here the words are
// found in those shapes.

// fromUser reports whether a role is that of the user or the operator.
func fromUser(role string) bool {
	switch strings.ToLower(role) {
	case "user", "system", "developer", "human":
		return true
	}
	return false
}

// fromModel reports whether a role is that of the model, or not told.
func fromModel(role string) bool {
	switch strings.ToLower(role) {
	case "assistant", "model", "ai", "":
		return true
	}
	return false
}

// askedTexts appends what the user and the operator wrote in a request: a
// text, a message, a list of messages, or an object that holds one of these.
func (f field) askedTexts(texts []string) []string {
	switch f.Kind() {
	case jsonv.String:
		return append(texts, f.Text())
	case jsonv.List:
		for _, m := range f.list() {
			if m.Kind() == jsonv.Object {
				texts = m.askedTexts(texts)
			}
		}
		return texts
	case jsonv.Object:
	default:
		return texts
	}
	if role := f.in("role"); role.Kind() == jsonv.String {
		if fromUser(role.Text()) {
			texts = append(texts, nonEmpty(f.messageText())...)
		}
		return texts
	}
	if f.in("type").Text() == "text" {
		return append(texts, nonEmpty(f.part())...)
	}
	for _, name := range [...]string{"instructions", "system", "system_instruction", "prompt", "messages", "contents", "input"} {
		texts = f.in(name).askedTexts(texts)
	}
	return f.at("config", "system_instruction").askedTexts(texts)
}

// messageText returns the words of one message, without its calls and
// thoughts, and without what tools responded.
func (f field) messageText() string {
	for _, name := range [...]string{"content", "parts"} {
		switch part := f.in(name); part.Kind() {
		case jsonv.String:
			return part.Text()
		case jsonv.List:
			return part.listText()
		case jsonv.Object:
			return part.messageText()
		}
	}
	return ""
}

func (f field) listText() string {
	var texts []string
	for _, p := range f.list() {
		if p.Kind() != jsonv.Object && p.Kind() != jsonv.String {
			continue
		}
		if kind := p.in("type"); kind.Kind() != jsonv.String && kind.Kind() != jsonv.Null {
			continue
		}
		text := p.in("text")
		if p.Kind() == jsonv.Object && text.none() {
			text = p.in("content")
		}
		if p.Kind() == jsonv.String {
			text = p
		}
		switch p.in("type").Text() {
		case "text", "input_text", "output_text", "null":
			if text.Kind() == jsonv.String {
				texts = append(texts, text.Text())
			}
		}
	}
	return strings.Join(texts, "\n")
}

// saidText returns what a model said in a response: a text, or a message in
// one of the shapes in which it may be wrapped. A turn that carries only calls
// says nothing.
func (f field) saidText() string {
	switch f.Kind() {
	case jsonv.String:
		return f.Text()
	case jsonv.List:
		var texts []string
		for _, m := range f.list() {
			if m.Kind() == jsonv.Object {
				texts = append(texts, nonEmpty(m.saidText())...)
			}
		}
		return strings.Join(texts, "\n")
	case jsonv.Object:
	default:
		return ""
	}
	if role := f.in("role"); role.Kind() == jsonv.String && !fromModel(role.Text()) {
		return ""
	}
	if why := f.in("finish_reason"); why.Text() == "tool_calls" && f.in("content").Kind() == jsonv.String {
		return "" // the calls stand where the words do
	}
	for _, name := range [...]string{"choices", "message", "output"} {
		if inner := f.in(name); inner.Kind() == jsonv.List || inner.Kind() == jsonv.Object {
			return inner.saidText()
		}
	}
	return f.messageText()
}
