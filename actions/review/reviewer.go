package review

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
)

// DefaultTimeout is how long a reviewer may take by default.
const DefaultTimeout = 120 * time.Second

// Reviewer says what went wrong in a case and what to do instead. Those of
// this package are Command, HTTP and Rules; they are safe for any number of
// goroutines. Call a reviewer by Ask, which holds it to a time and its guidance
// to what guidance may be.
type Reviewer interface {
	// Review returns guidance, or an error that is not retried. It ends soon
	// after the context does.
	Review(ctx context.Context, c *Case) (*Guidance, error)
}

// Func makes a function a Reviewer.
type Func func(ctx context.Context, c *Case) (*Guidance, error)

// Review implements Reviewer.
func (f Func) Review(ctx context.Context, c *Case) (*Guidance, error) { return f(ctx, c) }

// Problem is in which way a reviewer failed.
type Problem string

// The problems.
const (
	NotReached Problem = "not_reached" // it could not be started or connected to
	TimedOut   Problem = "timeout"     // no answer in time
	Refused    Problem = "refused"     // it answered that it will not, or ended with an error
	Unusable   Problem = "unusable"    // its answer is no guidance
	TooLong    Problem = "too_long"    // its answer is longer than is read
	Panicked   Problem = "panic"
	Cancelled  Problem = "cancelled" // the caller's context ended first
)

// Error says which reviewer failed, how and why. After one there is no
// guidance, and what asked for the review ends in an abort.
type Error struct {
	Reviewer string // its name, such as "command jq"
	Problem  Problem
	Err      error
}

// Error renders reviewer and reason on one line.
func (e *Error) Error() string {
	return fmt.Sprintf("reviewer %s: %s", diag.Escape(e.Reviewer), diag.Escape(e.Err.Error()))
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Ask asks a reviewer by its name and returns its guidance within the bounds
// of this package, or an *Error. It returns when the timeout is over (0:
// DefaultTimeout) or the context ends, even if the reviewer goes on; what it
// answers later is dropped. A panic is an error. The reviewer gets a copy of
// the case within bounds.
func Ask(ctx context.Context, name string, r Reviewer, c *Case, timeout time.Duration) (*Guidance, error) {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	if r == nil || c == nil {
		return nil, &Error{name, NotReached, errors.New("there is no reviewer or no case")}
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	type answer struct {
		g   *Guidance
		err error
	}
	answers := make(chan answer, 1) // so that a late one can be left
	bounded := c.Bounded()
	go func() {
		defer func() {
			if v := recover(); v != nil {
				answers <- answer{nil, &Error{name, Panicked, fmt.Errorf("it panicked: %v", v)}}
			}
		}()
		g, err := r.Review(limited, bounded)
		answers <- answer{g, err}
	}()
	select {
	case a := <-answers:
		if a.err != nil {
			return nil, named(ctx, limited, name, timeout, a.err)
		}
		return accept(name, a.g)
	case <-limited.Done():
		return nil, named(ctx, limited, name, timeout, limited.Err())
	}
}

// named makes an error of a reviewer one that says whose it is.
func named(ctx, limited context.Context, name string, timeout time.Duration, err error) error {
	var known *Error
	switch {
	case ctx.Err() != nil:
		return &Error{name, Cancelled, ctx.Err()}
	case errors.As(err, &known):
		return &Error{name, known.Problem, known.Err}
	case limited.Err() != nil:
		return &Error{name, TimedOut, fmt.Errorf("no answer within %s: %w", timeout, limited.Err())}
	}
	return &Error{name, Refused, err}
}

// accept takes guidance over, harmless and with its source.
func accept(name string, g *Guidance) (*Guidance, error) {
	if g == nil {
		return nil, &Error{name, Unusable, errors.New("it gave neither guidance nor an error")}
	}
	own := *g
	own.Source = name
	c := own.clean()
	if err := c.check(); err != nil {
		return nil, &Error{name, Unusable, err}
	}
	return c, nil
}
