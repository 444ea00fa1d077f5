package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Ability does what steps ask for. Args is a JSON object. An error is the
// step's failure; give it a class with an [*AbilityError].
type Ability interface {
	Call(ctx context.Context, name string, args json.RawMessage) (Output, error)
}

// AbilityFunc makes a function an Ability.
type AbilityFunc func(ctx context.Context, name string, args json.RawMessage) (Output, error)

// Call implements Ability.
func (f AbilityFunc) Call(ctx context.Context, name string, args json.RawMessage) (Output, error) {
	return f(ctx, name, args)
}

// Output is what an ability puts out: a text or a JSON value. The zero Output
// is the JSON value null.
type Output struct{ value jsonv.Value }

// Text returns a text as output. Rules and templates see into it if it is JSON.
func Text(s string) Output { return Output{jsonv.OfText(s)} }

// JSON returns a JSON value as output, or an error if raw is none, has
// duplicate keys, or is nested deeper than rules look.
func JSON(raw json.RawMessage) (Output, error) {
	v, err := jsonv.Parse(raw, jsonv.Limits{Depth: registry.MaxDepth})
	if err != nil {
		return Output{}, fmt.Errorf("the output is no JSON: %w", err)
	}
	return Output{v}, nil
}

// String returns a text as it is and anything else as JSON.
func (o Output) String() string {
	if o.value.Kind() == jsonv.String {
		return o.value.Text()
	}
	return string(o.value.AppendJSON(nil))
}

// The classes of errors that the program itself gives.
const (
	ClassTool      = "ToolError"        // of an error without a class
	ClassArguments = "InvalidArguments" // a template of the step cannot be filled in
	ClassCancelled = "Cancelled"        // the context ended
)

// AbilityError is a failure with a class, such as NetworkError.
type AbilityError struct {
	Class   string
	Message string
}

// Error renders class and message.
func (e *AbilityError) Error() string { return e.Class + ": " + e.Message }

// classOf returns the class and the message of a failure.
func classOf(err error) (class, message string) {
	var e *AbilityError
	switch {
	case errors.As(err, &e):
		return e.Class, e.Message
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ClassCancelled, err.Error()
	}
	return ClassTool, err.Error()
}
