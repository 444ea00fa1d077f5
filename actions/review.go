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
	"github.com/cbpolicy/cbpolicy/session/trim"
)

// ErrReviewed: the task was reviewed, and a new attempt of it has begun. The
// step was not admitted; whoever runs the task runs it again, with the guidance
// and the messages of the [*StopError].
var ErrReviewed = errors.New("reviewed")

// MandatoryReview is the rule id of a stop because work that must be reviewed
// before it begins was not.
const MandatoryReview = "mandatory_review"

// Review is how a gate has tasks reviewed. How often, and by whom, may be set
// for a task: see session.TaskReview.
type Review struct {
	Reviewer review.Reviewer // nil: nobody reviews, and a review stops the step
	Name     string          // of the reviewer, in errors and guidance
	Timeout  time.Duration   // 0: review.DefaultTimeout
	// Reviewed is told of every case, with its guidance or what went wrong; nil: nobody is.
	Reviewed func(c *review.Case, g *review.Guidance, err error)
	// Patterns remembers failures that were reviewed, and what helped; nil: nothing does.
	Patterns *review.Patterns
	// Mandatory says which work must be reviewed before it begins; nil: none.
	Mandatory *review.Limits
	// History gives the messages of a task so far, "" being the session's own,
	// for a [*StopError] to hold those that the next attempt begins with; nil: it
	// holds none. It may not call the gate.
	History func(task string) []trim.Message
	// Trim says how many of them there may be: see RetryMessages.
	Trim trim.Options
}

// Begin has work reviewed before it begins, if that is mandatory: it returns
// the guidance, nil where none is needed. The error is a [*StopError] where
// there is nobody to review or the review fails, or the context's; the work may
// not begin then. It counts as no attempt. A reviewer can refuse the work by
// giving an error instead of guidance.
//
// What is refused is remembered: until work of the task is reviewed, or Ended
// says that the task is over, Enter aborts what the work named and every
// critical ability, in the task and in those below it. Work that needs no review
// frees what it names and no more. Only what the host tells of the work is
// judged: it must name every ability that may be used, for Enter has nothing
// reviewed that Begin was not told of.
func (g *Gate) Begin(ctx context.Context, task, chain string, w review.Work) (guidance *review.Guidance, err error) {
	if g.Review.Mandatory == nil {
		return nil, nil
	}
	var v registry.Verdict
	defer g.faulted(&session.Step{Chain: chain, Task: task}, &v, &err)
	e := g.Review.Mandatory.Assess(w)
	if !e.Review {
		g.begun.harmless(g.named(task), &w)
		return nil, nil
	}
	of := g.named(task)
	g.begun.refuse(of, &w) // also while it is being reviewed
	v.Refuse(&registry.Step{Chain: chain, Task: task, Session: g.Session.ID()}, MandatoryReview, "this work must be reviewed before it begins: "+e.Why())
	g.Session.ReviewedBefore(task, false)
	refuse := func(cause error) error {
		g.Session.Stopped(task, &v.Fired[0], cause)
		return stop(ErrAborted, &v, nil, cause)
	}
	if g.Review.Reviewer == nil {
		return nil, refuse(errors.New("there is nobody to review it"))
	}
	c := &review.Case{
		Session: g.Session.ID(), Task: task, Chain: chain, Attempt: 1, Asked: g.Session.Recall(task).User, Work: &e, Plan: w.Plan,
		Rule: review.Rule{ID: MandatoryReview, Reason: v.Fired[0].ReasonText()},
	}
	guidance, err = g.askReviewer(ctx, c)
	switch {
	case err == nil:
		g.begun.forget(of)
		g.Session.ReviewedBefore(task, true)
	case ctx.Err() == nil:
		err = refuse(err)
	}
	return guidance, err
}

// review has the task of a step reviewed, and begins a new attempt of it. It
// always stops the step: with ErrReviewed, or aborted where there is nobody to
// review, where a review fails, and after as many reviews as there may be. Steps
// of one attempt that ask for it side by side have it once.
func (g *Gate) review(ctx context.Context, st *session.Step, v *registry.Verdict) error {
	asked, task := unsatisfied(v, dsl.Review), g.Session.TaskOf(st.Task)
	if len(asked) == 0 {
		return stop(ErrAborted, v, nil, nil)
	}
	if g.Review.Reviewer == nil {
		return g.unreviewed(task, v, &asked[0], nil)
	}
	r, err := g.reviews.of(ctx, task, st.Attempt(), func() (*reviewed, error) { return g.reviewOnce(ctx, task, st, &asked[0]) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return g.unreviewed(task, v, &asked[0], err)
	}
	stopped := stop(ErrReviewed, v, &asked[0], nil)
	stopped.Guidance, stopped.Attempt = r.guidance, r.attempt
	stopped.Messages, stopped.Trimmed = r.messages, r.trimmed
	return stopped
}

// reviewOnce reviews the attempt in which a step was judged.
func (g *Gate) reviewOnce(ctx context.Context, task string, st *session.Step, f *registry.Fired) (*reviewed, error) {
	g.remedies.failed(g.Review.Patterns, task)
	attempt := st.Attempt()
	if n, most := g.Session.Reviews(task), g.Session.ReviewOf(task).Most; n >= most {
		return nil, noMore(n, most)
	}
	// A history that cannot be trimmed would come to nothing after the review.
	messages, trimmed, err := g.Review.messages(task)
	if err != nil {
		return nil, err
	}
	c := g.caseOf(task, st, f, attempt)
	if g.Review.Patterns != nil {
		c.Known = g.Review.Patterns.Similar(c)
	}
	guidance, err := g.askReviewer(ctx, c)
	if err == nil {
		err = g.Session.Retry(task, attempt)
	}
	if err != nil {
		return nil, err
	}
	g.remedies.given(g.Review.Patterns, task, c, guidance)
	return &reviewed{attempt + 1, guidance, messages, trimmed}, nil
}

// askReviewer asks, and tells what came of it. The error is that of the review
// or the context's.
func (g *Gate) askReviewer(ctx context.Context, c *review.Case) (*review.Guidance, error) {
	how := g.Session.ReviewOf(c.Task)
	c.Role, c.Preamble = how.Role, how.Preamble
	guidance, err := review.Ask(ctx, g.Review.Name, g.Review.Reviewer, c, g.Review.Timeout)
	if g.Review.Reviewed != nil {
		tell(func() { g.Review.Reviewed(c, guidance, err) })
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return guidance, err
}

// unreviewed stops a step for want of a review. A rule over meters then stops
// its task: what it has seen of it stands until a new attempt.
func (g *Gate) unreviewed(task string, v *registry.Verdict, f *registry.Fired, cause error) error {
	if ofTask, ofSession := f.Rule.Meters(); ofTask || ofSession {
		g.Session.Stopped(task, f, cause)
	}
	return stop(ErrAborted, v, f, cause)
}

// noMore says that a task may not be reviewed once more.
func noMore(attempts, most int) error {
	switch {
	case most == 0:
		return errors.New("no review of it is allowed (max_reviews, or maxRetries, is 0)")
	case attempts == 1:
		return errors.New("it was reviewed once already")
	}
	return fmt.Errorf("it was reviewed %d times already", attempts)
}

// Ended tells how a task ended that may have been reviewed, so that its
// failure pattern knows whether the remedy helped. Without a review it says
// nothing. A task did not end well if all calls of its latest attempt failed,
// whatever is said. Tell it before the task is closed.
func (g *Gate) Ended(task string, well bool) {
	failed := true // where a clock panics nobody knows, and no remedy is said to have helped
	tell(func() { failed = g.allFailed(task) })
	g.remedies.ended(g.Review.Patterns, task, well && !failed)
	g.begun.forget(g.named(task))
}

// caseOf is what a reviewer sees of a task.
func (g *Gate) caseOf(task string, st *session.Step, f *registry.Fired, attempt int) *review.Case {
	recalled := g.Session.Recall(task)
	c := &review.Case{
		Session: g.Session.ID(), Task: task, Chain: st.Chain, Attempt: attempt, Asked: recalled.User, Outputs: recalled.Agent, Earlier: recalled.Earlier,
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
