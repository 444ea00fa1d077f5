package trace

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// The attributes that hold what went into a tool and came out of it.
var (
	toolNames  = []string{"gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name"}
	toolIDs    = []string{"gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"}
	toolInputs = []string{
		"gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args", "tool_arguments", "ai.toolCall.args", "traceloop.entity.input", "input.value",
	}
	toolOutputs = []string{
		"gen_ai.tool.call.result", "gcp.vertex.agent.tool_response", "tool_response", "ai.toolCall.result", "traceloop.entity.output", "output.value",
	}
)

// toolSpan adds a call and its result.
func (b *builder) toolSpan(s *span, l Limits) {
	name := cmp.Or(s.first(toolNames...), strings.TrimPrefix(s.name, "execute_tool "))
	input := textField(s.first(toolInputs...))
	b.checkObject(name, input, l)
	id := cmp.Or(s.first(toolIDs...), s.id)
	b.at(s.start).call(id, name, input.args(l))
	if s.end == 0 {
		return
	}
	response := textField(s.first(toolOutputs...)).inner(l)
	output := responseOutput(response)
	failure := s.failure(response, output)
	b.at(s.end).result(id, name, output, failure)
}

func textField(s string) field {
	if s == "" {
		return loose(jsonv.Value{})
	}
	return loose(jsonv.OfText(s))
}

// responseOutput is the text of a response of an MCP tool, or any other as it is.
func responseOutput(response field) *registry.Value {
	if content := response.in("content"); content.Kind() == jsonv.List {
		return content.output()
	}
	return response.output()
}

// failure returns how a tool failed: the span says so, or its response does.
func (s *span) failure(response field, output *registry.Value) *session.Failure {
	said := response.in("isError")
	if !s.failed && !(said.Kind() == jsonv.Bool && said.yes()) {
		return nil
	}
	message := s.message
	if message == "" && output != nil {
		message = output.String()
	}
	f := failed(message)
	if kind := s.attrs["error.type"]; kind != "" && kind != "_OTHER" {
		f.Class = cmp.Or(classes[kind], kind)
	}
	return f
}

// modelSpan adds what a model answered. What the user and the operator wrote
// is taken from the first call only: what later ones are told may be the words
// of a model or a tool.
func (b *builder) modelSpan(s *span, tokens meter.Tokens, asked *bool, l Limits) {
	family := s.family()
	if !*asked {
		*asked = true
		b.at(s.start)
		for _, text := range firstOf(family, func(s *span) []string { return s.prompts(l) }) {
			b.user(text)
		}
	}
	b.at(s.end).turn++
	for _, text := range firstOf(family, func(s *span) []string { return s.answers(l) }) {
		b.said(text)
	}
	model := s.first("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id")
	b.run.Model = cmp.Or(b.run.Model, model)
	b.spent(session.Event{MessageID: s.id, Model: model, Tokens: tokens})
}

// maxFamily is how many spans report one call of a model.
const maxFamily = 8

// family are a span and those above it that are of the same call of a model.
func (s *span) family() []*span {
	all := []*span{s}
	for t := s.above; t != nil && !t.isTool() && !t.isAgent() && len(all) < maxFamily; t = t.above {
		if t.first(inputTokens...) == "" && t.first(outputTokens...) == "" {
			break
		}
		all = append(all, t)
	}
	return all
}

// firstOf returns what the first span has that has any.
func firstOf(family []*span, texts func(*span) []string) []string {
	for _, s := range family {
		if found := texts(s); len(found) > 0 {
			return found
		}
	}
	return nil
}

// maxMessages is of how many messages the numbered attributes of a span are read.
const maxMessages = 10_000

// numbered are the attributes in which libraries put the messages of a call of
// a model one by one: the role and the words of message N stand under
// before + N + role and before + N + words.
type numbered struct{ before, role, words string }

var (
	numberedPrompts = []numbered{
		{"gen_ai.prompt.", ".role", ".content"}, {"llm.input_messages.", ".message.role", ".message.content"},
	}
	numberedAnswers = []numbered{
		{"gen_ai.completion.", ".role", ".content"}, {"llm.output_messages.", ".message.role", ".message.content"},
	}
)

// messages returns the words of the numbered messages of some roles.
func (s *span) messages(all []numbered, of func(role string) bool) []string {
	var texts []string
	for _, n := range all {
		for i := range maxMessages {
			at := n.before + strconv.Itoa(i)
			role := s.attrs[at+n.role]
			if role == "" {
				break
			}
			if of(role) {
				texts = append(texts, nonEmpty(s.attrs[at+n.words])...)
			}
		}
	}
	return texts
}

// prompts returns what the user and the operator wrote to a model.
func (s *span) prompts(l Limits) []string {
	if texts := s.messages(numberedPrompts, fromUser); len(texts) > 0 {
		return texts
	}
	texts := textField(s.attrs["gen_ai.system_instructions"]).inner(l).askedTexts(nil)
	return textField(s.first("gen_ai.input.messages", "gcp.vertex.agent.llm_request", "input.value", "ai.prompt.messages", "ai.prompt")).inner(l).askedTexts(texts)
}

// answers returns what a model said.
func (s *span) answers(l Limits) []string {
	if texts := s.messages(numberedAnswers, fromModel); len(texts) > 0 {
		return texts
	}
	if text := s.attrs["ai.response.text"]; text != "" {
		return []string{text}
	}
	answer := textField(s.first("gen_ai.output.messages", "gcp.vertex.agent.llm_response", "output.value")).inner(l)
	return nonEmpty(answer.saidText())
}
