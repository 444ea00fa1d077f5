package trace_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

//go:embed testdata/recording.yaml
var recordedChain string

const recordedWant = `
+0s [price_alert] start price_alert
+0s [price_alert] call #1 fetch_price
+1.2s [price_alert] usage  900+40
+1.2s [price_alert] result #1 = 182.50
+1.2s [price_alert] call #2 execute_trade
+1.2s [price_alert] result #2 NetworkError: 502
+1.2s [price_alert] call #3 notify
+1.2s [price_alert] result #3
+1.2s [price_alert] task_end ` + `
`

func TestRecording(t *testing.T) {
	r := readOne(t, trace.Recording, "r.yaml", recordedChain)
	if r.Chain != "price_alert" || !r.Timed || r.Duration.Seconds() != 1.2 || r.Source != "r.yaml" {
		t.Errorf("%+v", r)
	}
	wantEvents(t, r.Events, recordedWant)
	asJSON := readOne(t, trace.Recording, "r.json", `{"chain":"price_alert","start":"2026-01-05T09:00:00Z","steps":[
 {"step":"fetch_price","output":"182.50","took":"1.2s","usage":{"input_tokens":900,"output_tokens":40}},
 {"step":"execute_trade","error":{"class":"NetworkError","message":"502"}},{"step":"notify"}]}`)
	wantEvents(t, asJSON.Events, recordedWant)
}

func TestRecordingFaults(t *testing.T) {
	for text, want := range map[string]string{
		"steps:\n  - {step: a, took: soon}":                        `r.yaml:1: steps[0].took: want a duration such as 1.2s, not the text "soon"`,
		"steps:\n  - {step: a}\nsteps: []":                         `r.yaml:3:1: duplicate key "steps"`,
		"start: today\nsteps:\n  - {step: a}":                      `r.yaml:1: start: want a time such as 2026-01-05T09:00:00Z, not the text "today"`,
		"steps:\n  - {step: a, usage: {cache_write_1h_tokens: 1}}": `r.yaml:1: steps[0].usage.cache_write_1h_tokens: want at most the cache_write_tokens that they are part of, not `,
		"steps:\n  - {step: [a]}":                                  `r.yaml:1: steps[0].step: want a text, not a list`,
		"steps:\n  - {step: a, took: 9999999h}":                    `r.yaml:1: steps[0].took: want a duration`,
	} {
		runs, errs := readAll("r.yaml", text, trace.Options{})
		if len(runs) != 0 || len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), want) {
			t.Errorf("%q: %v, want %s", text, errs, want)
		}
	}
}
