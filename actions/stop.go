package actions

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/trim"
)

// The ways in which a step is stopped. Every [*StopError] is one of them by
// errors.Is.
var (
	// ErrAborted: a rule aborts, or a question found no answer.
	ErrAborted = errors.New("aborted")
	// ErrDeclined: a person said no.
	ErrDeclined = errors.New("declined")
	// ErrThrottled: the wait for room is not known, or longer than allowed.
	ErrThrottled = errors.New("throttled")
)

// StopError says why a step does not run: which rule of the policy, what it
// saw and what it allows. Get at it with errors.As.
type StopError struct {
	Kind    error  // ErrAborted, ErrDeclined, ErrThrottled or ErrReviewed
	Chain   string // "" outside a chain
	Step    string // the chain step's id
	Ability string
	Rule    string // the id of the first rule behind the stop
	Reason  string
	Actual  string // what the rule saw
	Limit   string // what it allows; "" where it compares nothing
	// RetryAfter is how long until a throttled step has room; -1: no time is known.
	RetryAfter time.Duration
	// Guidance is what a review came to, and Attempt the number of the attempt
	// that has begun with it, from 1; nil and 0 unless the Kind is ErrReviewed.
	Guidance *review.Guidance
	Attempt  int
	// Messages are those that this attempt begins with, of Review.History, and
	// Trimmed says which they are: Trimmed.Kept are their places in it. The
	// guidance is not among them: add its Text as a message of the user. nil
	// without a History.
	Messages []trim.Message
	Trimmed  trim.Report
	// Verdict is the whole answer, with every rule that fired.
	Verdict *registry.Verdict
	// Cause is what went wrong while asking or waiting, if anything did; a
	// [*PanicError] if that is a panic of the clock, which the Reason says too.
	Cause error
}

// Error says it in one line, with what cannot be seen escaped: what a rule
// saw comes from an agent.
func (e *StopError) Error() string {
	var b strings.Builder
	what := e.Ability
	if e.Step != "" {
		what = fmt.Sprintf("step %s (%s)", e.Step, e.Ability)
	}
	if what == "" {
		what = "the run"
	}
	fmt.Fprintf(&b, "%s %s by rule %s: %s", what, e.Kind, e.Rule, e.Reason)
	switch {
	case e.Limit != "":
		fmt.Fprintf(&b, " (%s, limit %s)", e.Actual, e.Limit)
	case e.Actual != "" && e.Actual != e.Ability:
		fmt.Fprintf(&b, " (%s)", e.Actual)
	}
	if errors.Is(e.Kind, ErrThrottled) && e.RetryAfter >= 0 {
		fmt.Fprintf(&b, ", room in %s", e.RetryAfter)
	}
	if e.Cause != nil && !strings.HasSuffix(e.Reason, e.Cause.Error()) {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	return diag.Escape(b.String())
}

// Unwrap gives the kind and the cause to errors.Is and errors.As.
func (e *StopError) Unwrap() []error {
	if e.Cause != nil {
		return []error{e.Kind, e.Cause}
	}
	return []error{e.Kind}
}

// stop builds the error for a verdict. The rule that is named is the first
// one behind the decision, or the given one.
func stop(kind error, v *registry.Verdict, f *registry.Fired, cause error) *StopError {
	e := &StopError{
		Kind: kind, Chain: v.Chain, Step: v.Step, Ability: v.Ability,
		RetryAfter: v.RetryAfter, Verdict: clone(v), Cause: cause,
	}
	if f == nil {
		f = v.Blocking()
	}
	if f != nil {
		e.Rule, e.Reason, e.Actual, e.Limit = f.Rule.ID, f.ReasonText(), f.Actual, f.Limit
	}
	return e
}

// clone copies a verdict out of reused memory.
func clone(v *registry.Verdict) *registry.Verdict {
	c := *v
	c.Fired = append([]registry.Fired(nil), v.Fired...)
	return &c
}
