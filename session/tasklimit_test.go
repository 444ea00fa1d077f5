package session_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A task has the limits that are set for it, by its id or its chain; what is
// below it has them too; other tasks have those of the rules.
func TestTaskLimits(t *testing.T) {
	var reg registry.Registry
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	newSession := func(limits ...session.TaskLimits) (*agent, error) {
		clock := session.NewVirtualClock(start)
		s, err := session.New(session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Clock: clock, TaskLimits: limits})
		return &agent{s, clock, t}, err
	}
	a, err := newSession(
		session.TaskLimits{Task: "Short", Limits: map[string]string{"tool_call_limit": "1"}},
		session.TaskLimits{Chain: "trade.*", Limits: map[string]string{"tool_call_limit": "2"}},
		session.TaskLimits{Task: "short", Limits: map[string]string{"tool_call_limit": "9"}}, // the first counts
	)
	if err != nil {
		t.Fatal(err)
	}
	a.StartTask("short", "", "")
	a.StartTask("below", "short", "")
	a.StartTask("chained", "", "Trade.buy")
	a.StartTask("free", "", "trader")
	for _, tt := range []struct {
		task    string
		allowed int
	}{{"below", 1}, {"short", 1}, {"chained", 2}, {"free", 50}} {
		n := 0
		for a.judge(&session.Step{Call: session.Call{Ability: "ls"}, Task: tt.task}) == "allow" {
			n++
		}
		if n != tt.allowed {
			t.Errorf("task %s: %d calls, want %d", tt.task, n, tt.allowed)
		}
	}
	if _, err := newSession(session.TaskLimits{Limits: map[string]string{"tool_call_limit": "many"}}); err == nil {
		t.Error("a limit that is no number is accepted")
	}
}
