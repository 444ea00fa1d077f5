package registry_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
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

// A task may have a set on or off of its own, and with it what the set stands in
// the place of: a task without the one has the other, never neither.
func TestBuiltins_TaskSet(t *testing.T) {
	monitor := func(on bool) registry.Builtins { return registry.Builtins{Sets: map[string]bool{"monitor": on}} }
	observed := monitor(true)
	observed.Modes = map[string]dsl.Mode{"monitor": dsl.Observe}
	unhalted := monitor(true)
	unhalted.Sets["halts"] = false
	given := meters{"task.tool_calls": 90}
	for name, c := range map[string]struct {
		b                    registry.Builtins
		task                 bool // whether the task has the set
		other, with, standby string
	}{
		"on for a task":         {monitor(false), true, "abort tool_call_limit", "review tool_calls_high tool_calls_critical", "something"},
		"off for a task":        {monitor(true), false, "review tool_calls_high tool_calls_critical", "abort tool_call_limit", "something"},
		"on as for all":         {monitor(true), true, "review tool_calls_high tool_calls_critical", "review tool_calls_high tool_calls_critical", "nothing"},
		"off as for all":        {monitor(false), false, "abort tool_call_limit", "abort tool_call_limit", "nothing"},
		"noted for all":         {observed, true, "abort tool_call_limit tool_calls_high tool_calls_critical", "abort tool_call_limit tool_calls_high tool_calls_critical", "nothing"},
		"off where it is noted": {observed, false, "abort tool_call_limit tool_calls_high tool_calls_critical", "abort tool_call_limit", "nothing"},
		"no halts for all":      {unhalted, false, "review tool_calls_high tool_calls_critical", "allow", "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			off, err := c.b.TaskSet("monitor", c.task)
			if err != nil {
				t.Fatal(err)
			}
			c.b.Standby = map[string]bool{}
			for id, off := range off {
				c.b.Standby[id] = !off
			}
			reg := new(registry.Registry)
			if err := reg.TuneBuiltins(c.b); err != nil {
				t.Fatal(err)
			}
			d := deciderOf(reg)
			var record *session.Record
			d.Record = func(r *session.Record) error { record = r; return nil }
			for _, step := range []struct {
				tuning *registry.Tuning
				want   string
			}{{nil, c.other}, {&registry.Tuning{}, c.other}, {&registry.Tuning{Off: off}, c.with}} {
				if got := judge(t, d, registry.Step{Meters: attached{given}, Tuning: step.tuning}); got != step.want {
					t.Errorf("%+v: %s, want %s", step.tuning, got, step.want)
				}
				if again, err := repeat(reg.Set(), record); err != nil || again != string(record.Verdict) {
					t.Errorf("decided %s\nrepeated %s (%v)", record.Verdict, again, err)
				}
			}
			plain := c.b
			plain.Standby = nil
			before := new(registry.Registry)
			if err := before.TuneBuiltins(plain); err != nil {
				t.Fatal(err)
			}
			if same := before.Set().Digest() == reg.Set().Digest(); same != (c.standby == "nothing") {
				t.Errorf("the digest is that of rules without any that stand by: %t", same)
			}
		})
	}
	if _, err := monitor(true).TaskSet("alarms", true); err == nil {
		t.Error("a set that is not there is had by a task")
	}
	b := registry.Builtins{Standby: map[string]bool{"tool_calls": true}}
	if _, err := b.Rules(); err == nil || !strings.Contains(err.Error(), `there is no built-in rule "tool_calls"`) {
		t.Errorf("a rule that is not there stands by: %v", err)
	}
}
