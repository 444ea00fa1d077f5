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
	"os"
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
	// EnvGuidance is the advice of the latest review of the run. It is set only
	// if there was one.
	EnvGuidance = "CBPOLICY_GUIDANCE"
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

// environment is that of the call of an ability.
func environment(ctx context.Context, name string) []string {
	env := append(os.Environ(), EnvAbility+"="+name, EnvStep+"="+run.StepID(ctx))
	if guidance := run.Guidance(ctx); guidance != "" {
		env = append(env, EnvGuidance+"="+guidance)
	}
	return env
}

// Call implements run.Ability. The call fails if the program's exit status is
// not 0, if it puts out more than it may or what is not UTF-8, or if it takes
// too long; then the program is killed. However it ends, what it leaves running
// in its process group is killed: no step goes on after its result.
func (a *Ability) Call(ctx context.Context, name string, args json.RawMessage) (run.Output, error) {
	call := process.Call{
		Words:     a.Words,
		Env:       environment(ctx, name),
		Input:     args,
		Timeout:   a.Timeout,
		MaxOutput: a.MaxOutput,
	}
	if call.Timeout <= 0 {
		call.Timeout = DefaultTimeout
	}
	if call.MaxOutput <= 0 {
		call.MaxOutput = DefaultMaxOutput
	}
	out, err := call.Run(ctx)
	if failed := (*process.Error)(nil); errors.As(err, &failed) {
		return run.Output{}, failure(failed.Message)
	}
	if err != nil {
		return run.Output{}, err
	}
	return text(out)
}

// text makes an output of what a program put out, less the line break at the end.
func text(out []byte) (run.Output, error) {
	if !utf8.Valid(out) {
		return run.Output{}, failure("the output is not UTF-8")
	}
	if line, ok := bytes.CutSuffix(out, []byte("\n")); ok {
		out = bytes.TrimSuffix(line, []byte("\r"))
	}
	return run.Text(string(out)), nil
}

func failure(message string) error {
	return &run.AbilityError{Class: run.ClassTool, Message: message}
}
