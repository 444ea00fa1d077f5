package trace_test

import (
	_ "embed"
	"errors"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
)

//go:embed testdata/tau2.json
var tau2Experiment string

func TestTau2(t *testing.T) {
	runs, errs := readAll("t.json", tau2Experiment, trace.Options{})
	if len(errs) > 0 || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), errs)
	}
	r := runs[0]
	if r.Source != "t.json#0" || r.Format != trace.Tau2 || r.ID != "s1" || r.Model != "m" || r.TaskKind != "telecom" || !r.Timed || r.Duration != 19500*time.Millisecond {
		t.Errorf("%+v", r)
	}
	wantLabels(t, r, trace.Labels{Success: trace.Yes, Stop: "user_stop"})
	wantEvents(t, r.Events, `
+0s user Be kind
+0s assistant Hi
+3s user It is off
+4s usage  30+4 $0.002
+4s call x look(1)
+5s result x ToolError: no
`)
	wantEvents(t, r.UserEvents, `
+0s usage  5+6 $0.001
+0s call x reboot
+1s result x = rebooted
+2s usage  7+8 $0.001
`)
	if got := r.Totals(); got.Calls != 1 || got.InputTokens != 30 {
		t.Errorf("the agent's totals count the user's: %+v", got)
	}
	if runs[1].Timed || runs[1].Events[2].At != trace.UntimedStart+int64(time.Second) {
		t.Errorf("without times: %+v", runs[1])
	}
	wantLabels(t, runs[1], trace.Labels{})
}

func TestTau2WithoutSimulations(t *testing.T) {
	_, errs := readAll("t.json", `{"info":{"agent_info":{}}}`, trace.Options{})
	var e *trace.FieldError
	if len(errs) != 1 || !errors.As(errs[0], &e) || e.Path != "simulations" {
		t.Errorf("%v", errs)
	}
}

// What comes before the first time that is told is at it, on both sides.
func TestTau2TimedLate(t *testing.T) {
	r := readOne(t, trace.Tau2, "t.json", `{"info":{"agent_info":{}},"simulations":[{"id":"s","messages":[
 {"role":"user","content":"Hi","tool_calls":[{"id":"x","name":"reboot","arguments":{}}]},
 {"role":"assistant","content":"Yo","timestamp":"2025-08-01T15:09:43Z"}]}]}`)
	wantEvents(t, r.Events, "+0s user Hi\n+0s assistant Yo\n")
	if len(r.UserEvents) != 1 || r.UserEvents[0].At != r.Events[0].At {
		t.Errorf("%v", r.UserEvents)
	}
}

// Several results may stand in one message.
func TestTau2ToolMessages(t *testing.T) {
	r := readOne(t, trace.Tau2, "t.json", `{"info":{"agent_info":{}},"simulations":[{"id":"s","messages":[
 {"role":"assistant","content":null,"tool_calls":[{"id":"x","name":"look","arguments":{}},{"id":"y","name":"look","arguments":{"n":1}}]},
 {"role":"tool","tool_messages":[{"role":"tool","id":"x","content":"no","error":true},{"role":"tool","id":"y","content":"yes","error":false}]}]}]}`)
	wantEvents(t, r.Events, `
+0s call x look
+0s call y look(1)
+1s result x ToolError: no
+1s result y = yes
`)
}

// A cost of 0 is none that was told, and the usage is priced as that of the
// model that the experiment names.
func TestTau2UsageNamesItsModel(t *testing.T) {
	runs, errs := readAll("t.json", tau2Experiment, trace.Options{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, e := range runs[0].Events {
		if e.Type == session.Usage && e.Model != "m" {
			t.Errorf("%+v", e)
		}
	}
}
