package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// Wrap puts a gate before a function: every call of what it returns is judged
// as a call of the ability, with what goes in as its arguments, and its result
// is reported. A call that may not be made returns a [*StopError], as Enter
// does, and f is not called.
//
// What rules see is the JSON of In: the fields of an object are the arguments;
// anything else is the argument "input". The result is the JSON of Out. A
// failure counts as one of the tool, unless its error is, or wraps, one with a
// method ErrorClass() string that says otherwise, or the caller's context has ended.
// A panic of f counts as a failure and goes on to the caller.
func Wrap[In, Out any](g *Gate, ability string, f func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (out Out, err error) {
		args, err := arguments(in)
		if err != nil {
			return out, fmt.Errorf("%s: %w", ability, err)
		}
		st := &session.Step{Call: session.Call{Ability: ability, Args: args}}
		if _, err := g.Enter(ctx, st); err != nil {
			return out, err
		}
		o := session.Outcome{Step: st, Failed: true, Class: session.ClassTool, Message: "it panicked"}
		defer func() { err = errors.Join(err, g.Session.After(context.WithoutCancel(ctx), o)) }()
		out, err = f(ctx, in)
		if err != nil {
			o.Class, o.Message = classOf(ctx, err), err.Error()
			return out, err
		}
		o.Failed, o.Class, o.Message = false, "", ""
		value, err := output(out)
		o.Output = value
		return out, err
	}
}

// arguments are what goes into a call, as rules see it.
func arguments(in any) (*registry.Values, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("its arguments cannot be judged: %w", err)
	}
	if len(raw) == 0 || raw[0] != '{' {
		raw = append(append([]byte(`{"input":`), raw...), '}')
	}
	args, err := registry.ParseValues(raw)
	if err != nil {
		return nil, fmt.Errorf("its arguments cannot be judged: %w", err)
	}
	return args, nil
}

// output is what came of a call, as rules see it.
func output(out any) (*registry.Value, error) {
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("its output cannot be judged: %w", err)
	}
	value, err := registry.ParseValue(raw)
	if err != nil {
		return nil, fmt.Errorf("its output cannot be judged: %w", err)
	}
	return &value, nil
}

// classOf tells whose failure an error is.
func classOf(ctx context.Context, err error) string {
	var classed interface{ ErrorClass() string }
	switch {
	case errors.As(err, &classed):
		return classed.ErrorClass()
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return session.ClassCancelled // who called gave up, which says nothing of the tool
	case errors.Is(err, context.DeadlineExceeded):
		return session.ClassNetwork
	}
	return session.ClassTool
}
