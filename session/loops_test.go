package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/session"
)

// stuck and free are the verdicts of the tables.
const (
	stuck = true
	free  = false
)

// The cases by which OpenHands, and its SDK, tell an agent that is stuck from one
// that is not, each under the words of its row: the set of loops, with its limits
// as built in.
//
// They look at what was done. A rule is asked before each step, and counts the one
// that it is asked about: an agent is stuck if the set meets the next step of the
// way it went, the same call again or the next of two by turns, and free if that
// passes with nothing fired. Four equal calls are so what they are to OpenHands:
// the fifth is not let by unseen. Of what nobody is asked about before, messages and
// the condensing of a context, what holds after the events counts.
func TestLoops(t *testing.T) {
	unrelated := "" // events: a call and its result each
	for i := range 25 {
		unrelated += fmt.Sprintf("%s(%d)=x%d ", []string{"read", "find"}[i%2], i, i)
	}
	ten := func(between string) (script string) { // condensations, with something in the middle
		for i := range 10 {
			script += fmt.Sprintf("condense(%d)=%d ", i, i)
			if i == 4 {
				script += between + " "
			}
		}
		return script
	}
	poll := func(call string, times int) (script string) {
		for i := range times {
			script += fmt.Sprintf("%s=%d ", call, i)
		}
		return script
	}
	polls := "" // of one ability, with other arguments by turns
	for i := range 15 {
		polls += fmt.Sprintf("status(1)=%d status(2)=%d ", i, i)
	}
	talk := "" // twenty messages
	for i := range 20 {
		talk += fmt.Sprintf("say:word%d ", i)
	}
	for _, c := range []struct {
		row, script string
		// next is what the agent does if it goes on as it did; "": nothing that
		// anybody is asked about, and what holds after the events counts.
		next        string
		table       bool   // stuck or free
		by          string // the rule that meets the next step
		interactive bool
	}{
		{row: "user message + one ls pair", script: "user ls=a", next: "ls", table: free},
		{row: "greeting, ls×2: not at 2", script: "say:hello ls=a*2", next: "ls", table: free},
		{row: "greeting, ls×2, user message, ls (3 total): not at 3", script: "say:hello ls=a*2 user ls=a", next: "ls", table: free},
		{row: "greeting, ls×2, user message, ls×2: stuck at 4", script: "say:hello ls=a*2 user ls=a*2", next: "ls", table: stuck, by: "same_call"},
		{row: "ls×4, then a user message: headless", script: "ls=a*4 user", next: "ls", table: stuck, by: "same_call"},
		{row: "ls×4, then a user message: interactive", script: "ls=a*4 user", next: "ls", table: free, interactive: true},
		{row: "ls×4, then a user message, +2 ls", script: "ls=a*4 user ls=a*2", next: "ls", table: free, interactive: true},
		{row: "ls×4, then a user message, +4 ls", script: "ls=a*4 user ls=a*4", next: "ls", table: stuck, by: "same_call", interactive: true},
		{row: "same bad command ×4, four different error texts (error kind, 3)", script: "bad!e1 bad!e2 bad!e3 bad!e4", next: "bad", table: stuck, by: "error_streak"},
		{row: "same bad command ×3", script: "bad!e1 bad!e2 bad!e3", next: "bad", table: stuck, by: "error_streak"},
		{row: "same bad command ×2", script: "bad!e1 bad!e2", next: "bad", table: free},
		// A notebook's syntax errors are outputs: the call itself succeeds.
		{row: "same code, same syntax error, same line ×4", script: "py=SyntaxError_line_1*4", next: "py", table: stuck, by: "same_call"},
		{row: "line numbers differ", script: "py=SyntaxError_line_1 py=SyntaxError_line_2 py=SyntaxError_line_3 py=SyntaxError_line_4", next: "py", table: free},
		{row: "only 3 (lines differ)", script: "py=SyntaxError_line_1 py=SyntaxError_line_2 py=SyntaxError_line_1", next: "py", table: free},
		{row: "only 3", script: "py=SyntaxError_line_1*3", next: "py", table: free},
		{row: "unterminated string ×2", script: "py=unterminated*2", next: "py", table: free},
		{row: "error text in the middle of changing output", script: "run=ok1 run=error run=ok2 run=ok3", next: "run", table: free},
		{row: "ls, read ×3 with a user message in between", script: "ls=a read=b ls=a user read=b ls=a read=b", next: "ls", table: stuck, by: "alternation"},
		{row: "ls, read1, pwd, read2, pwd, read2", script: "ls=a read(1)=b pwd=c read(2)=d pwd=c read(2)=d", next: "pwd", table: free},
		{row: "3 identical agent messages", script: "say:hello*3", table: stuck, by: "same_message"},
		{row: "3 identical agent messages: the step after them", script: "say:hello*3", next: "ls", table: stuck, by: "same_message"},
		{row: "3 identical agent messages, then an observation + 2 more", script: "say:hello*3 ls=a say:hello*2", table: free},
		{row: "3 identical agent messages, then an observation + 3 more", script: "say:hello*3 ls=a say:hello*3", table: stuck, by: "same_message"},
		{row: "2 identical agent messages, then an observation + 1 more", script: "say:hello*2 ls=a say:hello", table: free},
		{row: "2 identical agent messages, a user message, 1 more: headless", script: "say:hello*2 user say:hello", table: stuck, by: "same_message"},
		{row: "2 identical agent messages, a user message, 1 more: interactive", script: "say:hello*2 user say:hello", table: free, interactive: true},
		{row: "another agent message between identical ones", script: "say:hello*2 say:other say:hello", table: free},
		// A framework condenses the context by itself and asks nobody before: such
		// calls are told as events, ten of one ability.
		{row: "9 condensations in a row", script: strings.TrimSuffix(ten(""), "condense(9)=9 "), table: free},
		{row: "10 condensations in a row", script: ten(""), table: stuck, by: "edit_streak"},
		{row: "10 with work between", script: ten("ls=a"), table: free},
		{row: "10 with user messages between: headless", script: ten("user"), table: stuck, by: "edit_streak"},
		{row: "10 with user messages between: not once a user message follows (interactive)", script: ten("user") + "user", table: free, interactive: true},
		{row: "50 unrelated events then 4 repeats", script: unrelated + "ls=a*4", next: "ls", table: stuck, by: "same_call"},
		{row: "only the last 20 events are read: repeats before them are none", script: "ls=a*4 " + unrelated + "ls=a", next: "ls", table: free},
		{row: "only the last 20 events are read: failures before them are none", script: "bad!e bad!e " + unrelated + "bad!e", next: "bad", table: free},
		{row: "only the last 20 events are read: words between repeats", script: strings.Repeat("ls=a "+talk, 4), next: "ls", table: free},
		{row: "only the last 20 events are read: words between failures", script: strings.Repeat("bad!e "+talk, 4), next: "bad", table: free},
		{row: "a poll whose output changes", script: "status=1 status=2 status=3 status=4 status=5 status=6 status=7", next: "status", table: free},
		{row: "a long poll whose output changes", script: poll("status", 30), next: "status", table: free},
		{row: "a long poll of two by turns, whose outputs change", script: polls, next: "status(1)", table: free},
		{row: "a poll of two by turns, whose outputs change", script: "a=1 b=1 a=2 b=2 a=3 b=3 a=4 b=4", next: "a", table: free},
	} {
		t.Run(c.row, func(t *testing.T) {
			l := newLooper(t, c.interactive, "")
			l.play(c.script)
			got := l.meets(c.next)
			if got != c.by {
				t.Errorf("the next step is met by %q, want %q", got, c.by)
			}
			if (got != "") != c.table {
				t.Errorf("stuck: %v; the table says %v", got != "", c.table)
			}
		})
	}
}

// SDK threshold 6: 4 repeats / 6 repeats: not / stuck. The limits are the
// operator's to set: as a rule counts the call that it is asked about, their 4 is
// the 5 that is built in, and their 6 a limit of 7. After the events alone a rule
// holds one call later.
func TestLoops_Limits(t *testing.T) {
	for _, c := range []struct{ limit, script, meets, holds string }{
		{"", "ls=a*3", "", ""}, {"", "ls=a*4", "same_call", ""}, {"", "ls=a*5", "same_call", "same_call"},
		{"7", "ls=a*4", "", ""}, {"7", "ls=a*5", "", ""}, {"7", "ls=a*6", "same_call", ""}, {"7", "ls=a*7", "same_call", "same_call"},
	} {
		l := newLooper(t, false, c.limit)
		l.play(c.script)
		if got := l.stuck(); got != c.holds {
			t.Errorf("limit %q, %s: %q holds, want %q", c.limit, c.script, got, c.holds)
		}
		if got := l.meets("ls"); got != c.meets {
			t.Errorf("limit %q, %s: the next is met by %q, want %q", c.limit, c.script, got, c.meets)
		}
	}
}

// SDK: same erroring call ×2 / ×3 / ×4: nothing / one nudge / stuck; model fixes
// itself after the nudge: finishes; no second nudge while the streak is frozen.
// The set tells of three failures once, which is the nudge, and from then on meets
// every step: the fourth failing call does not pass unseen. A call that succeeds
// ends it.
func TestLoops_NudgeOfTheSet(t *testing.T) {
	l := newLooper(t, false, "")
	for i, step := range []struct{ script, told, holds string }{
		{"run!no*2", "", ""},
		{"run!no", "error_streak", "error_streak"},
		{"say:I_see user", "", "error_streak"}, // the streak is frozen
		{"run!no", "", "error_streak"},
		{"run=fine", "", ""},
		{"run!no*2", "", ""},
		{"run!no", "error_streak", "error_streak"},
		{"run=fine say:done", "", ""},
	} {
		l.told = nil
		l.play(step.script)
		if got := strings.Join(l.told, " "); got != step.told {
			t.Errorf("step %d, %s: told %q, want %q", i+1, step.script, got, step.told)
		}
		if got := l.stuck(); got != step.holds {
			t.Errorf("step %d, %s: stuck %q, want %q", i+1, step.script, got, step.holds)
		}
	}
}

// The table's two limits, a nudge at 3 and stuck at 4, are two rules of an
// operator. An agent is told once when it goes wrong, stopped when it goes on,
// and told anew when it has done something else in between.
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

// How far apart calls may be, and still be in a row: the one before is among the
// last 20 events. Fewer words between them do not make them another thing.
func TestLoops_MessagesBetween(t *testing.T) {
	for words, want := range map[int]string{0: "same_call", 9: "same_call", 19: "same_call", 20: "", 21: ""} {
		talk := ""
		for i := range words {
			talk += fmt.Sprintf("say:word%d ", i)
		}
		l := newLooper(t, false, "")
		l.play(strings.Repeat("ls=a "+talk, 4))
		if got := l.meets("ls"); got != want {
			t.Errorf("%d words between: the next is met by %q, want %q", words, got, want)
		}
	}
}

// Child agent stuck: parent stuck. Who runs both, such as a supervisor, is told of
// the parent too, and of those above it.
func TestLoops_ChildAgentStuck(t *testing.T) {
	family := func(t *testing.T) *looper {
		l := newLooper(t, false, "")
		l.observe(started("grandparent")...)
		l.Observe(t.Context(), &session.Event{Type: session.TaskStart, Task: "parent", Parent: "grandparent"})
		l.Observe(t.Context(), &session.Event{Type: session.TaskStart, Task: "child", Parent: "parent"})
		l.Observe(t.Context(), &session.Event{Type: session.TaskStart, Task: "sibling", Parent: "parent"})
		return l
	}
	told := func(l *looper, ability string) (of []string) {
		l.calls++
		id := fmt.Sprint(l.calls)
		for _, e := range []session.Event{
			{Type: session.ToolUse, Task: "child", Ability: ability, CallID: id},
			{Type: session.ToolResult, Task: "child", CallID: id, Output: output("a")},
		} {
			for _, h := range l.Observe(l.t.Context(), &e) {
				of = append(of, h.Task+" "+h.Fired.Rule.ID)
			}
		}
		return of
	}
	step := func(task, ability string) *session.Step {
		return &session.Step{Call: session.Call{Ability: ability}, Task: task}
	}
	verdicts := func(l *looper, want map[string]string) {
		l.t.Helper()
		for _, task := range []string{"parent", "grandparent", "sibling"} {
			if got := l.judge(step(task, "write")); got != want[task] {
				l.t.Errorf("%s: %s, want %s", task, got, want[task])
			}
		}
	}
	free := map[string]string{"parent": "allow", "grandparent": "allow", "sibling": "allow"}
	above := map[string]string{"parent": "allow child_stuck", "grandparent": "allow child_stuck", "sibling": "allow"}

	t.Run("by events", func(t *testing.T) {
		l := family(t)
		for range 4 {
			if got := told(l, "ls"); got != nil {
				t.Errorf("told %v too early", got)
			}
		}
		if got, want := fmt.Sprint(told(l, "ls")), "[child same_call parent child_stuck grandparent child_stuck]"; got != want {
			t.Errorf("told %s, want %s", got, want)
		}
		verdicts(l, above)
		if got := told(l, "read"); got != nil { // it does something else
			t.Errorf("told %v", got)
		}
		verdicts(l, free)
	})
	t.Run("by steps", func(t *testing.T) {
		l := family(t)
		for i, want := range []string{"allow", "allow", "allow", "allow", "allow same_call"} {
			verdicts(l, free)
			st := step("child", "ls")
			if got := l.judge(st); got != want {
				t.Errorf("call %d: %s, want %s", i+1, got, want)
			}
			if i == 4 {
				l.Sweep(t.Context(), 0) // the call is under way still
				verdicts(l, above)
			}
			if err := l.After(t.Context(), session.Outcome{Step: st, Output: output("a")}); err != nil {
				t.Fatal(err)
			}
		}
		verdicts(l, above)
		l.EndTask("child")
		verdicts(l, free)
	})
	t.Run("rules that say nothing of circles", func(t *testing.T) {
		for _, rule := range []string{
			`B:task.error_streak<3|warn|"all is well"|id=well`, `B:when:args.win_streak > 1|warn|"x"|id=wins`, `B:task.tool_calls>0|warn|id=calls`,
		} {
			l := &looper{agent: newAgent(t, rule+"\nB:task.stuck_below>0|warn|id=below\n")}
			l.observe(started("parent")...)
			l.Observe(t.Context(), &session.Event{Type: session.TaskStart, Task: "child", Parent: "parent"})
			st := step("child", "ls")
			st.Call.Args = args(t, `{"win_streak":2}`)
			l.judge(st)
			st = step("parent", "ls")
			st.Call.Args = args(t, `{"win_streak":0}`)
			if got := l.judge(st); strings.Contains(got, "below") {
				t.Errorf("%s: %s", rule, got)
			}
		}
	})
	t.Run("a child that was ended for it goes no further", func(t *testing.T) {
		l := &looper{agent: newAgent(t, "B:task.same_call_streak>=3|abort|id=same\nB:task.stuck_below>0|abort|id=below\n")}
		l.observe(started("parent")...)
		l.Observe(t.Context(), &session.Event{Type: session.TaskStart, Task: "child", Parent: "parent"})
		told(l, "ls")
		told(l, "ls")
		if got, want := fmt.Sprint(told(l, "ls")), "[child same]"; got != want {
			t.Errorf("told %s, want %s", got, want)
		}
		if got := l.judge(step("parent", "write")); got != "allow" {
			t.Errorf("the parent: %s", got)
		}
	})
}

// Three equal outputs end a task; what is called between them does not make
// them different, otherwise than in the table: an observation is no output.
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
