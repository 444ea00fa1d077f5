package session_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// monitored is a session under the monitor set, and what it tells of tasks.
func monitored(t *testing.T) (*agent, *[]session.Metadata) {
	t.Helper()
	var reg registry.Registry
	if err := reg.TuneBuiltins(registry.Builtins{Sets: map[string]bool{"monitor": true, "loops": false}}); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	told := &[]session.Metadata{}
	var a *agent
	s, err := session.New(session.Options{
		ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Clock: clock,
		OnTask: func(m session.Metadata) {
			a.Snapshot() // would not come back if the session were locked
			*told = append(*told, m)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	a = &agent{s, clock, t}
	return a, told
}

// calls makes calls of a task until one is refused, and returns how many were made.
func (a *agent) calls(task string, n int) int {
	for i := range n {
		st := &session.Step{Call: session.Call{Ability: "ls"}, Task: task}
		if a.judge(st)[:4] == "revi" {
			return i
		}
		if err := a.After(a.t.Context(), session.Outcome{Step: st, Output: output("x")}); err != nil {
			a.t.Fatal(err)
		}
	}
	return n
}

// finish closes a task that is open.
func (a *agent) finish(id string, status session.Status, reason string) session.Metadata {
	a.t.Helper()
	m, err := a.FinishTask(id, status, reason)
	if err != nil {
		a.t.Fatal(err)
	}
	return m
}

// A task in figures: quiet below 50 calls, a review recommended from 50 on,
// triggered at 80.
func TestMetadata(t *testing.T) {
	for _, c := range []struct {
		name                   string
		calls, made            int
		recommended, triggered bool
		rule                   string
	}{
		{"few", 5, 5, false, false, ""},
		{"some", 30, 30, false, false, ""},
		{"many", 60, 60, true, false, ""},
		{"too many", 90, 79, true, true, "tool_calls_critical"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, told := monitored(t)
			a.StartTask("t", "", "")
			a.clock.Advance(1500 * time.Millisecond)
			if made := a.calls("t", c.calls); made != c.made {
				t.Errorf("%d calls were made, want %d", made, c.made)
			}
			m := a.finish("t", session.Completed, "")
			if m.QCRecommended != c.recommended || m.CircuitBreakerTriggered != c.triggered || m.Rule != c.rule {
				t.Errorf("%+v", m)
			}
			if m.ToolCallCount != int64(c.made) || m.MessageCount != int64(c.made) || m.Duration != 1.5 || m.FinalStatus != session.Completed {
				t.Errorf("%+v", m)
			}
			if d := cmp.Diff([]session.Metadata{m}, *told); d != "" {
				t.Errorf("told something else: %s", d)
			}
		})
	}
}

// Warnings are told each once; an ended task is halted, and says by what.
func TestMetadata_Halted(t *testing.T) {
	a, told := monitored(t)
	a.StartTask("t", "", "")
	a.calls("t", 55)
	a.clock.Advance(time.Hour)
	a.Sweep(t.Context(), 0)
	m := a.finish("t", session.Completed, "all done")
	if m.FinalStatus != session.Halted || m.Rule != "duration_limit" || m.FailureReason != "The task takes too long (task.duration 3600 exceeds 1800)" {
		t.Errorf("%+v", m)
	}
	if m.TrippedAt == nil || !m.TrippedAt.Equal(start.Add(time.Hour)) {
		t.Errorf("tripped at %v", m.TrippedAt)
	}
	if d := cmp.Diff([]string{"Many tool calls: is the task on its way, or should it be split?"}, m.Warnings); d != "" {
		t.Error(d)
	}
	a.EndTask("t")
	if len(*told) != 1 {
		t.Errorf("told %d times of one task", len(*told))
	}
}

// A task that its host stopped by a rule for good is halted, until it goes on.
func TestStopped(t *testing.T) {
	nobody := errors.New("it was reviewed twice already")
	for name, c := range map[string]struct {
		then   func(a *agent) error
		want   session.Status
		reason string
	}{
		"for good":   {func(*agent) error { return nil }, session.Halted, "Very many tool calls (task.tool_calls 80 is at least 80): it was reviewed twice already"},
		"begun anew": {func(a *agent) error { return a.NewAttempt("t") }, session.Failed, "oh"},
		"it went on": {func(a *agent) error {
			a.Observe(a.t.Context(), &session.Event{Type: session.ToolUse, Task: "t", Ability: "ls"})
			return nil
		}, session.Failed, "oh"},
		"of another": {func(a *agent) error {
			a.Observe(a.t.Context(), &session.Event{Type: session.ToolUse, Task: "u", Ability: "ls"})
			return nil
		}, session.Halted, "Very many tool calls (task.tool_calls 80 is at least 80): it was reviewed twice already"},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := monitored(t)
			a.StartTask("u", "", "")
			a.StartTask("t", "", "")
			a.calls("t", 79)
			var v registry.Verdict
			a.Before(t.Context(), &session.Step{Call: session.Call{Ability: "ls"}, Task: "t"}, &v)
			a.Stopped("t", v.Blocking(), nobody)
			if err := c.then(a); err != nil {
				t.Fatal(err)
			}
			if m := a.finish("t", session.Failed, "oh"); m.FinalStatus != c.want || m.FailureReason != c.reason {
				t.Errorf("%s, %q", m.FinalStatus, m.FailureReason)
			}
		})
	}
}

// A slip in the name of a task, or of a status, is an error, and closes nothing.
func TestFinishTask_Slips(t *testing.T) {
	a, told := monitored(t)
	a.StartTask("w", "", "")
	a.StartTask("over", "", "")
	a.EndTask("over")
	for _, c := range []struct {
		id     string
		status session.Status
		want   string
	}{
		{"ww", session.Completed, `session s: there is no task "ww"`},
		{"w", "weird", `session s: task "w": "weird" is no status; it is completed, failed or halted, or empty where nobody says`},
		{"over", session.Completed, `session s: task "over" was closed already`},
	} {
		m, err := a.FinishTask(c.id, c.status, "")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.id, err, c.want)
		}
		if d := cmp.Diff(session.Metadata{}, m); d != "" {
			t.Error(d)
		}
	}
	if len(*told) != 1 || (*told)[0].Task != "over" {
		t.Errorf("told %+v", *told)
	}
	if m := a.finish("w", "", ""); m.Task != "w" || m.FinalStatus != "" {
		t.Errorf("%+v", m)
	}
	if err := a.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.FinishTask("", session.Completed, ""); err == nil || err.Error() != "session s: it has ended" {
		t.Error(err)
	}
}

// The session's own task is told once, by who finishes it or by the end; the
// tasks that are open then are told of with it.
func TestOnTask_OfTheSession(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(a *agent)
		want []string
	}{
		"nothing done": {func(*agent) {}, nil},
		"not finished": {func(a *agent) { a.calls("", 3) }, []string{`"" 3 ""`}},
		"finished":     {func(a *agent) { a.calls("", 3); a.finish("", session.Completed, "") }, []string{`"" 3 "completed"`}},
		"tried anew": {func(a *agent) {
			a.calls("", 3)
			if err := a.NewAttempt(""); err != nil {
				t.Fatal(err)
			}
		}, []string{`"" 0 ""`}},
		"halted": {func(a *agent) {
			a.calls("", 1)
			a.clock.Advance(time.Hour)
			a.Sweep(a.t.Context(), 0)
		}, []string{`"" 1 "halted"`}},
		"not begun, for want of a review": {func(a *agent) { a.ReviewedBefore("", false) }, []string{`"" 0 ""`}},
		"open tasks": {func(a *agent) {
			a.StartTask("t", "", "")
			a.StartTask("below", "t", "")
			a.calls("below", 2)
		}, []string{`"below" 2 ""`, `"t" 0 ""`}},
	} {
		t.Run(name, func(t *testing.T) {
			a, told := monitored(t)
			c.do(a)
			for range 2 {
				if err := a.End(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, m := range *told {
				got = append(got, fmt.Sprintf("%q %d %q", m.Task, m.ToolCallCount, m.FinalStatus))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	a, _ := monitored(t)
	a.finish("", session.Completed, "")
	if _, err := a.FinishTask("", session.Completed, ""); err == nil {
		t.Error("finished twice")
	}
}

// The counts are those of the current attempt, the totals those of all.
func TestMetadata_Totals(t *testing.T) {
	a, _ := monitored(t)
	a.StartTask("t", "", "")
	for attempt, calls := range []int{79, 60, 11} {
		if attempt > 0 {
			if err := a.NewAttempt("t"); err != nil {
				t.Fatal(err)
			}
		}
		a.clock.Advance(100100 * time.Microsecond)
		a.calls("t", calls)
	}
	m := a.finish("t", session.Completed, "")
	want := session.Totals{ToolCallCount: 150, MessageCount: 150, Duration: 0.301}
	if m.ToolCallCount != 11 || m.MessageCount != 11 || m.Duration != 0.101 || m.RetryCount != 2 || m.Totals != want {
		t.Errorf("%+v", m)
	}
	b, _ := monitored(t)
	b.StartTask("t", "", "")
	b.calls("t", 3)
	if m := b.finish("t", "", ""); m.Totals != (session.Totals{ToolCallCount: 3, MessageCount: 3}) {
		t.Errorf("of one attempt: %+v", m)
	}
}
