package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// lines are the entries of a timeline in short.
func lines(t *replay.Timeline) string {
	var b strings.Builder
	for _, e := range t.Entries {
		fmt.Fprintf(&b, "%s %d +%ds", e.Kind, e.Call, e.ElapsedMS/1000)
		for _, s := range []string{e.Task, e.Ability, string(e.Args), e.Decision} {
			if s != "" {
				b.WriteString(" " + s)
			}
		}
		for _, f := range e.Fired {
			fmt.Fprintf(&b, " [%s: %s]", f.Rule, f.Explain)
		}
		if e.WaitMS > 0 {
			fmt.Fprintf(&b, " waits %dms", e.WaitMS)
		}
		if e.Declined {
			b.WriteString(" declined")
		}
		if e.Stops {
			b.WriteString(" stops")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		name, policy, script string
		confirm              replay.Confirm
		want                 string
	}{
		{"every call, its arguments, and what comes after the halt", "B:ability:b|abort|id=no\n",
			`{"type":"tool_use","ability":"a","args":{"x":1}}` + "\nsay hello\ncall b\nsay and\ncall c", "",
			`call 1 +0s a {"x":1} allow
call 2 +2s b abort [no: ability b is covered by b] stops
unmade 3 +4s c
`},
		{"a rule that only observes", "B:ability:a|abort|id=o,mode=observe\n", "call a", "", "call 1 +0s a allow [o: ability a is covered by a]\n"},
		{"a wait moves what follows", "B:frequency:a@session>1/10s|throttle|id=slow\n", "call a\ncall a\ncall b", "",
			`call 1 +0s a allow
wait 2 +1s a throttle [slow: 2 calls of a in 10s exceed 1] waits 9000ms
call 2 +10s a allow
call 3 +11s b allow
`},
		{"a question that is approved", "B:ability:a|confirm|id=q\n", "call a\ncall b", replay.Approve,
			"call 1 +0s a allow [q: ability a is covered by a]\ncall 2 +1s b allow\n"},
		{"a question that is declined", "B:ability:a|confirm|id=q\n", "call a\ncall b", replay.Decline,
			"call 1 +0s a confirm [q: ability a is covered by a] declined\ncall 2 +1s b allow\n"},
		{"between calls", "B:task.messages>=1|warn|id=w\nB:task.messages>=2|review|id=r\n", "call a\nsay 1\nsay 2\ncall b", "",
			`call 1 +0s a allow
between 1 +1s warn [w: task.messages 1 is at least 1]
between 1 +2s review [r: task.messages 2 is at least 2] stops
unmade 2 +3s b
`},
		{"two at once", "B:task.duration>5s|abort|id=late\nB:task.duration>4s|review|id=soon\n", "call a\nresult 1\nwait 10\nsay x", "",
			`call 1 +0s a allow
between 1 +12s abort [late: task.duration 12 exceeds 5] stops
between 1 +12s review [soon: task.duration 12 exceeds 4]
`},
		{"after the last event", "B:output:a.output|contains:x|abort|id=x\n", "call a\nresult x", "",
			"call 1 +0s a allow\nend 1 +1s abort [x: output a.output contains \"x\"] stops\n"},
		{"nothing at all", "B:ability:a|abort|id=x\n", "say hello", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := replay.Explain(t.Context(), events(t, c.script), replay.Options{Confirm: c.confirm, Session: session.Options{Registry: rules(t, c.policy)}})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, lines(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

// A timeline tells what Run does: the same result, each call once and in
// order, and exactly one stop in a run that is halted.
func TestExplainAgreesWithRun(t *testing.T) {
	reg := rules(t, "B:ability:c|confirm|id=q\nB:frequency:a@session>2/3s|throttle|id=slow\nB:after:a & ability:d|abort|id=no\nB:task.messages>3|review|id=long\n")
	rapid.Check(t, func(rt *rapid.T) {
		script := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"call a", "call b", "call c", "call d", "result ok", "say so"}), 1, 20).Draw(rt, "script"), "\n")
		o := replay.Options{
			Confirm: rapid.SampledFrom([]replay.Confirm{replay.Stop, replay.Approve, replay.Decline}).Draw(rt, "confirm"),
			Session: session.Options{Registry: reg},
		}
		run := events(t, "call a\n"+script)
		result, err := replay.Run(t.Context(), run, o)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := replay.Explain(t.Context(), run, o)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(result, got.Result); d != "" {
			rt.Error(d)
		}
		calls, stops := 0, 0
		for _, e := range got.Entries {
			if e.Kind == replay.Called || e.Kind == replay.Unmade {
				if calls++; e.Call != calls {
					rt.Errorf("call %d stands where %d should:\n%s", e.Call, calls, lines(got))
				}
			}
			if e.Stops {
				stops++
			}
		}
		if calls != result.ToolCalls || stops > 1 || (stops == 1) != result.Halted() {
			rt.Errorf("%d of %d calls, %d stops, %s:\n%s", calls, result.ToolCalls, stops, result.Decision, lines(got))
		}
	})
}
