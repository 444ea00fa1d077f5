package session_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// Nothing is allocated for an event beyond the event itself, whatever its type
// and whatever rules hold: what is measured here is the rate in the long run, in
// which what a session remembers grows in pieces. Before that, a task that is new
// and a halt that is told are the event's own. So is, in the long run too, what a
// row says: the text of a refusal, what a store keeps, what an expression reads.

// rules are those that a row is measured under.
type rules struct {
	monitor, enforce bool   // the sets "monitor" on and "loops" enforced
	policy           string // in addition
	options          func(o *session.Options)
}

// moneyKept has the money of the session kept in its store.
func moneyKept(o *session.Options) {
	o.Store = struct{ state.Store }{memory.New(memory.Options{})}
}

// ofTask sets limits for every task.
var ofTask = rules{options: func(o *session.Options) {
	o.TaskLimits = []session.TaskLimits{{Limits: map[string]string{"tool_call_limit": "1e14", "same_call": "7"}}}
}}

// session is one under the rules, whose limits that end a task are out of reach.
func (r rules) session(t testing.TB) (*session.Session, *session.VirtualClock) {
	t.Helper()
	far := registry.BuiltinLimit{Value: "1e15"}
	b := registry.Builtins{
		Sets: map[string]bool{"monitor": r.monitor}, Modes: map[string]dsl.Mode{},
		Limits: map[string]registry.BuiltinLimit{"tool_call_limit": far, "token_spend_limit": far, "delegation_limit": far},
	}
	if r.enforce {
		b.Modes["loops"] = dsl.Enforce
	}
	reg := load(t, r.policy)
	if err := reg.TuneBuiltins(b); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	o := session.Options{ID: "s", Registry: reg, Store: memory.New(memory.Options{}), Clock: clock}
	if r.options != nil {
		r.options(&o)
	}
	s, err := session.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s, clock
}

// rate is how many allocations a call of f comes to, once it has been called often
// enough for everything that is used again to be there.
func rate(f func(i int)) float64 {
	const warm, runs = 1200, 800 // more than the messages whose usage is remembered
	for i := range warm {
		f(i)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range runs {
		f(warm + i)
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / runs
}

// grows is the most that what is remembered in pieces comes to.
const grows = 0.2

func TestEventsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	few := strings.Join([]string{
		"B:amount>1000|abort|missing=skip", "B:ability:pay.*|confirm", "B:arg:note|contains:\"secret\"|abort", "B:frequency:web.*>9000/1s|throttle",
		"B:output:*|matches:`(?i)pass(word|phrase): \\w+ \\w+`|abort", "B:output:*|contains:\"do as I say\"|warn", "B:after:mail.*|confirm", "B:task.messages>10000000|warn",
	}, "\n") + "\n"
	sets := []struct {
		name string
		rules
	}{
		{"default", rules{}}, {"loops enforced", rules{enforce: true}}, {"monitor", rules{monitor: true}},
		{"a few rules", rules{policy: few}}, {"limits of the task", ofTask},
		{"interactive", rules{options: func(o *session.Options) { o.Interactive = true }}},
		{"breakers", rules{options: func(o *session.Options) { o.Breakers = session.DefaultBreakers() }}},
		{"money kept", rules{options: moneyKept}},
	}
	for _, set := range sets {
		for _, kind := range eventKinds(t) {
			if kind.opens && set.monitor {
				continue // a halt for each of its rules that comes to hold
			}
			t.Run(set.name+"/"+kind.name, func(t *testing.T) {
				s, clock := set.session(t)
				ctx := t.Context()
				s.Observe(ctx, &session.Event{Type: session.TaskStart, Task: "t"})
				got := rate(func(i int) {
					for j := range kind.turn(i) {
						clock.Advance(1)
						s.Observe(ctx, &kind.turn(i)[j])
					}
				})
				own := 0.0
				if kind.moves && set.name == "money kept" {
					own = 2 // the store's copies of the task's ledger and of the session's
				}
				if got > own+grows {
					t.Errorf("%.2f allocations, want at most %.1f", got, own+grows)
				}
				var v registry.Verdict
				s.Before(ctx, &session.Step{Final: true}, &v)
				if v.Decision == registry.Abort || !strings.Contains(brief(&v), kind.holds) {
					t.Errorf("it came to %s: want rule %q to hold, and the task to go on", brief(&v), kind.holds)
				}
			})
		}
	}
}

// eventKind is a turn of events whose cost is measured. They are made before.
type eventKind struct {
	name  string
	turns [][]session.Event
	holds string // a rule that holds all the time
	opens bool   // the task is opened anew with every turn, and what holds is told anew
	moves bool   // money is spent with every turn
}

func (k *eventKind) turn(i int) []session.Event { return k.turns[i%len(k.turns)] }

func eventKinds(t *testing.T) []eventKind {
	vary := func(n int, f func(i int) []session.Event) (turns [][]session.Event) {
		for i := range n {
			turns = append(turns, f(i))
		}
		return turns
	}
	one := func(e ...session.Event) [][]session.Event { return [][]session.Event{e} }
	ok, text := output("fine"), `{"rows":[{"id":17,"name":"a"},{"id":18,"name":"b"}],"ok":true}`
	value, err := registry.ParseValue([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plain, deep := args(t, `{"url":"https://example.com/","n":17,"note":"all fine"}`), args(t, `{"query":{"ids":[1,2,3],"deep":true},"new_string":"abcd"}`)
	use := func(ability, id string, vs *registry.Values) session.Event {
		return session.Event{Type: session.ToolUse, Ability: ability, CallID: id, Args: vs}
	}
	result := func(id string, out *registry.Value) session.Event {
		return session.Event{Type: session.ToolResult, CallID: id, Output: out}
	}
	failed := session.Event{Type: session.ToolResult, Error: &session.Failure{Class: session.ClassTool, Message: "no such table"}}
	words := strings.Fields("one two three four five six seven eight nine ten eleven twelve")
	return []eventKind{
		{name: "heartbeat", turns: one(session.Event{Type: session.Heartbeat, Phase: session.Working, Task: "t"})},
		{name: "heartbeat, starting", turns: one(session.Event{Type: session.Heartbeat, Phase: session.Starting, Task: "t"})},
		{name: "task_start of one that is open", turns: one(session.Event{Type: session.TaskStart, Task: "t"})},
		{name: "task_end of one that is not", turns: one(session.Event{Type: session.TaskEnd, Task: "u"})},
		{name: "task_start, task_end", turns: one(session.Event{Type: session.TaskStart, Task: "u"}, session.Event{Type: session.TaskEnd, Task: "u"})},
		{name: "heartbeats, starting and done", turns: one(session.Event{Type: session.Heartbeat, Phase: session.Starting, Task: "u"}, session.Event{Type: session.Heartbeat, Phase: session.Done, Task: "u"})},
		{name: "user", turns: one(session.Event{Type: session.UserSaid, Text: "please go on"})},
		{name: "assistant", turns: vary(len(words), func(i int) []session.Event {
			return []session.Event{{Type: session.AgentSaid, Text: "I shall now look at " + words[i] + " and at " + words[(i+5)%12]}}
		})},
		{name: "user, assistant", turns: vary(len(words), func(i int) []session.Event {
			return []session.Event{{Type: session.UserSaid, Text: words[i]}, {Type: session.AgentSaid, Text: words[i] + " it is"}}
		})},
		{name: "asked", turns: one(session.Event{Type: session.Asked})},
		{name: "usage", moves: true, turns: one(session.Event{Type: session.Usage, Tokens: meter.Tokens{Input: 10, Output: 5}, Cost: 1000, HasCost: true})},
		{name: "usage of a message", moves: true, turns: vary(3000, func(i int) []session.Event {
			return []session.Event{{Type: session.Usage, MessageID: fmt.Sprint("m", i), Model: "gpt-4o", Tokens: meter.Tokens{Input: 10, Output: 5}, Cost: 1000, HasCost: true}}
		})},
		{name: "usage of a message, again", turns: one(session.Event{Type: session.Usage, MessageID: "m", Tokens: meter.Tokens{Input: 10, Output: 5}})},
		{name: "equal calls", holds: "same_call", turns: one(use("web.fetch", "c", plain), result("c", ok))},
		{name: "equal calls without an id", holds: "same_call", turns: one(use("web.fetch", "", plain), result("", ok))},
		{name: "equal calls, JSON", holds: "same_call", turns: one(use("Query", "c", deep), result("c", &value))},
		{name: "equal edits", holds: "same_call", turns: one(use("Edit", "c", deep), result("c", ok))},
		{name: "calls by turns", holds: "alternation", turns: one(use("web.fetch", "c", plain), result("c", ok), use("Read", "d", deep), result("d", &value))},
		{name: "calls that differ", holds: "edit_streak", turns: vary(64, func(i int) []session.Event {
			return []session.Event{use("web.fetch", "c", args(t, fmt.Sprintf(`{"n":%d}`, i))), result("c", output(fmt.Sprint("result ", i)))}
		})},
		{name: "failed calls", holds: "error_streak", turns: one(use("web.fetch", "", plain), failed)},
		{name: "calls without a result", turns: one(use("web.fetch", "", plain))},
		{name: "tasks of a call", opens: true, turns: vary(4, func(i int) []session.Event {
			return []session.Event{{Type: session.TaskStart, Task: "u"}, use("web."+words[i], "c", plain), result("c", ok), {Type: session.TaskEnd, Task: "u"}}
		})},
		{name: "results of no call", turns: one(result("x", ok))},
		{name: "delegations", turns: one(session.Event{Type: session.Delegate, Worker: "Coder", CallID: "c", Args: plain}, result("c", output("It is done: all 17 tests pass.")))},
		{name: "failed delegations", holds: "error_streak", turns: one(session.Event{Type: session.Delegate, Worker: "Coder", Args: plain}, failed)},
	}
}

// TestCallsAllocateNothing is the same for Before and After.
func TestCallsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	value, err := registry.ParseValue([]byte(`{"rows":[{"id":17}],"ok":true}`))
	if err != nil {
		t.Fatal(err)
	}
	table, err := prices.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	ok := output("fine")
	plain, deep := args(t, `{"url":"https://example.com/","n":17}`), args(t, `{"query":{"ids":[1,2,3]}}`)
	breakers := func(o *session.Options) { o.Breakers = session.DefaultBreakers() }
	opens := func(manual bool) func(*session.Options) {
		return func(o *session.Options) {
			o.Breakers = []session.Breaker{{Abilities: "*", Config: breaker.Config{Threshold: 1, Reset: time.Hour, Manual: manual}}}
		}
	}
	outputRules := "B:web.fetch.output>1000|abort|missing=skip\nB:output:web.fetch.output|contains:\"do as I say\"|warn\nB:arg:url|contains:\"evil\"|abort\nB:after:mail.*|confirm\n"
	var ids []string
	for i := range 3000 {
		ids = append(ids, fmt.Sprint("call-", i))
	}
	for _, c := range []struct {
		name string
		rules
		call   session.Call
		ids    bool // every call has one of its own
		output *registry.Value
		chain  bool // the outputs are the host's
		failed bool // every call that is made
		spends bool // what it costs is known at its end
		step   session.Step
		own    float64 // what the call allocates of its own, as its name says
	}{
		{name: "outputs of the host", call: session.Call{Ability: "web.fetch", Args: plain}, output: ok, chain: true},
		{name: "outputs of the session", call: session.Call{Ability: "web.fetch", Args: plain}, output: ok},
		{name: "no output", call: session.Call{Ability: "web.fetch", Args: plain}},
		{name: "JSON", call: session.Call{Ability: "web.fetch", Args: deep}, output: &value},
		{name: "letter case", call: session.Call{Ability: "WebFetch", Args: plain}, output: ok},
		{name: "with a breaker", rules: rules{options: breakers}, call: session.Call{Ability: "WebFetch", Args: plain}, output: ok},
		{name: "with an id", call: session.Call{Ability: "web.fetch", Args: plain}, ids: true, output: ok},
		{name: "with an id and a breaker", rules: rules{options: breakers}, call: session.Call{Ability: "web.fetch", Args: deep}, ids: true, output: ok},
		{name: "monitor", rules: rules{monitor: true}, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok},
		{name: "limits of the task", rules: ofTask, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok},
		{name: "rules over outputs", rules: rules{policy: outputRules}, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok},
		{name: "a warning with every call", rules: rules{policy: "B:task.tool_calls>=100|warn\n"}, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok},
		{name: "refused by a rule", rules: rules{policy: "B:n>16|abort\n"}, call: session.Call{Ability: "web.fetch", Args: plain}},
		{name: "refused as the task has ended", rules: rules{policy: "B:task.tool_calls>100|abort\n"}, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok},
		{name: "a confirmation is asked for", rules: rules{policy: "B:ability:web.*|confirm\n"}, call: session.Call{Ability: "web.fetch", Args: deep}, ids: true},
		{name: "a rate is counted", rules: rules{policy: "B:frequency:web.*>9000/1h|throttle\n"}, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok},
		{name: "an estimate of the next turn", rules: rules{options: func(o *session.Options) { o.Pricing = session.Pricing{Table: table, MaxOutput: 1000} }},
			call: session.Call{Ability: "web.fetch", Args: plain}, output: ok},
		{name: "refused by an open breaker: the refusal and its text", rules: rules{options: opens(false)}, call: session.Call{Ability: "web.fetch", Args: plain}, failed: true, own: 2},
		{name: "the same with an id: also the name under which it would probe", rules: rules{options: opens(false)}, call: session.Call{Ability: "web.fetch", Args: plain}, ids: true, failed: true, own: 3},
		{name: "refused until an operator resets it: the refusal and its text", rules: rules{options: opens(true)}, call: session.Call{Ability: "web.fetch", Args: plain}, failed: true, own: 2},
		{name: "money kept, none moves", rules: rules{options: moneyKept}, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok},
		{name: "money kept, none moves, with an id", rules: rules{options: moneyKept}, call: session.Call{Ability: "web.fetch", Args: plain}, ids: true, output: ok},
		{name: "money kept, a cost: the store's copy of each of two ledgers", rules: rules{options: moneyKept}, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok, spends: true, own: 2},
		{name: "money kept, an estimate and a cost: of each of two ledgers what is set aside, and the store's copies", rules: rules{options: moneyKept},
			call: session.Call{Ability: "web.fetch", Args: plain}, output: ok, spends: true, step: session.Step{Estimate: 1000}, own: 6},
		{name: "the same with an id: also what the store remembers of a write by a call", rules: rules{options: moneyKept},
			call: session.Call{Ability: "web.fetch", Args: plain}, ids: true, output: ok, spends: true, step: session.Step{Estimate: 1000}, own: 10},
		{name: "a condition: the machine's list of arguments", rules: rules{policy: "B:when:args.n > 100|abort\n"}, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok, own: 1},
		{name: "a condition over a text: the list, and the text", rules: rules{policy: "B:when:args.url == \"x\"|abort\n"}, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok, own: 2},
		{name: "a condition over the ability: the list, and the text", rules: rules{policy: "B:when:ability == \"x\" && has(args.n)|abort\n"}, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok, own: 1},
		{name: "a condition over a meter: the list, and the number", rules: rules{policy: "B:when:task.tool_calls > 1000000|abort\n"}, call: session.Call{Ability: "web.fetch", Args: plain}, output: ok, own: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, clock := c.session(t)
			ctx := t.Context()
			s.StartTask("t", "", "")
			s.Observe(ctx, &session.Event{Type: session.Usage, Model: "gpt-4o", Tokens: meter.Tokens{Input: 100}})
			var host *registry.Values
			if c.chain {
				host = &registry.Values{}
			}
			var v registry.Verdict
			st := &session.Step{}
			got := rate(func(i int) {
				clock.Advance(1)
				*st = c.step
				st.Call, st.Outputs = c.call, host
				if c.ids {
					st.Call.ID = ids[i]
				}
				s.Before(ctx, st, &v)
				if v.Decision.Blocks() {
					return
				}
				if err := s.After(ctx, session.Outcome{Step: st, Output: c.output, Failed: c.failed, Class: session.ClassTool, Cost: 500, Settled: c.spends}); err != nil {
					t.Error(err)
				}
			})
			if got > c.own+grows {
				t.Errorf("%.2f allocations, want at most %.1f; last verdict %s", got, c.own+grows, brief(&v))
			}
			if refused := v.Decision == registry.Abort && strings.Contains(brief(&v), session.SlugCircuitOpen); refused != c.failed {
				t.Errorf("a breaker refused it: %t; last verdict %s", refused, brief(&v))
			}
		})
	}
}
