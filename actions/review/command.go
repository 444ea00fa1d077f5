package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/process"
)

// Command is a reviewer that is a program: it finds the case on standard input
// as one line of JSON and puts its guidance out as JSON (ParseGuidance). No
// shell is between. Words is required.
type Command struct {
	Words []string // the program and its arguments
	Env   []string // its environment; nil: the program's own
	// Timeout is how long it may take; 0: DefaultTimeout. It is killed then.
	Timeout time.Duration
}

// NewCommand returns a reviewer that runs the program that words name, or an
// error if there is no such program.
func NewCommand(words []string) (*Command, error) {
	if _, err := process.Find(words); err != nil {
		return nil, err
	}
	return &Command{Words: words}, nil
}

// Review implements Reviewer. The error is an *Error: the program is not there
// (NotReached), does not end in time (TimedOut), puts out more than 1 MiB
// (TooLong), ends with a status other than 0 or leaves something running that
// holds its output open (Refused), or puts out what is no guidance (Unusable).
// Whatever it leaves running in its process group is killed.
func (r *Command) Review(ctx context.Context, c *Case) (*Guidance, error) {
	name := "command"
	if len(r.Words) > 0 {
		name += " " + r.Words[0]
	}
	input, err := json.Marshal(c.Bounded())
	if err != nil {
		return nil, &Error{name, Unusable, fmt.Errorf("the case is not JSON: %w", err)}
	}
	call := process.Call{Words: r.Words, Env: r.Env, Input: append(input, '\n'), Timeout: r.Timeout, MaxOutput: maxAnswer}
	if call.Timeout <= 0 {
		call.Timeout = DefaultTimeout
	}
	out, err := call.Run(ctx)
	if err != nil {
		return nil, &Error{name, problemOf(err), err}
	}
	g, err := ParseGuidance(out)
	if err != nil {
		return nil, &Error{name, Unusable, err}
	}
	g.Source = name
	return g, nil
}

// problemOf says in which way a program failed.
func problemOf(err error) Problem {
	var failed *process.Error
	switch {
	case errors.As(err, &failed):
		switch failed.Problem {
		case process.NotStarted:
			return NotReached
		case process.TimedOut:
			return TimedOut
		case process.TooLong:
			return TooLong
		}
		return Refused
	case errors.Is(err, context.DeadlineExceeded):
		return TimedOut
	}
	return Cancelled
}
