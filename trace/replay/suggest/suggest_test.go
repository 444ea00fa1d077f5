package suggest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
	"github.com/cbpolicy/cbpolicy/trace/replay/suggest"
)

// run is a run of calls, a second apart, of a kind of task.
func run(source, kind string, l trace.Labels, abilities ...string) *trace.Run {
	r := &trace.Run{Source: source, Format: trace.Events, TaskKind: kind, Labels: l, Timed: true}
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).UnixNano()
	for i, a := range abilities {
		id, out := fmt.Sprint(i), registry.Text("ok")
		r.Events = append(r.Events,
			session.Event{Type: session.ToolUse, At: at, CallID: id, Ability: a},
			session.Event{Type: session.ToolResult, At: at, CallID: id, Output: &out})
		at += int64(time.Second)
	}
	return r
}

func times(n int, ability string) []string {
	return strings.Split(strings.TrimSuffix(strings.Repeat(ability+",", n), ","), ",")
}

// again yields the same runs each time it is asked; a nil one cannot be read.
func again(runs []*trace.Run) func() iter.Seq2[*trace.Run, error] {
	return func() iter.Seq2[*trace.Run, error] {
		return func(yield func(*trace.Run, error) bool) {
			for _, r := range runs {
				var err error
				if r == nil {
					err = &trace.Error{Source: "broken.json", Err: errors.New("broken")}
				}
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

func learn(t testing.TB, runs []*trace.Run, o suggest.Options) *suggest.Suggestion {
	t.Helper()
	s, err := suggest.Learn(t.Context(), again(runs), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// limits are the limits in short.
func limits(s *suggest.Suggestion) string {
	var b strings.Builder
	for _, l := range s.Limits {
		fmt.Fprintf(&b, "%s|%s runs=%d p50=%s p99=%s max=%s stops=%d/%d+%d/%d", l.Kind, l.Condition, l.Runs, l.Median, l.P99, l.Max, l.Stops.Well, l.Of.Well, l.Stops.Others, l.Of.Others)
		if l.Builtin != "" {
			b.WriteString(" below " + l.Builtin)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Limits rest on the runs that ended well; the others show what they stop.
func TestLearn(t *testing.T) {
	yes, no := trace.Labels{Success: trace.Yes}, trace.Labels{Success: trace.No}
	var runs []*trace.Run
	for i := range 4 {
		runs = append(runs, run(fmt.Sprint("bank", i), "bank", yes, append(times(i+1, "pay"), "look")...))
	}
	runs = append(runs, nil,
		run("failed", "bank", no, times(9, "pay")...),
		run("unknown", "bank", trace.Labels{}, times(9, "pay")...),
		run("broken off", "", trace.Labels{Error: "429"}, times(60, "look")...),
		run("taken over", "", trace.Labels{Success: trace.Yes, Attack: trace.Yes, Succeeded: trace.Yes}, "pay"),
	)
	for i := range 4 {
		runs = append(runs, run(fmt.Sprint("web", i), "web", trace.Labels{}, times(10*(i+1), "look")...))
	}
	unread := 0
	s := learn(t, runs, suggest.Options{Margin: 25, MinRuns: 4, Action: dsl.Abort, Unread: func(error) { unread++ }})
	want := `|task.tool_calls>50 runs=8 p50=5 p99=40 max=40 stops=0/8+1/4
|task.duration>49s runs=8 p50=4 p99=39 max=39 stops=0/8+1/4
|task.same_call_streak>50 runs=8 p50=4 p99=40 max=40 stops=0/8+1/4
|frequency:look@session>50/1d runs=8 p50=1 p99=40 max=40 stops=0/8+1/4
|frequency:pay@session>5/1d runs=4 p50=2 p99=4 max=4 stops=0/8+2/4
bank|task.tool_calls>7 runs=4 p50=3 p99=5 max=5 stops=0/4+2/2
bank|task.duration>5s runs=4 p50=2 p99=4 max=4 stops=0/4+2/2
bank|task.same_call_streak>5 runs=4 p50=2 p99=4 max=4 stops=0/4+2/2
bank|frequency:look@session>2/1d runs=4 p50=1 p99=1 max=1 stops=0/4+0/2
`
	if d := cmp.Diff(want, limits(s)); d != "" {
		t.Error(d)
	}
	if s.Runs != 12 || s.Well != 8 || s.Unread != 1 || unread != 1 || s.Stops != (suggest.Stops{Others: 3}) {
		t.Errorf("%+v, %d unread", s, unread)
	}
	if !strings.Contains(s.Policy, "CHAIN:bank\n") || strings.Contains(s.Policy, "CHAIN:web") {
		t.Errorf("the limits of web are those of all:\n%s", s.Policy)
	}
}

// A burst is limited where it is rarer than the session's limit.
func TestLearnBursts(t *testing.T) {
	var runs []*trace.Run
	for i := range 3 {
		r := run(fmt.Sprint(i), "", trace.Labels{}, times(20, "poll")...)
		for j := range r.Events {
			r.Events[j].At = r.Events[0].At + int64(j/2)*int64(30*time.Second)
		}
		runs = append(runs, r)
	}
	const burst = "frequency:poll@session>3/1m"
	if s := learn(t, runs, suggest.Options{MinRuns: 3, Action: dsl.Confirm}); !strings.Contains(s.Policy, "B:"+burst+"|confirm|") {
		t.Error(s.Policy)
	}
	runs[0].Timed = false // two are too few
	if s := learn(t, runs, suggest.Options{MinRuns: 3, Action: dsl.Confirm}); strings.Contains(s.Policy, burst) {
		t.Error(s.Policy)
	}
}

// A limit beyond the built-in one says so, and a warning stops nothing.
func TestLearnWords(t *testing.T) {
	s := learn(t, []*trace.Run{run("a", "", trace.Labels{}, times(100, "x")...)}, suggest.Options{Margin: 0, MinRuns: 1, Action: dsl.Warn})
	for _, want := range []string{
		"# The built-in tool_call_limit is stricter, and stands unless the configuration raises it.\nB:task.tool_calls>101|warn|",
		"# Together they warn in 0 of 1 (0.0 %) that ended well, and 0 of 0 others.\n", "# Alone it warns in 0 of 1 (0.0 %) that",
		"# 1 run: median 100, 99th percentile 100, most 100.\n",
	} {
		if !strings.Contains(s.Policy, want) {
			t.Errorf("no %q in\n%s", want, s.Policy)
		}
	}
}

// A limit of money that was guessed says so, as a replayed run does.
func TestLearnGuessedMoney(t *testing.T) {
	var rates prices.Rates
	rates[prices.Input], rates[prices.Output] = prices.PerMillion(1e9), prices.PerMillion(1e9)
	table, err := prices.New(prices.Header{Version: "1", Source: "test", Date: "2026-01-05"}, []prices.Entry{
		{Provider: "acme", Model: "m", Source: "test", Price: prices.Price{Rates: rates}},
	})
	if err != nil {
		t.Fatal(err)
	}
	spent := func(source string, models ...string) *trace.Run {
		r := run(source, "", trace.Labels{}, "pay")
		for i, model := range models {
			r.Events = append(r.Events, session.Event{Type: session.Usage, At: r.Events[0].At, MessageID: fmt.Sprint(i), Model: model, Tokens: meter.Tokens{Input: 10_000}})
		}
		return r
	}
	const of, note = "# The money of %d of these runs is guessed:\n", "# the model %q has no price in the table 1 and counts at the dearest known rates.\n"
	for name, c := range map[string]struct {
		models []string // of the second of two runs
		want   string   // "": nothing is guessed
	}{
		"every model has a price": {[]string{"m"}, ""},
		"one has none":            {[]string{"m", "x", "x"}, fmt.Sprintf(of, 1) + fmt.Sprintf(note, "x") + "B:task.spend_cents"},
		"three have none":         {[]string{"x", "y", "z"}, fmt.Sprintf(note, "z") + "B:task.spend_cents"},
		"many have none":          {[]string{"v", "w", "x", "y", "z"}, fmt.Sprintf(note, "x") + "# So it is with 2 more models.\nB:task.spend_cents"},
		"one shows what does not": {[]string{"\x1b[2J\n"}, `"\u{1b}[2J`},
	} {
		o := suggest.Options{MinRuns: 2, Action: dsl.Abort, Session: session.Options{Pricing: session.Pricing{Table: table}}}
		s := learn(t, []*trace.Run{spent("a", "m"), spent("b", c.models...)}, o)
		if !strings.Contains(s.Policy, "B:task.spend_cents") || !strings.Contains(s.Policy, c.want) || (c.want == "") == strings.Contains(s.Policy, "guessed") {
			t.Errorf("%s: want %q in\n%s", name, c.want, s.Policy)
		}
		for _, l := range s.Limits {
			if guessed := l.Guessed > 0 || l.Notes != nil; guessed != (c.want != "" && l.Rule == "learned-spend") {
				t.Errorf("%s: %+v", name, l)
			}
		}
	}
}

func TestLearnTooFew(t *testing.T) {
	bad := trace.Labels{Error: "crashed"}
	_, err := suggest.Learn(t.Context(), again([]*trace.Run{run("a", "", bad, "x"), run("b", "", trace.Labels{}, "x")}), suggest.Options{MinRuns: 2})
	var few *suggest.TooFewError
	if !errors.As(err, &few) || *few != (suggest.TooFewError{Runs: 2, Well: 1, MinRuns: 2}) {
		t.Errorf("%v", err)
	}
	if _, err := suggest.Learn(t.Context(), again(nil), suggest.Options{}); !errors.As(err, &few) {
		t.Errorf("of nothing: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := suggest.Learn(ctx, again([]*trace.Run{run("a", "", trace.Labels{}, "x")}), suggest.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// Runs that are others when they are read again are noticed.
func TestLearnChangingRuns(t *testing.T) {
	a, b := run("a", "", trace.Labels{}, "x"), run("b", "", trace.Labels{}, "x")
	for _, second := range [][]*trace.Run{{a}, {b, a}, {a, b, b}} {
		passes := [][]*trace.Run{{a, b}, second}
		_, err := suggest.Learn(t.Context(), func() iter.Seq2[*trace.Run, error] {
			now := passes[0]
			passes = passes[1:]
			return again(now)()
		}, suggest.Options{})
		if err == nil || !strings.Contains(err.Error(), "changed while they were read") {
			t.Errorf("%d runs: %v", len(second), err)
		}
	}
}

// sound checks what must hold of every suggestion.
func sound(t interface {
	Helper()
	Errorf(string, ...any)
	Fatal(...any)
}, s *suggest.Suggestion, runs func() iter.Seq2[*trace.Run, error]) {
	t.Helper()
	p, faults := dsl.ParsePolicy("p.cbp", []byte(s.Policy))
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	if out, err := dsl.FormatPolicy(p); err != nil || string(out) != s.Policy {
		t.Errorf("not canonical: %v\n%s", err, cmp.Diff(s.Policy, string(out)))
	}
	reg := &registry.Registry{}
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	halted := 0
	for r, err := range replay.All(context.Background(), runs(), 2, replay.Options{Kinds: true, Session: session.Options{Registry: reg}}) {
		if err == nil && r.Halted() {
			halted++
		}
	}
	if want := s.Stops.Well + s.Stops.Others; halted != want {
		t.Errorf("the policy halts %d runs, and says %d:\n%s", halted, want, s.Policy)
	}
	for i := range s.Limits {
		if l := &s.Limits[i]; l.Stops.Well > s.Stops.Well || l.Stops.Others > s.Stops.Others || l.Runs < s.MinRuns || l.Of.Well < l.Runs {
			t.Errorf("%+v", l)
		}
	}
}

// Whatever is recorded, under whatever names: the policy is canonical, says
// what it stops, and is the same whatever the number of workers.
func TestLearnIsSound(t *testing.T) {
	names := []string{"pay", "Pay", "a.b", "a-b", "a*b", "new\nline", "quo\"te", "", "frequency", "a|b & c", "#x", "{{x}}", "\u202e", "délégué"}
	rapid.Check(t, func(rt *rapid.T) {
		var runs []*trace.Run
		for i := range rapid.IntRange(1, 12).Draw(rt, "runs") {
			l := trace.Labels{Success: rapid.SampledFrom([]trace.Outcome{trace.Unknown, trace.Yes, trace.Yes, trace.No}).Draw(rt, "success")}
			kind := rapid.SampledFrom([]string{"", "bank", "ba*k", "x y", "CHAIN:\n", "nyaya/x", "*"}).Draw(rt, "kind")
			calls := rapid.SliceOfN(rapid.SampledFrom(names), 0, 12).Draw(rt, "calls")
			runs = append(runs, run(fmt.Sprint(i), kind, l, calls...))
		}
		o := suggest.Options{Margin: rapid.IntRange(0, 60).Draw(rt, "margin"), MinRuns: rapid.IntRange(1, 3).Draw(rt, "min"), Action: dsl.Review, Workers: 1}
		s, err := suggest.Learn(context.Background(), again(runs), o)
		if errors.As(err, new(*suggest.TooFewError)) {
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		sound(rt, s, again(runs))
		o.Workers = 4
		more, err := suggest.Learn(context.Background(), again(runs), o)
		if err != nil {
			rt.Fatal(err)
		}
		one, _ := json.Marshal(s)
		two, _ := json.Marshal(more)
		if string(one) != string(two) {
			rt.Errorf("4 workers: %s", cmp.Diff(string(one), string(two)))
		}
	})
}

// Over recorded runs the limits stop few that ended well.
func TestLearnRecordedRuns(t *testing.T) {
	const data = "../../../../shared/traces-dev"
	if _, err := os.Stat(data); err != nil {
		t.Skipf("%s is not there", data)
	}
	runs := func() iter.Seq2[*trace.Run, error] {
		return func(yield func(*trace.Run, error) bool) {
			for _, dir := range []string{"agentdojo", "tau-bench", "tau2", "claude-code", "pi"} {
				for r, err := range trace.Open(data+"/"+dir, trace.Options{}) {
					if !yield(r, err) {
						return
					}
				}
			}
		}
	}
	s, err := suggest.Learn(t.Context(), runs, suggest.Options{Margin: 25, MinRuns: 5, Action: dsl.Abort, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	sound(t, s, runs)
	if len(s.Limits) < 20 || s.Stops.Well*50 > s.Well {
		t.Errorf("%d limits, which stop %d of %d runs that ended well", len(s.Limits), s.Stops.Well, s.Well)
	}
}
