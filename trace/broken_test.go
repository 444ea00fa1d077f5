package trace_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

// What a recording lacks, so that nobody can tell what its run did.
func TestBroken(t *testing.T) {
	const (
		dojo   = `{"suite_name":"s","pipeline_name":"m","messages":[`
		bench  = `{"task_id":0,"reward":0.0,"info":{},"traj":[`
		claude = `"uuid":"U","timestamp":"2026-01-05T09:00:0`
	)
	// A call of the tool t in a message of its own, and a result, by format.
	dojoCall := func(id string) string {
		return `{"role":"assistant","content":"","tool_calls":[{"id":"` + id + `","function":"t","args":{}}]}`
	}
	dojoResult := func(id string) string { return `{"role":"tool","content":"x","tool_call_id":"` + id + `"}` }
	use := func(at, id string) string {
		return `{"type":"tool_use","at":"2026-01-05T09:00:` + at + `Z","call_id":"` + id + `","ability":"t"}` + "\n"
	}
	result := func(at, id string) string {
		return `{"type":"tool_result","at":"2026-01-05T09:00:` + at + `Z","call_id":"` + id + `"}` + "\n"
	}
	model := func(uuid, second, message, part string) string {
		return `{"type":"assistant","sessionId":"S",` + strings.Replace(claude, "U", uuid, 1) + second + `Z","message":{"id":"` + message + `","content":[` + part + `]}}` + "\n"
	}
	claudeCall := func(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"Bash","input":{}}` }
	tau2 := func(reason string) string {
		return `{"info":{"agent_info":{}},"simulations":[{"id":"1","termination_reason":"` + reason + `","messages":[{"role":"assistant","content":"hi"}]}]}`
	}
	pi := func(lines ...string) string {
		return `{"type":"session","id":"S","cwd":"/"}` + "\n" + strings.Join(lines, "\n")
	}
	piTurn := func(why, parts string) string {
		return `{"type":"message","message":{"role":"assistant","stopReason":"` + why + `","errorMessage":"gone","content":[` + parts + `]}}`
	}
	inspect := func(sample string) string {
		return `{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,` + sample + `}]}`
	}
	langfuse := func(root, more string) string {
		return `{"trace":{"id":"L"},"observations":[{"id":"r","type":"GENERATION","startTime":"2026-01-05T09:00:00Z","input":"hi",` + root + `}` + more + `]}`
	}
	for _, c := range []struct{ name, text, want string }{
		{"every call has a result", dojo + dojoCall("a") + "," + dojoResult("a") + `]}`, ""},
		{"the agent goes on without a result", dojo + dojoCall("a") + "," + dojoCall("b") + "," + dojoResult("b") + `]}`, "call 1 (t) has no result"},
		{"no results at all", dojo + dojoCall("a") + "," + dojoCall("b") + "," + dojoCall("c") + `]}`, "call 1 (t) has no result (and 1 more)"},
		{"the agent ends without a result", dojo + dojoCall("a") + `,{"role":"assistant","content":"done"}]}`, "call 1 (t) has no result"},
		{"the last turn", dojo + dojoCall("a") + "," + dojoResult("a") + "," + dojoCall("b") + `]}`, ""},
		{"a result alone", dojo + dojoResult("a") + "," + dojoResult("b") + `]}`, "a result for a call that is not there (and 1 more)"},
		{"an error", dojo + dojoCall("a") + `],"error":"boom\nat line 1"}`, "the run ended with an error: boom…"},
		{"no messages", dojo + `]}`, "messages: the list holds nothing"},
		{"cut arguments", bench + `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"t","arguments":"{\"id\": \"A"}}]},{"role":"tool","tool_call_id":"a","content":"x"}]}`,
			"call 1 (t) has arguments that are no JSON"},
		{"cut arguments of AgentDojo", dojo + `{"role":"assistant","content":"","tool_calls":[{"id":"a","function":"t","args":"{\"id\": \"A"}]},` + dojoResult("a") + `]}`,
			"call 1 (t) has arguments that are no JSON"},
		{"cut arguments of tau2", `{"info":{"agent_info":{}},"simulations":[{"messages":[{"role":"assistant","tool_calls":[{"id":"a","name":"t","arguments":"{\"id\": \"A"}]},{"role":"tool","id":"a","content":"x"}]}]}`,
			"call 1 (t) has arguments that are no JSON"},
		{"cut arguments of a span", `{"data":[{"traceID":"T","spans":[{"spanID":"a","startTime":1771237534000000,"duration":1,"tags":[{"key":"gen_ai.operation.name","value":"execute_tool"},{"key":"gen_ai.tool.name","value":"t"},{"key":"gen_ai.tool.call.arguments","value":"{\"id\": \"A"}]}]}]}`,
			"call 1 (t) has arguments that are no JSON"},
		{"words for arguments of a span", `{"data":[{"traceID":"T","spans":[{"spanID":"a","startTime":1771237534000000,"duration":1,"tags":[{"key":"gen_ai.operation.name","value":"execute_tool"},{"key":"gen_ai.tool.name","value":"t"},{"key":"tool_arguments","value":"{'topic': 'x'}"}]}]}]}`, ""},
		{"no name", dojo + `{"role":"assistant","content":"","tool_calls":[{"id":"a","function":null,"args":{}}]},` + dojoResult("a") + `]}`, "call 1 names no tool"},
		{"a session of pi without content", `{"type":"session","cwd":"/","id":"x"}`, "nothing of the run was recorded"},
		{"a session of Claude Code without content", `{"type":"last-prompt","sessionId":"s"}`, "nothing of the run was recorded"},
		{"no arguments", bench + `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"t","arguments":""}}]},{"role":"tool","tool_call_id":"a","content":"x"}]}`, ""},
		{"no trajectory", bench + `]}`, "traj: the list holds nothing"},
		{"events, one after the other", use("01", "a") + use("02", "b") + result("03", "b"), "call 1 (t) has no result"},
		{"events, at once", use("01", "a") + use("01", "b") + result("03", "b"), ""},
		{"events, after a result", use("01", "a") + use("01", "b") + result("01", "b") + use("01", "c"), "call 1 (t) has no result"},
		{"events of one id", use("01", "a") + use("02", "a") + use("03", "a") + result("03", "a"), "call 2 (t) has no result"},
		{"events, a result alone", result("01", "a"), "a result for a call that is not there"},
		{"a turn of several lines", model("1", "1", "m1", claudeCall("a")) + model("2", "2", "m1", claudeCall("b")), ""},
		{"a turn after it", model("1", "1", "m1", claudeCall("a")) + model("2", "2", "m2", claudeCall("b")), "call 1 (Bash) has no result"},
		{"a model that was out of reach", strings.Replace(model("1", "1", "m1", `{"type":"text","text":"API Error: 500"}`), `"type"`, `"isApiErrorMessage":true,"type"`, 1),
			"the run ended with an error: API Error: 500"},
		{"and came back", strings.Replace(model("1", "1", "m1", `{"type":"text","text":"API Error: 500"}`), `"type"`, `"isApiErrorMessage":true,"type"`, 1) +
			model("2", "2", "m2", `{"type":"text","text":"done"}`), ""},
		{"tau2 ends", tau2("user_stop"), ""},
		{"tau2 fails", tau2("infrastructure_error"), "the run ended with an error: infrastructure_error"},
		{"a turn that was stopped", pi(piTurn("aborted", `{"type":"toolCall","id":"a","name":"t","arguments":{}}`), piTurn("stop", `{"type":"text","text":"so"}`)), ""},
		{"a turn that was not", pi(piTurn("toolUse", `{"type":"toolCall","id":"a","name":"t","arguments":{}}`), piTurn("stop", `{"type":"text","text":"so"}`)), "call 1 (t) has no result"},
		{"pi fails", pi(piTurn("error", "")), "the run ended with an error: gone"},
		{"a sample that failed", inspect(`"messages":[{"role":"assistant","content":"x"}],"error":{"message":"boom","traceback":""}`), "the run ended with an error: boom"},
		{"a Langfuse trace that failed", langfuse(`"level":"ERROR","statusMessage":"RateLimitError: 429"`, ""), "the run ended with an error: RateLimitError: 429"},
		{"a part of one that failed", langfuse(`"level":"DEFAULT"`, `,{"id":"g","parentObservationId":"r","type":"GENERATION","startTime":"2026-01-05T09:00:01Z","level":"ERROR","input":"hi"}`), ""},
		{"one that went on", langfuse(`"level":"ERROR"`, `,{"id":"g","type":"GENERATION","startTime":"2026-01-05T09:00:02Z","level":"DEFAULT","input":"hi"}`), ""},
		{"a sample without anything", inspect(`"messages":[],"events":[]`), "messages: the list holds nothing"},
		{"a step without an observation", `{"environment":"e","trajectory":[{"action":"ls"},{"action":"pwd","observation":"/"}],"info":{}}`, "call 1 (ls) has no result"},
		{"the last step without one", `{"environment":"e","trajectory":[{"action":"pwd","observation":"/"},{"action":"ls","observation":null}],"info":{}}`, ""},
		{"a tool that was done without a result", inspect(`"messages":[{"role":"user","content":"x"}],"events":[
			{"event":"tool","id":"a","function":"t","arguments":{},"timestamp":"2026-01-05T09:00:01Z","completed":"2026-01-05T09:00:02Z"},
			{"event":"model","timestamp":"2026-01-05T09:00:02Z","completed":"2026-01-05T09:00:02.5Z","model":"m","output":{"choices":[{"message":{"role":"assistant","content":"on"}}]}},
			{"event":"tool","id":"b","function":"t","arguments":{},"timestamp":"2026-01-05T09:00:03Z","completed":"2026-01-05T09:00:04Z","result":"x"}]`), "call 1 (t) has no result"},
		{"an environment that failed", `{"environment":"e","trajectory":[{"action":"ls","observation":"a"}],"info":{"exit_status":"submitted (exit_environment_error)"}}`,
			"the run ended with an error: exit_environment_error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs, errs := readAll("r.jsonl", c.text, trace.Options{})
			if len(errs) > 0 || len(runs) != 1 {
				t.Fatalf("%d runs, errors %v", len(runs), errs)
			}
			if got := runs[0].Broken; got != c.want {
				t.Errorf("broken %q, want %q", got, c.want)
			}
		})
	}
}

// Of the recordings of real agents, few are broken.
func TestBrokenOfRealRecordings(t *testing.T) {
	var broken []string
	runs := 0
	for r, err := range trace.Open(devPath(t), trace.Options{}) {
		if err != nil {
			continue // there are chains and tables among them
		}
		if runs++; r.Broken != "" {
			broken = append(broken, r.Source+": "+r.Broken)
		}
	}
	if runs < 200 || len(broken) != 2 || !slices.ContainsFunc(broken, func(s string) bool { return strings.HasSuffix(s, "messages: the list holds nothing") }) {
		t.Errorf("%d runs, broken:\n%s", runs, strings.Join(broken, "\n"))
	}
}
