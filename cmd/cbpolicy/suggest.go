package main

import (
	"errors"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay/suggest"
)

// suggestOptions are the flags of suggest.
type suggestOptions struct {
	recordings
	config, action, format   string
	margin, minRuns, workers int
}

func newSuggest() *cobra.Command {
	var o suggestOptions
	cmd := &cobra.Command{
		Use:   "suggest [--margin PERCENT] [--min-runs N] [--action abort|review|confirm|warn] PATH…|-",
		Short: "Learn limits from recorded runs",
		Long: `suggest reads recorded runs of agents and prints a policy file: limits of what a
run does as a whole and of how often it calls an ability, for all runs and, where
it is lower, for each kind of task. A limit is the 99th percentile of the runs that
ended well, where their source tells of any how it ended, and the margin above it.
Comments give the evidence, whether its money is guessed (a model has no price),
and how many runs that ended well each limit would have stopped, which is found by
replaying it.

The paths and formats are those of replay; the runs are read twice.

Exit codes: 0 fine, 1 I/O, 2 usage, 3 the configuration is wrong, a file or a run
cannot be read or is broken, or too few runs ended well to learn from.`,
		Example: "  cbpolicy suggest recordings > policies/learned.cbp\n  cbpolicy suggest --margin 50 --action confirm recordings",
		Args:    atLeast(1, "a file or directory of recorded runs, or - for standard input"),
	}
	configFlag(cmd, &o.config)
	o.recordings.add(cmd)
	o.margin, o.minRuns = 25, 5
	cmd.Flags().Var(wholeNumber{&o.margin, 0, 10_000}, "margin", "what a limit leaves above the 99th percentile, in `percent` of it")
	cmd.Flags().Var(wholeNumber{&o.minRuns, 1, 0}, "min-runs", "how many runs that ended well a limit must rest on")
	workersFlag(cmd.Flags(), &o.workers)
	o.action = dsl.Abort.String()
	cmd.Flags().Var(choice{&o.action, []string{dsl.Abort.String(), dsl.Review.String(), dsl.Confirm.String(), dsl.Warn.String()}}, "action", "what a call beyond a limit meets")
	formatFlag(cmd.Flags(), &o.format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runSuggest(cmd, &o, args) }
	return cmd
}

func runSuggest(cmd *cobra.Command, o *suggestOptions, paths []string) error {
	if err := o.check("suggest"); err != nil {
		return err
	}
	action, fault := dsl.ParseAction("", diag.Position{}, o.action)
	if fault != nil {
		return usage("--action: %w", fault)
	}
	settings, err := loadSettings(cmd, o.config)
	if err != nil {
		return err
	}
	if err := o.keep(cmd, paths); err != nil {
		return err
	}
	options := suggest.Options{Margin: o.margin, MinRuns: o.minRuns, Action: action.Kind, Workers: o.workers}
	if err := sessionOf(cmd, settings, &options.Session); err != nil {
		return err
	}
	var failed error
	options.Unread = func(err error) { failed = firstError(failed, o.pass(cmd, err)) }
	s, err := suggest.Learn(cmd.Context(), func() iter.Seq2[*trace.Run, error] { return whole(o.runs(cmd, paths)) }, options)
	switch {
	case errors.As(err, new(*suggest.TooFewError)):
		return &exitError{exitFindings, err}
	case firstError(err, failed) != nil:
		return firstError(err, failed)
	}
	if err := printSuggestion(cmd.OutOrStdout(), s, o.format); err != nil {
		return err
	}
	if s.Unread > 0 {
		return exit(exitFindings)
	}
	return nil
}

func printSuggestion(w io.Writer, s *suggest.Suggestion, format string) error {
	if format == "json" {
		return printLine(w, s)
	}
	_, err := io.WriteString(w, s.Policy)
	return err
}
