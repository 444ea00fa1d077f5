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

// A task can be left alone by rules, and have a review follow where others
// are aborted; what is below it has the same as far as nothing else is said.
func TestTaskLimits_OffAndOnExceed(t *testing.T) {
	var reg registry.Registry
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Clock: clock, TaskLimits: []session.TaskLimits{
		{Task: "free", Off: map[string]bool{"tool_call_limit": true}, Review: session.TaskReview{Role: "tester", Most: 1}},
		{Task: "held", Off: map[string]bool{"tool_call_limit": false}, Limits: map[string]string{"tool_call_limit": "1"}, Review: session.TaskReview{Most: -1}},
		{Task: "looked-at", Limits: map[string]string{"tool_call_limit": "1"}, OnExceed: registry.ReviewOnExceed},
	}, Review: session.TaskReview{Preamble: "be brief"}})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{s, clock, t}
	a.StartTask("free", "", "")
	a.StartTask("held", "free", "")
	a.StartTask("looked-at", "", "")
	call := func(task string) string {
		return a.judge(&session.Step{Call: session.Call{Ability: "ls"}, Task: task})
	}
	for range 60 {
		if got := call("free"); got != "allow" {
			t.Fatal(got)
		}
	}
	for _, tt := range []struct{ task, want string }{
		{"held", "allow"}, {"held", "abort tool_call_limit"}, {"looked-at", "allow"}, {"looked-at", "review tool_call_limit"}, {"looked-at", "review tool_call_limit"},
	} {
		if got := call(tt.task); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.task, got, tt.want)
		}
	}
	for task, want := range map[string]session.TaskReview{
		"free": {Role: "tester", Preamble: "be brief", Most: 1}, "held": {Role: "tester", Preamble: "be brief", Most: 0},
		"looked-at": {Preamble: "be brief", Most: session.MaxReviews}, "": {Preamble: "be brief", Most: session.MaxReviews},
	} {
		if got := s.ReviewOf(task); got != want {
			t.Errorf("reviews of %q: %+v, want %+v", task, got, want)
		}
	}
	if err := s.NewAttempt("held"); err == nil {
		t.Error("a task that is not to be reviewed was begun anew")
	}
	if err := s.NewAttempt("looked-at"); err != nil {
		t.Fatal(err)
	}
	if got := call("looked-at"); got != "allow" {
		t.Errorf("the new attempt: %s", got)
	}
}

// What the host sets for an open task comes before what was set for its name.
func TestTune(t *testing.T) {
	var reg registry.Registry
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Clock: clock,
		TaskLimits: []session.TaskLimits{{Limits: map[string]string{"tool_call_limit": "9", "duration_limit": "60"}}}})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{s, clock, t}
	a.StartTask("t", "", "")
	for _, l := range []session.TaskLimits{
		{Limits: map[string]string{"tool_call_limit": "1"}, OnExceed: registry.ReviewOnExceed},
		{Limits: map[string]string{"tool_call_limit": "2"}},
	} {
		if err := s.Tune("t", l); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"allow", "allow", "review tool_call_limit"} {
		if got := a.judge(&session.Step{Call: session.Call{Ability: "ls"}, Task: "t"}); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if err := s.Tune("none", session.TaskLimits{}); err == nil {
		t.Error("a task that is not there was tuned")
	}
	for _, c := range []struct {
		limits session.TaskLimits
		want   string
	}{
		{session.TaskLimits{Limits: map[string]string{"tool_call_limit": "x"}}, `session: registry: the limit "x" of tool_call_limit is no number`},
		{session.TaskLimits{Limits: map[string]string{"tool_call_limit": "-3"}}, `session: registry: the limit "-3" of tool_call_limit is not above 0`},
		{session.TaskLimits{Limits: map[string]string{"output_loop": "7"}}, `session: registry: the limit "7" of output_loop is above 1, the most that it can be`},
		{session.TaskLimits{Limits: map[string]string{"tool_cal_limit": "5"}}, `session: registry: there is no built-in rule "tool_cal_limit" (did you mean tool_call_limit?)`},
		{session.TaskLimits{Off: map[string]bool{"same_cal": true}}, `session: registry: there is no built-in rule "same_cal" (did you mean same_call?)`},
	} {
		if err := s.Tune("t", c.limits); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// A rule may stand by for tasks that have it: it can be tuned and raised for
// them, and for no other.
func TestTaskLimits_StandBy(t *testing.T) {
	b := registry.Builtins{}
	off, err := b.TaskSet("monitor", true)
	if err != nil {
		t.Fatal(err)
	}
	b.Standby = map[string]bool{"tool_calls_high": true, "tool_calls_critical": true}
	var reg registry.Registry
	if err := reg.TuneBuiltins(b); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Clock: clock, TaskLimits: []session.TaskLimits{
		{Task: "watched", Off: off, Limits: map[string]string{"tool_calls_high": "1", "tool_calls_critical": "3"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{s, clock, t}
	a.StartTask("watched", "", "")
	a.StartTask("below", "watched", "")
	a.StartTask("other", "", "")
	if err := s.Raise("other", "tool_calls_critical", "9"); err == nil {
		t.Error("a limit was raised that does not concern the task")
	}
	if err := s.Raise("below", "tool_calls_critical", "4"); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct{ task, want string }{
		{"watched", "warn tool_calls_high"}, {"watched", "warn tool_calls_high"}, {"watched", "review tool_calls_high tool_calls_critical"},
		{"below", "warn tool_calls_high"}, {"below", "warn tool_calls_high"}, {"below", "warn tool_calls_high"}, {"below", "review tool_calls_high tool_calls_critical"},
		{"other", "allow"}, {"other", "allow"}, {"other", "allow"}, {"other", "allow"},
	} {
		if got := a.judge(&session.Step{Call: session.Call{Ability: "ls"}, Task: tt.task}); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.task, got, tt.want)
		}
	}
}
