package run

import (
	"context"
	"errors"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// Review is the receipt of a review in a run.
type Review struct {
	Step string `json:"step"` // that was stopped; "": before the first step, or after the last
	Rule string `json:"rule"`
	// Reason is why: that of the rule, or what makes the work risky.
	Reason string `json:"reason"`
	// Attempt is the one that begins with it, from 1.
	Attempt  int              `json:"attempt"`
	Guidance *review.Guidance `json:"guidance"`
}

// WorkOf is what a chain tells of its work before it begins: the abilities of
// its steps, as many calls as there are steps, and the risk that its block
// declares. How long it takes and what it changes it does not tell.
func WorkOf(c *chain.Chain) review.Work {
	w := review.Work{Calls: len(c.Steps)}
	for i := range c.Steps {
		w.Abilities = append(w.Abilities, c.Steps[i].Ability)
	}
	if c.Block != nil {
		w.Risk = c.Block.Risk
	}
	return w
}

// begin has the run's work reviewed, if that is mandatory.
func (e *execution) begin(ctx context.Context) error {
	c, gate := e.runner.opts.Chain, e.runner.opts.Gate
	w := WorkOf(c)
	w.Plan = e.plan()
	g, err := gate.Begin(ctx, e.run, c.ID, w)
	if g != nil {
		estimate := gate.Review.Mandatory.Assess(w)
		e.reviewed(Review{Rule: actions.MandatoryReview, Reason: estimate.Why(), Attempt: 1, Guidance: g})
	}
	return err
}

// plan are the calls of the chain with the parameters filled in. What earlier
// steps are to put out stays as it is written.
func (e *execution) plan() (calls []review.Call) {
	look := func(name dsl.Key) (chain.Value, bool) {
		if v, bound := e.scope.Lookup(name); bound {
			return v, true
		}
		return chain.Text("{{" + string(name) + "}}"), true
	}
	for i := range e.runner.opts.Chain.Steps {
		st := &e.runner.opts.Chain.Steps[i]
		call := review.Call{Ability: st.Ability}
		if args, err := argumentsOf(st, look); err == nil {
			call.Args = string(args.AppendJSON(nil))
		}
		calls = append(calls, call)
	}
	return calls
}

// enter has a step judged until it may run or is stopped for good. After a
// review the run goes on in a new attempt at the step that was stopped: what
// ran is not run again.
func (e *execution) enter(ctx context.Context, st *session.Step) (*registry.Verdict, error) {
	for {
		v, err := e.runner.opts.Gate.Enter(ctx, st)
		var stop *actions.StopError
		if !errors.Is(err, actions.ErrReviewed) || !errors.As(err, &stop) {
			return v, err
		}
		e.reviewed(Review{Step: st.ID, Rule: stop.Rule, Reason: stop.Reason, Attempt: stop.Attempt, Guidance: stop.Guidance})
	}
}

func (e *execution) reviewed(r Review) {
	e.reviews = append(e.reviews, r)
	if e.runner.opts.Reviewed != nil {
		quietly(func() { e.runner.opts.Reviewed(r) })
	}
}

// guidance is the text of the latest review; "": there was none.
func (e *execution) guidance() string {
	if len(e.reviews) == 0 {
		return ""
	}
	return e.reviews[len(e.reviews)-1].Guidance.Text()
}

// guidanceKey is the context's key of the guidance.
type guidanceKey struct{}

// Guidance returns the text of the latest review of the run that an ability is
// called in; "" if there was none. It is advice: no ability has to heed it.
func Guidance(ctx context.Context) string {
	text, _ := ctx.Value(guidanceKey{}).(string)
	return text
}
