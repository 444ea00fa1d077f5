package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// looper plays scripts to a session under the loops, with the limits of those
// whose cases these are: four equal calls, three failures, six by turns.
type looper struct {
	*agent
	at    int64
	calls int
}

func newLooper(t testing.TB, interactive bool, sameCall string) *looper {
	t.Helper()
	var reg registry.Registry
	limits := map[string]registry.BuiltinLimit{"same_call": {Value: sameCall}, "error_streak": {Value: "3"}, "alternation": {Value: "6"}}
	err := reg.TuneBuiltins(registry.Builtins{Sets: map[string]bool{"halts": false}, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Clock: clock, Interactive: interactive})
	if err != nil {
		t.Fatal(err)
	}
	return &looper{agent: &agent{s, clock, t}, at: start.UnixNano()}
}

// play observes a script: "ls=out" is a call that puts out "out", "ls!text"
// one that fails with it, "user" a message of the user, "say:text" one of the
// agent; "*3" behind a word repeats it.
func (l *looper) play(script string) {
	l.t.Helper()
	for _, word := range strings.Fields(script) {
		times := 1
		if before, n, ok := strings.Cut(word, "*"); ok {
			word = before
			fmt.Sscan(n, &times)
		}
		for range times {
			l.word(word)
		}
	}
}

func (l *looper) word(word string) {
	l.at += int64(time.Second)
	e := session.Event{At: l.at}
	if word == "user" {
		e.Type, e.Text = session.UserSaid, "go on"
		l.Observe(l.t.Context(), &e)
		return
	}
	if text, ok := strings.CutPrefix(word, "say:"); ok {
		e.Type, e.Text = session.AgentSaid, text
		l.Observe(l.t.Context(), &e)
		return
	}
	l.calls++
	e.Type, e.CallID = session.ToolUse, fmt.Sprint(l.calls)
	result := session.Event{Type: session.ToolResult, CallID: e.CallID, At: l.at}
	name, text, failed := strings.Cut(word, "!")
	if failed {
		result.Error = &session.Failure{Class: session.ClassTool, Message: text}
	} else {
		name, text, _ = strings.Cut(word, "=")
		result.Output = output(text)
	}
	e.Ability, _, _ = strings.Cut(name, "(")
	e.Args = args(l.t, fmt.Sprintf(`{"q":%q}`, name))
	l.Observe(l.t.Context(), &e)
	l.Observe(l.t.Context(), &result)
}

// stuck are the loops that hold now.
func (l *looper) stuck() string {
	var v registry.Verdict
	l.Before(l.t.Context(), &session.Step{Final: true}, &v)
	ids := []string{}
	for _, f := range v.Fired {
		ids = append(ids, f.Rule.ID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// The cases by which others tell an agent that is stuck from one that is not.
// Where ours differ, the case says why.
func TestLoops(t *testing.T) {
	manyCalls := ""
	for i := range 50 {
		manyCalls += fmt.Sprintf("read(%d)=x%d ls(%d)=y%d ", i, i, i, i)
	}
	for _, c := range []struct {
		name, script, want string
		interactive        bool
	}{
		{name: "a user message and one call", script: "user ls=a"},
		{name: "two calls", script: "user ls=a*2"},
		{name: "three, a user message between", script: "user ls=a*2 user ls=a"},
		{name: "four, a user message between: nobody watches", script: "user ls=a*2 user ls=a*2", want: "same_call"},
		{name: "four, then a user message: nobody watches", script: "ls=a*4 user", want: "same_call"},
		{name: "four, then a user message: somebody watches", script: "ls=a*4 user", interactive: true},
		{name: "two more", script: "ls=a*4 user ls=a*2", interactive: true},
		{name: "four more", script: "ls=a*4 user ls=a*4", interactive: true, want: "same_call"},
		{name: "one bad call, four different errors", script: "bad!e1 bad!e2 bad!e3 bad!e4", want: "error_streak"},
		{name: "one bad call, three errors", script: "bad!e1 bad!e2 bad!e3", want: "error_streak"},
		{name: "one bad call, two errors", script: "bad!e1 bad!e2"},
		// A notebook's syntax errors are outputs: the call itself succeeds.
		{name: "the same code, the same syntax error, four times", script: "py=SyntaxError_line_1*4", want: "same_call"},
		{name: "the line differs", script: "py=SyntaxError_line_1 py=SyntaxError_line_2 py=SyntaxError_line_3 py=SyntaxError_line_4"},
		{name: "three times only", script: "py=SyntaxError_line_1*3"},
		{name: "an unterminated string, twice", script: "py=unterminated*2"},
		{name: "an error text in changing output", script: "run=ok1 run=error run=ok2 run=ok3"},
		{name: "two calls by turns, a user message between", script: "ls=a read=b ls=a user read=b ls=a read=b", want: "alternation"},
		{name: "no turns", script: "ls=a read(1)=b pwd=c read(2)=d pwd=c read(2)=d"},
		// The same words three times are the halt output_loop, not a loop of calls.
		{name: "three equal messages", script: "say:hello*3"},
		// A condensation of the context is a call like others.
		{name: "nine condensations", script: "condense(1)=1 condense(2)=2 condense(3)=3 condense(4)=4 condense(5)=5 condense(6)=6 condense(7)=7 condense(8)=8 condense(9)=9"},
		{name: "ten condensations", script: "condense(1)=1 condense(2)=2 condense(3)=3 condense(4)=4 condense(5)=5 condense(6)=6 condense(7)=7 condense(8)=8 condense(9)=9 condense(0)=0", want: "edit_streak"},
		{name: "ten, with work between", script: "condense(1)=1 condense(2)=2 condense(3)=3 condense(4)=4 condense(5)=5 ls=a condense(6)=6 condense(7)=7 condense(8)=8 condense(9)=9 condense(0)=0"},
		{name: "ten, with user messages between", script: "condense(1)=1 condense(2)=2 condense(3)=3 user condense(4)=4 condense(5)=5 condense(6)=6 user condense(7)=7 condense(8)=8 condense(9)=9 condense(0)=0", want: "edit_streak"},
		{name: "ten, and then the user, who watches", script: "condense(1)=1 condense(2)=2 condense(3)=3 condense(4)=4 condense(5)=5 condense(6)=6 condense(7)=7 condense(8)=8 condense(9)=9 condense(0)=0 user", interactive: true},
		{name: "fifty calls, then four equal ones", script: manyCalls + "ls=a*4", want: "same_call"},
		{name: "a poll whose output changes", script: "status=1 status=2 status=3 status=4 status=5 status=6 status=7"},
		{name: "a poll of two by turns, whose outputs change", script: "a=1 b=1 a=2 b=2 a=3 b=3 a=4 b=4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLooper(t, c.interactive, "4")
			l.play(c.script)
			if got := l.stuck(); got != c.want {
				t.Errorf("stuck %q, want %q", got, c.want)
			}
		})
	}
}

// The limits are the operator's to set.
func TestLoops_Limits(t *testing.T) {
	for script, want := range map[string]string{"ls=a*4": "", "ls=a*5": "", "ls=a*6": "same_call"} {
		l := newLooper(t, false, "6")
		l.play(script)
		if got := l.stuck(); got != want {
			t.Errorf("%s: stuck %q, want %q", script, got, want)
		}
	}
}

// An agent is told once when it goes wrong, stopped when it goes on, and told
// anew when it has done something else in between.
func TestLoops_NudgeThenStop(t *testing.T) {
	a := newAgent(t, "B:task.error_streak>=3|warn|\"three failures\"|id=nudge\nB:task.error_streak>=4|abort|\"stuck\"|id=stuck\n")
	l := &looper{agent: a, at: start.UnixNano()}
	told := func(script string) (ids []string) {
		for _, word := range strings.Fields(script) {
			l.at += int64(time.Second)
			result := session.Event{Type: session.ToolResult, At: l.at, Output: output("fine")}
			if strings.HasSuffix(word, "!") {
				result.Output, result.Error = nil, &session.Failure{Class: session.ClassTool, Message: "no"}
			}
			for _, e := range []session.Event{{Type: session.ToolUse, Ability: "run", At: l.at}, result} {
				for _, h := range a.Observe(t.Context(), &e) {
					ids = append(ids, h.Fired.Rule.ID)
				}
			}
		}
		return ids
	}
	for i, step := range []struct{ script, want string }{
		{"run! run!", "[]"}, {"run!", "[nudge]"}, {"run", "[]"}, {"run! run!", "[]"}, {"run!", "[nudge]"},
		{"run!", "[stuck]"}, {"run!", "[]"}, // it was ended, and is not told again
	} {
		if got := fmt.Sprint(told(step.script)); got != step.want {
			t.Errorf("step %d, %s: %s, want %s", i+1, step.script, got, step.want)
		}
	}
}

// A part of a task that is stuck is stopped by itself; the task that waits
// for it is told, and not stopped: it can turn to somebody else.
func TestLoops_OfAPart(t *testing.T) {
	var reg registry.Registry
	if err := reg.TuneBuiltins(registry.Builtins{Limits: map[string]registry.BuiltinLimit{"same_call": {Value: "4"}}}); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{s, clock, t}
	a.observe(started("parent")...)
	a.Observe(t.Context(), &session.Event{Type: session.TaskStart, Task: "child", Parent: "parent"})
	var told []string
	for i := range 4 {
		id := fmt.Sprint(i)
		a.Observe(t.Context(), &session.Event{Type: session.ToolUse, Task: "child", Ability: "ls", CallID: id})
		for _, h := range a.Observe(t.Context(), &session.Event{Type: session.ToolResult, Task: "child", CallID: id, Output: output("a")}) {
			told = append(told, h.Task+" "+h.Fired.Rule.ID)
		}
	}
	if fmt.Sprint(told) != "[child same_call]" {
		t.Errorf("told %v, want the child's loop, once", told)
	}
	if got := a.judge(&session.Step{Call: session.Call{Ability: "ls"}, Task: "parent"}); got != "allow" {
		t.Errorf("the parent: %s", got)
	}
}

// Three equal outputs end a task; what is called between them does not make
// them different.
func TestLoops_OfOutputs(t *testing.T) {
	for script, want := range map[string]string{
		"hello hello": "allow", "hello hello hello": "abort output_loop", "hello call hello call hello": "abort output_loop",
		"hello hello other": "allow",
	} {
		a := withBuiltins(t)
		for _, word := range strings.Fields(script) {
			e := session.Event{Type: session.AgentSaid, Text: word}
			if word == "call" {
				a.Observe(t.Context(), &session.Event{Type: session.ToolUse, Ability: "ls", CallID: "c"})
				e = session.Event{Type: session.ToolResult, CallID: "c", Output: output("x")}
			}
			a.Observe(t.Context(), &e)
		}
		if got := a.judge(&session.Step{Call: session.Call{Ability: "read"}}); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}
