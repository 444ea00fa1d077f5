package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// No clock trips while a person is away: not by what tells only that the source
// is alive, nor by results of calls that nobody was asked about. The clocks run
// while the agent works.
func TestHoldsAwayWhateverIsReported(t *testing.T) {
	const ask = "B:ability:pay|confirm|id=ask\n"
	for _, c := range []struct{ name, script, want string }{
		{"a question, heartbeats, the user", "0:10 says | 5:00 beat | 40:00 beat | 60:00 user | 61:00 call b", ""},
		{"a question, heartbeats, two days", "0:10 says | 5:00 beat | 40:00 beat | 2880:00 user | 2881:00 call b", ""},
		{"work again after the wait: the clock runs", "0:10 says | 5:00 beat | 60:00 user | 60:01 call b | 64:00 beat | 68:00 beat | 72:00 beat | 76:00 beat | 80:00 beat | 84:00 beat | 88:00 beat | 92:00 beat", "duration_limit"},
		{"asked, heartbeats", "0:10 call a | 0:20 asked | 10:00 beat | 20:00 beat | 600:00 beat | 601:00 result a", ""},
		{"asked by id, heartbeats", "0:10 call a | 0:20 asked a | 10:00 beat | 600:00 beat | 601:00 result a", ""},
		{"asked by id, another result", "0:10 call a | 0:11 call b | 0:20 asked a | 0:30 result b | 2880:00 result a", ""},
		{"asked by id, its result: the agent is at work, and falls silent", "0:10 call a | 0:20 asked a | 0:30 result a | 7:00 nothing", "idle_timeout"},
		{"asked by id before the call is told of", "0:10 asked a | 5:00 beat | 60:00 call a | 60:30 result a", ""},
		{"asked by id, the result of a call that was never told of", "0:10 asked a | 60:00 result a | 67:00 nothing", "idle_timeout"},
		{"asked without an id, a result of a call under way", "0:10 call a | 0:11 call b | 0:20 asked | 0:30 result b | 0:31 result a | 7:00 nothing", "idle_timeout"},
		{"asked without an id, a result of no call", "0:10 call a | 0:20 asked | 0:30 result z | 2880:00 result a", ""},
		{"the agent goes on by itself", "0:10 call a | 0:20 asked a | 0:30 call b | 0:40 result b | 0:41 result a | 7:00 nothing", "idle_timeout"},
		{"a step held for a person, heartbeats", "0:10 before pay | 10:00 beat | 20:00 beat | 30:00 beat | 2880:00 approve pay", ""},
		{"a step held for a person, another result", "0:10 call b | 0:20 before pay | 0:30 result b | 2880:00 approve pay", ""},
		{"a step held for a person, who said no: the agent goes on", "0:10 before pay | 60:00 call b | 60:01 result b | 67:00 nothing", "idle_timeout"},
		{"a step held, and then another refused: the agent went on", "0:10 before pay | 60:00 before bad | 67:00 nothing", "idle_timeout"},
		{"heartbeats while it works hold off idle", "0:10 call a | 4:00 beat | 8:00 beat | 12:00 beat | 16:00 result a", ""},
		{"and without them", "0:10 beat | 0:11 call a | 8:00 result a", "idle_timeout"},
		{"a turn that went on with a call was no wait, heartbeats or not", "0:10 says | 5:00 beat | 20:00 beat | 40:00 call a | 40:01 nothing", "duration_limit"},
		{"the part asks, its parent's host sends heartbeats", "0:10 start | 0:20 says child | 5:00 beat parent | 60:00 beat parent | 61:00 beat child | 2880:00 user child", ""},
		{"the part is asked about, another of its results", "0:10 start | 0:11 call b child | 0:20 asked z child | 0:30 result b child | 2880:00 user child", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := guarded(t, ask+"B:ability:bad|abort|id=bad\n")
			if got := a.away("0:01 call first | 0:02 result first | " + c.script); got != c.want {
				t.Errorf("tripped %q, want %q", got, c.want)
			}
		})
	}
}

// guarded is an agent under a policy and the built-in rules.
func guarded(t *testing.T, policy string) *agent {
	t.Helper()
	reg := load(t, policy)
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: reg, Store: memory.New(memory.Options{Now: clock.Now}), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	return &agent{s, clock, t}
}

// away plays steps such as "5:00 beat", minutes and seconds after the start,
// with a sweep every 10 seconds, and returns the rules that ended a task.
func (a *agent) away(script string) string {
	a.t.Helper()
	var ended []string
	note := func(halts []session.Halt) {
		for _, h := range halts {
			if h.Ended {
				ended = append(ended, h.Fired.Rule.ID)
			}
		}
	}
	held := map[string]*session.Step{}
	for step := range strings.SplitSeq(script, "|") {
		var minutes, seconds int
		words := append(strings.Fields(step), "", "", "")
		if _, err := fmt.Sscanf(words[0], "%d:%d", &minutes, &seconds); err != nil {
			a.t.Fatalf("%s: %v", step, err)
		}
		at := start.Add(time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second).UnixNano()
		for a.clock.Now() < at {
			a.clock.Advance(min(10*time.Second, time.Duration(at-a.clock.Now())))
			note(a.Sweep(a.t.Context(), 0))
		}
		what, name := words[1], words[2]
		e := session.Event{Type: session.EventType(what), CallID: name, Task: words[3]}
		switch what {
		case "nothing":
			continue
		case "before":
			held[name] = &session.Step{Call: session.Call{ID: name, Ability: name}}
			if got := a.judged(held[name]); got == "allow" {
				a.t.Fatalf("%s: %s", step, got)
			}
			continue
		case "approve":
			a.approve(held[name])
			continue
		case "start":
			note(a.Observe(a.t.Context(), &session.Event{Type: session.TaskStart, Task: "parent"}))
			note(a.Observe(a.t.Context(), &session.Event{Type: session.ToolUse, Task: "parent", Ability: "task", CallID: "delegated"}))
			e = session.Event{Type: session.TaskStart, Task: "child", Parent: "parent"}
		case "says":
			e.Type, e.Text, e.CallID, e.Task = session.AgentSaid, "Which of the two?", "", name
		case "user":
			e.Type, e.Text, e.CallID, e.Task = session.UserSaid, "the first", "", name
		case "beat":
			e.Type, e.Phase, e.CallID, e.Task = session.Heartbeat, session.Working, "", name
		case "call":
			e.Type, e.Ability = session.ToolUse, "look"
		case "result":
			e.Type, e.Output = session.ToolResult, output("x")
		}
		note(a.Observe(a.t.Context(), &e))
	}
	return strings.Join(ended, " ")
}

// approve says yes to what a step was held for, and has it begin.
func (a *agent) approve(st *session.Step) {
	a.t.Helper()
	var v registry.Verdict
	a.Before(a.t.Context(), st, &v)
	for i := range v.Fired {
		if v.Fired[i].Rule.Action.Kind != dsl.Confirm {
			continue
		}
		if err := a.Approve(a.t.Context(), st, v.Fired[i].Rule, false, 0); err != nil {
			a.t.Fatal(err)
		}
	}
	if got := a.judged(st); got != "allow" {
		a.t.Errorf("after a yes: %s", got)
	}
}
