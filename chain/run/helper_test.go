package run_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// host is a runner with everything around it.
type host struct {
	t       *testing.T
	clock   *session.VirtualClock
	gate    *actions.Gate
	runner  *run.Runner
	called  []string // abilities, in order
	outputs map[string]func(args string) (run.Output, error)
}

// newHost reads a chain and a policy ("" for none). Abilities put out "ok"
// unless outputs says otherwise.
func newHost(t *testing.T, chainText, policy string) *host {
	t.Helper()
	h := &host{t: t, clock: session.NewVirtualClock(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)),
		outputs: map[string]func(string) (run.Output, error){}}
	c, faults := chain.Parse("chain.yaml", []byte(chainText))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	p, faults := dsl.ParsePolicy("policy.cbp", []byte(policy))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	s, err := session.New(session.Options{
		ID: "s", Registry: &reg, Clock: h.clock, Store: memory.New(memory.Options{Now: h.clock.Now}),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.gate = &actions.Gate{Session: s, Clock: h.clock}
	h.runner, err = run.New(run.Options{Chain: c, Gate: h.gate, Abilities: run.AbilityFunc(h.call)})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *host) call(_ context.Context, name string, args json.RawMessage) (run.Output, error) {
	h.called = append(h.called, name)
	if f := h.outputs[name]; f != nil {
		return f(string(args))
	}
	return run.Text("ok"), nil
}

// puts makes an ability put out a text.
func (h *host) puts(ability, text string) {
	h.outputs[ability] = func(string) (run.Output, error) { return run.Text(text), nil }
}

// fails makes an ability fail.
func (h *host) fails(ability string) {
	h.outputs[ability] = func(string) (run.Output, error) {
		return run.Output{}, &run.AbilityError{Class: "NetworkError", Message: "502"}
	}
}

// run runs the chain with parameters given as NAME=VALUE.
func (h *host) run(params ...string) (*run.Result, error) {
	values := map[string]chain.Value{}
	for _, p := range params {
		name, value, _ := strings.Cut(p, "=")
		values[name] = chain.Text(value)
	}
	return h.runner.Run(h.t.Context(), values, chain.Host)
}

// outcomes lists what became of the steps, such as "a:ran b:skipped".
func outcomes(r *run.Result) string {
	var parts []string
	for _, s := range r.Steps {
		parts = append(parts, s.Step+":"+string(s.Outcome))
	}
	return strings.Join(parts, " ")
}

func parse(t *testing.T, text string) *chain.Chain {
	t.Helper()
	c, faults := chain.Parse("chain.yaml", []byte(text))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	return c
}

// quiet is an ability that any number of goroutines may call.
func quiet(context.Context, string, json.RawMessage) (run.Output, error) { return run.Text("ok"), nil }
