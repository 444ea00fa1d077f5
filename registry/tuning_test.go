package registry_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// What a task's tuning makes of built-in rules; the record repeats it from the
// log alone.
func TestTuning(t *testing.T) {
	const policy = "B:task.tool_calls>1|warn|id=own\nB:task.idle>9|review|id=idle_own\n"
	reg := load(t, policy)
	if err := reg.TuneBuiltins(registry.Builtins{Sets: map[string]bool{"monitor": true}}); err != nil {
		t.Fatal(err)
	}
	d := deciderOf(reg)
	var record *session.Record
	d.Record = func(r *session.Record) error { record = r; return nil }
	high := decimal.FromInt(1000)
	for name, c := range map[string]struct {
		given  meters
		tuning *registry.Tuning
		want   string
	}{
		"none":              {meters{"task.duration": 2000}, nil, "abort duration_limit"},
		"nothing":           {meters{"task.duration": 2000}, &registry.Tuning{}, "abort duration_limit"},
		"a limit":           {meters{"task.tool_calls": 85}, &registry.Tuning{Limits: registry.Limits{"tool_calls_critical": high}}, "warn own tool_calls_high"},
		"off":               {meters{"task.tool_calls": 85}, &registry.Tuning{Off: map[string]bool{"tool_calls_high": true, "tool_calls_critical": true, "own": true}}, "warn own"},
		"on":                {meters{"task.tool_calls": 85}, &registry.Tuning{Off: map[string]bool{"tool_calls_critical": false}}, "review own tool_calls_high tool_calls_critical"},
		"review":            {meters{"task.duration": 2000}, &registry.Tuning{OnExceed: registry.ReviewOnExceed}, "review duration_limit"},
		"review, other":     {meters{"task.idle": 10}, &registry.Tuning{OnExceed: registry.AbortOnExceed}, "review idle_own"},
		"abort":             {meters{"task.tool_calls": 85}, &registry.Tuning{OnExceed: registry.AbortOnExceed}, "abort own tool_calls_high tool_calls_critical"},
		"money":             {meters{"task.spend_cents": 6000}, &registry.Tuning{OnExceed: registry.ReviewOnExceed}, "abort token_spend_limit"},
		"a worker":          {meters{"worker.failures": 2}, &registry.Tuning{OnExceed: registry.ReviewOnExceed}, "abort delegation_limit"},
		"what is only seen": {meters{"task.error_streak": 3}, &registry.Tuning{OnExceed: registry.AbortOnExceed}, "allow error_streak"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := judge(t, d, registry.Step{Meters: attached{c.given}, Tuning: c.tuning}); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			again, err := repeat(reg.Set(), record)
			if err != nil || again != string(record.Verdict) {
				t.Errorf("decided %s\nrepeated %s (%v)", record.Verdict, again, err)
			}
		})
	}
}

// A whole policy may have the one or the other follow.
func TestBuiltins_OnExceed(t *testing.T) {
	for _, c := range []struct {
		on    registry.OnExceed
		given meters
		want  string
	}{
		{registry.AsWritten, meters{"task.duration": 2000}, "abort duration_limit"},
		{registry.ReviewOnExceed, meters{"task.duration": 2000}, "review duration_limit"},
		{registry.ReviewOnExceed, meters{"task.spend_cents": 6000}, "abort token_spend_limit"},
		{registry.ReviewOnExceed, meters{"task.messages": 200}, "review messages_high messages_critical"},
		{registry.AbortOnExceed, meters{"task.messages": 200}, "abort messages_high messages_critical"},
	} {
		reg := new(registry.Registry)
		if err := reg.TuneBuiltins(registry.Builtins{Sets: map[string]bool{"monitor": true}, OnExceed: c.on}); err != nil {
			t.Fatal(err)
		}
		if got := judge(t, deciderOf(reg), registry.Step{Meters: attached{c.given}}); got != c.want {
			t.Errorf("%d, %v: %s, want %s", c.on, c.given, got, c.want)
		}
		// A task can still have the other follow.
		for _, other := range []struct {
			on   registry.OnExceed
			want string
		}{{registry.ReviewOnExceed, "review duration_limit"}, {registry.AbortOnExceed, "abort duration_limit"}} {
			if got := judge(t, deciderOf(reg), registry.Step{Meters: attached{meters{"task.duration": 2000}}, Tuning: &registry.Tuning{OnExceed: other.on}}); got != other.want {
				t.Errorf("%d, then %d: %s, want %s", c.on, other.on, got, other.want)
			}
		}
	}
}
