// Package command makes programs abilities of chains: the arguments of a step
// are a program's standard input, as JSON, and its standard output is the
// step's.
//
// It owns one call of one program, its limits and its errors. Which ability is
// which program, and whether a step may run, is decided elsewhere.
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/internal/process"
)

// The limits of an ability that sets none.
const (
	DefaultTimeout   = 2 * time.Minute
	DefaultMaxOutput = 8 << 20 // bytes
)

// The variables that are added to the environment of a program.
const (
	EnvAbility = "CBPOLICY_ABILITY" // the name of the ability
	EnvStep    = "CBPOLICY_STEP"    // the id of the chain step
)

// Ability runs a program for each call. Words is required. It is safe for any
// number of goroutines, as far as the program is.
type Ability struct {
	Words []string // the program and its arguments
	// Timeout is how long a call may take; 0: DefaultTimeout.
	Timeout time.Duration
	// MaxOutput is how many bytes the program may put out; one byte more and
	// the call fails. 0: DefaultMaxOutput.
	MaxOutput int
}

// New returns an ability that runs the program that words name, or an error
// if there is no such program.
func New(words []string) (*Ability, error) {
	if _, err := process.Find(words); err != nil {
		return nil, err
	}
	return &Ability{Words: words}, nil
}

// errTooLong: the program puts out more than it may.
var errTooLong = errors.New("the output is too long")

// Call implements run.Ability. The call fails if the program's exit status is
// not 0, if it puts out more than it may or what is not UTF-8, or if it takes
// too long; then the program is killed with all that it has started.
func (a *Ability) Call(ctx context.Context, name string, args json.RawMessage) (run.Output, error) {
	timeout := a.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	env := append(os.Environ(), EnvAbility+"="+name, EnvStep+"="+run.StepID(ctx))
	cmd, err := process.Command(limited, a.Words, env)
	if err != nil {
		return run.Output{}, &run.AbilityError{Class: run.ClassTool, Message: err.Error()}
	}
	out := &bounded{limit: a.MaxOutput, over: cancel}
	if out.limit <= 0 {
		out.limit = DefaultMaxOutput
	}
	var tail process.Tail
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(args), out, &tail
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return run.Output{}, ctx.Err()
	case out.exceeded:
		return run.Output{}, failure(fmt.Sprintf("the output is longer than %d bytes", out.limit), &tail)
	case limited.Err() != nil && err != nil:
		return run.Output{}, failure(fmt.Sprintf("no end within %s: killed", timeout), &tail)
	case errors.Is(err, exec.ErrWaitDelay):
		_ = process.Kill(cmd) // it has failed already; what is left may have ended by now
		return run.Output{}, failure("it ended, but left something running that holds its output open", &tail)
	case err != nil:
		return run.Output{}, failure(err.Error(), &tail)
	}
	return text(out.buf.Bytes())
}

// text makes an output of what a program put out, less the line break at the end.
func text(out []byte) (run.Output, error) {
	if !utf8.Valid(out) {
		return run.Output{}, failure("the output is not UTF-8", nil)
	}
	if line, ok := bytes.CutSuffix(out, []byte("\n")); ok {
		out = bytes.TrimSuffix(line, []byte("\r"))
	}
	return run.Text(string(out)), nil
}

// failure says what went wrong, with what the program said about it last.
func failure(message string, tail *process.Tail) error {
	if tail != nil && tail.String() != "" {
		message += ": " + tail.String()
	}
	return &run.AbilityError{Class: run.ClassTool, Message: message}
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
