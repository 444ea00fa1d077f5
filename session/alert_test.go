package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

func TestAlertAndSnapshot(t *testing.T) {
	a := withBuiltins(t)
	a.observe(started("t1")...)
	var halts []session.Halt
	for i := range 51 {
		halts = append(halts, a.Observe(t.Context(), &session.Event{Type: session.ToolUse, Task: "t1", Ability: "ls", Args: args(t, fmt.Sprintf(`{"n":%d}`, i))})...)
	}
	if len(halts) != 1 {
		t.Fatalf("%d halts, want 1", len(halts))
	}
	card := halts[0].Alert()
	if card.Slug != "tool_call_limit" || card.Counters != "tool calls: 51 of 50" || len(card.Choices) != 5 {
		t.Errorf("card %+v", card)
	}
	shot := a.Snapshot()
	if len(shot.Tasks) != 2 || shot.Tasks[1].EndedBy != "tool_call_limit" || shot.Tasks[1].ToolCalls != 51 {
		t.Errorf("snapshot %+v", shot)
	}
	step := func() string { return a.judge(&session.Step{Call: call(t, `{"ability":"ls"}`), Task: "t1"}) }
	if got := step(); got != "abort tool_call_limit" {
		t.Errorf("nothing was chosen, and then: %s", got)
	}
	if err := a.Accept(&halts[0], session.RaiseLimit); err != nil {
		t.Error(err)
	}
	for i := range 51 { // to 102, twice 51
		if got := step(); !strings.HasPrefix(got, "allow") {
			t.Fatalf("call %d after the limit was raised: %s", i+1, got)
		}
	}
	if got := step(); got != "abort tool_call_limit" {
		t.Errorf("call 103: %s", got)
	}
	if err := a.Accept(&halts[0], "shrug"); err == nil {
		t.Error("a choice that is none is accepted")
	}
}

// A limit may also be lowered for a task.
func TestLowerLimit(t *testing.T) {
	a := withBuiltins(t)
	a.observe(started("t1", "t2")...)
	if err := a.Raise("t1", "tool_call_limit", "1"); err != nil {
		t.Fatal(err)
	}
	step := func(task string) string { return a.judge(&session.Step{Call: call(t, `{"ability":"ls"}`), Task: task}) }
	for i, c := range []struct{ task, want string }{{"t1", "allow"}, {"t2", "allow"}, {"t2", "allow"}, {"t1", "abort tool_call_limit"}, {"t2", "allow"}} {
		if got := step(c.task); got != c.want {
			t.Errorf("step %d in %s: %s, want %s", i+1, c.task, got, c.want)
		}
	}
	if err := a.Raise("t1", "tool_call_limit", "many"); err == nil {
		t.Error("a limit that is no number is accepted")
	}
}

// Of two cards at once each is accepted, and the task goes on; a verdict that
// ends a task has a card too.
func TestAcceptBothCards(t *testing.T) {
	a := withBuiltins(t)
	a.observe(started("t1")...)
	a.judge(&session.Step{Call: call(t, `{"ability":"ls"}`), Task: "t1"})
	st := &session.Step{Call: call(t, `{"ability":"ls"}`), Task: "t1"}
	a.judge(st)
	if err := a.After(t.Context(), session.Outcome{Step: st, Output: output("x")}); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Hour)
	halts := a.Sweep(t.Context(), 0)
	ended := 0
	for i := range halts {
		if halts[i].Ended {
			ended++
			if err := a.Accept(&halts[i], session.RaiseLimit); err != nil {
				t.Errorf("card %d: %v", i+1, err)
			}
		}
	}
	if got := a.judge(&session.Step{Call: call(t, `{"ability":"ls"}`), Task: "t1"}); ended == 0 || got != "allow" {
		t.Errorf("%d cards were accepted, and then: %s", ended, got)
	}
	var v registry.Verdict
	for range 60 {
		a.Before(t.Context(), &session.Step{Call: session.Call{Ability: "ls"}, Task: "t1"}, &v)
	}
	h := a.HaltOf(&v, "t1", a.clock.Now())
	if h == nil || h.Alert().Counters != "tool calls: 51 of 50" {
		t.Fatalf("%+v", h)
	}
	if err := a.Accept(h, session.RaiseLimit); err != nil {
		t.Error(err)
	}
}
