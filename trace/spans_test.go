package trace_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

// The spans nest as those of a real library: three report one call of a model,
// the agent above them reports all of them, and a tool calls a model itself.
//
//go:embed testdata/jaeger.json
var jaegerTraces string

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

// A span that has not ended has no result.
func TestOTLPUnended(t *testing.T) {
	r := readOne(t, trace.OTLP, "o.json", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"T","spanId":"t","startTimeUnixNano":"1777555053771001901","endTimeUnixNano":"0",
   "attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"f"}}]}]}]}]}`)
	wantEvents(t, r.Events, "+0s call t f\n")
}

// A line that cannot be read ends no trace but those that it names.
func TestOTLPWithABadLine(t *testing.T) {
	line := func(trace, span string) string {
		return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"` + trace + `","spanId":"` + span + `","startTimeUnixNano":1777555053771001901,"endTimeUnixNano":1777555053771001902,` +
			`"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"f"}}]}]}]}]}` + "\n"
	}
	bad := line("B", "1")
	for name, c := range map[string]struct{ text, runs, errs string }{
		"cut":         {line("A", "1") + bad[:len(bad)-10] + "\n" + line("C", "1"), "A C", "o.jsonl:2:"},
		"no span":     {line("A", "1") + `{"resourceSpans":[1]}` + "\n" + line("C", "1"), "A C", "o.jsonl:2: resourceSpans[0]: want an object, not 1"},
		"of a trace":  {line("A", "1") + bad[:len(bad)-10] + "\n" + line("B", "2") + line("C", "1"), "A B: a part of the run cannot be read C", "o.jsonl:2:"},
		"nothing but": {line("A", "1")[:80] + "\n", "", "o.jsonl:1:"},
	} {
		runs, errs := readAll("o.jsonl", c.text, trace.Options{})
		var got []string
		for _, r := range runs {
			if got = append(got, r.ID); r.Broken != "" {
				got[len(got)-1] += ": " + r.Broken
			}
		}
		if strings.Join(got, " ") != c.runs || len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), c.errs) {
			t.Errorf("%s: runs %q, errors %v", name, got, errs)
		}
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

// What is exported twice, or reported by spans that nest, happened once.
func TestRepeatedSpans(t *testing.T) {
	span := func(id, above, tags string) string {
		return `{"spanID":"` + id + `","operationName":"o",` + above + `"startTime":1771237534000000,"duration":1000,"tags":[` + tags + `]}`
	}
	usage := `{"key":"gen_ai.usage.input_tokens","value":5}`
	tool := `{"key":"gen_ai.operation.name","value":"execute_tool"},{"key":"gen_ai.tool.name","value":"f"},{"key":"gen_ai.tool.call.id","value":"c"}`
	for name, c := range map[string]struct {
		spans  []string
		calls  int
		tokens int64
	}{
		"exported twice":     {[]string{span("a", "", usage), span("t", "", tool), span("a", "", usage), span("t", "", tool)}, 1, 5},
		"a tool in its tool": {[]string{span("a", "", tool), span("b", `"references":[{"refType":"CHILD_OF","spanID":"a"}],`, tool)}, 1, 0},
		"another in a tool":  {[]string{span("a", "", tool), span("b", `"references":[{"refType":"CHILD_OF","spanID":"a"}],`, strings.Replace(tool, `"c"`, `"d"`, 1))}, 2, 0},
		"two tools":          {[]string{span("a", "", tool), span("b", "", tool)}, 2, 0},
		"parentSpanID":       {[]string{span("a", "", usage), span("b", `"parentSpanID":"a",`, usage)}, 0, 5},
		"FOLLOWS_FROM":       {[]string{span("a", "", usage), span("b", `"references":[{"refType":"FOLLOWS_FROM","spanID":"a"}],`, usage)}, 0, 5},
		"side by side":       {[]string{span("a", "", usage), span("b", "", usage)}, 0, 10},
	} {
		r := readOne(t, trace.Jaeger, "j.json", `{"data":[{"traceID":"T","spans":[`+strings.Join(c.spans, ",")+`]}]}`)
		if got := r.Totals(); got.Calls != c.calls || got.InputTokens != c.tokens {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
