package run

import "context"

// stepKey is the context's key of the step that is being run.
type stepKey struct{}

// WithStep returns a context for the call of a step.
func WithStep(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, stepKey{}, id)
}

// StepID returns the id of the chain step that an ability is called for; "" in
// a context that is not one of a runner's.
func StepID(ctx context.Context) string {
	id, _ := ctx.Value(stepKey{}).(string)
	return id
}
