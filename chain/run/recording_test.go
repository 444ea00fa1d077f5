package run_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
)

const documented = `
chain: price_alert_trade
params: {ticker: AAPL, max_spend: "500", limit: 0.10}
start: 2026-01-05T09:00:00Z
executions: [2026-01-05T02:00:00Z, 2026-01-05T02:00:00.5+01:00]   # earlier runs, for frequency
steps:
  - {step: fetch_price, output: "182.50", took: 1.2s, usage: {model: claude-sonnet-4, input_tokens: 900, output_tokens: 40}}
  - {step: execute_trade, error: {class: NetworkError, message: "502"}}
  - {step: execute_trade, output: {id: 007, total: 1e3, tags: [yes, ~]}}
  - {step: notify}
  - {step: notify, output: ~}
confirm: {execute_trade: approve, notify: {big: decline, small: approve}}
`

func TestRecordingIsRead(t *testing.T) {
	r, l := run.ParseRecording("r.yaml", []byte(documented))
	if r == nil || len(l) > 0 {
		t.Fatal(l)
	}
	utc := func(hour, minute int, ns int) time.Time { return time.Date(2026, 1, 5, hour, minute, 0, ns, time.UTC) }
	if r.Chain != "price_alert_trade" || !r.Start.Equal(utc(9, 0, 0)) {
		t.Errorf("%+v", r)
	}
	if want := []time.Time{utc(1, 0, 500_000_000), utc(2, 0, 0)}; !slices.EqualFunc(r.Executions, want, time.Time.Equal) {
		t.Errorf("executions %v", r.Executions)
	}
	for name, want := range map[string]string{"ticker": `"AAPL"`, "max_spend": `"500"`, "limit": `0.10`} {
		if got := r.Params[name]; string(got.AppendJSON(nil)) != want {
			t.Errorf("parameter %s is %s", name, got.AppendJSON(nil))
		}
	}
	first := r.Steps[0]
	if first.Took != 1200*time.Millisecond || first.Usage == nil || *first.Usage != (run.Usage{Model: "claude-sonnet-4", InputTokens: 900, OutputTokens: 40}) {
		t.Errorf("%+v", first)
	}
	if first.Output.Text() != "182.50" || first.Pos != (diag.Position{Line: 7, Column: 5}) || first.Error != nil {
		t.Errorf("%+v", first)
	}
	if e := r.Steps[1].Error; e == nil || *e != (run.RecordedError{Class: "NetworkError", Message: "502"}) || r.Steps[1].Output != nil {
		t.Errorf("%+v", r.Steps[1])
	}
	if got := string(r.Steps[2].Output.AppendJSON(nil)); got != `{"id":"007","total":1e3,"tags":["yes",null]}` {
		t.Errorf("output %s", got)
	}
	if r.Steps[3].Output != nil {
		t.Error("a step without output has one")
	}
	if o := r.Steps[4].Output; o == nil || o.Text() != "null" {
		t.Errorf("an output of null is %v", o)
	}
}

func TestAnswers(t *testing.T) {
	r, l := run.ParseRecording("r.yaml", []byte(documented))
	if r == nil {
		t.Fatal(l)
	}
	for _, tt := range []struct {
		step, rule string
		want       run.Answer
	}{
		{"execute_trade", "any", run.Approve},
		{"notify", "big", run.Decline}, {"notify", "small", run.Approve}, {"notify", "other", run.NoAnswer},
		{"fetch_price", "any", run.NoAnswer},
	} {
		if got := r.Answer(tt.step, tt.rule); got != tt.want {
			t.Errorf("%s, %s: %v, want %v", tt.step, tt.rule, got, tt.want)
		}
	}
}

func TestRecordingFaults(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"unknown field":   {"chain: c\nstep: []", `r.yaml:2:1: a recording has no field "step" (did you mean steps?)`},
		"duplicate":       {"chain: c\nchain: d", `r.yaml:2:1: duplicate key "chain" (remove one of the two)`},
		"chain":           {"chain: [c]", `r.yaml:1:8: the chain's id is a text, not a list`},
		"params":          {"params: [1]", `r.yaml:1:9: params is a map of named values, not a list`},
		"start":           {"start: 2026-01-05", `r.yaml:1:8: start cannot be "2026-01-05" (write a time such as 2026-01-05T09:00:00Z)`},
		"start too far":   {"start: 2262-01-05T09:00:00Z", `r.yaml:1:8: start is outside the years 1678 to 2261`},
		"execution":       {"executions: [1]", `r.yaml:1:14: an execution cannot be "1" (write a time such as 2026-01-05T09:00:00Z)`},
		"late execution":  {"start: 2026-01-05T09:00:00Z\nexecutions: [2026-01-05T09:00:00.000000001Z]", `r.yaml:2:14: an execution after start (executions are earlier runs)`},
		"steps":           {"steps: {a: 1}", `r.yaml:1:8: steps is a list, not an object`},
		"no step":         {"steps:\n  - {output: 1}", `r.yaml:2:5: a recorded step has no step (add step:)`},
		"id":              {"steps:\n  - {step: a, id: b}", `r.yaml:2:15: a recorded step has no field "id" (did you mean step?)`},
		"both":            {"steps:\n  - {step: a, output: 1, error: {class: E}}", `r.yaml:2:5: a recorded step has an output and an error (a call that failed put out nothing: remove one of the two)`},
		"class":           {"steps:\n  - {step: a, error: {message: m}}", `r.yaml:2:22: an error has no class (add class:)`},
		"error text":      {"steps:\n  - {step: a, error: failed}", `r.yaml:2:22: an error is a map of fields, not a text`},
		"took":            {"steps:\n  - {step: a, took: soon}", `r.yaml:2:21: took cannot be "soon" (write a duration such as 1.2s or 350ms)`},
		"took a number":   {"steps:\n  - {step: a, took: 5}", `r.yaml:2:21: took cannot be "5" (write a duration such as 1.2s or 350ms)`},
		"took negative":   {"steps:\n  - {step: a, took: -1s}", `r.yaml:2:21: took cannot be "-1s" (write a duration such as 1.2s or 350ms)`},
		"took too long":   {"steps:\n  - {step: a, took: 9999999h}", `r.yaml:2:21: took cannot be "9999999h" (write a duration such as 1.2s or 350ms)`},
		"took in all":     {"start: 2261-12-31T23:00:00Z\nsteps:\n  - {step: a, took: 1h}\n  - {step: a, took: 1ns}", `r.yaml:4:5: the steps up to this one take too long (shorten took: time ends with the year 2261)`},
		"took overflows":  {"steps: [{step: a, took: 2000000h}, {step: a, took: 2000000h}]", `r.yaml:1:36: the steps up to this one take too long (shorten took: time ends with the year 2261)`},
		"tokens":          {"steps:\n  - {step: a, usage: {input_tokens: 1.5}}", `r.yaml:2:37: input_tokens is a whole number of at least 0`},
		"tokens negative": {"steps:\n  - {step: a, usage: {cache_read_tokens: -1}}", `r.yaml:2:42: cache_read_tokens is a whole number of at least 0`},
		"tokens of hours": {"steps:\n  - {step: a, usage: {cache_write_1h_tokens: 5, cache_write_tokens: 4}}", `r.yaml:2:46: cache_write_1h_tokens are more than cache_write_tokens (they are part of them: write all that was written to a cache as cache_write_tokens)`},
		"tokens too many": {"steps:\n  - {step: a, usage: {output_tokens: 9223372036854775808}}", `r.yaml:2:38: output_tokens is a whole number of at least 0`},
		"tokens a text":   {"steps:\n  - {step: a, usage: {output_tokens: '9'}}", `r.yaml:2:38: output_tokens is a whole number of at least 0`},
		"usage field":     {"steps:\n  - {step: a, usage: {input_token: 1}}", `r.yaml:2:23: usage has no field "input_token" (did you mean input_tokens?)`},
		"answer":          {"confirm: {a: aprove}", `r.yaml:1:14: an answer cannot be "aprove" (did you mean approve?)`},
		"answer yes":      {"confirm: {a: yes}", `r.yaml:1:14: an answer cannot be "yes" (write approve or decline)`},
		"answer empty":    {"confirm: {a: ~}", `r.yaml:1:14: an answer is a text, not null`},
		"answer of rule":  {"confirm: {a: {r: [1]}}", `r.yaml:1:18: an answer is a text, not a list`},
		"confirm":         {"confirm: approve", `r.yaml:1:10: confirm is a map from steps to answers, not a text`},
	} {
		r, l := run.ParseRecording("r.yaml", []byte(tt.in))
		if r != nil || l.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", name, l, tt.want)
		}
	}
}

func TestRecordingReportsEveryFault(t *testing.T) {
	_, l := run.ParseRecording("r.yaml", []byte("start: x\nsteps:\n  - {took: -1s}\n  - {step: a, oops: 1}\nconfirm: {a: no}\n"))
	if len(l) != 5 {
		t.Errorf("%d findings:\n%v", len(l), l)
	}
}

func TestLargeRecordingsAreJSON(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	r, l := run.ParseRecording("r.json", []byte(`{"steps":[{"step":"a","output":"`+long+`"}]}`))
	if r == nil || len(r.Steps[0].Output.Text()) != len(long) {
		t.Errorf("2 MiB of JSON: %.200v", l)
	}
	if _, l := run.ParseRecording("r.yaml", []byte("steps:\n  - {step: a, output: "+long+"}")); len(l) != 1 || l[0].ID != chain.LimitID || !strings.Contains(l[0].Hint, "JSON") {
		t.Errorf("2 MiB of YAML: %.200v", l)
	}
	if _, l := run.ParseRecording("r.json", []byte(`{"steps":`+strings.Repeat("[", 100_000))); len(l) != 1 || l[0].ID != chain.LimitID {
		t.Errorf("100,000 deep: %.200v", l)
	}
	if _, l := run.ParseRecording("r.json", make([]byte, run.MaxRecording+1)); len(l) != 1 || l[0].ID != chain.LimitID {
		t.Errorf("too large: %.200v", l)
	}
}

func TestRecordingFitsTheChain(t *testing.T) {
	c, l := chain.Parse("c.yaml", []byte("id: trade\nsteps: [{id: fetch, ability: x}, {id: pay, ability: y}]"))
	if c == nil {
		t.Fatal(l)
	}
	for in, want := range map[string]string{
		"chain: trade\nsteps: [{step: pay}, {step: fetch}, {step: pay}]\nconfirm: {pay: approve}": ``,
		"steps: []":     ``,
		"chain: trades": `r.yaml:1:8: the recording is of the chain "trades" (the chain's id is "trade")`,
		"steps: [{step: fetsh}]\nconfirm: {foo: approve}": "r.yaml:1:9: the chain has no step \"fetsh\" (did you mean fetch?)\n" +
			`r.yaml:2:11: the chain has no step "foo" (name a step of the chain)`,
	} {
		r, l := run.ParseRecording("r.yaml", []byte(in))
		if r == nil {
			t.Fatal(l)
		}
		if got := r.Check(c); got.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", in, got, want)
		}
	}
}

func FuzzParseRecording(f *testing.F) {
	f.Add([]byte(documented))
	f.Add([]byte(`{"chain":"c","steps":[{"step":"a","output":{"k":[1.50,null]},"took":"1ms"}],"confirm":{"a":{"r":"decline"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, l := run.ParseRecording("r.yaml", data)
		if (r == nil) != (l.Err() != nil) {
			t.Fatalf("recording %v with findings %v", r != nil, l)
		}
		if r == nil {
			return
		}
		for i, s := range r.Steps {
			if s.Step == "" && s.Output == nil && s.Pos.Line == 0 || s.Took < 0 || s.Output != nil && s.Error != nil {
				t.Fatalf("step %d: %+v", i, s)
			}
			if s.Output != nil {
				if _, err := chain.ParseValue(s.Output.AppendJSON(nil)); err != nil && len(data) < 100 {
					t.Fatalf("output %s: %v", s.Output.AppendJSON(nil), err)
				}
			}
		}
		for i := 1; i < len(r.Executions); i++ {
			if r.Executions[i].Before(r.Executions[i-1]) {
				t.Fatalf("executions out of order: %v", r.Executions)
			}
		}
	})
}
