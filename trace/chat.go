package trace

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// words returns the text of a message's content, which is a text, or a list
// of parts of which those that are text count.
func (f field) words() string {
	if f.Kind() != jsonv.List {
		return f.text()
	}
	var texts []string
	for _, part := range f.list() {
		if text := part.part(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// parts returns the parts of a message's content that is a list of them.
func (f field) parts() []field {
	if f.Kind() != jsonv.List {
		return nil
	}
	return f.list()
}

// part returns the text of one part of a message's content; "" if it is of
// another kind.
func (f field) part() string {
	if f.Kind() == jsonv.String {
		return f.text()
	}
	switch kind := f.in("type"); kind.Text() {
	case "text", "input_text", "output_text", "null":
		if text := f.in("text"); !text.none() {
			return text.text()
		}
		return f.in("content").text()
	}
	return ""
}

// rawArguments is the name under which arguments stand that are no JSON
// object, as a model wrote them.
const rawArguments = "arguments"

// args returns the arguments of a call, which are an object, or a text that is
// one in JSON. What is neither is one argument of the name rawArguments.
func (f field) args(l Limits) *registry.Values {
	inner := f.inner(l)
	switch {
	case inner.none():
		return &registry.Values{}
	case inner.Kind() == jsonv.Object:
		if vs, err := registry.Members(inner.Value); err == nil {
			return vs
		}
	case f.Kind() == jsonv.String && strings.TrimSpace(f.Text()) == "":
		return &registry.Values{}
	}
	vs := &registry.Values{}
	vs.Bind(rawArguments, registry.JSON(f.Value))
	return vs
}

// output returns what a call put out: a content's text, or any other value as
// it is; nil if there is none.
func (f field) output() *registry.Value {
	var v registry.Value
	switch f.Kind() {
	case jsonv.Null:
		return nil
	case jsonv.List:
		text, all := f.texts()
		if !all {
			v = registry.JSON(f.Value)
			break
		}
		v = registry.Text(text)
	default:
		v = registry.JSON(f.Value)
	}
	return &v
}

// texts returns the texts of a list of content parts, and whether it is
// nothing but content parts.
func (f field) texts() (text string, all bool) {
	for _, part := range f.list() {
		if part.Kind() != jsonv.Object || part.in("type").Kind() != jsonv.String {
			return "", false
		}
	}
	return f.words(), true
}

func textOutput(s string) *registry.Value {
	v := registry.Text(s)
	return &v
}

// openAICalls adds the calls of a message in the form of OpenAI's chat API.
func (b *builder) openAICalls(calls field, l Limits) {
	for _, c := range calls.objects() {
		f := c.in("function").object()
		b.checkArguments(f.in("name").text(), f.in("arguments"), l)
		b.call(c.in("id").text(), f.in("name").text(), f.in("arguments").args(l))
	}
}

// openAIUsage reads usage as OpenAI's API and those like it report it: the
// prompt with what was read from the cache or written to it.
func openAIUsage(u field) meter.Tokens {
	t := meter.Tokens{Output: u.in("completion_tokens").count()}
	t.CacheRead = max(u.in("cache_read_input_tokens").count(), u.at("prompt_tokens_details", "cached_tokens").count())
	t.CacheWrite = u.in("cache_creation_input_tokens").count()
	t.CacheWrite1h = u.at("prompt_tokens_details", "cache_creation_token_details", "ephemeral_1h_input_tokens").count()
	t.Input = u.in("prompt_tokens").count()
	return withoutCache(t)
}

// withoutCache takes what was read from the cache and written to it out of an
// input that was reported with it.
func withoutCache(t meter.Tokens) meter.Tokens {
	t.CacheRead = min(t.CacheRead, t.Input)
	t.CacheWrite = min(t.CacheWrite, t.Input-t.CacheRead)
	t.CacheWrite1h = min(t.CacheWrite1h, t.CacheWrite)
	t.Input -= t.CacheRead + t.CacheWrite
	return t
}

// failed is a failure of the class that its message shows.
func failed(message string) *session.Failure {
	return &session.Failure{Class: classOf(message), Message: message}
}
