package session_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/google/go-cmp/cmp"
)

func TestDecodeEvent(t *testing.T) {
	got, err := session.DecodeEvent([]byte(`{"type":"usage","task":"t1","at":"2026-01-05T09:00:00Z","message_id":"m1","model":"x",
		"input_tokens":900,"output_tokens":40,"cache_read_tokens":1,"cache_write_tokens":5,"cache_write_1h_tokens":4,"cost_cents":1.5,"something":"new"}`))
	want := &session.Event{Type: session.Usage, Task: "t1", At: start.UnixNano(), MessageID: "m1", Model: "x",
		Tokens: meter.Tokens{Input: 900, Output: 40, CacheRead: 1, CacheWrite: 5, CacheWrite1h: 4}, Cost: 15_000_000, HasCost: true}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, c := range []struct{ raw, want string }{
		{`[]`, "want a JSON object"},
		{`{}`, "the event has no type"},
		{`{"type":"dance"}`, `type "dance" is not known`},
		{`{"type":"tool_use"}`, "tool_use needs an ability"},
		{`{"type":"delegate"}`, "delegate needs a worker"},
		{`{"type":"task_start"}`, "task_start needs a task"},
		{`{"type":"heartbeat","phase":"dead"}`, `phase "dead" is none of starting, working, done and error`},
		{`{"type":"user","type":"assistant"}`, "type"},
		{`{"type":"user","at":"yesterday"}`, `at: "yesterday" is no time such as 2026-01-05T09:00:00Z`},
		{`{"type":"usage","input_tokens":-1}`, "input_tokens: want a whole number, 0 or more"},
		{`{"type":"usage","input_tokens":1.5}`, "input_tokens: want a whole number, 0 or more"},
		{`{"type":"usage","cache_write_tokens":4,"cache_write_1h_tokens":-1}`, "cache_write_1h_tokens: want a whole number, 0 or more"},
		{`{"type":"usage","cache_write_1h_tokens":5}`, "cache_write_1h_tokens are more than the cache_write_tokens that they are part of"},
		{`{"type":"usage","input_tokens":9223372036854775808}`, "input_tokens: want at most 9223372036854775807"},
		{`{"type":"usage","cost_cents":1e30}`, "cost_cents: want at most 922337203685 cents"},
		{`{"type":"usage","cost_cents":"5"}`, "cost_cents: want a number of cents, 0 or more"},
		{`{"type":"tool_result","error":7}`, "error: want an object"},
	} {
		if _, err := session.DecodeEvent([]byte(c.raw)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.raw, err, c.want)
		}
	}
}
