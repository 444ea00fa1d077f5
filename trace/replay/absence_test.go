package replay_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// No clock runs while a person is away, whether he interrupted the agent or is
// asked whether a tool may be called, which the source does not tell from the
// tool's own work. While the agent works, they run.
func TestAbsence(t *testing.T) {
	const (
		call      = `{"type":"assistant","uuid":"1","timestamp":"2026-01-05T09:00:00Z","sessionId":"S","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{}}]}}`
		result    = `"sessionId":"S","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}}`
		interrupt = `{"type":"user","uuid":"3","timestamp":"2026-01-05T09:00:02Z","sessionId":"S","message":{"content":"[Request interrupted by user for tool use]"}}`
	)
	for _, c := range []struct{ name, want, lines string }{
		{"a call that waits for leave", "allow", call + `
			{"type":"user","uuid":"2","timestamp":"2026-01-05T12:00:00Z",` + result},
		{"an interruption", "allow", call + `
			{"type":"user","uuid":"2","timestamp":"2026-01-05T09:00:01Z",` + result + "\n" + interrupt + `
			{"type":"user","uuid":"4","timestamp":"2026-01-05T12:00:00Z","sessionId":"S","message":{"content":"Go on"}}
			{"type":"assistant","uuid":"5","timestamp":"2026-01-05T12:00:01Z","sessionId":"S","message":{"content":[{"type":"tool_use","id":"b","name":"Bash","input":{}}]}}`},
		{"an agent that thinks for hours", "abort", call + `
			{"type":"user","uuid":"2","timestamp":"2026-01-05T09:00:01Z",` + result + `
			{"type":"assistant","uuid":"5","timestamp":"2026-01-05T12:00:01Z","sessionId":"S","message":{"content":[{"type":"tool_use","id":"b","name":"Bash","input":{}}]}}`},
	} {
		for r, err := range trace.Read("s.jsonl", strings.NewReader(strings.ReplaceAll(c.lines, "\t", "")+"\n"), trace.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			got, err := replay.Run(t.Context(), r, replay.Options{Session: session.Options{Registry: rules(t, "")}})
			if err != nil || got.Decision != c.want {
				t.Errorf("%s: %s by %s, %v", c.name, got.Decision, got.Rule, err)
			}
		}
	}
}

// No recorded run of an agent that works with people, or on code, is
// stopped because a person was away or a call was long.
func TestRecordedAbsence(t *testing.T) {
	const data = "../../../shared/traces-dev"
	if _, err := os.Stat(data); err != nil {
		t.Skipf("%s is not there", data)
	}
	reg := rules(t, "")
	for _, dir := range []string{"tau-bench", "tau2", "swe-agent", "claude-code"} {
		for r, err := range trace.Open(data+"/"+dir, trace.Options{}) {
			if err != nil {
				continue // TestRecordedRuns and the readers' own tests look at these
			}
			got, err := replay.Run(t.Context(), r, replay.Options{Session: session.Options{Registry: reg}})
			if err != nil || got.Rule == "duration_limit" || got.Rule == "idle_timeout" {
				t.Errorf("%s: %s at %d by %s: %s, %v", r.Source, got.Decision, got.HaltedAt, got.Rule, got.Explain, err)
			}
		}
	}
}
