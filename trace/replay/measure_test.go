package replay_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

func measure(t *testing.T, r *trace.Run) *replay.Measures {
	t.Helper()
	f, err := replay.Measurer(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The greatest reading of a meter is the greatest limit at which a rule over
// it would still have fired, whether a call or something between calls reaches it.
func TestMeasureAgreesWithRules(t *testing.T) {
	script := `ask do it
call a
result 1
call a
result 1
call a
result 2
call b
fail no
call b
fail no
wait 30
{"type":"usage","message_id":"m1","input_tokens":10,"output_tokens":1,"cost_cents":1.5}
call c
result x
{"type":"usage","message_id":"m2","input_tokens":5,"output_tokens":4,"cost_cents":0.25}
say done`
	run := events(t, script)
	m := measure(t, run)
	for meter, want := range map[dsl.Key]string{
		"task.tool_calls": "6", "task.spend_cents": "1.75", "task.input_tokens": "15", "task.output_tokens": "5",
		"task.same_call_streak": "3", "task.error_streak": "2", "task.messages": "8",
	} {
		got := m.Meters[meter]
		if got.String() != want {
			t.Errorf("%s %s, want %s", meter, got, want)
		}
		for op, fires := range map[string]bool{">=": true, ">": false} {
			r, err := replay.Run(t.Context(), run, replay.Options{Session: session.Options{Registry: rules(t, "B:"+string(meter)+op+want+"|warn|id=w\n")}})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(strings.Join(r.Fired, " "), "w"); got != fires {
				t.Errorf("%s%s%s fires: %v", meter, op, want, got)
			}
		}
	}
}

func TestPeak(t *testing.T) {
	m := measure(t, events(t, `call Mail.send
call mail.send
call mail.read
wait 10
call mail.send
{"type":"delegate","worker":"cook"}`))
	for _, c := range []struct {
		name   dsl.NamePattern
		window time.Duration
		want   int
	}{
		{"mail.send", time.Minute, 3}, {"mail.send", 12 * time.Second, 2}, {"mail.send", 13 * time.Second, 2}, {"mail.send", 14 * time.Second, 3}, {"mail.send", time.Second, 1},
		{"MAIL.*", time.Minute, 4}, {"*", time.Minute, 5}, {"delegate.cook", time.Hour, 1}, {"mail", time.Hour, 0},
	} {
		if got := m.Peak(c.name, c.window); got != c.want {
			t.Errorf("%s in %s: %d, want %d", c.name, c.window, got, c.want)
		}
		for limit, fires := range map[int]bool{c.want - 1: true, c.want: false} {
			if limit < 0 || c.want == 0 {
				continue
			}
			policy := "B:" + (&dsl.Frequency{Name: c.name, Scope: dsl.ScopeSession, Count: int64(limit), Window: dsl.Duration{N: int64(c.window / time.Second), Unit: 's'}}).String() + "|warn|id=w\n"
			r, err := replay.Run(t.Context(), events(t, "call Mail.send\ncall mail.send\ncall mail.read\nwait 10\ncall mail.send\n"+`{"type":"delegate","worker":"cook"}`),
				replay.Options{Session: session.Options{Registry: rules(t, policy)}})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(r.Fired) > 0; got != fires {
				t.Errorf("%s fires: %v", policy, got)
			}
		}
	}
}

// A run of a kind runs the chain of that name only where that is asked for.
func TestKinds(t *testing.T) {
	run := events(t, "call a\n"+`{"type":"task_start","task":"t1"}`+"\n"+`{"type":"tool_use","task":"t1","ability":"b"}`)
	run.TaskKind = "bank"
	for _, c := range []struct {
		policy, chain string
		kinds         bool
		want          string
	}{
		{"CHAIN:bank\nB:ability:a|abort|id=x\n", "", false, "allow "},
		{"CHAIN:bank\nB:ability:a|abort|id=x\n", "", true, "abort at 1 by x, saved 1 x"},
		{"CHAIN:bank\nB:ability:b|abort|id=x\n", "", true, "abort at 2 by x, saved 0 x"},
		{"CHAIN:bank\nB:ability:a|abort|id=x\n", "trade", true, "allow "},
		{"CHAIN:trade\nB:ability:a|abort|id=x\n", "trade", true, "abort at 1 by x, saved 1 x"},
	} {
		run.Chain = c.chain
		r, err := replay.Run(t.Context(), run, replay.Options{Kinds: c.kinds, Session: session.Options{Registry: rules(t, c.policy)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := brief(r); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// What the meters read over recorded runs is what adding up their events gives.
func TestMeasureRecordedRuns(t *testing.T) {
	const data = "../../../shared/traces-dev"
	if _, err := os.Stat(data); err != nil {
		t.Skipf("%s is not there", data)
	}
	f, err := replay.Measurer(session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	measured := func(ctx context.Context, r *trace.Run) (*replay.Measures, error) { return f(ctx, r) }
	for _, dir := range []string{"agentdojo", "tau2", "swe-agent", "pi"} {
		for m, err := range replay.Each(t.Context(), trace.Open(data+"/"+dir, trace.Options{}), 2, measured) {
			if err != nil {
				continue // labels.jsonl is no run
			}
			n++
			calls := m.Meters["session.tool_calls"]
			if got, _ := calls.Int(); got != int64(m.Totals.Calls) || len(m.Calls) != m.Totals.Calls {
				t.Errorf("%s: %d calls by the meter, %d listed, %d by adding up", m.Source, got, len(m.Calls), m.Totals.Calls)
			}
			tokens := m.Meters["task.output_tokens"]
			if got, _ := tokens.Int(); got != m.Totals.OutputTokens {
				t.Errorf("%s: %d output tokens by the meter, %d by adding up", m.Source, got, m.Totals.OutputTokens)
			}
			if d := cmp.Diff(m.Totals.PeakCalls, m.Peak("*", trace.PeakWindow)); d != "" {
				t.Errorf("%s: peak: %s", m.Source, d)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d runs", n)
	}
}
