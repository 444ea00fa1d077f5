package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// rules are a policy, with the built-in rules.
func rules(t testing.TB, policy string) *registry.Registry {
	t.Helper()
	p, faults := dsl.ParsePolicy("p.cbp", []byte(policy))
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	reg := &registry.Registry{}
	if err := errors.Join(reg.Load(p), reg.LoadBuiltins()); err != nil {
		t.Fatal(err)
	}
	return reg
}

// events reads a run: "call ABILITY", "result TEXT", "fail TEXT", "say TEXT",
// "ask TEXT" of the user, "wait DURATION" or a JSON object, a line each, a
// second apart.
func events(t testing.TB, script string) *trace.Run {
	t.Helper()
	at, calls := 0, 0
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(script)) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		text, _ := json.Marshal(rest)
		at++
		head := fmt.Sprintf(`{"at":"2026-01-05T%02d:%02d:%02dZ",`, 9+at/3600, at/60%60, at%60)
		switch kind {
		case "call":
			calls++
			lines = append(lines, head+fmt.Sprintf(`"type":"tool_use","call_id":"c%d","ability":%s}`, calls, text))
		case "result":
			lines = append(lines, head+fmt.Sprintf(`"type":"tool_result","call_id":"c%d","output":%s}`, calls, text))
		case "fail":
			lines = append(lines, head+fmt.Sprintf(`"type":"tool_result","call_id":"c%d","error":{"class":"NetworkError","message":%s}}`, calls, text))
		case "say":
			lines = append(lines, head+fmt.Sprintf(`"type":"assistant","text":%s}`, text))
		case "ask":
			lines = append(lines, head+fmt.Sprintf(`"type":"user","text":%s}`, text))
		case "wait":
			var seconds int
			fmt.Sscan(rest, &seconds)
			at += seconds - 1
		default:
			lines = append(lines, head+strings.TrimPrefix(strings.TrimSpace(line), "{"))
		}
	}
	for r, err := range trace.Read("run.jsonl", strings.NewReader(strings.Join(lines, "\n")+"\n"), trace.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Fatal("no run")
	return nil
}

// brief is a result in short.
func brief(r replay.Result) string {
	s := r.Decision
	if r.Halted() {
		s += fmt.Sprintf(" at %d by %s, saved %d", r.HaltedAt, r.Rule, r.Saved.ToolCalls)
	}
	if r.FirstConfirm != nil {
		s += fmt.Sprintf(", asked at %d by %s", r.FirstConfirm.At, r.FirstConfirm.Rule)
	}
	return s + " " + strings.Join(r.Fired, " ")
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, policy, script string
		confirm              replay.Confirm
		want                 string
	}{
		{"nothing fires", "B:ability:x|abort\n", "call a\nresult 1\ncall b", "", "allow "},
		{"a warning", "B:ability:a|warn|id=w\n", "call a\nresult 1\ncall b", "", "warn w"},
		{"a rule that only observes", "B:ability:a|abort|id=o,mode=observe\n", "call a\nresult 1\ncall b", "", "allow o"},
		{"the second call is refused", "B:ability:b|abort|id=no\n", "call a\nresult 1\ncall b\ncall c\ncall d", "", "abort at 2 by no, saved 2 no"},
		{"an output is seen by the next call", "B:output:a.output|contains:evil|abort|id=evil\n", "call a\nresult evil\ncall b\ncall c", "", "abort at 2 by evil, saved 1 evil"},
		{"and after the last", "B:output:a.output|contains:evil|abort|id=evil\n", "call a\nresult evil", "", "abort at 1 by evil, saved 0 evil"},
		{"a failed call puts nothing out", "B:output:a.output|contains:evil|abort|id=evil\n", "call a\nfail evil\ncall b", "", "allow "},
		{"what was called before", "B:after:a & ability:b|abort|id=after\n", "call a\nresult 1\ncall b", "", "abort at 2 by after, saved 0 after"},
		{"what the user said", "B:ability:a & !arg:to|in:user|confirm|id=who\n",
			"ask mail Ann\n" + `{"type":"tool_use","ability":"a","args":{"to":"Ann"}}` + "\n" + `{"type":"tool_use","ability":"a","args":{"to":"Eve"}}`, "",
			"confirm at 2 by who, saved 0, asked at 2 by who who"},
		{"a question ends a run", "B:ability:b|confirm|id=q\n", "call a\ncall b\ncall c", replay.Stop, "confirm at 2 by q, saved 1, asked at 2 by q q"},
		{"a question is answered", "B:ability:b|confirm|id=q\n", "call a\nresult 1\ncall b\nresult 2\ncall c", replay.Approve, "allow, asked at 2 by q q"},
		{"a question is declined", "B:ability:b|confirm|id=q\nB:output:b.output|contains:x|abort|id=seen\n", "call a\nresult 1\ncall b\nresult x\ncall c", replay.Decline, "allow, asked at 2 by q q"},
		{"an abort stands beside a question", "B:ability:b|confirm|id=q\nB:ability:b|abort|id=no\n", "call a\ncall b\ncall c", replay.Decline, "abort at 2 by no, saved 1 q no"},
		{"room comes in time", "B:frequency:a>1/30s|throttle|id=slow\n", "call a\nresult 1\ncall a\nresult 2\ncall b", "", "allow slow"},
		{"room does not come in time", "B:frequency:a>1/1h|throttle|id=slow\n", "call a\nresult 1\ncall a\nresult 2\ncall b", "", "throttle at 2 by slow, saved 1 slow"},
		{"what waits moves the rest", "B:frequency:a>1/30s|throttle|id=slow\nB:task.duration>35s|abort|id=late\n", "call a\nresult 1\ncall a\nresult 2\nwait 2\ncall b\nwait 3\ncall c", "", "abort at 4 by late, saved 0 slow late"},
		{"between calls", "B:task.duration>10s|abort|id=late\n", "call a\nresult 1\nwait 20\nsay still here\ncall b", "", "abort at 1 by late, saved 1 late"},
		{"a review between calls", "B:task.messages>=2|review|id=long\n", "call a\nresult 1\nsay one\ncall b", "", "review at 1 by long, saved 1 long"},
		{"a task's own chain", "CHAIN:trade\nB:ability:a|abort|id=no\n",
			`{"type":"task_start","task":"t1","chain":"news"}` + "\n" + `{"type":"task_start","task":"t2","chain":"trade"}` + "\n" +
				`{"type":"tool_use","task":"t1","ability":"a"}` + "\n" + `{"type":"tool_use","task":"t2","ability":"a"}`, "", "abort at 2 by no, saved 0 no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := replay.Run(t.Context(), events(t, c.script), replay.Options{Confirm: c.confirm, Session: session.Options{Registry: rules(t, c.policy)}})
			if err != nil {
				t.Fatal(err)
			}
			if brief(got) != c.want {
				t.Errorf("%s\nwant %s", brief(got), c.want)
			}
		})
	}
}

// What comes after the halt would have been saved, and nothing before it.
func TestSaved(t *testing.T) {
	run := events(t, `call a
{"type":"usage","message_id":"m1","input_tokens":10,"output_tokens":1,"cost_cents":1}
call no
{"type":"usage","message_id":"m2","input_tokens":20,"cache_read_tokens":5,"output_tokens":2,"cost_cents":0.0000001}
call b`)
	got, err := replay.Run(t.Context(), run, replay.Options{Session: session.Options{Registry: rules(t, "B:ability:no|abort|id=no\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&replay.Saved{ToolCalls: 1, Tokens: 27, Cents: 1}, got.Saved); d != "" {
		t.Error(d)
	}
	if got := got.Saved.Cents.String(); got != "0.0000001" {
		t.Errorf("%s cents", got)
	}
}

// Runs come out in their order, with those that cannot be read in their place,
// and the same whatever the number of workers.
func TestAll(t *testing.T) {
	unreadable := errors.New("unreadable")
	runs := func(yield func(*trace.Run, error) bool) {
		for i := range 40 {
			r, err := events(t, strings.Repeat("call a\n", i%7+1)), error(nil)
			if r.Source = fmt.Sprint(i); i%10 == 3 {
				r, err = nil, unreadable
			}
			if !yield(r, err) {
				return
			}
		}
	}
	o := replay.Options{Session: session.Options{Registry: rules(t, "B:frequency:a>4/1h|abort|id=often\n")}}
	var first string
	for _, workers := range []int{1, 2, 16} {
		var b strings.Builder
		for r, err := range replay.All(t.Context(), runs, workers, o) {
			if err != nil {
				fmt.Fprintln(&b, err)
				continue
			}
			fmt.Fprintln(&b, r.Source, brief(*r))
		}
		if first == "" {
			first = b.String()
		}
		if d := cmp.Diff(first, b.String()); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
	}
	if n := strings.Count(first, "unreadable"); n != 4 || strings.Count(first, "\n") != 40 {
		t.Errorf("%d errors in\n%s", n, first)
	}
	for range replay.All(t.Context(), runs, 3, o) {
		break // nobody is left waiting
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // whichever of those who notice comes first
		n := 0
		for _, err := range replay.All(ctx, runs, 3, o) {
			if n++; !errors.Is(err, context.Canceled) {
				t.Errorf("after the end of the context: %v", err)
			}
		}
		if n != 1 {
			t.Fatalf("after the end of the context: %d errors", n)
		}
	}
}

// Recorded runs of many programs replay to the same results each time, and
// no run is stopped by a fault of ours.
func TestRecordedRuns(t *testing.T) {
	const data = "../../../shared/traces-dev"
	if _, err := os.Stat(data); err != nil {
		t.Skipf("%s is not there", data)
	}
	reg := rules(t, "")
	all := func() (halted int, out string) {
		var b strings.Builder
		for _, dir := range []string{"agentdojo", "tau-bench", "tau2", "claude-code", "gemini-cli", "pi", "openhands", "swe-agent", "otel", "langfuse", "inspect"} {
			o := replay.Options{Session: session.Options{Registry: reg, Breakers: session.DefaultBreakers()}}
			for r, err := range replay.All(t.Context(), trace.Open(data+"/"+dir, trace.Options{}), 2, o) {
				if err != nil {
					fmt.Fprintln(&b, err)
					continue
				}
				if r.Halted() {
					halted++
				}
				if strings.Contains(strings.Join(r.Fired, " "), registry.SlugInternalFault) || strings.Contains(strings.Join(r.Fired, " "), registry.SlugMalformedStep) {
					t.Errorf("%s: %+v", r.Source, r)
				}
				line, _ := json.Marshal(r)
				fmt.Fprintf(&b, "%s\n", line)
			}
		}
		return halted, b.String()
	}
	n, first := all()
	if _, second := all(); first != second {
		t.Errorf("two replays differ: %s", cmp.Diff(first, second))
	}
	if n == 0 || n > 20 {
		t.Errorf("%d runs are halted by the defaults; of 252 some are, and few", n)
	}
}
