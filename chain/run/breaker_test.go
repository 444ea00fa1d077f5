package run_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A chain's breaker opens over its runs; the step it refuses has failed, and
// what the chain says of failures happens.
func TestChainBreaker(t *testing.T) {
	c, l := chain.Parse("c.yaml", []byte(`id: c
circuit_breaker: {failure_threshold: 2, reset_timeout_seconds: 60}
steps:
  - {id: fetch, ability: web.fetch, on_failure: continue}
  - {id: tell, ability: notify.user, args: {message: "{{fetch_error}}"}}
`))
	if c == nil {
		t.Fatal(l)
	}
	clock := session.NewVirtualClock(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	s, err := session.New(session.Options{
		ID: "s", Registry: new(registry.Registry), Store: memory.New(memory.Options{Now: clock.Now}), Clock: clock, Breakers: run.Breakers(c, nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	calls, well := 0, false
	r, err := run.New(run.Options{Chain: c, Gate: &actions.Gate{Session: s, Clock: clock},
		Abilities: run.AbilityFunc(func(_ context.Context, name string, _ json.RawMessage) (run.Output, error) {
			if name != "web.fetch" {
				return run.Text("told"), nil
			}
			if calls++; well {
				return run.Text("page"), nil
			}
			return run.Output{}, &run.AbilityError{Class: "NetworkError", Message: "502"}
		})})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		class string
		calls int
	}{{"NetworkError", 1}, {"NetworkError", 2}, {run.ClassOpen, 2}, {run.ClassOpen, 2}} {
		result, err := r.Run(t.Context(), nil, chain.Host)
		if err != nil || result.Status != run.Recovered {
			t.Fatalf("run %d: %s, %v", i+1, result.Status, err)
		}
		if got := result.Steps[0]; got.Error == nil || got.Error.Class != want.class || calls != want.calls {
			t.Errorf("run %d: %+v after %d calls, want %s after %d", i+1, got.Error, calls, want.class, want.calls)
		}
	}
	clock.Advance(time.Minute)
	well = true
	if result, err := r.Run(t.Context(), nil, chain.Host); err == nil && result.Status == run.Completed {
		t.Error("{{fetch_error}} has a value though the probe succeeded")
	}
	if calls != 3 {
		t.Errorf("%d calls, want the probe to be the third", calls)
	}
}

// In the catalogue dialect a step that fails and continues puts out nothing,
// and the steps that read it go on.
func TestCatalogueContinues(t *testing.T) {
	c, l := chain.Parse("c.yaml", []byte(`id: c
steps:
  - {id: news, ability: news.search, params: {query: "{{input.topic}}"}, on_failure: continue}
  - {id: brief, ability: llm.query, params: {prompt: "News: {{news.output}}."}, depends_on: [news]}
`))
	if c == nil {
		t.Fatal(l)
	}
	recording, l := run.ParseRecording("r.yaml", []byte("chain: c\nparams: {topic: Go}\nsteps:\n  - {step: news, error: {class: NetworkError, message: '502'}}\n  - {step: brief, output: done}\n"))
	if recording == nil {
		t.Fatal(l)
	}
	result, err := run.DryRun(t.Context(), run.DryRunOptions{Chain: c, Recording: recording})
	if err != nil || result.Status != run.Recovered {
		t.Errorf("%s, %v", result.Status, err)
	}
}
