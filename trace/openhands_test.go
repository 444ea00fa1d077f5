package trace_test

import (
	_ "embed"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

//go:embed testdata/openhands.json
var openHandsEvents string

const openHandsWant = `
+0s user You are OpenHands
+1s user Rename it
+2s assistant I rename.
+2s usage r1 15+4 cache 10+5
+2s call 4 execute_bash(mv a b)
+3s result 4 ToolError: mv: no such file
+4s call 6 edit(x, b)
+5s result 6 ToolError: ERROR:
No replacement
+6s delegate 8 to BrowsingAgent(look)
+7s assistant Done
`

func TestOpenHands(t *testing.T) {
	r := readOne(t, trace.OpenHands, "o.json", openHandsEvents)
	if r.Source != "o.json" || r.Duration.Seconds() != 7 || len(r.Unanswered) != 1 {
		t.Errorf("%+v", r)
	}
	wantEvents(t, r.Events, openHandsWant)
}

// What the metrics tell beyond the events is usage too.
func TestOpenHandsEvaluation(t *testing.T) {
	r := readOne(t, trace.OpenHands, "o.jsonl", `{"instance_id":"i-1","metadata":{"llm_config":{"model":"m"}},"error":"boom","metrics":{"accumulated_cost":0.5,"accumulated_token_usage":{"prompt_tokens":100,"completion_tokens":9}},"history":`+oneLine(openHandsEvents)+"}\n")
	if r.Source != "o.jsonl:1" || r.ID != "i-1" || r.Model != "m" {
		t.Errorf("%+v", r)
	}
	wantLabels(t, r, trace.Labels{Error: "boom"})
	wantEvents(t, r.Events, openHandsWant+"+7s usage metrics 70+5 $0.5\n")
}

// Older versions tell exit codes, success and usage in other places.
func TestOpenHandsVersions(t *testing.T) {
	const run = `{"id":1,"timestamp":"2025-01-27T22:44:58","source":"agent","action":"run","args":{"command":"x"}},{"id":2,"timestamp":"2025-01-27T22:44:59","source":"agent","cause":1,"observation":"run","content":"out",`
	for rest, failed := range map[string]bool{
		`"extras":{"exit_code":2}`: true, `"extras":{"exit_code":0}`: false, `"extras":{"metadata":{"exit_code":0},"exit_code":2}`: false,
		`"success":false,"extras":{}`: true, `"success":true,"extras":{}`: false, `"extras":{"success":false}`: true,
		`"success":false,"extras":{"metadata":{"exit_code":-1}}`: false, `"extras":{"exit_code":-1}`: false,
	} {
		r := readOne(t, trace.OpenHands, "o.json", `[`+run+rest+`}]`)
		if got := r.Totals().Errors == 1; got != failed {
			t.Errorf("%s: failed %t", rest, got)
		}
	}
	r := readOne(t, trace.OpenHands, "o.jsonl", `{"instance_id":"i","history":[`+run+`"extras":{}}],"metrics":{"token_usages":[{"model":"m","prompt_tokens":10,"completion_tokens":2},{"prompt_tokens":5,"completion_tokens":1}]}}`)
	if got := r.Totals(); got.InputTokens != 15 || got.OutputTokens != 3 {
		t.Errorf("%+v", got)
	}
}
