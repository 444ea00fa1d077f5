package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// Options set up a runner. Chain, Gate and Abilities are required.
type Options struct {
	Chain     *chain.Chain
	Gate      *actions.Gate
	Abilities Ability
	// Task is the open task of the session below which every run opens one of
	// its own, with meters of its own; "" is the session itself.
	Task string
	// Progress is told of every step, before it is judged and when it is
	// done. It must not block; a panic of it is passed over. nil: nobody is told.
	Progress func(Event)
	// Reviewed is told of every review. It must not block; a panic of it is
	// passed over. nil: nobody is told.
	Reviewed func(Review)
	// PastRuns are earlier executions of the chain that the store does not
	// know of, as Unix nanoseconds, ascending.
	PastRuns []int64
}

// Runner runs a chain, any number of times and at the same time.
type Runner struct {
	opts Options
	call func(ctx context.Context, st *chain.Step, args jsonv.Value) (Output, error)
}

// New puts the chain's own rules in force, in the place of those it had, and
// returns a runner. The error is a [diag.List] if a rule is bad.
func New(o Options) (*Runner, error) {
	if o.Chain == nil || o.Gate == nil || o.Abilities == nil {
		return nil, errors.New("run: a runner needs a chain, a gate and abilities")
	}
	if err := o.Gate.Session.Registry().Replace(Rulesets(o.Chain, o.Gate.Session.ID())...); err != nil {
		return nil, err
	}
	r := &Runner{opts: o}
	r.call = func(ctx context.Context, st *chain.Step, args jsonv.Value) (Output, error) {
		return o.Abilities.Call(WithStep(ctx, st.ID), st.Ability, args.AppendJSON(nil))
	}
	return r, nil
}

// Rulesets returns all rules that come with a chain: its own, and what a
// model wrote in a session.
func Rulesets(c *chain.Chain, session string) []registry.Ruleset {
	var sets []registry.Ruleset
	if !registry.IsModelChain(c.ID) {
		sets = append(sets, Ruleset(c))
	}
	if c.Block != nil {
		set := registry.BlockRulesFor(c.Block, c.ID, session)
		set.Keys = keys(c)
		sets = append(sets, set)
	}
	return sets
}

// Ruleset returns the rules of a chain as they are registered.
func Ruleset(c *chain.Chain) registry.Ruleset {
	set := registry.Ruleset{Scope: registry.Scope{Origin: registry.Chain, Pattern: dsl.NamePattern(c.ID)}, Keys: keys(c)}
	for _, r := range c.Rules {
		set.Rules = append(set.Rules, registry.RuleDef{Rule: r.Rule, Source: registry.Source{File: c.File, Pos: r.Pos}})
	}
	return set
}

// keys lists what the chain declares, for checking its expressions.
func keys(c *chain.Chain) *registry.Keys {
	k := &registry.Keys{Args: []string{}, Outputs: []string{}, Params: []string{}}
	for _, p := range c.Params {
		k.Params = append(k.Params, p.Name)
	}
	for _, s := range c.Steps {
		k.Outputs = append(k.Outputs, s.ID+".output")
		if s.OutputKey != "" {
			k.Outputs = append(k.Outputs, s.OutputKey)
		}
		if s.OnFailure != "" {
			k.Outputs = append(k.Outputs, s.ID+"_error")
		}
		for _, a := range s.Args {
			k.Args = append(k.Args, a.Name)
		}
	}
	return k
}

// Run executes the chain once. The parameters come from the host or, if from
// says so, from a model, which may set less. There is always a result, with
// the receipts of all steps that were reached. The error is nil if the run
// completed or recovered; else a [*chain.StartError], an [*actions.StopError],
// a [*FailError], or the context's.
func (r *Runner) Run(ctx context.Context, params map[string]jsonv.Value, from chain.Source) (*Result, error) {
	bound, err := r.opts.Chain.Start(params, from)
	if err != nil {
		return &Result{Status: Failed, Chain: r.opts.Chain.ID, Steps: []StepResult{}, Outputs: jsonv.OfObject(nil, nil),
			Halt: &Halt{Reason: err.Error()}}, err
	}
	e := r.newExecution(bound)
	defer quietly(func() { r.opts.Gate.Session.EndTask(e.run) })
	err = e.guarded(func() error { return e.all(ctx) })
	result := e.finish(err)
	quietly(func() { r.opts.Gate.Ended(e.run, err == nil) })
	// An error: somebody else has closed the task, and told of it.
	quietly(func() { _, _ = r.opts.Gate.Session.FinishTask(e.run, taskStatus(result.Status), reasonOf(err)) })
	return result, err
}

// all is the run in its task, from the review of the work to the last check.
func (e *execution) all(ctx context.Context) (err error) {
	if e.began, err = e.now(&chain.Step{}); err != nil {
		return err
	}
	e.runner.opts.Gate.Session.StartTask(e.run, e.runner.opts.Task, e.runner.opts.Chain.ID)
	if err := e.begin(ctx); err != nil {
		return err
	}
	return e.steps(ctx)
}

// taskStatus is how a run ended as the figures of its task have it: who a rule
// asked, and the room that it found none of, are the rule's doing.
func taskStatus(s Status) session.Status {
	switch s {
	case Completed, Recovered:
		return session.Completed
	case Failed:
		return session.Failed
	}
	return session.Halted
}

func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// FailError is a step's failure that nothing caught.
type FailError struct {
	Chain, Step, Ability string
	Class, Message       string
	Cause                error
}

// Error says which step failed and why.
func (e *FailError) Error() string {
	return fmt.Sprintf("chain %s: step %s (%s) failed: %s: %s", e.Chain, e.Step, e.Ability, e.Class, e.Message)
}

// Unwrap returns the ability's error.
func (e *FailError) Unwrap() error { return e.Cause }

// step describes the step to the session.
func (e *execution) step(i int, args *registry.Values) *session.Step {
	st := &e.runner.opts.Chain.Steps[i]
	return &session.Step{
		Call:  session.Call{Ability: st.Ability, Args: args},
		Chain: e.runner.opts.Chain.ID, Run: e.run, Task: e.run, ID: st.ID,
		Params: e.params, Outputs: e.outputs, Declared: &e.progress, PastRuns: e.runner.opts.PastRuns,
	}
}
