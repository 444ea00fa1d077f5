package trace_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

const inspectLog = `{"version":2,"status":"success","eval":{"eval_id":"E","task":"browser","model":"openai/m"},"plan":{},"stats":{},"samples":[
 {"id":1,"epoch":2,"total_time":8.5,"scores":{"includes":{"value":"C"}},"attachments":{"h":"Go to the site"},
  "messages":[],"events":[
  {"event":"span_begin","id":"s1","type":"solver","timestamp":"2025-05-12T20:27:36-04:00"},
  {"event":"model","span_id":"s1","timestamp":"2025-05-12T20:27:37-04:00","completed":"2025-05-12T20:27:38-04:00","model":"openai/m",
   "input":[{"id":"u","role":"user","content":"attachment://h"}],
   "output":{"choices":[{"message":{"id":"a1","content":"","role":"assistant"}}],"usage":{"input_tokens":20,"output_tokens":3,"total_tokens":23,"input_tokens_cache_read":5}}},
  {"event":"span_begin","id":"s2","parent_id":"s1","type":"tool","timestamp":"2025-05-12T20:27:39-04:00"},
  {"event":"tool","span_id":"s1","id":"c1","function":"go","arguments":{"url":"attachment://h"},"timestamp":"2025-05-12T20:27:39-04:00","completed":"2025-05-12T20:27:42-04:00","result":"","error":{"type":"timeout","message":"too slow"}},
  {"event":"model","span_id":"s2","timestamp":"2025-05-12T20:27:40-04:00","completed":"2025-05-12T20:27:41-04:00","model":"openai/m",
   "input":[{"id":"d","role":"user","content":"what the tool tells its model"}],
   "output":{"choices":[{"message":{"id":"a2","content":"as told"}}],"usage":{"input_tokens":2,"output_tokens":1,"total_tokens":8,"input_tokens_cache_read":5}}}]},
 {"id":"two","epoch":1,"error":{"message":"broke"},"scores":{"a":{"value":0.5}},"messages":[
  {"id":"1","role":"system","content":"Be brief"},{"id":"2","role":"user","content":[{"type":"text","text":"Add"}]},
  {"id":"3","role":"assistant","content":"","tool_calls":[{"id":"x","function":"add","arguments":{"a":1}}]},
  {"id":"4","role":"tool","tool_call_id":"x","function":"add","content":"1","error":{"type":"parsing","message":"b is missing"}}]}]}`

func TestInspect(t *testing.T) {
	runs, errs := readAll("i.json", inspectLog, trace.Options{})
	if len(errs) > 0 || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), errs)
	}
	r := runs[0]
	if r.Format != trace.Inspect || r.ID != "1/2" || r.Model != "openai/m" || r.TaskKind != "browser" || r.Duration.Seconds() != 8.5 {
		t.Errorf("%+v", r)
	}
	wantLabels(t, r, trace.Labels{Success: trace.Yes})
	wantEvents(t, r.Events, `
+0s user Go to the site
+1s usage a1 15+3 cache 5+0
+2s call c1 go(Go to the site)
+4s assistant as told
+4s usage a2 2+1 cache 5+0
+5s result c1 NetworkError: too slow
`)
	if runs[1].ID != "two" || runs[1].Timed {
		t.Errorf("%+v", runs[1])
	}
	wantLabels(t, runs[1], trace.Labels{Success: trace.No, Error: "broke"})
	wantEvents(t, runs[1].Events, `
+0s user Be brief
+1s user Add
+2s call x add(1)
+3s result x InvalidArguments: b is missing
`)
}

// An evaluation that did not end may lack samples: that is an error of the
// file, after those that it has.
func TestInspectThatDidNotEnd(t *testing.T) {
	const sample = `{"id":1,"messages":[{"role":"assistant","content":"x"}]}`
	log := func(rest string) string { return `{"version":2,"eval":{"task":"t","model":"m"},` + rest + `}` }
	for name, c := range map[string]struct {
		text, want string
		runs       int
	}{
		"failed":        {log(`"status":"error","error":{"message":"boom\nat 1"},"samples":[]`), "i.json:1: the evaluation did not end, so that samples may be missing: its status is error: boom…", 0},
		"with a sample": {log(`"samples":[` + sample + `],"status":"error"`), "its status is error", 1},
		"not ended":     {log(`"status":"started","samples":[` + sample + `]`), "its status is started", 1},
		"no samples":    {log(`"status":"success","samples":[]`), "i.json:1: samples: the list holds nothing", 0},
		"no status":     {log(`"samples":[` + sample + `]`), "", 1},
		"no text":       {log(`"status":1,"samples":[]`), "want a text, not 1", 0},
	} {
		runs, errs := readAll("i.json", c.text, trace.Options{})
		got := ""
		if len(errs) > 0 {
			got = errs[0].Error()
		}
		if len(runs) != c.runs || len(errs) > 1 || !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %d runs, %v", name, len(runs), errs)
		}
	}
	_, errs := readAll("t.json", `{"info":{"agent_info":{}},"simulations":[]}`, trace.Options{})
	if len(errs) != 1 || errs[0].Error() != "t.json:1: simulations: the list holds nothing" {
		t.Errorf("tau2: %v", errs)
	}
}

// A sample without events tells its usage as a whole.
func TestInspectUsageOfSample(t *testing.T) {
	r := readOne(t, trace.Inspect, "i.json", `{"version":2,"eval":{"task":"t","model":"m"},"samples":[{"id":1,"messages":[{"role":"assistant","content":"x"}],
 "model_usage":{"openai/m":{"input_tokens":20,"output_tokens":3,"total_tokens":23,"input_tokens_cache_read":5},"n":{"input_tokens":1,"output_tokens":1}}}]}`)
	wantEvents(t, r.Events, `
+0s assistant x
+0s usage usage of openai/m 15+3 cache 5+0
+0s usage usage of n 1+1
`)
}

// An event that was written before it was over comes again, and counts once.
func TestInspectPending(t *testing.T) {
	const (
		begun = `{"event":"tool","pending":true,"id":"c","function":"go","arguments":{},"timestamp":"2025-05-12T20:27:39Z"}`
		over  = `{"event":"tool","id":"c","function":"go","arguments":{},"timestamp":"2025-05-12T20:27:39Z","completed":"2025-05-12T20:27:40Z","result":"x"}`
	)
	for events, want := range map[string]string{
		begun + "," + over: "+0s call c go\n+1s result c = x\n",
		begun:              "+0s call c go\n",
	} {
		r := readOne(t, trace.Inspect, "i.json", `{"version":2,"eval":{"task":"t","model":"m"},"samples":[{"id":1,"events":[`+events+`]}]}`)
		wantEvents(t, r.Events, want)
	}
}
