package run

import (
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// quietly does something whose panic changes nothing: telling a listener, and
// closing the books of a run, when there is nothing left to stop.
func quietly(f func()) {
	defer func() { _ = recover() }()
	f()
}

// tell reports progress.
func (e *execution) tell(i int, done bool, result StepResult) {
	if e.runner.opts.Progress != nil {
		quietly(func() {
			e.runner.opts.Progress(Event{Index: i, Total: len(e.runner.opts.Chain.Steps), Done: done, Result: result})
		})
	}
}

// guarded does what a run consists of. A panic of what it needs, such as the
// session's clock, is the stop of the run.
func (e *execution) guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = e.faulted(&chain.Step{}, &actions.PanicError{What: "the engine", Value: fmt.Sprint(r)})
		}
	}()
	return f()
}

// now is the time of the gate's clock. If that panics, the step is stopped.
func (e *execution) now(st *chain.Step) (int64, error) {
	at, err := e.runner.opts.Gate.Now()
	var cause *actions.PanicError
	if errors.As(err, &cause) {
		return 0, e.faulted(st, cause)
	}
	return at, err
}

// faulted is the stop of a step, or with none of the run.
func (e *execution) faulted(st *chain.Step, cause *actions.PanicError) error {
	return e.runner.opts.Gate.Faulted(&session.Step{
		Call: session.Call{Ability: st.Ability}, Chain: e.runner.opts.Chain.ID, Run: e.run, Task: e.run, ID: st.ID,
	}, &registry.Verdict{}, cause)
}
