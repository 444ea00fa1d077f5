package review_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

func good() *review.Guidance {
	return &review.Guidance{Analysis: "a", Approach: []string{"b"}}
}

// failed fails unless err is a review.Error of the problem that says want.
func failed(t *testing.T, err error, problem review.Problem, want string) {
	t.Helper()
	var e *review.Error
	if !errors.As(err, &e) || e.Problem != problem || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v (%+v); want %s: %q", err, e, problem, want)
	}
}

func TestAsk(t *testing.T) {
	var seen *review.Case
	r := review.Func(func(_ context.Context, c *review.Case) (*review.Guidance, error) {
		seen = c
		return &review.Guidance{Analysis: "a\x1b", Approach: []string{"b"}, Source: "somebody else", Specialist: "x"}, nil
	})
	c := &review.Case{Calls: make([]review.Call, 300)}
	g, err := review.Ask(t.Context(), "mine", r, c, 0)
	if err != nil {
		t.Fatal(err)
	}
	if g.Analysis != `a\u{1b}` || g.Source != "mine" || g.Specialist != review.Approach {
		t.Errorf("got %+v", g)
	}
	if len(seen.Calls) != review.MaxCalls || len(c.Calls) != 300 {
		t.Error("the reviewer did not see a bounded copy")
	}
}

func TestAsk_Failures(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name    string
		review  review.Func
		problem review.Problem
		want    string
	}{
		{"an error", func(context.Context, *review.Case) (*review.Guidance, error) { return good(), boom }, review.Refused, "reviewer r: boom"},
		{"a panic", func(context.Context, *review.Case) (*review.Guidance, error) { panic("ouch\x1b") }, review.Panicked, `it panicked: ouch\u{1b}`},
		{"a fault of the runtime", func(_ context.Context, c *review.Case) (*review.Guidance, error) {
			return &review.Guidance{Analysis: c.Calls[7].Output}, nil
		}, review.Panicked, "index out of range"},
		{"nothing", func(context.Context, *review.Case) (*review.Guidance, error) { return nil, nil }, review.Unusable, "neither"},
		{"blank guidance", func(context.Context, *review.Case) (*review.Guidance, error) {
			return &review.Guidance{Analysis: " \n", Approach: []string{"b"}}, nil
		}, review.Unusable, "no analysis"},
		{"an error of a reviewer within", func(context.Context, *review.Case) (*review.Guidance, error) {
			return nil, &review.Error{Reviewer: "inner", Problem: review.TooLong, Err: boom}
		}, review.TooLong, "reviewer r: boom"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := review.Ask(t.Context(), "r", c.review, &review.Case{}, 0)
			if g != nil {
				t.Errorf("got guidance %+v", g)
			}
			failed(t, err, c.problem, c.want)
		})
	}
	_, err := review.Ask(t.Context(), "r", nil, &review.Case{}, 0)
	failed(t, err, review.NotReached, "no reviewer")
	if _, err := review.Ask(t.Context(), "r", review.Func(func(context.Context, *review.Case) (*review.Guidance, error) { return nil, boom }), &review.Case{}, 0); !errors.Is(err, boom) {
		t.Errorf("the reason is lost: %v", err)
	}
}

// A reviewer that does not even mind its context is left when its time is over.
func TestAsk_AHangingReviewerIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		deaf := review.Func(func(context.Context, *review.Case) (*review.Guidance, error) { <-end; return good(), nil })
		begin := time.Now()
		_, err := review.Ask(t.Context(), "deaf", deaf, &review.Case{}, time.Minute)
		failed(t, err, review.TimedOut, "reviewer deaf: no answer within 1m0s")
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("it took %s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = review.Ask(ctx, "deaf", deaf, &review.Case{}, time.Minute)
		failed(t, err, review.Cancelled, "deadline")
		begin = time.Now()
		_, err = review.Ask(t.Context(), "deaf", deaf, &review.Case{}, 0)
		failed(t, err, review.TimedOut, "2m0s")
		if took := time.Since(begin); took != review.DefaultTimeout {
			t.Errorf("it took %s", took)
		}
		close(end)
	})
}
