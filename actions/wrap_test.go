package actions_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

type payment struct {
	To     string `json:"to"`
	Amount int    `json:"amount"`
}

// wrapping is a gate over a policy, with breakers that open at two failures.
func wrapping(t *testing.T, policy string) *actions.Gate {
	t.Helper()
	p, faults := dsl.ParsePolicy("p.cbp", []byte(policy))
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	breakers := session.DefaultBreakers()
	breakers[0].Threshold = 2
	s, err := session.New(session.Options{ID: "s", Registry: &reg, Store: memory.New(memory.Options{}), Breakers: breakers})
	if err != nil {
		t.Fatal(err)
	}
	return &actions.Gate{Session: s, Clock: session.SystemClock()}
}

func TestWrap(t *testing.T) {
	g := wrapping(t, "B:amount>100|abort|\"too much\"|id=much,missing=skip\nB:output:bank.pay.output|contains:REFUND|abort|id=refund\nB:ability:echo & input==7|abort|id=seven,missing=skip\n")
	var paid []int
	pay := actions.Wrap(g, "bank.pay", func(_ context.Context, p payment) (string, error) {
		paid = append(paid, p.Amount)
		return "paid " + p.To, nil
	})
	if out, err := pay(t.Context(), payment{"Ann", 100}); out != "paid Ann" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	_, err := pay(t.Context(), payment{"Ann", 101})
	var stop *actions.StopError
	if !errors.As(err, &stop) || stop.Rule != "much" || stop.Actual != "101" || stop.Limit != "100" {
		t.Errorf("%v, want a stop by the rule", err)
	}
	if len(paid) != 1 {
		t.Errorf("paid %v: a refused call was made", paid)
	}
	echo := actions.Wrap(g, "echo", func(_ context.Context, n int) (int, error) { return n, nil })
	if _, err := echo(t.Context(), 7); !errors.As(err, &stop) || stop.Rule != "seven" {
		t.Errorf("what is no object is the argument input: %v", err)
	}
	if _, err := pay(t.Context(), payment{"REFUND", 1}); err != nil {
		t.Error(err)
	}
	if _, err := echo(t.Context(), 1); !errors.As(err, &stop) || stop.Rule != "refund" {
		t.Errorf("what was put out is seen by the next call: %v", err)
	}
}

// classed is an error that says whose failure it is.
type classed string

func (c classed) Error() string      { return string(c) }
func (c classed) ErrorClass() string { return string(c) }

// Two failures open the breaker, and only those that are the tool's.
func TestWrap_Failures(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		fail func() error
		open bool
	}{
		"any error":        {func() error { return errors.New("down") }, true},
		"a time-out":       {func() error { return context.DeadlineExceeded }, true},
		"wrong arguments":  {func() error { return classed(session.ClassArguments) }, false},
		"a cancelled call": {func() error { return ended.Err() }, false},
		"a panic":          {func() error { panic("oh") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := actions.Wrap(wrapping(t, ""), "web.fetch", func(context.Context, string) (string, error) { return "", c.fail() })
			var last error
			for range 3 {
				func() {
					defer func() { _ = recover() }()
					_, last = f(t.Context(), "x")
				}()
			}
			if open := strings.Contains(last.Error(), "circuit_open"); open != c.open {
				t.Errorf("the breaker is open: %v, want %v (%v)", open, c.open, last)
			}
		})
	}
}

// What cannot be judged is not called.
func TestWrap_NotJudged(t *testing.T) {
	called := false
	f := actions.Wrap(wrapping(t, ""), "a", func(context.Context, func()) (string, error) { called = true; return "", nil })
	if _, err := f(t.Context(), func() {}); err == nil || called {
		t.Errorf("%v, called %v", err, called)
	}
	g := actions.Wrap(wrapping(t, ""), "a", func(context.Context, int) (chan int, error) { return nil, nil })
	if _, err := g(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "its output cannot be judged") {
		t.Errorf("%v", err)
	}
}
