package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
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

func TestDecodeEvent(t *testing.T) {
	got, err := session.DecodeEvent([]byte(`{"type":"usage","task":"t1","at":"2026-01-05T09:00:00Z","message_id":"m1","model":"x",
		"input_tokens":900,"output_tokens":40,"cache_read_tokens":1,"cost_cents":1.5,"something":"new"}`))
	want := &session.Event{Type: session.Usage, Task: "t1", At: start.UnixNano(), MessageID: "m1", Model: "x",
		Tokens: meter.Tokens{Input: 900, Output: 40, CacheRead: 1}, Cost: 15_000_000, HasCost: true}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, c := range []struct{ raw, want string }{
		{`[]`, "want a JSON object"},
		{`{}`, "the event has no type"},
		{`{"type":"dance"}`, `type "dance" is not known`},
		{`{"type":"tool_use"}`, "tool_use needs an ability"},
		{`{"type":"delegate"}`, "delegate needs a worker"},
		{`{"type":"task_start"}`, "task_start needs a task"},
		{`{"type":"heartbeat","phase":"dead"}`, `phase "dead" is none of starting, working, done and error`},
		{`{"type":"user","type":"assistant"}`, "type"},
		{`{"type":"user","at":"yesterday"}`, `at: "yesterday" is no time such as 2026-01-05T09:00:00Z`},
		{`{"type":"usage","input_tokens":-1}`, "input_tokens: want a whole number, 0 or more"},
		{`{"type":"usage","input_tokens":1.5}`, "input_tokens: want a whole number, 0 or more"},
		{`{"type":"usage","cost_cents":"5"}`, "cost_cents: want a number of cents, 0 or more"},
		{`{"type":"tool_result","error":7}`, "error: want an object"},
	} {
		if _, err := session.DecodeEvent([]byte(c.raw)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.raw, err, c.want)
		}
	}
}

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
	if err := a.Accept(&halts[0], session.Dismiss); err != nil {
		t.Error(err)
	}
	step := func() string { return a.judge(&session.Step{Call: call(t, `{"ability":"ls"}`), Task: "t1"}) }
	if got := step(); got != "abort tool_call_limit" {
		t.Errorf("dismissed, and then: %s", got)
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

func TestCanDelegate(t *testing.T) {
	a := withBuiltins(t)
	a.RecordFailure("chef_team", "timed out")
	if ok, why := a.CanDelegate(t.Context(), "chef_team"); !ok {
		t.Errorf("after one failure: %s", why)
	}
	a.RecordFailure("Chef_Team ", "gave up")
	ok, why := a.CanDelegate(t.Context(), "chef_team")
	if want := "This worker has failed twice in this session (worker.failures 2 is at least 2)"; ok || why != want {
		t.Errorf("after two failures: %v, %q, want %q", ok, why, want)
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
