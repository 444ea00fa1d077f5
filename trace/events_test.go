package trace_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

//go:embed testdata/events.jsonl
var ownEvents string

func TestEvents(t *testing.T) {
	r := readOne(t, trace.Events, "e.jsonl", ownEvents)
	if r.Chain != "research" || r.Model != "claude" || !r.Timed || r.Duration.Seconds() != 5 {
		t.Errorf("%+v", r)
	}
	wantEvents(t, r.Events, `
+0s [t1] start research
+0s [t1] user Look
+2s [t1] call c1 web.fetch(u)
+3s [t1] result c1 = x
+4s [t1] usage m 9+4 $0.005
+5s [t1] delegate c2 to ann
`)
	if len(r.Unanswered) != 1 || r.Unanswered[0] != "c2" || r.Orphans != 0 {
		t.Errorf("unanswered %v, orphans %d", r.Unanswered, r.Orphans)
	}
}

func TestEventsWithoutTimes(t *testing.T) {
	r := readOne(t, trace.Events, "e.jsonl", `{"type":"user","text":"a"}`+"\n"+`{"type":"assistant","text":"b"}`)
	if r.Timed || r.Duration != 0 || r.Events[0].At != trace.UntimedStart {
		t.Errorf("%+v", r)
	}
	wantEvents(t, r.Events, "+0s user a\n+1s assistant b\n")
}

// What comes before the first time is at it.
func TestEventsTimedLate(t *testing.T) {
	r := readOne(t, trace.Events, "e.jsonl", `{"type":"user","text":"a"}`+"\n"+`{"type":"assistant","text":"b","at":"2026-01-05T09:00:00Z"}`)
	wantEvents(t, r.Events, "+0s user a\n+0s assistant b\n")
}

func TestEventFaults(t *testing.T) {
	for text, want := range map[string]string{
		"{\"type\":\"user\",\"text\":\"a\"}\n{\"type\":\"tool_use\"}":               "e.jsonl:2: tool_use needs an ability",
		"{\"type\":\"user\",\"text\":\"a\"}\n\n  {\"type\":\"user\",\"text\":1}":    "e.jsonl:3: text: text is not a text",
		"{\"type\":\"user\",\"text\":\"a\"}\n  {\"type\":\"user\",\"te":             "e.jsonl:2:18: the text is not closed",
		"{\"type\":\"user\",\"text\":\"a\"}\n{\"type\":\"user\",\"type\":\"user\"}": `e.jsonl:2:16: duplicate key "type"`,
	} {
		runs, errs := readAll("e.jsonl", text, trace.Options{})
		if len(runs) != 0 || len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), want) {
			t.Errorf("%q: %v, want %s", text, errs, want)
		}
	}
}
