package actions_test

import (
	"context"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// start is when the tests' clocks begin.
var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// newGate is a gate over a policy, on a clock that only waits move.
func newGate(t testing.TB, policy string, c actions.Confirmer) (*actions.Gate, *session.VirtualClock) {
	t.Helper()
	clock := session.NewVirtualClock(start)
	return gateOn(t, policy, c, clock), clock
}

func gateOn(t testing.TB, policy string, c actions.Confirmer, clock session.Clock) *actions.Gate {
	t.Helper()
	p, findings := dsl.ParsePolicy("test.cbp", []byte(policy))
	if err := findings.Err(); err != nil {
		t.Fatal(err)
	}
	reg := new(registry.Registry)
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	s, err := session.New(session.Options{ID: "s", Registry: reg, Store: memory.New(memory.Options{}), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	return &actions.Gate{Session: s, Clock: clock, Confirmer: c}
}

// step is a call of an ability with its arguments as JSON.
func step(t testing.TB, ability, args string) *session.Step {
	t.Helper()
	vs, err := registry.ParseValues([]byte(args))
	if err != nil {
		t.Fatal(err)
	}
	return &session.Step{Call: session.Call{Ability: ability, Args: vs}, Chain: "trade", ID: "execute"}
}

// answering gives the same answers to every question, and notes the questions.
type answering struct {
	answers []actions.Answer
	err     error
	asked   []*actions.Question
}

func (a *answering) Confirm(_ context.Context, q *actions.Question) ([]actions.Answer, error) {
	a.asked = append(a.asked, q)
	return a.answers, a.err
}
