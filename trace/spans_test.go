package trace_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

// The spans nest as those of a real library: three report one call of a model,
// the agent above them reports all of them, and a tool calls a model itself.
const jaegerTraces = `{"data":[{"traceID":"T","spans":[
 {"spanID":"root","operationName":"POST /","references":[],"startTime":1771237534000000,"duration":9000000,"tags":[{"key":"http.method","value":"POST"}]},
 {"spanID":"agent","operationName":"invoke_agent a","references":[{"refType":"CHILD_OF","spanID":"root"}],"startTime":1771237534000000,"duration":9000000,"tags":[
  {"key":"gen_ai.operation.name","value":"invoke_agent"},{"key":"gen_ai.agent.name","value":"helm"},{"key":"gen_ai.usage.input_tokens","value":160},{"key":"gen_ai.usage.output_tokens","value":16}]},
 {"spanID":"llm","operationName":"call_llm","references":[{"refType":"CHILD_OF","spanID":"agent"}],"startTime":1771237535000000,"duration":5000000,"tags":[
  {"key":"gen_ai.usage.input_tokens","value":100},{"key":"gen_ai.usage.output_tokens","value":10},
  {"key":"gcp.vertex.agent.llm_response","value":"{\"content\":{\"parts\":[{\"text\":\"I look.\"},{\"function_call\":{\"name\":\"list\"}}],\"role\":\"model\"}}"}]},
 {"spanID":"chat","operationName":"openai.chat","references":[{"refType":"CHILD_OF","spanID":"llm"}],"startTime":1771237535000000,"duration":1000000,"tags":[
  {"key":"gen_ai.usage.prompt_tokens","value":100},{"key":"gen_ai.usage.completion_tokens","value":10},{"key":"gen_ai.usage.cache_read_input_tokens","value":30},
  {"key":"gen_ai.prompt.0.role","value":"system"},{"key":"gen_ai.prompt.0.content","value":"You are Helm"},
  {"key":"gen_ai.prompt.1.role","value":"user"},{"key":"gen_ai.prompt.1.content","value":"list all"},
  {"key":"gen_ai.response.model","value":"gpt-m"}]},
 {"spanID":"tool","operationName":"execute_tool list","references":[{"refType":"CHILD_OF","spanID":"llm"}],"startTime":1771237537000000,"duration":2000000,"tags":[
  {"key":"gen_ai.operation.name","value":"execute_tool"},{"key":"gen_ai.tool.name","value":"list"},{"key":"gen_ai.tool.call.id","value":"c"},
  {"key":"gcp.vertex.agent.tool_call_args","value":"{\"ns\":\"x\"}"},
  {"key":"gcp.vertex.agent.tool_response","value":"{\"content\":[{\"type\":\"text\",\"text\":\"refused\"}],\"isError\":true}"}]},
 {"spanID":"inner","operationName":"openai.chat","references":[{"refType":"CHILD_OF","spanID":"tool"}],"startTime":1771237537500000,"duration":1000000,"tags":[
  {"key":"gen_ai.usage.input_tokens","value":60},{"key":"gen_ai.usage.output_tokens","value":6},
  {"key":"gen_ai.prompt.0.role","value":"user"},{"key":"gen_ai.prompt.0.content","value":"what the model told its tool"}]}]},
 {"traceID":"web","spans":[{"spanID":"x","operationName":"GET","startTime":1771237534000000,"duration":1,"tags":[]}]}],"total":0}`

const spansWant = `
+0s user You are Helm
+0s user list all
+1s assistant I look.
+1s usage chat 70+10 cache 30+0
+2s call c list(x)
+3.5s usage inner 60+6
+4s result c ToolError: refused
`

func TestJaeger(t *testing.T) {
	runs, errs := readAll("j.json", jaegerTraces, trace.Options{})
	if len(errs) > 0 || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), errs)
	}
	r := runs[0]
	if r.Source != "j.json#0" || r.Format != trace.Jaeger || r.ID != "T" || r.Model != "gpt-m" || r.TaskKind != "helm" || r.Duration.Seconds() != 9 {
		t.Errorf("%+v", r)
	}
	wantEvents(t, r.Events, spansWant)
}

func TestOTLP(t *testing.T) {
	const tool = `{"traceId":"T","spanId":"t","name":"execute_tool f","startTimeUnixNano":%s,"endTimeUnixNano":"1777555053771001902","status":{"code":2,"message":"no"},
   "attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"error.type","value":{"stringValue":"TimeoutError"}}]}`
	for name, text := range map[string]string{
		"batches":   `{"batches":[{"resource":{},"instrumentationLibrarySpans":[{"spans":[` + tool + `]}]}]}`,
		"trace":     `{"trace":{"resourceSpans":[{"scopeSpans":[{"spans":[` + tool + `]}]}]}}`,
		"two lines": `{"resourceSpans":[{"scopeSpans":[{"spans":[]}]}]}` + "\n" + `{"resourceSpans":[{"scopeSpans":[{"spans":[` + oneLine(tool) + `]}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := readOne(t, trace.OTLP, "o.json", strings.Replace(text, "%s", "1777555053771001901", 1))
			wantEvents(t, r.Events, `
+0s call t f
+1ns result t NetworkError: no
`)
			if r.Events[0].At != 1777555053771001901 {
				t.Errorf("nanoseconds are lost: %d", r.Events[0].At)
			}
		})
	}
}

func TestSpansWithoutAnAgent(t *testing.T) {
	for _, text := range []string{`{"data":[{"traceID":"t","spans":[]}]}`, `{"resourceSpans":[]}`} {
		_, errs := readAll("s.json", text, trace.Options{})
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), "generative AI") {
			t.Errorf("%s: %v", text, errs)
		}
	}
}

// Spans that are above each other in a circle are read, and each once.
func TestSpansInACircle(t *testing.T) {
	r := readOne(t, trace.Jaeger, "j.json", `{"data":[{"traceID":"T","spans":[
 {"spanID":"a","references":[{"spanID":"b"}],"startTime":1771237534000000,"duration":1,"tags":[{"key":"gen_ai.usage.input_tokens","value":"5"}]},
 {"spanID":"b","references":[{"spanID":"a"}],"startTime":1771237534000000,"duration":1,"tags":[{"key":"gen_ai.usage.input_tokens","value":"5"}]}]}]}`)
	if got := r.Totals().InputTokens; got != 5 {
		t.Errorf("%d tokens", got)
	}
}

// What was said stands in attributes of several names.
func TestSpanTexts(t *testing.T) {
	const head = `{"data":[{"traceID":"T","spans":[{"spanID":"a","startTime":1771237534000000,"duration":1000000,"tags":[{"key":"gen_ai.usage.input_tokens","value":5},`
	for name, tags := range map[string]string{
		"OpenInference": `{"key":"llm.input_messages.0.message.role","value":"user"},{"key":"llm.input_messages.0.message.content","value":"U"},
			{"key":"llm.input_messages.1.message.role","value":"tool"},{"key":"llm.input_messages.1.message.content","value":"no"},
			{"key":"llm.output_messages.0.message.role","value":"assistant"},{"key":"llm.output_messages.0.message.content","value":"A"}`,
		"convention": `{"key":"gen_ai.input.messages","value":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"U\"}]}]"},
			{"key":"gen_ai.output.messages","value":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"A\"}]}]"}`,
		"AI SDK": `{"key":"ai.prompt","value":"{\"prompt\":\"U\"}"},{"key":"ai.response.text","value":"A"}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := readOne(t, trace.Jaeger, "j.json", head+tags+"]}]}]}")
			wantEvents(t, r.Events, "+0s user U\n+1s assistant A\n+1s usage a 5+0\n")
		})
	}
}
