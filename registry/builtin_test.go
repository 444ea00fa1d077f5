package registry_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/registry"
)

// attached are the meters of a session: 0 where they are not given.
type attached struct{ given meters }

func (a attached) Meter(k dsl.Key) (decimal.Decimal, bool) {
	return decimal.FromInt(a.given[k]), k.IsMeter()
}

func TestBuiltins_Halts(t *testing.T) {
	reg := new(registry.Registry)
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	d := deciderOf(reg)
	for _, c := range []struct {
		meter dsl.Key
		value int64
		want  string
	}{
		{"task.tool_calls", 50, "allow"}, {"task.tool_calls", 51, "abort tool_call_limit"},
		{"task.spend_cents", 5000, "allow"}, {"task.spend_cents", 5001, "abort token_spend_limit"},
		{"task.duration", 1800, "allow"}, {"task.duration", 1801, "abort duration_limit"},
		{"task.idle", 300, "allow"}, {"task.idle", 301, "abort idle_timeout"},
		{"task.output_similarity", 1, "abort output_loop"},
		{"worker.failures", 1, "allow"}, {"worker.failures", 2, "abort delegation_limit"},
		{"task.same_call_streak", 5, "allow same_call"}, {"task.alternation", 6, "allow alternation"},
		{"task.error_streak", 3, "allow error_streak"}, {"task.same_ability_streak", 10, "allow edit_streak"},
		{"task.growing_edit_streak", 5, "allow growing_edits"}, {"task.growing_edit_streak", 4, "allow"},
		{"task.same_message_streak", 3, "allow same_message"}, {"task.same_message_streak", 2, "allow"},
		{"task.stuck_below", 1, "allow child_stuck"}, {"task.stuck_below", 0, "allow"},
	} {
		if got := judge(t, d, registry.Step{Meters: attached{meters{c.meter: c.value}}}); got != c.want {
			t.Errorf("%s = %d: got %s, want %s", c.meter, c.value, got, c.want)
		}
	}
}

// Limits can be moved, so that a reason that names one would lie. What 250 is
// stands beside it, and holds wherever the warning is.
func TestBuiltins_ReasonsNameNoLimit(t *testing.T) {
	figure := regexp.MustCompile(`(?i)[0-9]+|\b(three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|hundred)\b`)
	rules, err := registry.Builtins{}.Rules()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range rules {
		reason := strings.ReplaceAll(b.Rule.Reason, "the recursion limit of agent frameworks, often 250", "")
		if found := figure.FindString(reason); found != "" {
			t.Errorf("the reason of %s, %q, says %s", b.Rule.Options.ID, b.Rule.Reason, found)
		}
	}
}

func TestBuiltins_StandBesideOtherRules(t *testing.T) {
	reg := load(t, "B:task.tool_calls>10|abort|id=tool_call_limit")
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	if err := reg.LoadBuiltins(); err != nil { // again: replaced, not doubled
		t.Fatal(err)
	}
	d := deciderOf(reg)
	st := registry.Step{Meters: attached{meters{"task.tool_calls": 51}}}
	if got := judge(t, d, st); got != "abort tool_call_limit tool_call_limit" {
		t.Errorf("got %s", got)
	}
	if err := reg.Load(); err != nil { // a policy that is reloaded does not touch them
		t.Fatal(err)
	}
	if got := judge(t, d, st); got != "abort tool_call_limit" {
		t.Errorf("after the reload: %s", got)
	}
}
