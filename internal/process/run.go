package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Call is one run of a program to its end. Words, Timeout and MaxOutput are
// required.
type Call struct {
	Words     []string // the program and its arguments
	Env       []string // nil: the program's own
	Input     []byte   // what it finds on standard input
	Timeout   time.Duration
	MaxOutput int // bytes of standard output; one more and the call fails
}

// Problem is in which way a call failed.
type Problem uint8

// The problems. Zero is none of them.
const (
	_           Problem = iota
	NotStarted          // there is no such program, or it cannot be run
	TimedOut            // it did not end in time and was killed
	TooLong             // it put out more than it may and was killed
	LeftRunning         // it ended and left something that holds its output open
	Failed              // it ended with a status other than 0, or by a signal
)

// Error says how a call failed.
type Error struct {
	Problem Problem
	Message string // with the end of what the program said on standard error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// errTooLong: the program puts out more than it may.
var errTooLong = errors.New("the output is too long")

// Run runs the program and returns what it put out. A program that takes too
// long or puts out too much is killed. However it ends, what it has started and
// left in its group is killed with it. The error is an *Error, or the context's
// own if that ended.
func (c *Call) Run(ctx context.Context) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	cmd, err := Command(limited, c.Words, c.Env)
	if err != nil {
		return nil, &Error{NotStarted, err.Error()}
	}
	out := &bounded{limit: c.MaxOutput, over: cancel}
	var tail Tail
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(c.Input), out, &tail
	err = cmd.Run()
	if cmd.Process != nil {
		_ = Kill(cmd) // mostly there is nothing left
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case out.exceeded:
		return nil, failure(TooLong, fmt.Sprintf("the output is longer than %d bytes", out.limit), &tail)
	case limited.Err() != nil && err != nil:
		return nil, failure(TimedOut, fmt.Sprintf("no end within %s: killed", c.Timeout), &tail)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, failure(LeftRunning, "it ended, but left something running that holds its output open", &tail)
	case err != nil && cmd.Process == nil:
		return nil, failure(NotStarted, err.Error(), &tail)
	case err != nil:
		return nil, failure(Failed, err.Error(), &tail)
	}
	return out.buf.Bytes(), nil
}

// failure says what went wrong, with what the program said about it last.
func failure(p Problem, message string, tail *Tail) error {
	if said := tail.String(); said != "" {
		message += ": " + said
	}
	return &Error{p, message}
}

// bounded keeps an output up to a limit and tells when there is more.
type bounded struct {
	buf      bytes.Buffer
	limit    int
	exceeded bool
	over     func()
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > b.limit {
		b.exceeded = true
		b.over()
		return 0, errTooLong
	}
	return b.buf.Write(p)
}
