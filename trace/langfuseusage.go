package trace

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// What an observation of Langfuse is and took stands under other names in
// older exports.

// toolPrefixes begin the names of observations that are calls of tools.
var toolPrefixes = [...]string{"execute_tool ", "running tool: "}

// langfuseKind is the type of an observation. Where there was none for tools
// yet, a SPAN is one if it says so by its name or its operation.
func (f field) langfuseKind(l Limits) string {
	kind := f.in("type").text()
	if kind != "SPAN" {
		return kind
	}
	for _, prefix := range toolPrefixes {
		if strings.HasPrefix(f.in("name").text(), prefix) {
			return "TOOL"
		}
	}
	meta := f.in("metadata").inner(l).in("attributes")
	if meta.in("gen_ai.operation.name").Text() == "execute_tool" || meta.in("ai.operationId").Text() == "ai.toolCall" {
		return "TOOL"
	}
	return kind
}

// langfuseUsage reads the usage of an observation: as it is told in detail, or
// else in the ways of older exports.
func (f field) langfuseUsage() meter.Tokens {
	if details := f.in("usageDetails").object(); details.Len() > 0 {
		return langfuseTokens(details)
	}
	u := f.in("usage").object()
	if unit := u.in("unit"); unit.Kind() == jsonv.String && unit.Text() != "TOKENS" {
		u = field{fault: u.fault} // characters, or seconds
	}
	return meter.Tokens{
		Input:  max(u.in("input").count(), u.in("promptTokens").count(), f.in("promptTokens").count(), f.in("inputUsage").count()),
		Output: max(u.in("output").count(), u.in("completionTokens").count(), f.in("completionTokens").count(), f.in("outputUsage").count()),
	}
}

// langfuseCost reads what an observation cost, by the first of its names that
// tells it.
func (f field) langfuseCost() (nano int64, told bool) {
	for _, cost := range [...]field{f.in("totalCost"), f.at("costDetails", "total"), f.in("calculatedTotalCost"), f.at("usage", "totalCost")} {
		if nano, told := cost.dollars(); told && nano > 0 {
			return nano, true
		}
	}
	return 0, false
}

// langfuseTokens reads usage. What came from the cache is named in several
// ways, and is in the input if that and the output are the total. What was
// written by how long the cache lasts is part of what was written, unless the
// total has both.
func langfuseTokens(u field) meter.Tokens {
	t := meter.Tokens{Input: u.in("input").count(), Output: u.in("output").count()}
	for _, name := range [...]string{"prompt_details.cache_read", "input_cache_read", "input_cached_tokens", "cache_read_input_tokens"} {
		t.CacheRead = max(t.CacheRead, u.in(name).count())
	}
	written := int64(0)
	for _, name := range [...]string{"input_cache_creation", "cache_creation_input_tokens"} {
		written = max(written, u.in(name).count())
	}
	t.CacheWrite1h = u.in("input_cache_creation_1h").count()
	apart := plus(u.in("input_cache_creation_5m").count(), t.CacheWrite1h)
	t.CacheWrite = max(written, apart)
	switch total := u.in("total"); {
	case total.none():
	case total.count() == plus(t.Input, t.Output):
		return withoutCache(t)
	case total.count() == plus(plus(plus(t.Input, t.Output), t.CacheRead), plus(written, apart)):
		t.CacheWrite = plus(written, apart)
	}
	return t
}
