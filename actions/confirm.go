package actions

import (
	"context"

	"github.com/cbpolicy/cbpolicy/registry"
)

// Question asks whether a step may run although confirm rules fired.
type Question struct {
	Session, Chain, Step, Ability string
	// Args are the arguments as JSON.
	Args string
	// Rules are the confirm rules that fired and were not approved yet, each
	// to be answered by itself.
	Rules []registry.Fired
	// Also are the other rules that fired, for the person to see.
	Also []registry.Fired
}

// Answer is what a person says to one rule of a question. The zero Answer is no.
type Answer int

// The answers.
const (
	No     Answer = iota
	Yes           // this call may run
	ForRun        // this call and every equal one of the session may run
)

// Confirmer asks a person. It returns one answer for each rule of the
// question, in their order. An error, a missing answer and a panic stop the
// step; so does a context that is done before the answer is there.
type Confirmer interface {
	Confirm(ctx context.Context, q *Question) ([]Answer, error)
}

// ConfirmFunc makes a function a Confirmer.
type ConfirmFunc func(ctx context.Context, q *Question) ([]Answer, error)

// Confirm implements Confirmer.
func (f ConfirmFunc) Confirm(ctx context.Context, q *Question) ([]Answer, error) { return f(ctx, q) }
