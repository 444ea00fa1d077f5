package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// start is when the tests' clocks begin.
var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

func load(t testing.TB, policy string) *registry.Registry {
	t.Helper()
	p, findings := dsl.ParsePolicy("test.cbp", []byte(policy))
	if err := findings.Err(); err != nil {
		t.Fatalf("parse: %v", err)
	}
	reg := new(registry.Registry)
	if err := reg.Load(p); err != nil {
		t.Fatalf("load: %v", err)
	}
	return reg
}

// agent is a session under test with the clock it goes by.
type agent struct {
	*session.Session
	clock *session.VirtualClock
	t     testing.TB
}

func newAgent(t testing.TB, policy string) *agent {
	t.Helper()
	return agentOn(t, policy, memory.New(memory.Options{}))
}

func agentOn(t testing.TB, policy string, store state.Store) *agent {
	t.Helper()
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{ID: "s", Registry: load(t, policy), Store: store, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	return &agent{s, clock, t}
}

// call decodes what an agent sends.
func call(t testing.TB, raw string) session.Call {
	t.Helper()
	c, err := session.DecodeCall([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return c
}

// before judges a call and gives the verdict in brief.
func (a *agent) before(raw string) (*session.Step, string) {
	a.t.Helper()
	st := &session.Step{Call: call(a.t, raw), Chain: "trade"}
	return st, a.judge(st)
}

func (a *agent) judge(st *session.Step) string {
	var v registry.Verdict
	a.Before(a.t.Context(), st, &v)
	return brief(&v)
}

// run judges a call and, if it may run, reports an output.
func (a *agent) run(raw, output string) string {
	a.t.Helper()
	st, got := a.before(raw)
	if got == "allow" || strings.HasPrefix(got, "warn") {
		v := registry.Text(output)
		if err := a.After(a.t.Context(), session.Outcome{Step: st, Output: &v}); err != nil {
			a.t.Error(err)
		}
	}
	return got
}

func brief(v *registry.Verdict) string {
	parts := []string{v.Decision.String()}
	for _, f := range v.Fired {
		parts = append(parts, f.Rule.ID)
	}
	return strings.Join(parts, " ")
}

// brokenStore is a store in which one operation fails, with an error or a panic.
type brokenStore struct {
	state.Store
	claim, settle, approve error
	panics                 bool
}

var errBroken = errors.New("the disk is gone")

func (s *brokenStore) fail(err error) error {
	if err != nil && s.panics {
		panic(err)
	}
	return err
}

func (s *brokenStore) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	if err := s.fail(s.claim); err != nil {
		return err
	}
	return s.Store.Claim(ctx, c, g)
}

func (s *brokenStore) Settle(ctx context.Context, c *state.Settlement) error {
	if err := s.fail(s.settle); err != nil {
		return err
	}
	return s.Store.Settle(ctx, c)
}

func (s *brokenStore) Approve(ctx context.Context, a state.Approval) error {
	if err := s.fail(s.approve); err != nil {
		return err
	}
	return s.Store.Approve(ctx, a)
}
