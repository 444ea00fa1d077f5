package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// execution is one run of a chain.
type execution struct {
	runner    *Runner
	run       string
	progress  progress
	params    *registry.Values
	outputs   *registry.Values
	scope     *chain.Scope
	names     []string // of outputs, in the order in which they were bound
	values    map[string]jsonv.Value
	receipts  []StepResult
	last      *registry.Verdict // of the last step that was judged
	final     *registry.VerdictJSON
	recovered bool
	began     int64
	reviews   []Review
}

func (r *Runner) newExecution(params map[string]jsonv.Value) *execution {
	e := &execution{
		runner: r, run: r.opts.Gate.Session.NewRun(), params: &registry.Values{}, outputs: &registry.Values{},
		scope: chain.NewScope(params), values: map[string]jsonv.Value{},
	}
	for name, v := range params {
		e.params.Bind(name, registry.JSON(v))
	}
	e.progress = progress{chain: r.opts.Chain, state: make([]StepOutcome, len(r.opts.Chain.Steps)), jumped: map[int]bool{}}
	return e
}

// steps goes through the chain in the order of its steps, but for jumps to on_failure
// targets, each of which is used once at most.
func (e *execution) steps(ctx context.Context) error {
	steps := e.runner.opts.Chain.Steps
	for i := 0; i < len(steps); {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.progress.current = i
		e.tell(i, false, StepResult{Step: steps[i].ID, Ability: steps[i].Ability})
		receipt, err := e.one(ctx, i)
		e.progress.state[i] = receipt.Outcome
		e.receipts = append(e.receipts, receipt)
		e.tell(i, true, receipt)
		var fail *FailError
		switch {
		case err == nil:
			i++
		case errors.As(err, &fail) && ctx.Err() == nil && !errors.As(err, new(*gapError)):
			next, jump := e.runner.opts.Chain.AfterFailure(i)
			if next < 0 || jump && e.progress.jumped[next] {
				return err
			}
			e.keep(steps[i].ErrorName(), jsonv.OfText(fail.Message))
			if e.runner.opts.Chain.EmptyAfterFailure(i) {
				e.bindOutput(&steps[i], Text(""))
			}
			e.progress.jumped[next], e.recovered = e.progress.jumped[next] || jump, true
			i = next
		default:
			return err
		}
	}
	return e.check(ctx)
}

// one tests the condition of a step, has it judged, and runs it.
func (e *execution) one(ctx context.Context, i int) (receipt StepResult, err error) {
	st := &e.runner.opts.Chain.Steps[i]
	receipt = StepResult{Step: st.ID, Ability: st.Ability}
	start, err := e.now(st)
	if err != nil {
		receipt.Outcome = Refused
		return receipt, err
	}
	receipt.At = milliseconds(start - e.began)
	defer func() {
		end, late := e.now(st)
		switch {
		case late == nil:
			receipt.Took = milliseconds(end - start)
		case err == nil || errors.As(err, new(*FailError)): // no further step, not even one that would recover
			err = late
		}
	}()
	if st.Condition != nil && !st.Condition.Holds(e.scope.Lookup) {
		receipt.Outcome = Skipped
		return receipt, nil
	}
	args, err := e.arguments(st)
	if err != nil {
		return e.failed(receipt, st, &AbilityError{ClassArguments, err.Error()})
	}
	values, err := registry.Members(args)
	if err != nil {
		return e.failed(receipt, st, &AbilityError{ClassArguments, err.Error()})
	}
	ss := e.step(i, values)
	verdict, err := e.enter(ctx, ss)
	shown := verdict.JSON()
	receipt.Verdict, e.last = &shown, verdict
	if open := circuitOpen(verdict); err != nil && open != nil {
		return e.failed(receipt, st, open) // the step has failed; whether the run goes on is the chain's to say
	}
	if err != nil {
		receipt.Outcome = Refused
		return receipt, err
	}
	out, err := e.callSafely(ctx, st, args)
	outcome := session.Outcome{Step: ss}
	if err != nil {
		outcome.Failed = true
		outcome.Class, outcome.Message = classOf(err)
	} else {
		v := registry.JSON(out.value)
		outcome.Output = &v
	}
	if told := e.runner.opts.Gate.Session.After(ctx, outcome); told != nil && err == nil {
		err = told
	}
	if err != nil {
		return e.failed(receipt, st, err)
	}
	e.bindOutput(st, out)
	receipt.Outcome, receipt.Output = Ran, out.String()
	return receipt, nil
}

func milliseconds(ns int64) int64 { return int64(time.Duration(ns) / time.Millisecond) }

// arguments fills in the templates of a step.
func (e *execution) arguments(st *chain.Step) (jsonv.Value, error) {
	return argumentsOf(st, e.scope.Lookup)
}

func argumentsOf(st *chain.Step, look chain.Lookup) (jsonv.Value, error) {
	keys, elems := make([]string, len(st.Args)), make([]jsonv.Value, len(st.Args))
	for i, a := range st.Args {
		v, err := a.Value.Render(look)
		if err != nil {
			return jsonv.Value{}, fmt.Errorf("argument %s: %w", a.Name, err)
		}
		keys[i], elems[i] = a.Name, v
	}
	return jsonv.OfObject(keys, elems), nil
}

// callSafely runs the ability; a panic in it is a failure of the step.
func (e *execution) callSafely(ctx context.Context, st *chain.Step, args jsonv.Value) (out Output, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &AbilityError{ClassTool, fmt.Sprintf("the ability panicked: %v", r)}
		}
	}()
	return e.runner.call(context.WithValue(ctx, guidanceKey{}, e.guidance()), st, args)
}

func (e *execution) failed(receipt StepResult, st *chain.Step, cause error) (StepResult, error) {
	class, message := classOf(cause)
	receipt.Outcome, receipt.Error = StepFailed, &StepError{class, message}
	return receipt, &FailError{
		Chain: e.runner.opts.Chain.ID, Step: st.ID, Ability: st.Ability, Class: class, Message: message, Cause: cause,
	}
}

// bindOutput binds what a step put out under its output key and its id. The
// result gives it once: under the key if there is one.
func (e *execution) bindOutput(st *chain.Step, out Output) {
	if st.OutputKey == "" {
		e.keep(st.OutputName(), out.value)
		return
	}
	e.bind(st.OutputName(), out.value)
	e.keep(st.OutputKey, out.value)
}

// bind lets templates and rules see a value.
func (e *execution) bind(name string, v jsonv.Value) {
	e.scope.Bind(name, v)
	e.outputs.BindOutput(name, registry.JSON(v))
}

// keep binds a value that belongs in the result.
func (e *execution) keep(name string, v jsonv.Value) {
	if _, ok := e.values[name]; !ok {
		e.names = append(e.names, name)
	}
	e.values[name] = v
	e.bind(name, v)
}

// check has the outputs judged once more when no step is left: no later step
// would let the rules see what the last one put out.
func (e *execution) check(ctx context.Context) error {
	if e.last == nil {
		return nil // nothing was judged, so nothing was put out
	}
	e.progress.final = true
	st := &session.Step{
		Chain: e.runner.opts.Chain.ID, Run: e.run, Task: e.run, Params: e.params, Outputs: e.outputs,
		Declared: &e.progress, Final: true, Held: map[string]bool{},
	}
	for _, f := range e.last.Fired {
		st.Held[f.Rule.Key()] = true
	}
	verdict, err := e.enter(ctx, st)
	if len(verdict.Fired) > 0 {
		shown := verdict.JSON()
		e.final = &shown
	}
	return err
}

// finish makes the result of the run.
func (e *execution) finish(err error) *Result {
	r := &Result{Status: Completed, Chain: e.runner.opts.Chain.ID, Steps: e.receipts, Reviews: e.reviews, Final: e.final, Outputs: e.object(),
		Meters: jsonv.OfObject(nil, nil)}
	quietly(func() { r.Meters = metersOf(e.runner.opts.Gate.Session.Meters(e.run)) })
	if r.Steps == nil {
		r.Steps = []StepResult{}
	}
	if e.recovered {
		r.Status = Recovered
	}
	if err == nil {
		return r
	}
	r.Status, r.Halt = Failed, &Halt{Reason: err.Error()}
	if n := len(e.receipts); n > 0 {
		r.Halt.Step = e.receipts[n-1].Step
	}
	var stop *actions.StopError
	var fail *FailError
	switch {
	case errors.As(err, &stop):
		r.Status = statusOf(stop)
		r.Halt.Rule, r.Halt.Reason = stop.Rule, stop.Reason
		if r.Status == Throttled {
			r.Halt.RetryAfterMS = registry.Milliseconds(stop.RetryAfter)
		}
	case errors.As(err, &fail):
		r.Halt.Reason = fail.Class + ": " + fail.Message
	}
	return r
}

// metersOf are the meters of the run's task as JSON. Those of the session are
// of other runs too.
func metersOf(moved []session.MeterValue) jsonv.Value {
	var names []string
	var values []jsonv.Value
	for _, m := range moved {
		if strings.HasPrefix(m.Name, "task.") {
			names, values = append(names, m.Name), append(values, jsonv.OfNumber(m.Value))
		}
	}
	return jsonv.OfObject(names, values)
}

func statusOf(stop *actions.StopError) Status {
	switch {
	case errors.Is(stop, actions.ErrDeclined):
		return Declined
	case errors.Is(stop, actions.ErrThrottled):
		return Throttled
	}
	return Aborted
}

// object is the outputs in the order in which they were first bound.
func (e *execution) object() jsonv.Value {
	elems := make([]jsonv.Value, len(e.names))
	for i, name := range e.names {
		elems[i] = e.values[name]
	}
	return jsonv.OfObject(e.names, elems)
}
