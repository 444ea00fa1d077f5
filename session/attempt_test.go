package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A new attempt starts at 0, but for money, workers, windows and breakers.
func TestNewAttempt(t *testing.T) {
	a := newAgent(t, "B:task.tool_calls>3|review|\"many\"|id=many\nB:task.spend_cents>10|abort|id=dear\nB:frequency:ls@session>7/1h|abort|id=often\nB:task.duration>1h|abort|id=long\n")
	a.StartTask("t1", "", "")
	a.StartTask("below", "t1", "")
	call := func(task string) string {
		st := &session.Step{Call: session.Call{Ability: "ls"}, Task: task}
		got := a.judge(st)
		if got == "allow" {
			if err := a.After(t.Context(), session.Outcome{Step: st, Cost: 10_000_000, Settled: true}); err != nil {
				t.Fatal(err)
			}
		}
		return got
	}
	for attempt := range 3 {
		for range 3 {
			if got := call("t1"); got != "allow" && !(attempt == 2 && got == "abort often") {
				t.Fatalf("attempt %d: %s", attempt, got)
			}
		}
		if attempt == 2 {
			break
		}
		if got := call("t1"); got != "review many" {
			t.Errorf("attempt %d: %s", attempt, got)
		}
		a.clock.Advance(50 * time.Minute / 2)
		if err := a.NewAttempt("t1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.NewAttempt("t1"); err == nil || !strings.Contains(err.Error(), "2 times already") {
		t.Errorf("a third time: %v", err)
	}
	a.StartTask("never", "", "")
	if err := a.Tune("never", session.TaskLimits{Review: session.TaskReview{Most: -1}}); err != nil {
		t.Fatal(err)
	}
	if err := a.NewAttempt("never"); err == nil || err.Error() != `session s: no review of task "never" is allowed` {
		t.Errorf("where none may be: %v", err)
	}
	if n := a.Attempts("t1"); n != 2 {
		t.Errorf("%d attempts, want 2", n)
	}
	if n := a.Attempts("below"); n != 2 {
		t.Errorf("what is below began anew %d times, want 2", n)
	}
	for _, m := range a.Meters("t1") {
		if m.Name == "task.spend_cents" && m.Value != "7" {
			t.Errorf("%s cents are spent, want 7: money goes on", m.Value)
		}
	}
	if err := a.NewAttempt("nobody"); err == nil {
		t.Error("a task that is not there begins anew")
	}
}

// A task that was ended is resumed by a new attempt; one below a task that was
// ended is not.
func TestNewAttempt_OfAnEndedTask(t *testing.T) {
	a := newAgent(t, "B:task.tool_calls>1|abort|id=many\n")
	a.StartTask("t1", "", "")
	a.StartTask("below", "t1", "")
	step := func(task string) string { return a.judge(&session.Step{Call: session.Call{Ability: "ls"}, Task: task}) }
	step("t1")
	if got := step("t1"); got != "abort many" {
		t.Fatal(got)
	}
	if err := a.NewAttempt("below"); err == nil {
		t.Error("begun anew below a task that was ended")
	}
	if err := a.NewAttempt("t1"); err != nil {
		t.Fatal(err)
	}
	if got := step("t1"); got != "allow" {
		t.Errorf("after it: %s", got)
	}
}

func TestRecall(t *testing.T) {
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: &registry.Registry{}, Store: memory.New(memory.Options{}), Clock: clock, Recall: 3})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{s, clock, t}
	a.User("buy " + strings.Repeat("é", 2000))
	a.Observe(t.Context(), &session.Event{Type: session.AgentSaid, Text: "I will"})
	for i := range 4 {
		a.Observe(t.Context(), &session.Event{Type: session.ToolUse, CallID: fmt.Sprint(i), Ability: "shop.find", Args: args(t, fmt.Sprintf(`{"n":%d}`, i))})
	}
	a.Observe(t.Context(), &session.Event{Type: session.ToolResult, CallID: "2", Error: &session.Failure{Class: session.ClassNetwork, Message: "502"}})
	for _, id := range []string{"0", "1", "1", "nobody"} {
		a.Observe(t.Context(), &session.Event{Type: session.ToolResult, CallID: id, Output: output("got " + id)})
	}
	st := &session.Step{Call: session.Call{Ability: "shop.buy"}}
	a.judge(st)
	if err := a.After(t.Context(), session.Outcome{Step: st, Output: output("bought")}); err != nil {
		t.Fatal(err)
	}
	at := start.UnixNano()
	got := a.Recall("")
	want := session.Recalled{
		User:  []string{"buy " + strings.Repeat("é", 1020) + "…"},
		Agent: []string{"I will"},
		Calls: []session.CallRecord{
			{At: at, Ability: "shop.find", Args: `{"n":0}`, Output: "got 0"},
			{At: at, Ability: "shop.find", Args: `{"n":1}`, Output: "got 1"},
			{At: at, Ability: "shop.buy", Args: `{}`, Output: "bought"},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(session.Recalled{}, newAgent(t, "").Recall("")); d != "" {
		t.Errorf("kept without being asked to: %s", d)
	}
}

// What a task did is told of its current attempt only, also where a call ends
// after the attempt it was made in; what the user asked goes on.
func TestRecall_OfAnAttempt(t *testing.T) {
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: &registry.Registry{}, Store: memory.New(memory.Options{}), Clock: clock, Recall: 9})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{s, clock, t}
	a.StartTask("t", "", "")
	a.User("find it")
	a.Observe(t.Context(), &session.Event{Type: session.AgentSaid, Text: "I will"})
	call := func(ability string) *session.Step {
		st := &session.Step{Call: session.Call{Ability: ability}, Task: "t"}
		a.judge(st)
		return st
	}
	end := func(st *session.Step) {
		if err := a.After(t.Context(), session.Outcome{Step: st, Output: output("x")}); err != nil {
			t.Fatal(err)
		}
	}
	end(call("web.fetch"))
	slow := call("web.slow")
	if err := a.NewAttempt("t"); err != nil {
		t.Fatal(err)
	}
	end(slow)
	if d := cmp.Diff(session.Recalled{User: []string{"find it"}, Earlier: 2}, a.Recall("t")); d != "" {
		t.Error(d)
	}
	end(call("web.search"))
	if err := a.NewAttempt("t"); err != nil {
		t.Fatal(err)
	}
	end(call("web.open"))
	want := session.Recalled{
		User: []string{"find it"}, Earlier: 3,
		Calls: []session.CallRecord{{At: start.UnixNano(), Ability: "web.open", Args: "{}", Output: "x"}},
	}
	if d := cmp.Diff(want, a.Recall("t")); d != "" {
		t.Error(d)
	}
}
