package eval

import (
	"context"
	"errors"
	"slices"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// Fields returns the names of the fields that a step may have.
func Fields() []string { return slices.Clone(fields) }

// CheckField reports what is wrong with the value of a step's field: an
// unknown name, or a value of the wrong type.
func CheckField(name string, v jsonv.Value) error { return new(input).field(name, v) }

// Approve records a yes to confirm rules for the step of a line, which then
// is to be decided again. The line must name its session, as an approval is
// bound to it.
func (e *Evaluator) Approve(ctx context.Context, line []byte, rules ...*registry.Rule) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	in, err := parse(line)
	switch {
	case err != nil:
		return err
	case in.step.Session == "":
		return errors.New("eval: an approval needs a step with a session")
	}
	e.complete(in)
	for _, r := range rules {
		a := state.Approval{Digest: registry.ApprovalDigest(&in.step, r), Session: in.step.Session}
		if err := e.opts.Store.Approve(ctx, a); err != nil {
			return err
		}
	}
	return nil
}
