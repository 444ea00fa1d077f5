package actions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// ErrReviewed: the task was reviewed, and a new attempt of it has begun. The
// step was not admitted; whoever runs the task runs it again, with the guidance
// of the [*StopError] and a trimmed history.
var ErrReviewed = errors.New("reviewed")

// Review is how a gate has tasks reviewed.
type Review struct {
	Reviewer review.Reviewer // nil: nobody reviews, and a review stops the step
	Name     string          // of the reviewer, in errors and guidance
	Timeout  time.Duration   // 0: review.DefaultTimeout
	// Reviewed is told of every case, with its guidance or what went wrong; nil: nobody is.
	Reviewed func(c *review.Case, g *review.Guidance, err error)
}

// review has the task of a step reviewed, and begins a new attempt of it. It
// always stops the step: with ErrReviewed, or aborted where there is nobody to
// review, where a review fails, and after session.MaxReviews.
func (g *Gate) review(ctx context.Context, st *session.Step, v *registry.Verdict) error {
	asked := unsatisfied(v, dsl.Review)
	if g.Review.Reviewer == nil || len(asked) == 0 {
		return stop(ErrAborted, v, nil, nil)
	}
	task := g.Session.TaskOf(st.Task)
	attempts := g.Session.Attempts(task)
	if attempts >= session.MaxReviews {
		return stop(ErrAborted, v, &asked[0], fmt.Errorf("it was reviewed %d times already", attempts))
	}
	c := g.caseOf(task, st, &asked[0], attempts+1)
	guidance, err := review.Ask(ctx, g.Review.Name, g.Review.Reviewer, c, g.Review.Timeout)
	if g.Review.Reviewed != nil {
		g.Review.Reviewed(c, guidance, err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return stop(ErrAborted, v, &asked[0], err)
	}
	if err := g.Session.NewAttempt(task); err != nil {
		return stop(ErrAborted, v, &asked[0], err)
	}
	stopped := stop(ErrReviewed, v, &asked[0], nil)
	stopped.Guidance, stopped.Attempt = guidance, attempts+2
	return stopped
}

// caseOf is what a reviewer sees of a task.
func (g *Gate) caseOf(task string, st *session.Step, f *registry.Fired, attempt int) *review.Case {
	recalled := g.Session.Recall(task)
	c := &review.Case{
		Session: g.Session.ID(), Task: task, Chain: st.Chain, Attempt: attempt, Asked: recalled.User, Outputs: recalled.Agent,
		Rule:     review.Rule{ID: f.Rule.ID, Reason: f.ReasonText(), Explain: f.Explain(), Actual: f.Actual, Limit: f.Limit},
		Counters: map[string]string{},
	}
	for _, m := range g.Session.Meters(task) {
		c.Counters[m.Name] = m.Value
	}
	for _, call := range recalled.Calls {
		r := review.Call{Ability: call.Ability, Worker: call.Worker, Args: call.Args, Output: call.Output, At: time.Unix(0, call.At).UTC()}
		if call.Failed {
			r.Error = &review.Failure{Class: call.Class, Message: call.Message}
		}
		c.Calls = append(c.Calls, r)
	}
	return c
}
