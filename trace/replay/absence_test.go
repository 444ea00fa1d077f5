package replay_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

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
		{"an interruption after hours", "allow", call + `
			{"type":"user","uuid":"2","timestamp":"2026-01-05T09:00:01Z",` + result + `
			{"type":"user","uuid":"3","timestamp":"2026-01-05T12:00:00Z","sessionId":"S","message":{"content":"[Request interrupted by user]"}}
			{"type":"assistant","uuid":"5","timestamp":"2026-01-05T12:00:01Z","sessionId":"S","message":{"content":[{"type":"tool_use","id":"b","name":"Bash","input":{}}]}}`},
		{"a refusal, and the interruption hours after it", "allow", call + `
			{"type":"user","uuid":"2","timestamp":"2026-01-05T09:00:01Z","sessionId":"S","message":{"content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"The user doesn't want to proceed with this tool use."}]}}
			{"type":"user","uuid":"3","timestamp":"2026-01-05T12:00:00Z","sessionId":"S","message":{"content":"[Request interrupted by user for tool use]"}}
			{"type":"user","uuid":"4","timestamp":"2026-01-05T15:00:00Z","sessionId":"S","message":{"content":"Go on"}}
			{"type":"assistant","uuid":"5","timestamp":"2026-01-05T15:00:01Z","sessionId":"S","message":{"content":[{"type":"tool_use","id":"b","name":"Bash","input":{}}]}}`},
		{"a refusal without one", "allow", call + `
			{"type":"user","uuid":"2","timestamp":"2026-01-05T09:00:01Z","sessionId":"S","message":{"content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"The user doesn't want to proceed with this tool use."}]}}
			{"type":"assistant","uuid":"5","timestamp":"2026-01-05T15:00:01Z","sessionId":"S","message":{"content":[{"type":"tool_use","id":"b","name":"Bash","input":{}}]}}`},
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
			for _, call := range []int{1, got.ToolCalls/2 + 1, got.ToolCalls} {
				if !delay(r, call) {
					continue
				}
				got, err := replay.Run(t.Context(), r, replay.Options{Session: session.Options{Registry: reg}})
				if err != nil || got.Rule == "duration_limit" || got.Rule == "idle_timeout" {
					t.Errorf("%s, call %d takes hours: %s at %d by %s: %s, %v", r.Source, call, got.Decision, got.HaltedAt, got.Rule, got.Explain, err)
				}
			}
		}
	}
}

// delay has a call of a run take three hours longer, and reports whether it can.
func delay(r *trace.Run, call int) bool {
	n, from := 0, int64(0)
	for i := range r.Events {
		e := &r.Events[i]
		if e.At > from && from > 0 {
			for j := range r.Events[i:] {
				r.Events[i+j].At += int64(3 * time.Hour)
			}
			return true
		}
		if e.Type == session.ToolUse || e.Type == session.Delegate {
			if n++; n == call && r.Timed {
				from = e.At
			}
		}
	}
	return false
}

// A call that takes long, or waits for leave, stops the clocks of its task in
// every format with times but our own events; many calls that each take a
// while do not.
func TestLongCall(t *testing.T) {
	at := func(minutes float64) string {
		return time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).Add(time.Duration(minutes * float64(time.Minute))).Format(time.RFC3339Nano)
	}
	event := func(minutes float64, rest string) string {
		return fmt.Sprintf(`{"at":%q,%s}`, at(minutes), rest) + "\n"
	}
	call := func(task, id string) string {
		return fmt.Sprintf(`"type":"tool_use","task":%q,"call_id":%q,"ability":"sh"`, task, id)
	}
	delegate := func(task, id string) string {
		return fmt.Sprintf(`"type":"delegate","task":%q,"call_id":%q,"worker":"w"`, task, id)
	}
	result := func(task, id string) string {
		return fmt.Sprintf(`"type":"tool_result","task":%q,"call_id":%q,"output":"out %s"`, task, id, id)
	}
	start := func(task, parent string) string {
		return fmt.Sprintf(`"type":"task_start","task":%q,"parent":%q`, task, parent)
	}
	says := func(task, text string) string {
		return fmt.Sprintf(`"type":"assistant","task":%q,"text":%q`, task, text)
	}
	var many, below strings.Builder
	for i := range 45 {
		m := float64(i)
		many.WriteString(event(m, call("", fmt.Sprint(i))) + event(m+0.9, result("", fmt.Sprint(i))))
		below.WriteString(event(m+0.2, call("b", fmt.Sprint(i))) + event(m+0.8, result("b", fmt.Sprint(i))))
	}
	tau2 := func(minutes float64) string {
		return `{"info":{"agent_info":{}},"simulations":[{"id":"s","messages":[
			{"role":"assistant","content":null,"timestamp":"` + at(0) + `","tool_calls":[{"id":"a","name":"look","arguments":{}}]},
			{"role":"tool","id":"a","content":"x","timestamp":"` + at(minutes) + `"},
			{"role":"assistant","content":"Done","timestamp":"` + at(minutes+0.1) + `"}]}]}`
	}
	jaeger := func(minutes float64) string {
		return fmt.Sprintf(`{"data":[{"traceID":"T","spans":[
			{"spanID":"t","startTime":1771237534000000,"duration":%.0f,"tags":[{"key":"gen_ai.operation.name","value":"execute_tool"},{"key":"gen_ai.tool.name","value":"f"}]},
			{"spanID":"u","startTime":%.0f,"duration":1,"tags":[{"key":"gen_ai.operation.name","value":"execute_tool"},{"key":"gen_ai.tool.name","value":"f"}]}]}]}`, minutes*60e6, 1771237534000000+minutes*60e6+1)
	}
	agent := func(minutes float64) string {
		return `{"type":"assistant","uuid":"1","timestamp":"` + at(0) + `","sessionId":"S","message":{"content":[{"type":"tool_use","id":"a","name":"Task","input":{"prompt":"look"}}]}}
			{"type":"user","uuid":"2","isSidechain":true,"agentId":"A","timestamp":"` + at(0.1) + `","sessionId":"S","message":{"content":"look"}}
			{"type":"assistant","uuid":"3","isSidechain":true,"agentId":"A","timestamp":"` + at(0.2) + `","sessionId":"S","message":{"content":"found"}}
			{"type":"user","uuid":"4","timestamp":"` + at(minutes) + `","sessionId":"S","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}}
			{"type":"assistant","uuid":"5","timestamp":"` + at(minutes+0.1) + `","sessionId":"S","message":{"content":[{"type":"tool_use","id":"b","name":"Bash","input":{}}]}}`
	}
	for _, c := range []struct{ name, rule, text string }{
		{"a call", "", event(0, call("", "a")) + event(180, result("", "a")) + event(180.1, call("", "b"))},
		{"our own events, which tell when somebody is asked", "duration_limit", event(0, call("", "a")) + event(180, result("", "a")) + event(180.1, call("", "b"))},
		{"a delegation", "", event(0, delegate("", "a")) + event(180, result("", "a")) + event(180.1, call("", "b"))},
		{"heartbeats before it", "", event(0, `"type":"heartbeat","phase":"working"`) + event(0, call("", "a")) + event(180, result("", "a"))},
		{"in a task of its own", "", event(0, start("t", "")) + event(0, call("t", "a")) + event(180, result("t", "a")) + event(180.1, call("t", "b"))},
		{"of a task that has ended", "", event(0, delegate("", "a")) + event(0, start("t", "")) + event(1, call("t", "b")) + event(1.5, result("t", "b")) +
			event(2, `"type":"task_end","task":"t"`) + event(180, result("", "a")) + event(180.1, call("", "c"))},
		{"tau2", "", tau2(31)},
		{"Jaeger", "", jaeger(180)},
		{"a sub-agent in the file", "", agent(180)},
		{"many calls", "duration_limit", many.String()},
		{"a call under way beside many", "duration_limit", event(0, call("", "long")) + many.String()},
		{"many calls below a delegation", "duration_limit", event(0, start("a", "")) + event(0, delegate("a", "d")) + event(0.1, start("b", "a")) + below.String()},
		{"a silence after a call", "duration_limit", event(0, call("", "a")) + event(0.5, result("", "a")) + event(40, call("", "b"))},
		{"a silence below a delegation", "duration_limit", event(0, delegate("", "d")) + event(0, start("b", "")) + event(0, call("b", "a")) + event(0.5, result("b", "a")) + event(40, call("b", "b"))},
		{"said and gone on", "duration_limit", event(0, call("", "a")) + event(0.5, result("", "a")) + event(0.6, says("", "I look")) + event(40, call("", "b"))},
	} {
		for r, err := range trace.Read("s.jsonl", strings.NewReader(strings.ReplaceAll(c.text, "\t", "")+"\n"), trace.Options{}) {
			if err != nil {
				t.Fatal(c.name, err)
			}
			if r.Format == trace.Events && !strings.HasPrefix(c.name, "our own") {
				r.Format = trace.ClaudeCode // events are only how the cases are written
			}
			got, err := replay.Run(t.Context(), r, replay.Options{Session: session.Options{Registry: rules(t, "")}})
			if err != nil || got.Rule != c.rule {
				t.Errorf("%s: %s by %q: %s, want %q, %v", c.name, got.Decision, got.Rule, got.Explain, c.rule, err)
			}
		}
	}
}
