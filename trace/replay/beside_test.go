package replay_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// twoTasks is a run of two tasks: one works every ten seconds for twelve minutes,
// the other does what it is told at some times, in seconds since the start.
func twoTasks(t *testing.T, other map[int]string) *trace.Run {
	t.Helper()
	var lines []string
	at := func(seconds int, event string) {
		when := time.Date(2026, 1, 5, 9, 0, seconds, 0, time.UTC).Format(time.RFC3339)
		lines = append(lines, fmt.Sprintf(`{"at":%q,%s}`, when, event))
	}
	at(0, `"type":"task_start","task":"busy"`)
	at(0, `"type":"task_start","task":"other"`)
	for s := 1; s <= 720; s++ {
		if e, is := other[s]; is {
			at(s, `"task":"other",`+e)
		}
		if s%10 == 0 {
			at(s, fmt.Sprintf(`"type":"tool_use","task":"busy","call_id":"c%d","ability":"web","args":{"page":%d}`, s, s))
		}
		if s%10 == 1 && s > 1 {
			at(s, fmt.Sprintf(`"type":"tool_result","task":"busy","call_id":"c%d","output":"page %d"`, s-1, s))
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

const (
	makesACall = `"type":"tool_use","call_id":"o","ability":"ls"`
	itsResult  = `"type":"tool_result","call_id":"o","output":"a file"`
	says       = `"type":"assistant","text":"That is all. Shall I go on?"`
	ends       = `"type":"task_end"`
)

// A task that falls silent beside one that works is halted where a session that
// is swept every second would halt it, and not where it waits for somebody.
func TestSilentTaskBesideAnother(t *testing.T) {
	// Calls of the busy task beside that of the other one; its limit is 50.
	limits := "B:task.tool_calls>1000|warn|id=none\n"
	for name, c := range map[string]struct {
		other map[int]string
		rule  string
		task  string
	}{
		"silent":                 {map[int]string{5: makesACall, 6: itsResult}, "idle_timeout", "other"},
		"a call is under way":    {map[int]string{5: makesACall}, "tool_call_limit", ""},
		"it waits for the user":  {map[int]string{5: makesACall, 6: itsResult, 7: says}, "tool_call_limit", ""},
		"it is over":             {map[int]string{5: makesACall, 6: itsResult, 8: ends}, "tool_call_limit", ""},
		"it goes on soon enough": {map[int]string{5: makesACall, 6: itsResult, 300: makesACall, 301: itsResult, 500: ends}, "tool_call_limit", ""},
	} {
		run := twoTasks(t, c.other)
		o := session.Options{Registry: rules(t, limits)}
		got, err := replay.Run(t.Context(), run, replay.Options{Session: o})
		if err != nil || got.Rule != c.rule || got.Task != c.task {
			t.Errorf("%s: halted by %q in task %q (%v), want %q in %q", name, got.Rule, got.Task, err, c.rule, c.task)
			continue
		}
		if c.task == "" {
			continue
		}
		if want := swept(t, run, o); got.HaltedAt != want {
			t.Errorf("%s: halted at call %d, want %d, as if it were swept", name, got.HaltedAt, want)
		}
		timeline, err := replay.Explain(t.Context(), run, replay.Options{Session: o})
		if err != nil {
			t.Fatal(err)
		}
		var stops []string
		for _, e := range timeline.Entries {
			if e.Stops {
				stops = append(stops, fmt.Sprint(e.Kind, " ", e.Task, " ", e.At.Sub(time.Unix(0, run.Events[0].At))))
			}
		}
		if want := []string{"between other 5m10s"}; fmt.Sprint(stops) != fmt.Sprint(want) {
			t.Errorf("%s: stopped by %v, want %v", name, stops, want)
		}
	}
}

// swept is after how many calls a session that observes the run, and is swept
// every second, halts a task.
func swept(t *testing.T, run *trace.Run, o session.Options) (calls int) {
	t.Helper()
	clock := session.NewVirtualClock(time.Unix(0, run.Events[0].At))
	o.ID, o.Clock, o.Store = "live", clock, memory.New(memory.Options{Now: clock.Now})
	s, err := session.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ended := func(halts []session.Halt) bool {
		for i := range halts {
			if halts[i].Ended {
				return true
			}
		}
		return false
	}
	for i := range run.Events {
		e := &run.Events[i]
		for clock.Now() < e.At {
			clock.Advance(time.Second)
			if clock.Now() < e.At && ended(s.Sweep(t.Context(), 0)) {
				return calls
			}
		}
		if ended(s.Observe(t.Context(), e)) {
			return calls
		}
		if e.Type == session.ToolUse {
			calls++
		}
	}
	t.Fatal("nothing is halted")
	return 0
}

// Times that are made up say nothing of a silence.
func TestUntimedRunsAreNotSwept(t *testing.T) {
	run := twoTasks(t, map[int]string{5: makesACall, 6: itsResult})
	run.Timed = false
	got, err := replay.Run(t.Context(), run, replay.Options{Session: session.Options{Registry: rules(t, "")}})
	if err != nil || got.Rule != "tool_call_limit" {
		t.Errorf("halted by %q, %v", got.Rule, err)
	}
	line, err := json.Marshal(got)
	if err != nil || strings.Contains(string(line), `"task"`) {
		t.Errorf("%s, %v: it names a task", line, err)
	}
}
