// Command cbpolicy checks, formats, tries and runs circuit-breaker policies
// for LLM agents. Each verb is one file; none holds logic of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/diag"
)

// The exit codes. They never change their meaning.
const (
	exitOK       = 0
	exitInternal = 1 // an internal or I/O error
	exitUsage    = 2 // the command line is wrong
	exitFindings = 3 // there are findings
	exitTests    = 4 // tests failed
	exitBlocked  = 5 // the decision blocks
)

// exitError ends the program with a code. A nil err prints nothing: the
// verb has said what there is to say.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage makes an error of the command line.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// exit ends with a code and no further message.
func exit(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends what does not heed the first
	code := program(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// program is all but the process around it.
func program(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	var e *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		if e.err != nil {
			fmt.Fprintln(errOut, "cbpolicy:", e.err)
		}
		return e.code
	case errors.Is(err, syscall.EPIPE):
		return exitInternal // nobody is left to be told
	}
	fmt.Fprintln(errOut, "cbpolicy:", err)
	return exitInternal
}

// newRoot builds the tree of verbs.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "cbpolicy",
		Short: "Deterministic circuit breakers for LLM agents",
		Long: `cbpolicy decides before every step of an agent whether it may run, from rules
of one line each, with counters and without a model.

Exit codes: 0 fine, 1 internal or I/O error, 2 usage, 3 findings,
4 tests failed, 5 the decision blocks.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       buildVersion(),
		Args:          noVerb,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w\nSee '%s --help'.", err, cmd.CommandPath())
	})
	root.AddCommand(newCheck(), newFmt(), newEval(), newTest(), newExplain(), newDryrun(), newRun(),
		newReplay(), newSuggest(), newStats(), newAudit(), newBuiltins(), newConfig(), newPrompt(), newBreaker(), newPrices(), newBundle(),
		newSchema(), newCompletion(), newVersion())
	offerCompletions(root)
	return root
}

// noVerb refuses a word that is no verb, with the nearest one that is.
func noVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	var verbs []string
	for _, c := range cmd.Commands() {
		verbs = append(verbs, c.Name())
	}
	if s := diag.Suggest(args[0], verbs); s != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", s)
	}
	return usage("unknown verb %q%s\nSee 'cbpolicy --help'.", args[0], hint)
}

// atLeast and exactly check the number of arguments with a usage error.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usage("%s: want %s\nSee '%s --help'.", cmd.Name(), what, cmd.CommandPath())
		}
		return nil
	}
}

func exactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s: want %s, not %d arguments\nSee '%s --help'.", cmd.Name(), what, len(args), cmd.CommandPath())
		}
		return nil
	}
}

func atMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage("%s: want %s, not %d arguments\nSee '%s --help'.", cmd.Name(), what, len(args), cmd.CommandPath())
		}
		return nil
	}
}
