package run_test

import (
	"fmt"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// A run that a rule stopped, in whatever way, is halted in the figures of its
// task; only a step that fails makes it a failure.
func TestFigures(t *testing.T) {
	for name, c := range map[string]struct {
		policy, recording string
		status            run.Status
		want              string
	}{
		"completed": {"", "steps: [{step: a, output: x}, {step: b, output: y}]", run.Completed, `completed ""`},
		"recovered": {"", "steps: [{step: a, output: x}, {step: b, error: {class: ToolError, message: no}}]", run.Recovered, `completed ""`},
		"failed": {"", "steps: [{step: a, error: {class: ToolError, message: no}}]", run.Failed,
			`failed "chain two: step a (tool.a) failed: ToolError: no"`},
		"aborted": {"B:ability:tool.b|abort|\"Not b\"|id=b", "steps: [{step: a, output: x}]", run.Aborted,
			`halted "step b (tool.b) aborted by rule b: Not b"`},
		"nobody asked": {"B:ability:tool.b|confirm|\"Ask\"|id=b", "steps: [{step: a, output: x}]", run.Aborted,
			`halted "step b (tool.b) aborted by rule b: Ask: the recording answers nothing to rule b at step b"`},
		"declined": {"B:ability:tool.b|confirm|\"Ask\"|id=b", "steps: [{step: a, output: x}]\nconfirm: {b: decline}", run.Declined,
			`halted "step b (tool.b) declined by rule b: Ask"`},
		"throttled": {"B:frequency:tool.*>1/1h|throttle|\"Slowly\"|id=b", "steps: [{step: a, output: x}]", run.Throttled,
			`halted "step b (tool.b) throttled by rule b: Slowly (2, limit 1), room in 1h0m0s"`},
		"not reviewed": {"B:task.tool_calls>1|review|\"Many\"|id=many", "steps: [{step: a, output: x}]", run.Aborted,
			`halted "Many (task.tool_calls 2 exceeds 1)"`},
	} {
		t.Run(name, func(t *testing.T) {
			p, faults := dsl.ParsePolicy("policy.cbp", []byte(c.policy))
			if faults.Err() != nil {
				t.Fatal(faults)
			}
			var reg registry.Registry
			if err := reg.Load(p); err != nil {
				t.Fatal(err)
			}
			rec, faults := run.ParseRecording("rec.yaml", []byte(c.recording))
			if rec == nil {
				t.Fatal(faults)
			}
			var got []string
			r, _ := run.DryRun(t.Context(), run.DryRunOptions{
				Chain: parse(t, two), Recording: rec,
				Session: session.Options{Registry: &reg, OnTask: func(m session.Metadata) {
					got = append(got, fmt.Sprintf("%s %q", m.FinalStatus, m.FailureReason))
				}},
			})
			if r.Status != c.status || len(got) != 1 || got[0] != c.want {
				t.Errorf("%s, in figures %s; want %s, %s", r.Status, got, c.status, c.want)
			}
		})
	}
}
