package trace_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

const piSession = `{"type":"session","id":"P","timestamp":"2025-11-20T23:33:00Z","cwd":"/x","provider":"anthropic","modelId":"claude-z"}
{"type":"message","timestamp":"2025-11-20T23:33:01Z","message":{"role":"user","content":[{"type":"text","text":"/mode"}]}}
{"type":"model_change","timestamp":"2025-11-20T23:33:02Z","modelId":"other"}
{"type":"message","timestamp":"2025-11-20T23:33:03Z","message":{"role":"assistant","content":[{"type":"text","text":"I read."},{"type":"toolCall","id":"a","name":"read","arguments":{"path":"f"}}],"model":"claude-z","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cost":{"total":0.0000301}},"stopReason":"toolUse"}}
{"type":"message","timestamp":"2025-11-20T23:33:04Z","message":{"role":"toolResult","toolCallId":"a","toolName":"read","content":[{"type":"text","text":"Command exited with code 1"}],"isError":true}}
{"type":"message","timestamp":"2025-11-20T23:33:05Z","message":{"role":"bashExecution","command":"make","output":"done"}}
{"type":"message","timestamp":"2025-11-20T23:33:06Z","message":{"role":"assistant","content":[],"usage":{"input":0,"output":0,"cost":{"total":0}},"stopReason":"aborted"}}
`

func TestPi(t *testing.T) {
	r := readOne(t, trace.Pi, "p.jsonl", piSession)
	if r.ID != "P" || r.Model != "claude-z" || r.Duration.Seconds() != 6 {
		t.Errorf("%+v", r)
	}
	wantEvents(t, r.Events, `
+0s user /mode
+2s assistant I read.
+2s usage  1+2 cache 3+4 $3.01e-05
+2s call a read(f)
+3s result a ToolError: Command exited with code 1
+4s user make
`)
}

// The model of a session that does not name it is that of its first answer.
func TestPiModelOfMessage(t *testing.T) {
	r := readOne(t, trace.Pi, "s.jsonl", `{"type":"session","id":"S","cwd":"/"}
{"type":"message","message":{"role":"assistant","model":"m","content":[{"type":"text","text":"x"}]}}`)
	if r.Model != "m" {
		t.Errorf("model %q", r.Model)
	}
}
