package actions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// PanicError says that something which a decision needs panicked, such as the
// host's clock. It is the Cause of a [*StopError]: what cannot be decided does
// not run.
type PanicError struct {
	What  string // such as "the clock's Sleep"
	Value string // what it panicked with
}

// Error names both.
func (e *PanicError) Error() string { return e.What + " panicked: " + e.Value }

// caught, deferred, makes a panic an error.
func caught(what string, err *error) {
	if r := recover(); r != nil {
		*err = &PanicError{what, fmt.Sprint(r)}
	}
}

// tell calls a listener. It is told and not asked, so its panic changes nothing.
func tell(f func()) {
	defer func() { _ = recover() }()
	f()
}

// Faulted makes v an abort because something panicked that the step's decision
// needs, and returns the stop of the step. Its rule is registry.SlugInternalFault.
func (g *Gate) Faulted(st *session.Step, v *registry.Verdict, cause *PanicError) *StopError {
	notes := slices.Clone(v.Notes)
	v.Refuse(&registry.Step{Chain: st.Chain, Run: st.Run, ID: st.ID, Ability: st.Ability, Worker: st.Worker, Args: st.Args, Task: st.Task, Session: g.Session.ID()},
		registry.SlugInternalFault, "it could not be decided: "+cause.Error())
	v.Notes = notes
	return stop(ErrAborted, v, nil, cause)
}

// faulted, deferred, makes a panic, and a [*PanicError] that came of one, the
// stop of a step.
func (g *Gate) faulted(st *session.Step, v *registry.Verdict, err *error) {
	var cause *PanicError
	if r := recover(); r != nil {
		cause = &PanicError{"the engine", fmt.Sprint(r)}
	} else if errors.As(*err, new(*StopError)) || !errors.As(*err, &cause) {
		return
	}
	*err = g.Faulted(st, v, cause)
}

// Now is the time of the gate's clock, Unix nanoseconds. The error is a
// [*PanicError].
func (g *Gate) Now() (at int64, err error) {
	defer caught("the clock's Now", &err)
	return g.Clock.Now(), nil
}

func (g *Gate) sleep(ctx context.Context, d time.Duration) (err error) {
	defer caught("the clock's Sleep", &err)
	return g.Clock.Sleep(ctx, d)
}

// within does something until the gate's clock says that a time is over.
func (g *Gate) within(d time.Duration, do func(late <-chan struct{}) error) (err error) {
	late, giveUp, err := g.timeout(d)
	if err != nil {
		return err
	}
	defer func() {
		defer caught("the clock's Timeout", &err) // and with it what was done: the clock is not to be trusted
		giveUp()
	}()
	return do(late)
}

func (g *Gate) timeout(d time.Duration) (late <-chan struct{}, giveUp func(), err error) {
	defer caught("the clock's Timeout", &err)
	late, giveUp = g.Clock.Timeout(d)
	return late, giveUp, nil
}
