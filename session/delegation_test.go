package session_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/session/refusal"
	"github.com/cbpolicy/cbpolicy/state/memory"
	"github.com/google/go-cmp/cmp"
)

// Success in between does not help, and another worker is not concerned.
func TestDelegationLimit(t *testing.T) {
	a := withBuiltins(t)
	delegate := func(worker, output string) string {
		st := &session.Step{Call: session.Call{Ability: "delegate." + worker}}
		got := a.judge(st)
		if strings.HasPrefix(got, "allow") {
			o := session.Outcome{Step: st, Failed: output == "", Class: session.ClassTool, Message: "no result"}
			if output != "" {
				v := registry.Text(output)
				o.Output = &v
			}
			if err := a.After(t.Context(), o); err != nil {
				t.Error(err)
			}
		}
		return got
	}
	for i, c := range []struct{ worker, output, want string }{
		{"chef_team", "", "allow"},
		{"Chef_Team", "a menu", "allow"},
		{"chef_team", "", "allow"},
		{"chef_team", "", "abort delegation_limit"},
		{"waiters", "served", "allow"},
		{"CHEF_TEAM", "", "abort delegation_limit"},
	} {
		if got := delegate(c.worker, c.output); got != c.want {
			t.Errorf("delegation %d, to %s: %s, want %s", i+1, c.worker, got, c.want)
		}
	}
}

// withDelegation is a session with the built-in rules.
func withDelegation(t testing.TB, d session.Delegation) *agent {
	t.Helper()
	var reg registry.Registry
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Clock: clock, Delegation: d})
	if err != nil {
		t.Fatal(err)
	}
	return &agent{s, clock, t}
}

func TestCanDelegate(t *testing.T) {
	a := withDelegation(t, session.Delegation{})
	a.RecordFailure("chef_team", "timed out")
	if ok, why := a.CanDelegate(t.Context(), "chef_team"); !ok {
		t.Errorf("after one failure: %s", why)
	}
	a.RecordFailure("Chef_Team ", "gave up")
	ok, why := a.CanDelegate(t.Context(), "chef_team")
	if want := "chef_team has failed 2 times in this session: ask how to go on"; ok || why != want {
		t.Errorf("after two failures: %v, %q, want %q", ok, why, want)
	}
	if ok, why := a.CanDelegate(t.Context(), " CHEF_team\t"); ok || why != "CHEF_team has failed 2 times in this session: ask how to go on" {
		t.Errorf("by another spelling: %v, %q", ok, why)
	}
	if ok, why := a.CanDelegate(t.Context(), " waiters "); !ok {
		t.Errorf("another worker, with blanks: %s", why)
	}
	if ok, why := a.CanDelegate(t.Context(), "waiters"); !ok {
		t.Errorf("another worker: %s", why)
	}
	want := []session.WorkerState{{Worker: "chef_team", Failures: 2, Reason: "gave up"}}
	if diff := cmp.Diff(want, a.Workers()); diff != "" {
		t.Error(diff)
	}
	a.ResetWorker("chef_team")
	if ok, why := a.CanDelegate(t.Context(), "chef_team"); !ok {
		t.Errorf("after a reset: %s", why)
	}
}

// fail has a worker fail twice.
func (a *agent) fail(workers ...string) {
	for _, w := range workers {
		a.RecordFailure(w, "down")
		a.RecordFailure(w, "down")
	}
}

// advise is what Advise says, in short.
func (a *agent) advise(task, worker string) string {
	v := a.Advise(a.t.Context(), task, worker)
	return strings.TrimSpace(fmt.Sprintf("%s %s%s", v.Way, v.Use, v.To))
}

// A worker that may not be called any more is no dead end, and no way on for ever.
func TestWaysRoundACappedWorker(t *testing.T) {
	a := withDelegation(t, session.Delegation{
		Alternatives: []session.Alternative{{Workers: "chef.*", Use: []string{"chef.grill", "Baker", "cook"}}},
		Escalate:     true,
	})
	a.observe(started("top")...)
	a.Observe(t.Context(), &session.Event{Type: session.TaskStart, Task: "sub", Parent: "top"})
	for _, step := range []struct {
		fails []string
		task  string
		want  string
	}{
		{nil, "sub", "go"},
		{[]string{"chef.grill"}, "sub", "switch Baker"},
		{[]string{"baker"}, "sub", "switch cook"},
		{nil, "", "switch cook"},              // the task opened last
		{[]string{"cook"}, "sub", "ask_user"}, // three paths have failed
	} {
		a.fail(step.fails...)
		if got := a.advise(step.task, "chef.grill"); got != step.want {
			t.Errorf("after %v: %s, want %s", step.fails, got, step.want)
		}
	}
	a.ResetWorker("cook")
	a.ResetWorker("baker")
	if got := a.advise("sub", "waiter"); got != "go" {
		t.Errorf("another worker: %s", got)
	}
	a.fail("waiter")
	if got := a.advise("sub", "waiter"); got != "escalate top" {
		t.Errorf("no alternative, a task above: %s", got)
	}
	if v := a.Advise(t.Context(), "top", "waiter"); v.Way != session.Escalate || v.To != "" || v.FailedPaths != 2 {
		t.Errorf("%+v, want escalation to the session with two failed paths", v)
	}
}

// A worker starts afresh a time after its last failure, each time later.
func TestWorkersAreForgivenInTime(t *testing.T) {
	a := withDelegation(t, session.Delegation{Forgiving: meter.Forgiving{After: time.Minute, Factor: 2, Most: 3 * time.Minute}})
	for round, wait := range []time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute, 3 * time.Minute} {
		a.fail("w")
		if v := a.Advise(t.Context(), "", "w"); v.Way != session.Wait || v.After != wait {
			t.Fatalf("round %d: %+v, want a wait of %s", round, v, wait)
		}
		a.clock.Advance(wait - 1)
		if ok, _ := a.CanDelegate(t.Context(), "w"); ok {
			t.Fatalf("round %d: called a nanosecond too early", round)
		}
		a.clock.Advance(1)
		if ok, why := a.CanDelegate(t.Context(), "w"); !ok {
			t.Fatalf("round %d: %s after %s", round, why, wait)
		}
		if len(a.Workers()) != 0 {
			t.Errorf("round %d: %+v, want none", round, a.Workers())
		}
	}
	st := &session.Step{Call: session.Call{Ability: "delegate.w"}}
	if got := a.judge(st); got != "allow" {
		t.Fatal(got)
	}
	if err := a.After(t.Context(), session.Outcome{Step: st, Output: output("here it is")}); err != nil {
		t.Fatal(err)
	}
	a.fail("w")
	if v := a.Advise(t.Context(), "", "w"); v.After != time.Minute {
		t.Errorf("after a success: a wait of %s, want a minute again", v.After)
	}
}

// With delegation.tools a tool that failed twice is refused, each by itself.
func TestToolsCanBeCapped(t *testing.T) {
	for _, tt := range []struct {
		capped bool
		want   string
	}{{true, "abort delegation_limit"}, {false, "allow"}} {
		a := withDelegation(t, session.Delegation{Tools: tt.capped})
		for range 2 {
			st := &session.Step{Call: session.Call{Ability: "web.fetch"}}
			a.judge(st)
			if err := a.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: session.ClassNetwork}); err != nil {
				t.Fatal(err)
			}
		}
		if got := a.judge(&session.Step{Call: session.Call{Ability: "Web.Fetch"}}); got != tt.want {
			t.Errorf("tools %v: %s, want %s", tt.capped, got, tt.want)
		}
		if got := a.judge(&session.Step{Call: session.Call{Ability: "web.search"}}); got != "allow" {
			t.Errorf("another tool: %s", got)
		}
	}
}

// What comes of delegations and tasks is logged, once, with the lock released.
func TestLog(t *testing.T) {
	var lines strings.Builder
	var reg registry.Registry
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	var s *session.Session
	h := slog.NewTextHandler(&lines, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if s != nil {
			s.Workers() // would not come back if the session were locked
		}
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	s, err := session.New(session.Options{
		ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Clock: session.NewVirtualClock(start), Log: slog.New(h),
		Delegation: session.Delegation{Judge: func(string) refusal.Verdict { panic("no idea") }},
	})
	if err != nil {
		t.Fatal(err)
	}
	var v registry.Verdict
	for range 3 {
		st := &session.Step{Call: session.Call{Ability: "delegate.chef"}}
		if s.Before(t.Context(), st, &v); v.Decision == registry.Abort {
			continue
		}
		if err := s.After(t.Context(), session.Outcome{Step: st, Output: output("x")}); err != nil {
			t.Fatal(err)
		}
	}
	want := `level=WARN msg="delegation failed" session=s worker=chef failures=1 reason="the result could not be judged: no idea"
level=WARN msg="delegation failed" session=s worker=chef failures=2 reason="the result could not be judged: no idea"
level=WARN msg="delegation refused" session=s worker=chef rule=delegation_limit explain="worker.failures 2 is at least 2"
`
	if diff := cmp.Diff(want, lines.String()); diff != "" {
		t.Error(diff)
	}
}

// A worker fails when it says so in its answer, and not when it only says
// "cannot".
func TestAnswersThatAreNone(t *testing.T) {
	for _, c := range []struct{ answer, why string }{
		{"", "the answer is empty"},
		{"  \n", "the answer is empty"},
		{"I'm sorry, but I cannot access the booking system.", "the worker says that it cannot: "},
		{"I found 7 of 8 sources; one could not be opened. The seven say that prices rose by 4 %.", ""},
		{"Guests cannot check in before 3 pm. The room is booked for two nights.", ""},
		{"Done: the table is reserved for 19:00.", ""},
	} {
		a := withDelegation(t, session.Delegation{})
		st := &session.Step{Call: session.Call{Ability: "delegate.desk"}}
		a.judge(st)
		if err := a.After(t.Context(), session.Outcome{Step: st, Output: output(c.answer)}); err != nil {
			t.Fatal(err)
		}
		got := ""
		if w := a.Workers(); len(w) > 0 {
			got = w[0].Reason
		}
		if !strings.HasPrefix(got, c.why) || c.why == "" && got != "" {
			t.Errorf("%q: %q, want %q", c.answer, got, c.why)
		}
	}
}

// A worker among thousands that failed can be given another chance, and leaves
// the others where they are.
func TestResetWorkerAmongMany(t *testing.T) {
	for _, forgiving := range []bool{false, true} {
		var d session.Delegation
		if forgiving {
			d.After = time.Hour
		}
		a := withDelegation(t, d)
		for i := range meter.MaxNames {
			a.RecordFailure(fmt.Sprint("made-up-", i), "down")
		}
		can := func(worker string, want bool) {
			t.Helper()
			if ok, why := a.CanDelegate(t.Context(), worker); ok != want {
				t.Errorf("%s: %v (%s), want %v", worker, ok, why, want)
			}
		}
		succeeds := func(worker string) {
			t.Helper()
			st := &session.Step{Call: session.Call{Ability: "delegate." + worker}}
			if got := a.judge(st); got != "allow" {
				t.Fatalf("%s: %s", worker, got)
			}
			if err := a.After(t.Context(), session.Outcome{Step: st, Output: output("done: the menu for tomorrow has five courses")}); err != nil {
				t.Fatal(err)
			}
		}
		a.fail("late", "later")
		can("late", false)
		can("never called", false) // it shares their failures

		a.ResetWorker("Late ")
		can("late", true)
		can("later", false)
		can("never called", false)
		succeeds("late") // and it stays so
		can("late", true)
		a.fail("late")
		can("late", false)
		a.ResetWorker("late")
		can("late", true)

		a.fail("made-up-7")
		can("made-up-7", false)
		a.ResetWorker("made-up-7")
		a.fail("another") // for which there is no more room than before
		can("made-up-7", true)
		succeeds("made-up-7")
		can("made-up-7", true)
		for i := range 2 * meter.MaxNames { // nothing grows for ever
			a.ResetWorker(fmt.Sprint("reset-", i))
		}
		can("later", true)
		a.fail("later")
		can("later", false)
	}
}

// A delegation that is called off says nothing of its worker, whoever tells of it.
func TestCancelledDelegation(t *testing.T) {
	report := map[string]func(*agent, *session.Failure){
		"by After": func(a *agent, f *session.Failure) {
			st := &session.Step{Call: session.Call{Ability: "delegate.chef"}}
			if got := a.judge(st); !strings.HasPrefix(got, "allow") {
				t.Fatal(got)
			}
			if err := a.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: f.Class, Message: f.Message}); err != nil {
				t.Fatal(err)
			}
		},
		"by After, when its task is closed": func(a *agent, f *session.Failure) {
			a.StartTask("t", "", "")
			st := &session.Step{Call: session.Call{Ability: "delegate.chef"}, Task: "t"}
			if got := a.judge(st); !strings.HasPrefix(got, "allow") {
				t.Fatal(got)
			}
			a.EndTask("t")
			if err := a.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: f.Class, Message: f.Message}); err != nil {
				t.Fatal(err)
			}
		},
		"by an event": func(a *agent, f *session.Failure) {
			a.Observe(t.Context(), &session.Event{Type: session.Delegate, Worker: "chef", CallID: "c"})
			a.Observe(t.Context(), &session.Event{Type: session.ToolResult, CallID: "c", Error: f})
		},
	}
	for how, tell := range report {
		a := withDelegation(t, session.Delegation{})
		failures := func(want int64) {
			t.Helper()
			got := int64(0)
			for _, w := range a.Workers() {
				got += w.Failures
			}
			if got != want {
				t.Errorf("%s: %d failures, want %d", how, got, want)
			}
		}
		for range 3 {
			tell(a, &session.Failure{Class: session.ClassCancelled, Message: "called off"})
		}
		failures(0)
		tell(a, &session.Failure{Class: session.ClassTool, Message: "down"})
		tell(a, &session.Failure{Class: session.ClassCancelled, Message: "called off"})
		failures(1) // nor does it start afresh
		tell(a, &session.Failure{Class: session.ClassArguments, Message: "what is this?"})
		failures(2) // an error all the same
	}
}
