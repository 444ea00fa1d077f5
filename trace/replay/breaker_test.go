package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// Recorded results move the breakers of a replay, each once, however often the
// recording tells of it, and those of the ability that was called.
func TestRecordedResultsCountOnce(t *testing.T) {
	twice := "call a\nfail no\nfail no\n" // its result is told twice
	again := `{"type":"tool_use","call_id":"c","ability":"a"}
{"type":"tool_use","call_id":"c","ability":"a"}
{"type":"tool_result","call_id":"c","error":{"class":"ToolError","message":"no"}}
{"type":"tool_result","call_id":"c","error":{"class":"ToolError","message":"no"}}
` // the call is told twice, with all that becomes of it
	tasks := `{"type":"tool_use","task":"t","call_id":"c","ability":"fine"}
{"type":"tool_use","task":"u","call_id":"c","ability":"a"}
{"type":"tool_result","task":"u","call_id":"c","error":{"class":"ToolError","message":"no"}}
{"type":"tool_result","task":"t","call_id":"c","output":"well"}
` // two calls of one id, in two tasks
	begin := `{"type":"task_start","task":"t"}
{"type":"task_start","task":"u"}
`
	for _, tt := range []struct{ name, script, want string }{
		{"a failure short of the threshold", strings.Repeat(twice, 2) + "call a\nresult well", "goes on"},
		{"the threshold", strings.Repeat(twice, 3) + "call a\nresult well", "call 4: circuit_open"},
		{"a call told twice", strings.Repeat(again, 2) + "call a\nresult well", "goes on"},
		{"a call told twice, to the threshold", strings.Repeat(again, 3) + "call a\nresult well", "call 7: circuit_open"},
		{"calls of one id in two tasks", begin + strings.Repeat(tasks, 3) + `{"type":"tool_use","task":"t","call_id":"d","ability":"fine"}` + "\ncall a", "call 8: circuit_open"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := replay.Run(t.Context(), events(t, tt.script), replay.Options{Session: session.Options{
				Registry: rules(t, ""), Breakers: []session.Breaker{{Abilities: "*", Config: breaker.Config{Threshold: 3}}},
			}})
			if err != nil {
				t.Fatal(err)
			}
			got := "goes on"
			if r.Halted() {
				got = fmt.Sprintf("call %d: %s", r.HaltedAt, r.Rule)
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
