package trace_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/trace"
)

// What is written to a cache that lasts an hour costs more, so every source
// that tells it is heeded. It is part of what was written, however it is told.
func TestCacheThatLastsAnHour(t *testing.T) {
	langfuse := func(usage string) string {
		return `{"trace":{"id":"L"},"observations":[{"id":"g","type":"GENERATION","startTime":"2025-08-28T07:32:31Z","endTime":"2025-08-28T07:32:31Z","usageDetails":{` + usage + `}}]}`
	}
	claude := func(usage string) string {
		return `{"type":"assistant","isSidechain":false,"uuid":"u","timestamp":"2026-01-05T09:00:00Z","sessionId":"S","message":{"id":"m","model":"claude-x","content":[{"type":"text","text":"Hi"}],"usage":{` + usage + `}}}`
	}
	for name, c := range map[string]struct {
		format, file string
		want         meter.Tokens
	}{
		"our events": {trace.Events, `{"type":"usage","input_tokens":3,"cache_write_tokens":20,"cache_write_1h_tokens":15}`,
			meter.Tokens{Input: 3, CacheWrite: 20, CacheWrite1h: 15}},
		"our recordings": {trace.Recording, `{"steps":[{"step":"a","usage":{"input_tokens":3,"cache_write_tokens":20,"cache_write_1h_tokens":15}}]}`,
			meter.Tokens{Input: 3, CacheWrite: 20, CacheWrite1h: 15}},
		"Claude Code": {trace.ClaudeCode, claude(`"input_tokens":3,"cache_creation_input_tokens":20,"cache_creation":{"ephemeral_5m_input_tokens":5,"ephemeral_1h_input_tokens":15}`),
			meter.Tokens{Input: 3, CacheWrite: 20, CacheWrite1h: 15}},
		"Claude Code without the sum": {trace.ClaudeCode, claude(`"input_tokens":3,"cache_creation":{"ephemeral_1h_input_tokens":15}`),
			meter.Tokens{Input: 3, CacheWrite: 15, CacheWrite1h: 15}},
		"Claude Code with nothing of it": {trace.ClaudeCode, claude(`"input_tokens":3,"cache_creation_input_tokens":20,"cache_creation":null`),
			meter.Tokens{Input: 3, CacheWrite: 20}},
		"Langfuse, by how long": {trace.Langfuse, langfuse(`"input":3,"output":1,"input_cache_creation_5m":5,"input_cache_creation_1h":15,"total":24`),
			meter.Tokens{Input: 3, Output: 1, CacheWrite: 20, CacheWrite1h: 15}},
		"Langfuse, the sum beside its parts": {trace.Langfuse, langfuse(`"input":3,"output":1,"cache_creation_input_tokens":20,"input_cache_creation_5m":5,"input_cache_creation_1h":15,"total":24`),
			meter.Tokens{Input: 3, Output: 1, CacheWrite: 20, CacheWrite1h: 15}},
		"Langfuse, the rest beside the hour": {trace.Langfuse, langfuse(`"input":3,"output":1,"cache_creation_input_tokens":5,"input_cache_creation_1h":15,"total":24`),
			meter.Tokens{Input: 3, Output: 1, CacheWrite: 20, CacheWrite1h: 15}},
		"Langfuse, within the input": {trace.Langfuse, langfuse(`"input":23,"output":1,"cache_creation_input_tokens":20,"input_cache_creation_1h":15,"total":24`),
			meter.Tokens{Input: 3, Output: 1, CacheWrite: 20, CacheWrite1h: 15}},
		"spans": {trace.Jaeger, `{"data":[{"traceID":"T","spans":[{"spanID":"s","operationName":"chat","startTime":1771237534000000,"duration":1,"tags":[
			{"key":"gen_ai.usage.input_tokens","value":23},{"key":"gen_ai.usage.output_tokens","value":1},{"key":"gen_ai.usage.cache_creation.input_tokens","value":20},
			{"key":"gen_ai.usage.cache_creation.ephemeral_1h_input_tokens","value":15}]}]}]}`,
			meter.Tokens{Input: 3, Output: 1, CacheWrite: 20, CacheWrite1h: 15}},
		"OpenHands": {trace.OpenHands, strings.Replace(openHandsEvents, `"cached_tokens":10`, `"cached_tokens":10,"cache_creation_token_details":{"ephemeral_1h_input_tokens":4}`, 1),
			meter.Tokens{Input: 15, Output: 4, CacheRead: 10, CacheWrite: 5, CacheWrite1h: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			r := readOne(t, c.format, "f.json", c.file)
			for _, e := range r.Events {
				if e.Tokens != (meter.Tokens{}) {
					if e.Tokens != c.want {
						t.Errorf("%+v, want %+v", e.Tokens, c.want)
					}
					return
				}
			}
			t.Error("no usage")
		})
	}
}
