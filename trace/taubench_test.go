package trace_test

import (
	_ "embed"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

//go:embed testdata/tau-bench.json
var tauBenchRuns string

func TestTauBench(t *testing.T) {
	runs, errs := readAll("runs.json", tauBenchRuns, trace.Options{})
	if len(errs) > 0 || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), errs)
	}
	r := runs[0]
	if r.Source != "runs.json#0" || r.Format != trace.TauBench || r.ID != "4/1" || r.Timed {
		t.Errorf("%+v", r)
	}
	wantLabels(t, r, trace.Labels{Success: trace.Yes})
	wantEvents(t, r.Events, `
+0s user Policy
+1s user Cancel it
+2s call a get(12345678901234567890)
+3s result a ToolError: Error: no such order
+4s call b get({not json)
+5s result b = ok
+6s assistant Done
`)
	wantLabels(t, runs[1], trace.Labels{Success: trace.No})
	if runs[1].Source != "runs.json#1" || len(runs[1].Events) != 0 {
		t.Errorf("%+v", runs[1])
	}
}

// With the strategies act and react an agent calls its tools in words.
func TestTauBenchInWords(t *testing.T) {
	r := readOne(t, trace.TauBench, "runs.json", `[{"task_id":4,"reward":1.0,"info":{},"traj":[
  {"role":"system","content":"Policy"},{"role":"user","content":"Cancel it"},
  {"role":"assistant","content":"Thought:\nI look.\nAction:\n{\"name\": \"get\", \"arguments\": {\"id\": \"A\"}}"},
  {"role":"user","content":"API output: Error: no such order"},
  {"role":"assistant","content":"Action:\n{\"name\": \"respond\", \"arguments\": {\"content\": \"Which one?\"}}"},
  {"role":"user","content":"API output: that is what I read"},
  {"role":"assistant","content":"Action: {\"name\": cut"}]}]`)
	wantEvents(t, r.Events, `
+0s user Policy
+1s user Cancel it
+2s assistant Thought:
I look.

+2s call #1 get(A)
+3s result #1 ToolError: Error: no such order
+4s assistant Which one?
+5s user API output: that is what I read
+6s assistant Action: {"name": cut
`)
}
