package trace_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

//go:embed testdata/langfuse.json
var langfuseTrace string

func TestLangfuse(t *testing.T) {
	r := readOne(t, trace.Langfuse, "l.json", langfuseTrace)
	if r.ID != "L" || r.Model != "m" || r.TaskKind != "joke" || r.Duration.Seconds() != 7 {
		t.Errorf("%+v", r)
	}
	wantEvents(t, r.Events, `
+0s user hi
+0s user Greet
+2s assistant I ask.
+2s usage g1 12+3 cache 8+0 $0.0001
+2s call t1 say(Rome)
+3s result t1 = sun
+3s call t2 fetch
+4s result t2 NetworkError: TimeoutError: slow
+5s assistant Good.
+5s usage g3 4+1
`)
}

// As the API returns a trace, its observations are in it.
func TestLangfuseOfTheAPI(t *testing.T) {
	r := readOne(t, trace.Langfuse, "l.json", strings.Replace(langfuseTrace, `{"trace":{"id":"L","projectId":"p","name":"joke"},`, `{"id":"L","projectId":"p","name":"joke",`, 1))
	if r.ID != "L" || r.TaskKind != "joke" || r.Totals().Calls != 2 {
		t.Errorf("%+v", r)
	}
}

// Older exports tell what an observation took in other ways.
func TestLangfuseVersions(t *testing.T) {
	const when = `"startTime":"2025-08-28T07:32:31Z","endTime":"2025-08-28T07:32:32Z"`
	generation := func(id, rest string) string {
		return `{"id":"` + id + `","type":"GENERATION",` + when + `,"input":"x","output":"y",` + rest + `}`
	}
	for name, c := range map[string]struct {
		observations []string
		input        int64
		output       int64
		cost         int64 // in thousandths of a dollar
		calls        int
	}{
		"usage":            {[]string{generation("g", `"usage":{"input":5,"output":2,"total":7,"unit":"TOKENS"},"calculatedTotalCost":0.002`)}, 5, 2, 2, 0},
		"prompt tokens":    {[]string{generation("g", `"usage":{"promptTokens":5,"completionTokens":2},"totalCost":0,"costDetails":{"total":0.002}`)}, 5, 2, 2, 0},
		"beside it":        {[]string{generation("g", `"promptTokens":5,"completionTokens":2,"usage":{}`)}, 5, 2, 0, 0},
		"input usage":      {[]string{generation("g", `"usageDetails":{},"inputUsage":5,"outputUsage":2`)}, 5, 2, 0, 0},
		"details first":    {[]string{generation("g", `"usageDetails":{"input":5,"output":2},"inputUsage":9,"totalCost":0.001,"costDetails":{"total":0.003}`)}, 5, 2, 1, 0},
		"characters":       {[]string{generation("g", `"usage":{"input":500,"output":200,"unit":"CHARACTERS"}`)}, 0, 0, 0, 0},
		"exported twice":   {[]string{generation("g", `"usage":{"input":5,"output":2}`), generation("g", `"usage":{"input":5,"output":2}`)}, 5, 2, 0, 0},
		"below itself":     {[]string{generation("g", `"parentObservationId":"g","usage":{"input":5,"output":2}`)}, 5, 2, 0, 0},
		"in a circle":      {[]string{generation("g", `"parentObservationId":"h","usage":{"input":5,"output":2}`), generation("h", `"parentObservationId":"g","usage":{"input":5,"output":2}`)}, 5, 2, 0, 0},
		"a tool as a span": {[]string{generation("g", `"usage":{}`), `{"id":"t","type":"SPAN","name":"running tool: f",` + when + `}`}, 0, 0, 0, 1},
		"an operation":     {[]string{generation("g", `"usage":{}`), `{"id":"t","type":"SPAN","name":"f",` + when + `,"metadata":{"attributes":{"gen_ai.operation.name":"execute_tool"}}}`}, 0, 0, 0, 1},
		"another span":     {[]string{generation("g", `"usage":{}`), `{"id":"t","type":"SPAN","name":"f",` + when + `}`}, 0, 0, 0, 0},
	} {
		r := readOne(t, trace.Langfuse, "l.json", `{"trace":{"id":"L"},"observations":[`+strings.Join(c.observations, ",")+`]}`)
		if got := r.Totals(); got.InputTokens != c.input || got.OutputTokens != c.output || got.Cost != c.cost*1e6 || got.Calls != c.calls {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What went in and came out is found in the shapes of many libraries.
func TestLangfuseShapes(t *testing.T) {
	for name, c := range map[string]struct{ input, output, user, said string }{
		"text":      {`"Say hello"`, `"Hello"`, "Say hello", "Hello"},
		"messages":  {`{"messages":[{"role":"system","content":"S"},{"role":"assistant","content":"no"},{"role":"user","content":[{"type":"text","text":"U"}]},{"role":"tool","content":"no"}]}`, `{"choices":[{"message":{"role":"assistant","content":"A"}}]}`, "S|U", "A"},
		"prompt":    {`{"prompt":"P"}`, `[{"toolCallId":"x","toolName":"y"}]`, "P", ""},
		"one":       {`{"role":"user","content":"U"}`, `{"role":"assistant","content":[{"type":"tool_use","name":"x"},{"type":"text","text":"A"}]}`, "U", "A"},
		"responses": {`[{"role":"user","content":"U"},{"type":"function_call_output","output":"no"}]`, `{"output":[{"type":"message","content":[{"type":"output_text","text":"A"}]},{"type":"function_call","name":"f"}]}`, "U", "A"},
		"calls":     {`"U"`, `[{"role":"assistant","content":"[{\"function\":1}]","finish_reason":"tool_calls"}]`, "U", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := readOne(t, trace.Langfuse, "l.json", `{"trace":{"id":"L"},"observations":[{"id":"g","type":"GENERATION","startTime":"2025-08-28T07:32:31Z","endTime":"2025-08-28T07:32:31Z","usageDetails":{},"input":`+c.input+`,"output":`+c.output+`}]}`)
			user, said := "", ""
			for _, e := range r.Events {
				switch e.Type {
				case "user":
					if user != "" {
						user += "|"
					}
					user += e.Text
				case "assistant":
					said += e.Text
				}
			}
			if user != c.user || said != c.said {
				t.Errorf("user %q, want %q; said %q, want %q", user, c.user, said, c.said)
			}
		})
	}
}
