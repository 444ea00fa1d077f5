package trace_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

//go:embed testdata/inspect.json
var inspectLog string

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
