package run_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/dsl"
)

const plain = "id: plain\nsteps: [{id: a, ability: tool.a}, {id: b, ability: tool.b}]\n"

// The first implementation looked only at aborts: a throttled step ran.
func TestFault18_ThrottledStepWaitsOrStops(t *testing.T) {
	for window, want := range map[string]string{
		"30s": "completed a:ran b:ran after 30s",
		"1m":  "completed a:ran b:ran after 1m0s", // as long as a throttle waits
		"61s": "throttled a:ran b:refused after 0s",
	} {
		h := newHost(t, plain, "B:frequency:tool.*>1/"+window+"|throttle|\"slowly\"|id=slow\n")
		start := h.clock.Now()
		r, err := h.run()
		got := string(r.Status) + " " + outcomes(r) + " after " + time.Duration(h.clock.Now()-start).String()
		if got != want {
			t.Errorf("%s: %s, want %s", window, got, want)
		}
		var stop *actions.StopError
		if r.Status == run.Throttled && (!errors.As(err, &stop) || stop.RetryAfter != 61*time.Second || r.Halt.RetryAfterMS != 61_000 || r.Halt.Rule != "slow") {
			t.Errorf("%s: %v, %+v", window, err, r.Halt)
		}
	}
}

// A throttled run is not halted for good: later there is room again.
func TestThrottledChainRunsAgainLater(t *testing.T) {
	h := newHost(t, plain, "B:frequency>1/1h|throttle|\"once\"\n")
	for i, want := range []run.Status{run.Completed, run.Throttled, run.Completed} {
		if r, _ := h.run(); r.Status != want {
			t.Errorf("run %d: %s, want %s", i+1, r.Status, want)
		}
		h.clock.Advance(30 * time.Minute)
	}
}

// The first implementation logged a warning and went on.
func TestFault19_ConfirmWithoutAChannelStopsTheRun(t *testing.T) {
	h := newHost(t, plain, "B:ability:tool.b|confirm|\"sure?\"|id=ask\n")
	r, err := h.run()
	if !errors.Is(err, actions.ErrAborted) || r.Status != run.Aborted || outcomes(r) != "a:ran b:refused" || r.Halt.Rule != "ask" {
		t.Errorf("%s: %s, %v", r.Status, outcomes(r), err)
	}
	if strings.Join(h.called, " ") != "tool.a" {
		t.Errorf("called %v", h.called)
	}
}

// The first implementation showed one rule and took its approval for all.
func TestFault20_EveryConfirmRuleIsShown(t *testing.T) {
	const policy = "B:ability:tool.b|confirm|\"one\"|id=one\nB:ability:tool.*&after:tool.a|confirm|\"two\"|id=two\n"
	h := newHost(t, plain, policy)
	var shown []string
	h.gate.Confirmer = actions.ConfirmFunc(func(_ context.Context, q *actions.Question) ([]actions.Answer, error) {
		answers := make([]actions.Answer, len(q.Rules))
		for i, f := range q.Rules {
			shown = append(shown, f.Rule.ID)
			answers[i] = actions.Yes
		}
		return answers, nil
	})
	r, err := h.run()
	if err != nil || r.Status != run.Completed || strings.Join(shown, " ") != "one two" {
		t.Errorf("%s, %v; shown %v", r.Status, err, shown)
	}
	// The answer admits this call only: the next run is asked about again.
	// Its a comes after the first run's, so it is asked about as well.
	if _, err := h.run(); err != nil || strings.Join(shown, " ") != "one two two one two" {
		t.Errorf("%v; shown %v", err, shown)
	}
}

// The context ends a step that is running, and on_failure does not go on.
func TestContextEndsAStep(t *testing.T) {
	h := newHost(t, "id: c\nsteps:\n  - {id: a, ability: tool.a, on_failure: continue}\n  - {id: b, ability: tool.b}\n", "")
	ctx, cancel := context.WithCancel(t.Context())
	h.outputs["tool.a"] = func(string) (run.Output, error) { cancel(); <-ctx.Done(); return run.Output{}, ctx.Err() }
	r, err := h.runner.Run(ctx, nil, chain.Host)
	if !errors.Is(err, context.Canceled) || r.Status != run.Failed || outcomes(r) != "a:failed" {
		t.Errorf("%s: %s, %v", r.Status, outcomes(r), err)
	}
	if e := r.Steps[0].Error; e == nil || e.Class != run.ClassCancelled {
		t.Errorf("error %+v", e)
	}
}

// The context ends a wait for room and a question that nobody answers.
func TestContextEndsAQuestion(t *testing.T) {
	h := newHost(t, plain, "B:ability:tool.b|confirm|\"sure?\"\n")
	ctx, cancel := context.WithCancel(t.Context())
	h.gate.Confirmer = actions.ConfirmFunc(func(asked context.Context, _ *actions.Question) ([]actions.Answer, error) {
		cancel()
		<-asked.Done()
		return nil, asked.Err()
	})
	r, err := h.runner.Run(ctx, nil, chain.Host)
	if !errors.Is(err, context.Canceled) || r.Status != run.Failed || outcomes(r) != "a:ran b:refused" {
		t.Errorf("%s: %s, %v", r.Status, outcomes(r), err)
	}
}

// What a model supplies for a rule's limit stays within what the chain declares.
func TestModelSetsLimitsWithinBounds(t *testing.T) {
	const text = `
id: own
params: [{name: limit, param_type: number, required: true%s}]
circuit_breakers: [{condition: "amount>{{limit}}", action: abort, reason: r}]
steps: [{id: a, ability: tool.a, args: {amount: 5}}]
`
	for _, c := range []struct {
		bounds string
		from   chain.Source
		limit  string
		want   run.Status
	}{
		{"", chain.Host, "1000", run.Completed},
		{"", chain.Model, "10", run.Failed},
		{", min: 0, max: 10", chain.Model, "10", run.Completed},
		{", min: 0, max: 10", chain.Model, "4", run.Aborted},
		{", min: 0, max: 10", chain.Model, "11", run.Failed},
		{", min: 0, max: 10", chain.Model, "1e400", run.Failed},
	} {
		h := newHost(t, strings.Replace(text, "%s", c.bounds, 1), "")
		r, err := h.runner.Run(t.Context(), map[string]chain.Value{"limit": chain.Text(c.limit)}, c.from)
		if r.Status != c.want {
			t.Errorf("bounds %q, source %d, limit %s: %s, want %s (%v)", c.bounds, c.from, c.limit, r.Status, c.want, err)
		}
		if start := (*chain.StartError)(nil); c.want == run.Failed && (!errors.As(err, &start) || len(h.called) > 0) {
			t.Errorf("bounds %q, limit %s: %v", c.bounds, c.limit, err)
		}
	}
}

// A runner puts its chain's rules in the place of those it had.
func TestNewRunnerReplacesTheRules(t *testing.T) {
	h := newHost(t, plain, "")
	strict := plain + "circuit_breakers: [{condition: \"ability:tool.b\", action: abort, reason: never}]\n"
	for _, c := range []struct {
		text string
		want run.Status
	}{{strict, run.Aborted}, {plain, run.Completed}} {
		r, err := run.New(run.Options{Chain: parse(t, c.text), Gate: h.gate, Abilities: run.AbilityFunc(quiet)})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := r.Run(t.Context(), nil, chain.Host); got.Status != c.want {
			t.Errorf("%s, want %s", got.Status, c.want)
		}
	}
	if set := run.Ruleset(parse(t, strict)); len(set.Rules) != 1 || set.Rules[0].Rule.Action.Kind != dsl.Abort {
		t.Errorf("%+v", set)
	}
	if _, err := run.New(run.Options{}); err == nil {
		t.Error("a runner of nothing was made")
	}
}
