package trace_test

import (
	_ "embed"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

//go:embed testdata/swe-agent.traj
var sweAgentRun string

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
