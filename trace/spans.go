package trace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Spans of OpenTelemetry with attributes for generative AI, whichever way they
// were exported. A trace is a run. Libraries nest: what one call of a model
// took is reported by up to three spans, and counts once.

// span is a part of a trace.
type span struct {
	id, parent, name string
	start, end       int64 // Unix nanoseconds
	attrs            map[string]string
	failed           bool
	message          string // of the failure

	above *span
	below []*span
}

// first returns the first attribute of those names that is there.
func (s *span) first(names ...string) string {
	for _, name := range names {
		if v := s.attrs[name]; v != "" {
			return v
		}
	}
	return ""
}

// isTool reports whether the span is a call of a tool.
func (s *span) isTool() bool {
	return s.attrs["gen_ai.operation.name"] == "execute_tool" || s.attrs["openinference.span.kind"] == "TOOL" ||
		s.attrs["traceloop.span.kind"] == "tool" || s.attrs["ai.operationId"] == "ai.toolCall"
}

// isAgent reports whether the span is the work of an agent, which may report
// the usage of all that it did.
func (s *span) isAgent() bool {
	switch s.attrs["gen_ai.operation.name"] {
	case "invoke_agent", "create_agent", "invoke_workflow":
		return true
	}
	return s.attrs["openinference.span.kind"] == "AGENT" || s.attrs["traceloop.span.kind"] == "agent"
}

// isAI reports whether the span says anything of an agent.
func (s *span) isAI() bool {
	for name := range s.attrs {
		if strings.HasPrefix(name, "gen_ai.") || strings.HasPrefix(name, "openinference.") || strings.HasPrefix(name, "traceloop.") || strings.HasPrefix(name, "ai.") {
			return true
		}
	}
	return false
}

// The attributes that report usage, the newer names first.
var (
	inputTokens  = []string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.promptTokens", "ai.usage.inputTokens"}
	outputTokens = []string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion", "ai.usage.completionTokens", "ai.usage.outputTokens"}
	cacheRead    = []string{"gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"}
	// The conventions do not name the hour; those that tell it use the name of Anthropic's API.
	cacheWrite1h = []string{"gen_ai.usage.cache_creation.ephemeral_1h_input_tokens"}
	cacheWrite   = []string{"gen_ai.usage.cache_creation_input_tokens", "gen_ai.usage.cache_creation.input_tokens", "llm.token_count.prompt_details.cache_write"}
)

// usage returns what the span reports, if it does.
func (s *span) usage(fault *error) (t meter.Tokens, ok bool) {
	count := func(names []string) int64 {
		v := s.first(names...)
		if v == "" {
			return 0
		}
		ok = true
		return field{jsonv.OfText(v), "the attribute " + names[0] + " of the span " + s.id, fault}.count()
	}
	t = meter.Tokens{Input: count(inputTokens), Output: count(outputTokens)}
	ok = ok && (t.Input > 0 || t.Output > 0)
	reports := ok
	t.CacheRead, t.CacheWrite, t.CacheWrite1h = count(cacheRead), count(cacheWrite), count(cacheWrite1h)
	return withoutCache(t), reports
}

// traceRun makes a run of the spans of a trace; nil if none is of an agent.
func traceRun(format, id string, spans []*span, l Limits) (*Run, error) {
	if !slices.ContainsFunc(spans, (*span).isAI) {
		return nil, nil
	}
	r := &Run{Format: format, ID: id}
	b := newBuilder(r)
	spans = once(spans)
	slices.SortStableFunc(spans, func(x, y *span) int { return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.end, y.end)) })
	nest(spans)
	fault := new(error)
	asked := false
	for _, s := range spans {
		b.seen(s.start)
		b.seen(s.end)
		tokens, reports := s.usage(fault)
		switch {
		case s.isTool() && !s.repeatsTool():
			b.toolSpan(s, l)
		case s.isTool():
		case reports && !s.repeated(fault):
			b.modelSpan(s, tokens, &asked, l)
		}
		if s.failed && s.above == nil && s.isAgent() {
			r.Labels.Error = cmp.Or(s.message, s.attrs["error.type"], "its outermost span failed")
		}
		if r.TaskKind == "" && s.isAgent() {
			r.TaskKind = s.attrs["gen_ai.agent.name"]
		}
	}
	return b.finish(), *fault
}

// once drops spans that come again, as an export does that was tried twice.
func once(spans []*span) []*span {
	type key struct {
		id, name string
		start    int64
	}
	seen := make(map[key]bool, len(spans))
	return slices.DeleteFunc(spans, func(s *span) bool {
		k := key{s.id, s.name, s.start}
		again := s.id != "" && seen[k]
		seen[k] = true
		return again
	})
}

// repeatsTool reports whether a span above is of the same call of a tool: one by
// the agent's library, and one by that of the tool.
func (s *span) repeatsTool() bool {
	id := s.first(toolIDs...)
	for t := s.above; t != nil && id != ""; t = t.above {
		if t.isTool() && t.first(toolIDs...) == id {
			return true
		}
	}
	return false
}

// nest links spans with those above them.
func nest(spans []*span) {
	byID := make(map[string]*span, len(spans))
	for _, s := range spans {
		byID[s.id] = s
	}
	for _, s := range spans {
		if above := byID[s.parent]; above != nil && !above.within(s) {
			s.above = above
			above.below = append(above.below, s)
		}
	}
}

// maxNesting is how many spans may be above one.
const maxNesting = 1000

// within reports whether a span is, or is below, another. What is nested
// deeper than spans are is taken for a circle.
func (s *span) within(t *span) bool {
	for steps := 0; s != nil; s = s.above {
		if steps++; s == t || steps > maxNesting {
			return true
		}
	}
	return false
}

// repeated reports whether spans below report what this one does: any if it is
// that of an agent, else those that are not the work of a tool, which calls
// models of its own.
func (s *span) repeated(fault *error) bool {
	throughTools := s.isAgent()
	return slices.ContainsFunc(s.below, func(t *span) bool { return t.reports(throughTools, fault) })
}

func (s *span) reports(throughTools bool, fault *error) bool {
	if s.isTool() && !throughTools {
		return false
	}
	if _, ok := s.usage(fault); ok {
		return true
	}
	return slices.ContainsFunc(s.below, func(t *span) bool { return t.reports(throughTools, fault) })
}
