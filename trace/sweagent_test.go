package trace_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

const sweAgentRun = `{"environment":"swe_main","trajectory":[
 {"action":"open \"a b.py\"\n","observation":"1: x","response":"Look\n` + "```" + `","thought":"Look\n","state":"{}"},
 {"action":"","observation":"Your command was not formatted well","response":"","thought":"Hm","state":"{}"},
 {"action":"./run.sh && ls","observation":"","response":"","thought":"","state":"{}","execution_time":0.2}],
 "history":[{"role":"system","content":"You are in a shell","agent":"main"},{"role":"user","content":"A demonstration","is_demo":true},
  {"role":"user","content":"Fix the issue","agent":"main"},{"role":"assistant","content":"Look"},{"role":"user","content":"1: x"}],
 "info":{"exit_status":"submitted","model_stats":{"total_cost":9.5,"instance_cost":0.25,"tokens_sent":70,"tokens_received":8,"api_calls":2}}}`

func TestSWEAgent(t *testing.T) {
	r := readOne(t, trace.SWEAgent, "x.traj", sweAgentRun)
	if r.TaskKind != "swe_main" || r.Timed {
		t.Errorf("%+v", r)
	}
	wantLabels(t, r, trace.Labels{Stop: "submitted"})
	wantEvents(t, r.Events, `
+0s user You are in a shell
+1s user Fix the issue
+2s assistant Look

+2s call #1 open(open "a b.py"
)
+3s result #1 = 1: x
+4s assistant Hm
+5s call #2 shell(./run.sh && ls)
+6s result #2 = `+`
+6s usage model_stats 70+8 $0.25
`)
}
