package session_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// use tells of a call that begins.
func (a *agent) use(task, id, ability string) {
	a.Observe(a.t.Context(), &session.Event{Type: session.ToolUse, Task: task, CallID: id, Ability: ability})
}

// result tells of a call that has ended in an error class, or well ("").
func (a *agent) result(task, id, class string) {
	e := &session.Event{Type: session.ToolResult, Task: task, CallID: id, Output: output("fine")}
	if class != "" {
		e.Output, e.Error = nil, &session.Failure{Class: class, Message: "no"}
	}
	a.Observe(a.t.Context(), e)
}

// told is a call that events tell of, from its beginning to its end.
func (a *agent) told(ability, class string) {
	a.use("", "told", ability)
	a.result("", "told", class)
}

// after reports the result of a step as a host does.
func (a *agent) after(st *session.Step, class string) {
	a.t.Helper()
	if err := a.After(a.t.Context(), session.Outcome{Step: st, Failed: class != "", Class: class}); err != nil {
		a.t.Error(err)
	}
}

// step is one that was let through.
func (a *agent) step(id, ability string) *session.Step {
	a.t.Helper()
	st := &session.Step{Call: session.Call{ID: id, Ability: ability}}
	if got := a.judge(st); got != "allow" {
		a.t.Fatalf("%s %q: %s, want it let through", ability, id, got)
	}
	return st
}

// breaker is the state of an ability's breaker, in brief.
func (a *agent) breaker(ability string) string {
	a.t.Helper()
	st, phase, _, err := a.Breaker(a.t.Context(), ability)
	if err != nil {
		a.t.Fatal(err)
	}
	return phase.String() + strings.Repeat(" failed", int(st.Failures))
}

func (a *agent) isBreaker(ability, want string) {
	a.t.Helper()
	if got := a.breaker(ability); got != want {
		a.t.Errorf("the breaker of %s is %s, want %s", ability, got, want)
	}
}

// broken has five calls fail, so that the breaker opens.
func (a *agent) broken(ability string) {
	a.t.Helper()
	for range breaker.DefaultThreshold {
		a.try(ability, session.ClassTool)
	}
	a.isBreaker(ability, "open")
}

// What events tell of moves the breaker as what After reports does.
func TestEventsMoveBreakers(t *testing.T) {
	clock := session.NewVirtualClock(start)
	var changes []string
	agents := guardedAgents(t, 3, memory.New(memory.Options{}), clock, func(c session.BreakerChange) {
		changes = append(changes, c.Ability+" "+c.From.String()+" → "+c.To.String())
	})
	a, b, c := agents[0], agents[1], agents[2]
	a.told("web.fetch", session.ClassNetwork)
	a.told("Web.Fetch", session.ClassTool) // names are folded
	a.told("web.fetch", session.ClassArguments)
	a.told("web.fetch", session.ClassCancelled) // neither says anything of the ability
	b.told("web.fetch", session.ClassTool)      // of whatever session
	a.told("web.fetch", "Strange")
	b.isBreaker("web.fetch", "closed failed failed failed failed")
	a.told("web.fetch", session.ClassTool)
	for _, x := range agents {
		if got := x.try("web.fetch", ""); got != "abort circuit_open" {
			t.Errorf("%s: the sixth is %s", x.ID(), got)
		}
	}
	c.told("web.search", session.ClassTool)
	c.told("web.search", "")
	c.isBreaker("web.search", "closed")
	c.told("free.thing", session.ClassTool)      // has none
	c.told("fragile", session.ClassNetwork)      // is ignored
	c.told("fragile", session.ClassFileNotFound) // counts, and one is enough
	c.isBreaker("fragile", "open")
	for range 9 {
		c.told("delegate.coder", session.ClassTool) // has a cap of its own
	}
	c.isBreaker("delegate.coder", "closed")
	if d := cmp.Diff([]string{"web.fetch closed → open", "fragile closed → open"}, changes); d != "" {
		t.Error(d)
	}
}

// The result of a step that Before has let through settles its claim, however it is
// told of, and once.
func TestEventSettlesStep(t *testing.T) {
	for _, tt := range []struct {
		name string
		tell func(a *agent, st *session.Step)
	}{
		{"After", func(a *agent, st *session.Step) { a.after(st, session.ClassTool) }},
		{"an event", func(a *agent, st *session.Step) { a.result("", "c", session.ClassTool) }},
		{"an event, then After", func(a *agent, st *session.Step) {
			a.result("", "c", session.ClassTool)
			a.after(st, session.ClassTool)
		}},
		{"After, then an event", func(a *agent, st *session.Step) {
			a.after(st, session.ClassTool)
			a.result("", "c", session.ClassTool)
		}},
		{"an event twice", func(a *agent, st *session.Step) {
			a.result("", "c", session.ClassTool)
			a.result("", "c", session.ClassTool)
		}},
		{"After of two steps that are the same call", func(a *agent, st *session.Step) {
			same := a.step("c", "web")
			if !same.Repeated() {
				a.t.Error("it is not repeated")
			}
			a.after(same, session.ClassTool)
			a.after(st, session.ClassTool)
		}},
		{"both events, then After", func(a *agent, st *session.Step) {
			a.use("", "c", "Web")
			a.result("", "c", session.ClassTool)
			a.after(st, session.ClassTool)
		}},
		{"After, then both events", func(a *agent, st *session.Step) {
			a.after(st, session.ClassTool)
			a.use("", "c", "web")
			a.result("", "c", session.ClassTool)
		}},
		{"an event of a task that was closed", func(a *agent, st *session.Step) {
			a.Observe(a.t.Context(), &session.Event{Type: session.TaskEnd, Task: "t"})
			a.result("t", "c", session.ClassTool)
			a.after(st, session.ClassTool)
			a.StartTask("t", "", "")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := guardedAgents(t, 1, memory.New(memory.Options{}), session.NewVirtualClock(start), nil)[0]
			a.StartTask("t", "", "")
			tt.tell(a, a.step("c", "web"))
			a.isBreaker("web", "closed failed")
			if a.step("c", "web").Repeated() {
				t.Error("asked for again it is repeated: its claim was not settled")
			}
			if n := a.Snapshot().Tasks[1].ToolCalls; n != 2 {
				t.Errorf("%d tool calls, want 2", n)
			}
		})
	}
}

// A call that an event begins before Before is asked about it is the same call.
func TestEventThenBefore(t *testing.T) {
	a := guardedAgents(t, 1, memory.New(memory.Options{}), session.NewVirtualClock(start), nil)[0]
	a.use("", "c", "web")
	st := a.step("c", "web")
	a.after(st, session.ClassTool)
	a.result("", "c", session.ClassTool)
	a.isBreaker("web", "closed failed")
	if n := a.Snapshot().ToolCalls; n != 1 {
		t.Errorf("%d tool calls, want 1", n)
	}
}

// A probe is decided by an event as by After, and its lease is free at once.
func TestEventDecidesProbe(t *testing.T) {
	for _, tt := range []struct {
		name, class, want string
		again             string // what another session is told at once
	}{
		{"success", "", "closed", "allow"},
		{"failure", session.ClassTool, "open", "abort circuit_open"},
		{"a result that says nothing", session.ClassCancelled, "half-open", "allow"},
	} {
		for _, id := range []string{"c", ""} {
			t.Run(tt.name+" of "+id, func(t *testing.T) {
				clock := session.NewVirtualClock(start)
				agents := guardedAgents(t, 2, memory.New(memory.Options{}), clock, nil)
				a, b := agents[0], agents[1]
				a.broken("web")
				clock.Advance(breaker.DefaultReset)
				st := a.step(id, "web")
				if got := b.try("web", ""); got != "abort circuit_open" {
					t.Fatalf("beside the probe: %s", got)
				}
				a.result("", id, tt.class)
				b.isBreaker("web", tt.want)
				a.after(st, session.ClassTool) // says nothing any more
				b.isBreaker("web", tt.want)
				if got := b.try("web", ""); got != tt.again {
					t.Errorf("after the probe: %s, want %s", got, tt.again)
				}
			})
		}
	}
}

// The probe whose lease is over decides nothing, whoever tells of it.
func TestEventOfLostProbe(t *testing.T) {
	clock := session.NewVirtualClock(start)
	a := guardedAgents(t, 1, memory.New(memory.Options{}), clock, nil)[0]
	a.broken("web")
	clock.Advance(breaker.DefaultReset)
	a.step("c", "web")
	clock.Advance(breaker.DefaultProbe)
	a.result("", "c", "")
	a.isBreaker("web", "half-open")
	if got := a.try("web", ""); got != "allow" {
		t.Errorf("the next probe: %s", got)
	}
	a.isBreaker("web", "closed")
}

// A call that nobody was asked about holds no lease: while the breaker is not
// closed it decides nothing, nor does one that began before it opened.
func TestEventOfUnaskedCallIsNoProbe(t *testing.T) {
	for _, class := range []string{"", session.ClassTool} {
		clock := session.NewVirtualClock(start)
		agents := guardedAgents(t, 2, memory.New(memory.Options{}), clock, nil)
		a, b := agents[0], agents[1]
		for _, x := range agents {
			x.use("", "before it opened", "web")
		}
		a.broken("web")
		a.result("", "before it opened", class)
		for _, x := range agents {
			x.told("web", class)
			x.use("", "while open", "web")
		}
		a.isBreaker("web", "open")
		clock.Advance(breaker.DefaultReset)
		for _, x := range agents {
			x.told("web", class)
			x.use("", "while half-open", "web")
		}
		a.isBreaker("web", "half-open")
		if got := a.try("web", ""); got != "allow" {
			t.Fatalf("the probe: %s", got)
		}
		a.told("web", session.ClassTool)
		clock.Advance(time.Second)
		b.result("", "before it opened", class) // it has never seen the breaker open
		if class != "" {
			for _, x := range agents {
				x.result("", "while open", class)
				x.result("", "while half-open", class)
			}
		}
		a.isBreaker("web", "closed failed")
		b.told("web", session.ClassTool)
		a.isBreaker("web", "closed failed failed")
	}
}

// A session that comes to a breaker with a history has its first failure counted.
func TestEventOfNewSession(t *testing.T) {
	clock := session.NewVirtualClock(start)
	agents := guardedAgents(t, 2, memory.New(memory.Options{}), clock, nil)
	a, b := agents[0], agents[1]
	a.broken("web")
	clock.Advance(breaker.DefaultReset)
	if got := a.try("web", ""); got != "allow" {
		t.Fatalf("the probe: %s", got)
	}
	clock.Advance(time.Second)
	b.told("web", session.ClassTool)
	a.isBreaker("web", "closed failed")
}

// Calls with one id in two tasks are two, and a result is of the one of its task.
func TestEventsOfEqualIDs(t *testing.T) {
	a := guardedAgents(t, 1, memory.New(memory.Options{}), session.NewVirtualClock(start), nil)[0]
	steps := map[string]*session.Step{}
	for _, task := range []string{"t", "u"} {
		a.StartTask(task, "", "")
		steps[task] = &session.Step{Task: task, Call: session.Call{ID: "c", Ability: "web"}}
		if got := a.judge(steps[task]); got != "allow" || steps[task].Repeated() {
			t.Fatalf("task %s: %s", task, got)
		}
	}
	a.result("t", "c", session.ClassTool)
	a.isBreaker("web", "closed failed")
	for task, repeated := range map[string]bool{"t": false, "u": true} {
		again := &session.Step{Task: task, Call: session.Call{ID: "c", Ability: "web"}}
		if got := a.judge(again); got != "allow" || again.Repeated() != repeated {
			t.Errorf("task %s: %s, repeated %v, want %v", task, got, again.Repeated(), repeated)
		}
	}
	a.after(steps["u"], session.ClassTool)
	a.after(steps["t"], session.ClassTool)
	a.isBreaker("web", "closed failed failed")
}

// A result without an id is that of the earliest call of the task that has none.
func TestEventWithoutID(t *testing.T) {
	a := guardedAgents(t, 1, memory.New(memory.Options{}), session.NewVirtualClock(start), nil)[0]
	first, other := a.step("", "web"), a.step("", "disk")
	a.result("", "", session.ClassTool)
	a.isBreaker("web", "closed failed")
	a.isBreaker("disk", "closed")
	a.after(first, session.ClassTool)
	a.isBreaker("web", "closed failed")
	a.after(other, session.ClassTool)
	a.isBreaker("disk", "closed failed")
	a.result("", "", session.ClassTool) // of none
	a.use("", "", "net")
	a.result("", "", session.ClassTool)
	a.isBreaker("net", "closed failed")
}

// The output of a step is one of the session, whoever tells of it.
func TestEventBindsOutput(t *testing.T) {
	a := newAgent(t, `B:web.output>1000|abort|"Too much"|id=much,missing=skip`)
	a.step("c", "web")
	out, err := registry.ParseValue([]byte(`1001`))
	if err != nil {
		t.Fatal(err)
	}
	a.Observe(t.Context(), &session.Event{Type: session.ToolResult, CallID: "c", Output: &out})
	if got := a.judge(&session.Step{Call: session.Call{Ability: "other"}}); got != "abort much" {
		t.Errorf("after an output of 1001: %s", got)
	}
}

// Metrics are told of every call once.
func TestEventMetrics(t *testing.T) {
	m, clock := breaker.NewMetrics(0, breaker.Alerts{Trips: 1}), session.NewVirtualClock(start)
	s, err := session.New(session.Options{
		ID: "s", Registry: load(t, ""), Store: memory.New(memory.Options{}), Clock: clock, Breakers: session.DefaultBreakers(), Metrics: m,
	})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{s, clock, t}
	a.told("web", "")
	for range 3 {
		a.told("web", session.ClassTool)
	}
	for range 2 {
		st := a.step("c", "web")
		a.use("", "c", "web")
		a.result("", "c", session.ClassTool)
		a.after(st, session.ClassTool)
	}
	a.told("web", session.ClassCancelled)
	want := []breaker.Reading{{Ability: "web", Phase: "open", Trips: 1, Calls: 6, Failed: 5, Alerts: []string{"trips"}}}
	if d := cmp.Diff(want, m.Read(clock.Now())); d != "" {
		t.Error(d)
	}
}

// A delegation is told of by both like any other call, and fails its worker once.
func TestEventOfDelegation(t *testing.T) {
	a := guardedAgents(t, 1, memory.New(memory.Options{}), session.NewVirtualClock(start), nil)[0]
	st := &session.Step{Worker: "Coder", Call: session.Call{ID: "c", Ability: "task"}}
	if got := a.judge(st); got != "allow" {
		t.Fatal(got)
	}
	a.Observe(t.Context(), &session.Event{Type: session.Delegate, CallID: "c", Worker: "coder"})
	a.Observe(t.Context(), &session.Event{Type: session.Delegate, CallID: "c", Worker: "writer"}) // another
	a.result("", "c", session.ClassTool)                                                          // of the latest
	a.result("", "c", session.ClassTool)
	a.result("", "c", session.ClassTool) // of none
	a.after(st, session.ClassTool)
	got := a.Snapshot()
	if len(got.Workers) != 2 || got.Workers[0].Failures != 1 || got.Workers[1].Failures != 1 || got.ToolCalls != 2 {
		t.Errorf("%d tool calls, workers %+v; want 2, and each worker failed once", got.ToolCalls, got.Workers)
	}
}

// The money that was set aside for a step is settled with an event as with After,
// and its claim with it, for every process that has the session.
func TestEventSettlesMoney(t *testing.T) {
	homes(t, func(t *testing.T, open func() state.Store) {
		p := newPurse(t, open())
		st := p.ask("work", "c", 30)
		p.Observe(t.Context(), &session.Event{Type: session.ToolResult, Task: "work", CallID: "c", Output: output("fine")})
		p.want(30)
		p.pay(st, 1) // says nothing any more
		p.want(30)
		other := newPurse(t, open())
		if again := other.ask("work", "c", 20); again.Repeated() {
			t.Error("asked for again it is repeated: its claim was not settled")
		}
		other.want(50)
	})
}

// In a store that outlives the process, too, what events tell of opens a breaker,
// for every session and for every process that comes later.
func TestEventsMoveBreakersThatLast(t *testing.T) {
	homes(t, func(t *testing.T, open func() state.Store) {
		a := live(t, open(), "a")
		for i := range breaker.DefaultThreshold {
			if i%2 == 0 {
				a.told("web", session.ClassTool)
				continue
			}
			a.step("c", "web")
			a.result("", "c", session.ClassTool)
		}
		if got := a.try("web", ""); got != "abort circuit_open" {
			t.Errorf("the sixth: %s", got)
		}
		if got := live(t, open(), "b").try("web", ""); got != "abort circuit_open" {
			t.Errorf("of another process: %s", got)
		}
	})
}

// Steps whose results are told of from two sides at once count once each.
func TestEventsBesideAfter(t *testing.T) {
	s, err := session.New(session.Options{
		ID: "s", Registry: load(t, ""), Store: memory.New(memory.Options{}),
		Breakers: []session.Breaker{{Abilities: "*", Config: breaker.Config{Threshold: 1000}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{s, nil, t}
	var all sync.WaitGroup
	const calls = 60 // as many as are known once After has told of them, and no more
	for i := range calls {
		id := fmt.Sprint(i)
		st := &session.Step{Call: session.Call{ID: id, Ability: "web"}}
		if got := a.judge(st); got != "allow" {
			t.Fatal(got)
		}
		all.Go(func() {
			if err := s.After(t.Context(), session.Outcome{Step: st, Failed: true, Class: session.ClassTool}); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() { a.use("", id, "web"); a.result("", id, session.ClassTool) })
		all.Go(func() { a.told("other", "") })
	}
	all.Wait()
	a.isBreaker("web", "closed"+strings.Repeat(" failed", calls))
}

// Events that come after After are known as those of its call, once, with the same
// arguments, and as long as it is one of the last 64.
func TestEventsAfterAfter(t *testing.T) {
	for _, tt := range []struct {
		name  string
		since int // further calls that After was told of
		event session.Event
		want  int64 // further calls that are counted
	}{
		{"at once", 0, session.Event{Ability: "web"}, 0},
		{"in another case", 0, session.Event{Ability: "WEB"}, 0},
		{"another ability", 0, session.Event{Ability: "disk"}, 1},
		{"other arguments", 0, session.Event{Ability: "web", Args: args(t, `{"n":1}`)}, 1},
		{"another task", 0, session.Event{Ability: "web", Task: "t"}, 1},
		{"as one of the last", 63, session.Event{Ability: "web"}, 0},
		{"too late", 64, session.Event{Ability: "web"}, 1},
		{"after many more", 1000, session.Event{Ability: "web"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := guardedAgents(t, 1, memory.New(memory.Options{}), session.NewVirtualClock(start), nil)[0]
			for _, task := range []string{"t", "u"} {
				a.Observe(t.Context(), &session.Event{Type: session.TaskStart, Task: task})
			}
			a.after(a.step("c", "web"), "")
			for i := range tt.since {
				a.after(a.step(fmt.Sprint(i), "web"), "")
			}
			before := a.Snapshot().ToolCalls
			tt.event.Type, tt.event.CallID = session.ToolUse, "c"
			a.Observe(t.Context(), &tt.event)
			if got := a.Snapshot().ToolCalls - before; got != tt.want {
				t.Errorf("%d calls more, want %d", got, tt.want)
			}
			a.Observe(t.Context(), &tt.event)
			if got := a.Snapshot().ToolCalls - before; got != tt.want+1 {
				t.Errorf("told once more: %d calls more, want %d", got, tt.want+1)
			}
		})
	}
}
