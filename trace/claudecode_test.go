package trace_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

//go:embed testdata/claude-code.jsonl
var claudeSession string

func TestClaudeCode(t *testing.T) {
	r := readOne(t, trace.ClaudeCode, "s.jsonl", claudeSession)
	if r.Source != "s.jsonl" || r.ID != "S" || r.Model != "claude-x" || !r.Timed || r.Duration.Seconds() != 12 {
		t.Errorf("%+v", r)
	}
	wantEvents(t, r.Events, `
+0s user Fix the bug
+1s usage m1 3+40 cache 10+20
+2s call t1 Bash(make)
+2s asked `+`
+3s result t1 InvalidArguments: <tool_use_error>no</tool_use_error>
+4s assistant Now Ann.
+4s usage m2 4+2
+4s delegate t2 to ann(Look, ann)
+5s [A] start Look
+6s [A] usage m3 5+6
+6s [A] call t1#3 Read
+6s [A] asked `+`
+7s [A] result t1#3 = text
+7s [A] task_end `+`
+8s result t2 = found
+9s user to Rome
+9s asked `+`
+10s asked `+`
`)
}

// The file of a sub-agent is a run of its own, in which the user says nothing.
func TestClaudeCodeSubAgent(t *testing.T) {
	var lines []string
	for _, line := range strings.Split(claudeSession, "\n") {
		if strings.Contains(line, `"isSidechain":true`) {
			lines = append(lines, line)
		}
	}
	r := readOne(t, trace.ClaudeCode, "a.jsonl", strings.Join(lines, "\n"))
	if r.ID != "A" {
		t.Errorf("id %s", r.ID)
	}
	wantEvents(t, r.Events, `
+0s [A] start Look
+1s [A] usage m3 5+6
+1s [A] call t1 Read
+1s [A] asked `+`
+2s [A] result t1 = text
+2s [A] task_end `+`
`)
}

// Older files name no agent; there its lines are a chain.
func TestClaudeCodeSidechainWithoutAgent(t *testing.T) {
	r := readOne(t, trace.ClaudeCode, "a.jsonl", `{"type":"user","isSidechain":true,"uuid":"1","timestamp":"2026-01-05T09:00:00Z","sessionId":"S","message":{"content":"One"}}
{"type":"user","isSidechain":true,"uuid":"2","timestamp":"2026-01-05T09:00:01Z","sessionId":"S","message":{"content":"Two"}}
{"type":"assistant","isSidechain":true,"uuid":"3","parentUuid":"1","timestamp":"2026-01-05T09:00:02Z","sessionId":"S","message":{"content":[{"type":"text","text":"I am one"}]}}
{"type":"assistant","isSidechain":true,"uuid":"4","parentUuid":"2","timestamp":"2026-01-05T09:00:03Z","sessionId":"S","message":{"content":[{"type":"text","text":"I am two"}]}}
`)
	wantEvents(t, r.Events, `
+0s [1] start One
+1s [2] start Two
+2s [1] assistant I am one
+2s [1] task_end `+`
+3s [2] assistant I am two
+3s [2] task_end `+`
`)
}

func TestClaudeCodeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"The user doesn't want to proceed with this tool use.":        "Cancelled",
		"Claude requested to read X, but you haven't granted it yet.": "Cancelled",
		"Request failed with status code 503":                         "NetworkError",
		"Request failed with status code 429":                         "RateLimitExceeded",
		"Request failed with status code 404":                         "ToolError",
		"Exit code 1":                                                 "ToolError",
	} {
		r := readOne(t, trace.ClaudeCode, "s.jsonl", `{"type":"assistant","uuid":"1","timestamp":"2026-01-05T09:00:00Z","sessionId":"S","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{}}]}}
{"type":"user","uuid":"2","timestamp":"2026-01-05T09:00:00Z","sessionId":"S","message":{"content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"`+text+`"}]}}`)
		if got := r.Events[1].Error; got == nil || got.Class != want {
			t.Errorf("%s: %+v, want %s", text, got, want)
		}
	}
}

// A result that stands, and happened, before its call is still its result.
func TestResultBeforeCall(t *testing.T) {
	r := readOne(t, trace.ClaudeCode, "s.jsonl", `{"type":"user","uuid":"2","timestamp":"2026-01-05T09:00:00Z","sessionId":"S","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}}
{"type":"user","uuid":"3","timestamp":"2026-01-05T09:00:00Z","sessionId":"S","message":{"content":[{"type":"tool_result","tool_use_id":"lost","content":"y"}]}}
{"type":"assistant","uuid":"1","timestamp":"2026-01-05T09:00:01Z","sessionId":"S","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{}}]}}`)
	wantEvents(t, r.Events, `
+0s result lost = y
+1s call a Bash
+1s result a = x
`)
	if r.Orphans != 1 || len(r.Unanswered) != 0 {
		t.Errorf("%+v", r)
	}
}

// What a program cut in the middle of a character does not make a session unreadable.
func TestHalfACharacter(t *testing.T) {
	r := readOne(t, trace.ClaudeCode, "s.jsonl", `{"type":"user","uuid":"2","timestamp":"2026-01-05T09:00:00Z","sessionId":"S","message":{"content":"cut \ud83d"}}`)
	wantEvents(t, r.Events, "+0s user cut \ufffd\n")
}

// A line that a resumed session repeats counts once.
func TestClaudeCodeRepeatedLine(t *testing.T) {
	const call = `{"type":"assistant","uuid":"1","timestamp":"2026-01-05T09:00:00Z","sessionId":"S","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{}}]}}` + "\n"
	r := readOne(t, trace.ClaudeCode, "s.jsonl", call+call)
	if got := r.Totals().Calls; got != 1 {
		t.Errorf("%d calls", got)
	}
}

// Where a message has no id, its lines are those of one request.
func TestClaudeCodeWithoutMessageID(t *testing.T) {
	const line = `{"type":"assistant","requestId":"r","timestamp":"2026-01-05T09:00:00Z","sessionId":"S","message":{"content":[{"type":"text","text":"x"}],"usage":{"input_tokens":3,"output_tokens":4}}}` + "\n"
	r := readOne(t, trace.ClaudeCode, "s.jsonl", line+line+strings.Replace(line, `"r"`, `"q"`, 1))
	if got := r.Totals(); got.InputTokens != 6 || got.OutputTokens != 8 {
		t.Errorf("%+v", got)
	}
}
