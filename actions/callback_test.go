package actions_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/trim"
)

// mad panics from the call on that has this number, of those of one method, or
// of all where none is named.
type mad struct {
	session.Clock
	method string
	from   int
	calls  int
}

func (m *mad) at(method string) {
	if m.method != "" && m.method != method {
		return
	}
	if m.calls++; m.calls >= m.from {
		panic("mad " + method)
	}
}

func (m *mad) Now() int64 { m.at("Now"); return m.Clock.Now() }

func (m *mad) Sleep(ctx context.Context, d time.Duration) error {
	m.at("Sleep")
	return m.Clock.Sleep(ctx, d)
}

func (m *mad) Timeout(d time.Duration) (<-chan struct{}, func()) {
	m.at("Timeout")
	late, giveUp := m.Clock.Timeout(d)
	return late, func() { giveUp(); m.at("giveUp") }
}

// madLog is a log whose handler panics.
type madLog struct{ slog.Handler }

func (madLog) Enabled(context.Context, slog.Level) bool  { return true }
func (madLog) Handle(context.Context, slog.Record) error { panic("mad log") }

// Of everything that a host gives a gate to call, nothing brings it down by a
// panic. A listener's changes nothing. Where the decision hangs on it, the step
// is stopped, and the error says why.
func TestGate_PanicsDoNotReachTheHost(t *testing.T) {
	const (
		throttled = "B:frequency>1/30s|throttle|id=slow"
		odd       = "B:ability:x|review|id=odd"
	)
	clock := func(method string) func(*actions.Gate) {
		return func(g *actions.Gate) { g.Clock = &mad{Clock: g.Clock, method: method, from: 1} }
	}
	for name, c := range map[string]struct {
		policy string
		set    func(*actions.Gate)
		kind   error  // nil: the step runs
		rule   string // behind the stop
		cause  string // of it
	}{
		"log of a warning":        {"B:ability:x|warn", func(g *actions.Gate) { g.Log = slog.New(madLog{}) }, nil, "", ""},
		"log of what is observed": {"B:ability:x|abort|mode=observe", func(g *actions.Gate) { g.Log = slog.New(madLog{}) }, nil, "", ""},
		"log before an abort":     {"B:ability:x|warn\nB:ability:x|abort|id=no", func(g *actions.Gate) { g.Log = slog.New(madLog{}) }, actions.ErrAborted, "no", ""},
		"waiting": {throttled, func(g *actions.Gate) {
			g.Waiting = func(*session.Step, *registry.Verdict, time.Duration) { panic("mad waiting") }
		}, nil, "", ""},
		"reviewed": {odd, func(g *actions.Gate) {
			g.Review.Reviewed = func(*review.Case, *review.Guidance, error) { panic("mad reviewed") }
		}, actions.ErrReviewed, "odd", ""},
		"reviewed, of a failure": {odd, func(g *actions.Gate) {
			g.Review.Reviewer = review.Func(func(context.Context, *review.Case) (*review.Guidance, error) { return nil, errors.New("no") })
			g.Review.Reviewed = func(*review.Case, *review.Guidance, error) { panic("mad reviewed") }
		}, actions.ErrAborted, "odd", "reviewer test: no"},
		"reviewer": {odd, func(g *actions.Gate) {
			g.Review.Reviewer = review.Func(func(context.Context, *review.Case) (*review.Guidance, error) { panic("mad reviewer") })
		}, actions.ErrAborted, "odd", "reviewer test: it panicked: mad reviewer"},
		"history": {odd, func(g *actions.Gate) {
			g.Review.History = func(string) []trim.Message { panic("mad history") }
		}, actions.ErrAborted, "odd", "the history of the task: it panicked: mad history"},
		"confirmer": {ask, func(g *actions.Gate) {
			g.Confirmer = actions.ConfirmFunc(func(context.Context, *actions.Question) ([]actions.Answer, error) { panic("mad confirmer") })
		}, actions.ErrAborted, "ask", "the confirmer failed: mad confirmer"},
		"clock's Sleep":                 {throttled, clock("Sleep"), actions.ErrAborted, registry.SlugInternalFault, "the clock's Sleep panicked: mad Sleep"},
		"clock's Timeout":               {ask, clock("Timeout"), actions.ErrAborted, registry.SlugInternalFault, "the clock's Timeout panicked: mad Timeout"},
		"clock's Timeout, given up":     {ask, clock("giveUp"), actions.ErrAborted, registry.SlugInternalFault, "the clock's Timeout panicked: mad giveUp"},
		"clock's Now, when it approves": {ask, clock("Now"), actions.ErrAborted, registry.SlugInternalFault, "the clock's Now panicked: mad Now"},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := newGate(t, c.policy, &answering{answers: []actions.Answer{actions.Yes}})
			g.Review = actions.Review{Reviewer: advice, Name: "test"}
			if c.policy == throttled {
				if _, err := g.Enter(t.Context(), step(t, "pay.send", `{}`)); err != nil {
					t.Fatal(err)
				}
			}
			ability := "x"
			if c.policy == ask {
				ability = "pay.send"
			}
			c.set(g)
			v, err := g.Enter(t.Context(), step(t, ability, `{}`))
			if c.kind == nil {
				if err != nil || v.Decision.Blocks() {
					t.Errorf("%s: %v", v.Decision, err)
				}
				return
			}
			stop := wantStop(t, err, c.kind, c.rule)
			if got := causeOf(stop); got != c.cause {
				t.Errorf("the cause is %q, want %q", got, c.cause)
			}
			if !v.Decision.Blocks() || stop.Step != "execute" || stop.Ability != ability || strings.Count(err.Error(), c.cause) != 1 && c.cause != "" {
				t.Errorf("%s: %v", v.Decision, err)
			}
			if faulty := errors.As(err, new(*actions.PanicError)); faulty != (c.rule == registry.SlugInternalFault) {
				t.Errorf("a PanicError: %v", faulty)
			}
		})
	}
}

func causeOf(stop *actions.StopError) string {
	if stop.Cause == nil {
		return ""
	}
	return stop.Cause.Error()
}

// Whenever the clock of the gate and its session begins to panic, a step is
// admitted or stopped by a StopError, and the host lives.
func TestGate_AClockThatPanicsFromAnyCallOn(t *testing.T) {
	const policy = "B:frequency:x>1/30s|throttle|id=slow\nB:ability:pay.*|confirm(2m)|id=ask\nB:ability:odd|review|id=odd"
	for from := 1; ; from++ {
		clock := &mad{Clock: session.NewVirtualClock(start), from: 1 << 30}
		g := gateOn(t, policy, &answering{answers: []actions.Answer{actions.Yes}}, clock)
		g.Review = actions.Review{Reviewer: advice, Name: "test", Mandatory: &review.Limits{}}
		clock.calls, clock.from = 0, from
		mustStop := func(what string, err error) {
			if err != nil && !errors.As(err, new(*actions.StopError)) {
				t.Fatalf("from call %d on, %s: %v", from, what, err)
			}
			if err == nil && from == 1 {
				t.Fatalf("%s was let through by a clock that always panics", what)
			}
		}
		_, err := g.Begin(t.Context(), "t", "trade", review.Work{Abilities: []string{"wallet.transfer"}})
		if err != nil {
			mustStop("begin", err)
		}
		for _, ability := range []string{"x", "x", "pay.send", "odd"} {
			_, err := g.Enter(t.Context(), step(t, ability, `{}`))
			mustStop(ability, err)
		}
		g.Ended("t", true)
		if clock.calls < from {
			if from < 10 {
				t.Fatalf("the clock was asked %d times", clock.calls)
			}
			return
		}
	}
}

// Who waits for the answer to an equal question is stopped too.
func TestGate_AClockThatPanicsStopsAllWhoWait(t *testing.T) {
	g, _ := newGate(t, ask, &answering{answers: []actions.Answer{actions.Yes}})
	g.Clock = &mad{Clock: g.Clock, method: "giveUp", from: 1}
	errs := make(chan error, 4)
	for range cap(errs) {
		st := step(t, "pay.send", `{}`)
		go func() {
			_, err := g.Enter(context.WithoutCancel(t.Context()), st)
			errs <- err
		}()
	}
	var got []error
	for range cap(errs) {
		got = append(got, <-errs)
	}
	if slices.ContainsFunc(got, func(err error) bool { return !errors.As(err, new(*actions.PanicError)) }) {
		t.Errorf("%v", got)
	}
}
