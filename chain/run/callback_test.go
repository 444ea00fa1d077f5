package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// mad is a clock whose Now panics from the call on that has this number, and
// with it Sleep and Timeout.
type mad struct {
	*session.VirtualClock
	from, calls int
}

func (m *mad) at() {
	if m.calls++; m.calls >= m.from {
		panic("mad clock")
	}
}

func (m *mad) Now() int64 { m.at(); return m.VirtualClock.Now() }

func (m *mad) Sleep(ctx context.Context, d time.Duration) error {
	m.at()
	return m.VirtualClock.Sleep(ctx, d)
}

func (m *mad) Timeout(d time.Duration) (<-chan struct{}, func()) {
	m.at()
	return m.VirtualClock.Timeout(d)
}

// Listeners that panic change nothing of a run.
func TestRun_AListenerThatPanicsIsPassedOver(t *testing.T) {
	for name, set := range map[string]func(*run.Options){
		"none":     func(*run.Options) {},
		"progress": func(o *run.Options) { o.Progress = func(run.Event) { panic("mad progress") } },
		"reviewed": func(o *run.Options) { o.Reviewed = func(run.Review) { panic("mad reviewed") } },
		"the gate's reviewed": func(o *run.Options) {
			o.Gate.Review.Reviewed = func(*review.Case, *review.Guidance, error) { panic("mad reviewed") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, abc, "B:task.tool_calls>2|review|id=many")
			h.gate.Review = actions.Review{Reviewer: advice, Name: "test"}
			o := run.Options{Chain: parse(t, abc), Gate: h.gate, Abilities: run.AbilityFunc(h.call)}
			set(&o)
			r, err := run.New(o)
			if err != nil {
				t.Fatal(err)
			}
			result, err := r.Run(t.Context(), nil, chain.Host)
			if err != nil || result.Status != run.Completed || outcomes(result) != "a:ran b:ran c:ran" || len(result.Reviews) != 1 || len(h.called) != 3 {
				t.Errorf("%+v, %v", result, err)
			}
		})
	}
}

// A dry run tells of every unused entry, whatever becomes of being told.
func TestDryRun_AListenerThatPanicsIsPassedOver(t *testing.T) {
	rec, faults := run.ParseRecording("rec.yaml", []byte("steps: [{step: a, output: x}, {step: b, output: x}, {step: c, output: x}, {step: a, output: y}, {step: c, output: y}]"))
	if rec == nil {
		t.Fatal(faults)
	}
	told := 0
	r, err := run.DryRun(t.Context(), run.DryRunOptions{
		Chain: parse(t, abc), Recording: rec, Progress: func(run.Event) { panic("mad progress") },
		Warn: func(*diag.Finding) { told++; panic("mad warn") },
	})
	if err != nil || r.Status != run.Completed || told != 2 {
		t.Errorf("%+v, %v, told %d times", r, err, told)
	}
}

// A gate's clock that panics stops the run at the step at which it does, and
// no further step runs.
func TestRun_AClockThatPanicsStopsTheRun(t *testing.T) {
	for _, c := range []struct {
		name  string
		from  int // the call of Now that panics
		steps string
		calls int
	}{
		{"before the first step", 1, "", 0},
		{"when a step begins", 2, "a:refused", 0},
		{"when a step is over", 3, "a:ran", 1},
		{"when the next begins", 4, "a:ran b:refused", 1},
		{"when one that failed is over", 5, "a:ran b:failed", 2}, // its failure would be caught
		{"never", 9, "a:ran b:failed c:ran", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, "id: three\nsteps: [{id: a, ability: tool.a}, {id: b, ability: tool.b, on_failure: c}, {id: c, ability: tool.c}]\n", "")
			h.fails("tool.b")
			h.gate.Clock = &mad{VirtualClock: h.clock, from: c.from}
			r, err := h.run()
			if outcomes(r) != c.steps || len(h.called) != c.calls {
				t.Errorf("%s, called %q", outcomes(r), h.called)
			}
			if c.name == "never" {
				if err != nil || r.Status != run.Recovered {
					t.Errorf("%s, %v", r.Status, err)
				}
				return
			}
			var stop *actions.StopError
			var cause *actions.PanicError
			if !errors.As(err, &stop) || !errors.Is(err, actions.ErrAborted) || !errors.As(err, &cause) || stop.Rule != registry.SlugInternalFault || stop.Chain != "three" {
				t.Fatalf("%v", err)
			}
			const why = "it could not be decided: the clock's Now panicked: mad clock"
			if r.Status != run.Aborted || r.Halt == nil || r.Halt.Rule != registry.SlugInternalFault || r.Halt.Reason != why || stop.Reason != why {
				t.Errorf("%s, %+v, %v", r.Status, r.Halt, err)
			}
		})
	}
}

// Whenever the one clock of a gate, its session and its store begins to panic,
// a run has a result and, if it did not come to its end, a typed error.
func TestRun_AClockThatPanicsFromAnyCallOn(t *testing.T) {
	c := parse(t, abc)
	for from := 1; ; from++ {
		clock := &mad{VirtualClock: session.NewVirtualClock(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)), from: 1 << 30}
		s, err := session.New(session.Options{ID: "s", Registry: &registry.Registry{}, Clock: clock, Store: memory.New(memory.Options{Now: clock.VirtualClock.Now})})
		if err != nil {
			t.Fatal(err)
		}
		r, err := run.New(run.Options{Chain: c, Gate: &actions.Gate{Session: s, Clock: clock}, Abilities: run.AbilityFunc(quiet)})
		if err != nil {
			t.Fatal(err)
		}
		clock.calls, clock.from = 0, from
		result, err := r.Run(t.Context(), nil, chain.Host)
		if result == nil || (result.Halt == nil) != (err == nil) {
			t.Fatalf("from call %d on: %+v, %v", from, result, err)
		}
		if _, err := json.Marshal(result); err != nil {
			t.Fatal(err)
		}
		if err != nil && !errors.As(err, new(*actions.StopError)) && !errors.As(err, new(*run.FailError)) {
			t.Fatalf("from call %d on: %v", from, err)
		}
		if (outcomes(result) != "a:ran b:ran c:ran") && err == nil {
			t.Fatalf("from call %d on: %s, and no error", from, outcomes(result))
		}
		if clock.calls < from {
			if from < 10 || err != nil {
				t.Fatalf("the clock was asked %d times: %v", clock.calls, err)
			}
			return
		}
	}
}
