package trace_test

import (
	_ "embed"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

//go:embed testdata/pi.jsonl
var piSession string

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
