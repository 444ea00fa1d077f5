package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// withBuiltins is an agent under the built-in rules alone.
func withBuiltins(t testing.TB) *agent {
	t.Helper()
	reg := new(registry.Registry)
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: reg, Store: memory.New(memory.Options{}), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	return &agent{s, clock, t}
}

// observe takes events in and returns what came to hold, in brief.
func (a *agent) observe(events ...session.Event) string {
	var halts []session.Halt
	for i := range events {
		halts = append(halts, a.Observe(a.t.Context(), &events[i])...)
	}
	return briefHalts(halts)
}

func (a *agent) sweep() string { return briefHalts(a.Sweep(a.t.Context(), 0)) }

// briefHalts leaves out what is only observed.
func briefHalts(halts []session.Halt) string {
	var parts []string
	for _, h := range halts {
		if h.Ended {
			parts = append(parts, strings.TrimSpace(h.Task+" "+h.Fired.Rule.ID))
		}
	}
	return strings.Join(parts, ", ")
}

func started(ids ...string) []session.Event {
	var events []session.Event
	for _, id := range ids {
		events = append(events, session.Event{Type: session.TaskStart, Task: id})
	}
	return events
}

func TestToolCallLimit(t *testing.T) {
	t.Run("fifty calls pass and the 51st is refused", func(t *testing.T) {
		a := withBuiltins(t)
		for i := range 50 {
			if got := a.run(fmt.Sprintf(`{"ability":"web.fetch","args":{"n":%d}}`, i), fmt.Sprint(i)); !strings.HasPrefix(got, "allow") {
				t.Fatalf("call %d: %s", i+1, got)
			}
		}
		st := &session.Step{Call: call(t, `{"ability":"web.fetch","args":{"n":51}}`)}
		var v registry.Verdict
		a.Before(t.Context(), st, &v)
		f := v.Blocking()
		if f == nil || f.Rule.ID != "tool_call_limit" {
			t.Fatalf("the 51st call: %s", brief(&v))
		}
		want := session.ToolCallLimit{Actual: 51, Limit: 50}
		if got := session.ReasonOf(f); got != want || want.String() != "tool calls: 51 of 50" {
			t.Errorf("reason %v, want %v", got, want)
		}
		if _, got := a.before(`{"ability":"other"}`); got != "abort tool_call_limit" {
			t.Errorf("the task is ended, but another call: %s", got)
		}
	})
	t.Run("observed", func(t *testing.T) {
		a := withBuiltins(t)
		a.observe(started("t1", "t2")...)
		for i := range 51 {
			events := []session.Event{
				{Type: session.ToolUse, Task: "t1", CallID: "c", Ability: "ls", Args: args(t, fmt.Sprintf(`{"n":%d}`, i))},
				{Type: session.ToolResult, Task: "t1", CallID: "c", Output: output(fmt.Sprint(i))},
			}
			want := ""
			if i == 50 {
				want = "t1 tool_call_limit"
			}
			if got := a.observe(events...); got != want {
				t.Fatalf("call %d: %q, want %q", i+1, got, want)
			}
		}
		st := &session.Step{Call: call(t, `{"ability":"ls"}`), Task: "t2"}
		if got := a.judge(st); got != "allow" {
			t.Errorf("its sibling: %s", got)
		}
	})
}

func TestTokenSpendLimit(t *testing.T) {
	a := withBuiltins(t)
	a.observe(started("t1")...)
	spend := func(nano int64) string {
		return a.observe(session.Event{Type: session.Usage, Task: "t1", Cost: nano, HasCost: true})
	}
	if got := spend(5000e7); got != "" {
		t.Errorf("5,000 cents: %q", got)
	}
	if got := spend(1e5); got != "t1 token_spend_limit, token_spend_limit" && got != "t1 token_spend_limit" {
		t.Errorf("5,000.01 cents: %q", got)
	}
}

func TestClockLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit time.Duration
		idle  bool
		rule  string
	}{
		{"duration", 1800 * time.Second, false, "t1 duration_limit"},
		{"idle", 300 * time.Second, true, "t1 idle_timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := withBuiltins(t)
			a.observe(started("t1")...)
			for rest := c.limit; rest > 0; rest -= 200 * time.Second {
				if !c.idle { // something happens all the time
					a.observe(session.Event{Type: session.Heartbeat, Task: "t1", Phase: session.Working}, session.Event{Type: session.Heartbeat, Phase: session.Working, Task: "nobody"})
				}
				a.clock.Advance(min(rest, 200*time.Second))
			}
			if got := a.sweep(); got != "" {
				t.Errorf("at the limit: %q", got)
			}
			a.clock.Advance(1)
			if got := a.sweep(); !strings.Contains(got, c.rule) {
				t.Errorf("a nanosecond later: %q, want %q", got, c.rule)
			}
		})
	}
	t.Run("a silence is seen by the event that ends it", func(t *testing.T) {
		a := withBuiltins(t)
		a.observe(started("t1")...)
		a.clock.Advance(301 * time.Second)
		if got := a.observe(session.Event{Type: session.ToolUse, Task: "t1", Ability: "ls"}); got != "t1 idle_timeout" {
			t.Errorf("the call that ends it: %q", got)
		}
	})
	t.Run("no clock trips while a person is away", func(t *testing.T) {
		a := withBuiltins(t)
		a.observe(started("t1")...)
		a.observe(session.Event{Type: session.AgentSaid, Task: "t1", Text: "which one?"})
		a.clock.Advance(48 * time.Hour)
		if got := a.sweep(); got != "" {
			t.Errorf("after two days: %q", got)
		}
		if got := a.observe(session.Event{Type: session.UserSaid, Task: "t1", Text: "the second"}); got != "" {
			t.Errorf("the user is back: %q", got)
		}
	})
}

func TestOutputLoop(t *testing.T) {
	words := func(last string) string {
		var b strings.Builder
		for i := range 38 {
			fmt.Fprintf(&b, "w%d ", i)
		}
		return b.String() + last
	}
	say := func(texts ...string) string {
		a := withBuiltins(t)
		a.observe(started("t1")...)
		var events []session.Event
		for _, text := range texts {
			events = append(events, session.Event{Type: session.AgentSaid, Task: "t1", Text: text})
		}
		return a.observe(events...)
	}
	if got := say(words("a"), words("a"), words("b")); got != "t1 output_loop" {
		t.Errorf("a similarity of exactly 0.95: %q", got)
	}
	if got := say(words("a"), words("a"), words("b c")); got != "" {
		t.Errorf("38 of 41: %q", got)
	}
	if got := say("the same", "the same"); got != "" {
		t.Errorf("two outputs: %q", got)
	}
}

func TestEndedTaskEndsWhatIsBelow(t *testing.T) {
	a := newAgent(t, `B:task.tool_calls>1|abort|id=calls
B:session.tool_calls>3|abort|id=all
B:task.tool_calls>0 & ability:one.*|abort|id=only-this`)
	a.observe(session.Event{Type: session.TaskStart, Task: "parent"}, session.Event{Type: session.TaskStart, Task: "child", Parent: "parent"},
		session.Event{Type: session.TaskStart, Task: "sibling"})
	try := func(task, ability string) string {
		return a.judge(&session.Step{Call: session.Call{Ability: ability}, Task: task})
	}
	for _, c := range []struct{ task, ability, want string }{
		{"parent", "one.x", "abort only-this"}, // asks about the step: ends nothing
		{"parent", "two", "allow"},
		{"child", "two", "allow"},
		{"parent", "two", "abort calls"},
		{"child", "two", "abort calls"}, // is below what was ended
		{"sibling", "two", "allow"},
		{"", "two", "abort calls all"}, // the sibling is on top
		{"nobody", "two", "abort all"},
	} {
		if got := try(c.task, c.ability); got != c.want {
			t.Errorf("%q in %q: %s, want %s", c.ability, c.task, got, c.want)
		}
	}
	if err := a.Resume("nobody"); err == nil {
		t.Error("a task that was not ended is resumed")
	}
}

func args(t testing.TB, text string) *registry.Values {
	t.Helper()
	vs, err := registry.ParseValues([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return vs
}

func output(text string) *registry.Value {
	v := registry.Text(text)
	return &v
}
