package actions_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// wantStop checks that the step was stopped so, by the rule.
func wantStop(t *testing.T, err error, kind error, rule string) *actions.StopError {
	t.Helper()
	var stop *actions.StopError
	if !errors.Is(err, kind) || !errors.As(err, &stop) || stop.Rule != rule {
		t.Fatalf("got %v, want %v by rule %s", err, kind, rule)
	}
	return stop
}

const ask = `B:ability:pay.*|confirm|"Really?"|id=ask`

func TestConfirm_WhatIsNoYesStops(t *testing.T) {
	errOffline := errors.New("offline")
	for name, c := range map[string]struct {
		confirmer actions.Confirmer
		kind      error
		want      string
	}{
		"nobody to ask":  {nil, actions.ErrAborted, "nobody to ask"},
		"no":             {&answering{answers: []actions.Answer{actions.No}}, actions.ErrDeclined, ""},
		"no answer":      {&answering{}, actions.ErrAborted, "no answer"},
		"no such answer": {&answering{answers: []actions.Answer{7}}, actions.ErrDeclined, ""},
		"an error":       {&answering{err: errOffline, answers: []actions.Answer{actions.Yes}}, errOffline, "offline"},
		"a panic":        {actions.ConfirmFunc(func(context.Context, *actions.Question) ([]actions.Answer, error) { panic("boom") }), actions.ErrAborted, "boom"},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := newGate(t, ask, c.confirmer)
			_, err := g.Enter(t.Context(), step(t, "pay.send", `{}`))
			stop := wantStop(t, err, c.kind, "ask")
			if !strings.Contains(err.Error(), c.want) || stop.Step != "execute" || stop.Chain != "trade" || stop.Ability != "pay.send" || stop.Reason != "Really?" {
				t.Errorf("got %v: %+v", err, stop)
			}
		})
	}
}

func TestConfirm_Timeout(t *testing.T) {
	for policy, want := range map[string]time.Duration{
		ask: actions.DefaultConfirmTimeout, `B:ability:pay.*|confirm(20s)|id=ask`: 20 * time.Second,
		`B:ability:pay.*|confirm(20s)|id=ask` + "\n" + `B:ability:*|confirm(7s)|id=b`: 7 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			late := actions.ConfirmFunc(func(ctx context.Context, _ *actions.Question) ([]actions.Answer, error) {
				<-ctx.Done()
				return []actions.Answer{actions.Yes, actions.Yes}, nil
			})
			g := gateOn(t, policy, late, session.SystemClock())
			began := time.Now()
			_, err := g.Enter(t.Context(), step(t, "pay.send", `{}`))
			wantStop(t, err, actions.ErrAborted, "ask")
			if d := time.Since(began); d != want {
				t.Errorf("waited %s, want %s", d, want)
			}
		})
	}
}

func TestConfirm_EachRuleIsAnswered(t *testing.T) {
	const policy = ask + "\nB:amount>100|confirm|id=big\nB:amount>1|warn|id=w"
	for _, c := range []struct {
		answers []actions.Answer
		rule    string // that stops; "": none
	}{
		{[]actions.Answer{actions.Yes, actions.Yes}, ""},
		{[]actions.Answer{actions.Yes, actions.No}, "big"},
		{[]actions.Answer{actions.No, actions.Yes}, "ask"},
		{[]actions.Answer{actions.Yes}, "big"},
		{[]actions.Answer{actions.ForRun}, "big"},
	} {
		person := &answering{answers: c.answers}
		g, _ := newGate(t, policy, person)
		_, err := g.Enter(t.Context(), step(t, "pay.send", `{"amount":500}`))
		if c.rule == "" && err != nil {
			t.Errorf("%v: %v", c.answers, err)
		}
		var stop *actions.StopError
		if c.rule != "" && (!errors.As(err, &stop) || stop.Rule != c.rule) {
			t.Errorf("%v: got %v, want a stop by %s", c.answers, err, c.rule)
		}
		q := person.asked[0]
		if len(person.asked) != 1 || len(q.Rules) != 2 || len(q.Also) != 1 || q.Args != `{"amount":500}` {
			t.Errorf("asked %d times: %+v", len(person.asked), q)
		}
	}
}

func TestConfirm_YesIsForOneCall(t *testing.T) {
	person := &answering{answers: []actions.Answer{actions.Yes}}
	g, _ := newGate(t, ask, person)
	enter := func(args string, asked int) {
		t.Helper()
		if _, err := g.Enter(t.Context(), step(t, "pay.send", args)); err != nil {
			t.Fatal(err)
		}
		if len(person.asked) != asked {
			t.Errorf("asked %d times, want %d", len(person.asked), asked)
		}
	}
	enter(`{"n":1}`, 1)
	enter(`{"n":1}`, 2) // one call only
	person.answers = []actions.Answer{actions.ForRun}
	enter(`{"n":1}`, 3)
	enter(`{"n":1}`, 3)
	enter(`{"n":2}`, 4) // other arguments
}

func TestConfirm_EqualQuestionsAreAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		open, most, asked := 0, 0, 0
		g := gateOn(t, ask, actions.ConfirmFunc(func(context.Context, *actions.Question) ([]actions.Answer, error) {
			mu.Lock()
			asked++
			n := asked
			open++
			most = max(most, open)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			open--
			mu.Unlock()
			if n > 1 {
				return []actions.Answer{actions.No}, nil
			}
			return []actions.Answer{actions.Yes}, nil
		}), session.SystemClock())
		var wg sync.WaitGroup
		admitted := 0
		for range 8 {
			st := step(t, "pay.send", `{}`)
			wg.Go(func() {
				if _, err := g.Enter(t.Context(), st); err == nil {
					mu.Lock()
					admitted++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if admitted != 1 || most != 1 || asked != 2 {
			t.Errorf("%d calls were admitted, %d equal questions stood open at once, %d were asked; want 1, 1, 2", admitted, most, asked)
		}
	})
}

func TestConfirm_ForRunIsNotAskedForTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		person := actions.ConfirmFunc(func(context.Context, *actions.Question) ([]actions.Answer, error) {
			time.Sleep(time.Second)
			return []actions.Answer{actions.ForRun}, nil
		})
		g := gateOn(t, ask, person, session.SystemClock())
		began := time.Now()
		var wg sync.WaitGroup
		for range 8 {
			st := step(t, "pay.send", `{}`)
			wg.Go(func() {
				if _, err := g.Enter(t.Context(), st); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if d := time.Since(began); d != time.Second {
			t.Errorf("asking took %s, want one question of 1s", d)
		}
	})
}

func TestConfirm_WhoGivesUpStopsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, ask, actions.ConfirmFunc(func(ctx context.Context, _ *actions.Question) ([]actions.Answer, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Minute):
				return []actions.Answer{actions.Yes}, nil
			}
		}), session.SystemClock())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		first, second := step(t, "pay.send", `{}`), step(t, "pay.send", `{}`)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := g.Enter(ctx, first); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the first: %v", err)
			}
		})
		synctest.Wait()
		if _, err := g.Enter(t.Context(), second); err != nil {
			t.Errorf("the second: %v", err)
		}
		wg.Wait()
	})
}

func TestAbort_TypedError(t *testing.T) {
	g, _ := newGate(t, `B:amount>1000|abort|"Over the limit"|id=limit`, nil)
	v, err := g.Enter(t.Context(), step(t, "pay.send", `{"amount":1500}`))
	stop := wantStop(t, err, actions.ErrAborted, "limit")
	if stop.Actual != "1500" || stop.Limit != "1000" || stop.Step != "execute" || stop.Reason != "Over the limit" || stop.Verdict.Decision != registry.Abort || v.Decision != registry.Abort {
		t.Errorf("got %+v", stop)
	}
	if want := "step execute (pay.send) aborted by rule limit: Over the limit (1500, limit 1000)"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if errors.Is(err, actions.ErrThrottled) || errors.Is(err, actions.ErrDeclined) {
		t.Error("the stop is of several kinds")
	}
	g, _ = newGate(t, `B:amount>1000|review|id=look`, &answering{answers: []actions.Answer{actions.Yes}})
	_, err = g.Enter(t.Context(), step(t, "pay.send", `{"amount":1500}`))
	wantStop(t, err, actions.ErrAborted, "look") // nobody reviews here
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g, _ := newGate(t, ask, actions.ConfirmFunc(func(context.Context, *actions.Question) ([]actions.Answer, error) {
		cancel()
		return []actions.Answer{actions.Yes}, nil
	}))
	if _, err := g.Enter(ctx, step(t, "pay.send", `{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("while asking: %v", err)
	}
	if _, err := g.Enter(ctx, step(t, "x", `{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("before: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, `B:frequency>1/30s|throttle`, nil, session.SystemClock())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := g.Enter(ctx, step(t, "x", `{}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Enter(ctx, step(t, "x", `{}`)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while waiting: %v", err)
		}
	})
}

func TestLog_WarnAndObserveNeverStop(t *testing.T) {
	var out bytes.Buffer
	g, _ := newGate(t, "B:amount>1|warn|\"Careful\"|id=w\nB:amount>1|abort|id=seen,mode=observe\nB:ability:pay.*|confirm|id=look,mode=observe", nil)
	g.Log = slog.New(slog.NewTextHandler(&out, nil))
	v, err := g.Enter(t.Context(), step(t, "pay.send", `{"amount":5}`))
	if err != nil || v.Decision != registry.Warned || len(v.Fired) != 3 {
		t.Errorf("got %+v, %v", v, err)
	}
	for _, want := range []string{"msg=Careful rule=w", "rule=seen", "rule=look", "observed=true", "observed=false", `explain="amount 5 exceeds 1"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the log:\n%s", want, out.String())
		}
	}
}
