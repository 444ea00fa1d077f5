package trace_test

import (
	_ "embed"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

//go:embed testdata/gemini-cli.json
var geminiSession string

func TestGeminiCLI(t *testing.T) {
	r := readOne(t, trace.GeminiCLI, "g.json", geminiSession)
	if r.ID != "G" || r.Model != "gemini-p" || r.Duration.Seconds() != 9 {
		t.Errorf("%+v", r)
	}
	wantEvents(t, r.Events, `
+0s user Change it
+5s usage 2 62+12 cache 40+0
+5s call a read(f)
+5s call b write
+5s call c rm
+5s call d wait
+5s asked `+`
+6s result a = Hello
+6s asked `+`
+7s result b ToolError: not found
+7s asked `+`
+8s result c Cancelled: `+`
`)
	if len(r.Unanswered) != 1 || r.Unanswered[0] != "d" {
		t.Errorf("unanswered %v", r.Unanswered)
	}
}

// A status may be in capitals, or missing.
func TestGeminiStatus(t *testing.T) {
	const output = `,"result":[{"functionResponse":{"id":"a","name":"f","response":{"error":"no such file"}}}]`
	for rest, failed := range map[string]bool{
		`"status":"ERROR"` + output: true, `"status":"error"` + output: true, `"name":"f"` + output: true, `"status":"SUCCESS"` + output: false,
		`"result":[{"functionResponse":{"id":"a","name":"f","response":{"output":"x"}}}]`: false,
	} {
		r := readOne(t, trace.GeminiCLI, "g.json", `{"sessionId":"S","projectHash":"p","messages":[{"type":"gemini","content":"","timestamp":"2026-01-05T09:00:00Z","toolCalls":[{"id":"a","args":{},`+rest+`}]}]}`)
		if got := r.Totals().Errors == 1; got != failed || len(r.Unanswered) > 0 {
			t.Errorf("%s: %+v", rest, r.Events)
		}
	}
}
