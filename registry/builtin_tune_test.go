package registry_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
)

func TestBuiltins_Tuned(t *testing.T) {
	reg := new(registry.Registry)
	err := reg.TuneBuiltins(registry.Builtins{
		Sets:   map[string]bool{"loops": false},
		Limits: map[string]registry.BuiltinLimit{"tool_call_limit": {Value: "3", From: "here"}, "output_loop": {Value: "0.5"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := deciderOf(reg)
	for _, c := range []struct {
		given meters
		want  string
	}{
		{meters{"task.tool_calls": 3}, "allow"},
		{meters{"task.tool_calls": 4}, "abort tool_call_limit"},
		{meters{"task.error_streak": 30}, "allow"}, // its set is off
		{meters{"task.duration": 1801}, "abort duration_limit"},
	} {
		if got := judge(t, d, registry.Step{Meters: attached{c.given}}); got != c.want {
			t.Errorf("%v: %s, want %s", c.given, got, c.want)
		}
	}
}

func TestBuiltins_Sets(t *testing.T) {
	on := func(b registry.Builtins) (ids []string) {
		rules, err := b.Rules()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			if r.On && (r.Set == "halts" || r.Set == "monitor") {
				ids = append(ids, r.Rule.Options.ID)
			}
		}
		return ids
	}
	halts := []string{"tool_call_limit", "token_spend_limit", "duration_limit", "idle_timeout", "output_loop", "delegation_limit"}
	if got := on(registry.Builtins{}); !slices.Equal(got, halts) {
		t.Errorf("by default %v, want %v", got, halts)
	}
	monitored := append(slices.Clone(halts[1:]), "tool_calls_high", "messages_high", "context_high", "tool_calls_critical", "messages_critical", "context_critical")
	if got := on(registry.Builtins{Sets: map[string]bool{"monitor": true}}); !slices.Equal(got, monitored) {
		t.Errorf("with the monitor set %v, want %v", got, monitored)
	}
}

func TestBuiltins_Refused(t *testing.T) {
	for _, c := range []struct {
		b    registry.Builtins
		want string
	}{
		{registry.Builtins{Sets: map[string]bool{"alarms": true}}, `there is no set "alarms" of built-in rules; there are halts, monitor, loops`},
		{registry.Builtins{Limits: map[string]registry.BuiltinLimit{"tool_call_limits": {Value: "3"}}}, `there is no built-in rule "tool_call_limits" (did you mean tool_call_limit?)`},
		{registry.Builtins{Limits: map[string]registry.BuiltinLimit{"tool_call_limit": {Value: "many"}}}, `the limit "many" of tool_call_limit is no number`},
		{registry.Builtins{Limits: map[string]registry.BuiltinLimit{"tool_call_limit": {Value: "0"}}}, `the limit "0" of tool_call_limit is not above 0`},
		{registry.Builtins{Limits: map[string]registry.BuiltinLimit{"output_loop": {Value: "1.01"}}}, `the limit "1.01" of output_loop is above 1, the most that it can be`},
		{registry.Builtins{Limits: map[string]registry.BuiltinLimit{"token_spend_limit": {Value: "1e19"}}}, `the limit "1e19" of token_spend_limit is more than is ever counted, which is 9223372036854775807`},
	} {
		reg := load(t, "B:ability:x|abort")
		if err := reg.TuneBuiltins(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
