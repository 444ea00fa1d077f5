package session_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/session"
)

// After its end a session refuses every step, and has nothing left.
func TestEnd(t *testing.T) {
	a := withBuiltins(t)
	a.observe(started("t1")...)
	if err := a.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, task := range []string{"", "t1"} {
		if got := a.judge(&session.Step{Call: session.Call{Ability: "ls"}, Task: task}); got != "abort session_ended" {
			t.Errorf("task %q: %s", task, got)
		}
	}
	if ok, why := a.CanDelegate(t.Context(), "chef"); ok || why != "the session has ended: ask how to go on" {
		t.Errorf("delegation: %v, %q", ok, why)
	}
	a.StartTask("t2", "", "")
	a.observe(started("t3")...)
	if open := a.Snapshot().Tasks; len(open) != 1 {
		t.Errorf("tasks were opened after the end: %v", open)
	}
	if halts := a.Sweep(t.Context(), 0); len(halts) > 0 {
		t.Errorf("a session that is over is halted: %v", halts)
	}
}
