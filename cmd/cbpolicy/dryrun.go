package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/session"
)

// dryrunOptions are the flags of dryrun.
type dryrunOptions struct {
	ruleFlags
	recording, records, format string
	telemetry, metrics         string
	review                     reviewFlags
	set                        []string
}

func newDryrun() *cobra.Command {
	var o dryrunOptions
	cmd := &cobra.Command{
		Use:   "dryrun CHAIN --recording FILE [--policy FILE.cbp…] [--set NAME=VALUE…]",
		Short: "Run a chain against recorded outputs",
		Long: `dryrun runs a chain against a recording: nothing is called, time is that of
the recording, and its answers are given to questions. Every rule of the chain,
of the policies and of the configuration is in force, and the built-in ones.
With a reviewer it shows where a review would be asked, and goes on as if it had
been given; no program and no model is asked, but for --review rules. Its task is
called dryrun/1: tasks: in the configuration names it by its chain.

Exit codes: 0 completed or recovered, 1 a step failed, 3 a file is wrong,
5 a rule stopped the run.`,
		Example: "  cbpolicy dryrun examples/trading/chain.yaml --recording examples/trading/approved.yaml",
		Args:    exactlyOne("one chain"),
	}
	cmd.Flags().StringVarP(&o.recording, "recording", "r", "", "recorded outputs and answers (required)")
	o.add(cmd)
	o.addNoBuiltins(cmd)
	o.review.add(cmd, true)
	telemetryFlag(cmd, &o.telemetry)
	metricsFlag(cmd, &o.metrics)
	cmd.Flags().StringArrayVar(&o.set, "set", nil, "parameter NAME=VALUE, in place of the recording's (repeatable)")
	nonEmptyFlag(cmd.Flags(), &o.records, "records", "write a record of every decision to this file, as JSON Lines")
	formatFlag(cmd.Flags(), &o.format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runDryrun(cmd, o, args[0]) }
	return cmd
}

func runDryrun(cmd *cobra.Command, o dryrunOptions, path string) (err error) {
	if o.recording == "" {
		return usage("dryrun: --recording is required\nSee '%s --help'.", cmd.CommandPath())
	}
	set, err := parseSet(o.set)
	if err != nil {
		return err
	}
	reg, settings, err := o.load(cmd)
	if err != nil {
		return err
	}
	c, err := loadChain(cmd, reg, path)
	if err != nil {
		return err
	}
	rec, err := loadRecording(cmd, o.recording)
	if err != nil {
		return err
	}
	warnTasks(cmd, settings, "dryrun/1", c)
	var warnings diag.List
	options := run.DryRunOptions{
		Chain: c, Recording: rec, Params: set, Session: session.Options{Registry: reg},
		Warn: func(f *diag.Finding) { warnings = append(warnings, f) },
	}
	if err := sessionOf(cmd, settings, &options.Session); err != nil {
		return err
	}
	reviews, err := o.review.open(cmd, settings, &options.Session, true)
	if err != nil {
		return err
	}
	options.Review = reviews.Review
	if o.records != "" {
		f, err := os.Create(o.records)
		if err != nil {
			return err
		}
		var failed error
		options.Session.Record = recorder(f, &failed)
		defer func() {
			if err == nil || failed != nil {
				err = firstError(failed, f.Close(), err)
			}
		}()
	}
	told, err := openTelemetry(o.telemetry)
	if err != nil {
		return err
	}
	defer func() { err = told.close(err) }()
	options.Session.Metrics = settings.Metrics()
	var last int64 // the time of the recording
	options.Session.OnTask = func(m session.Metadata) { last = m.At.UnixNano(); told.task(m) }
	result, failed := run.DryRun(cmd.Context(), options)
	if result == nil {
		return refuse(cmd, failed)
	}
	if err := writeMetrics(o.metrics, options.Session.Metrics, last); err != nil {
		return err
	}
	if err := printResult(cmd.OutOrStdout(), result, failed, o.format); err != nil {
		return err
	}
	if err := diag.Text(cmd.ErrOrStderr(), warnings, diag.TextOptions{Color: colour(cmd.ErrOrStderr())}); err != nil {
		return err
	}
	return exit(exitCode(result.Status))
}

// parseSet reads NAME=VALUE.
func parseSet(set []string) (map[string]chain.Value, error) {
	params := map[string]chain.Value{}
	for _, s := range set {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, usage("--set %q: want NAME=VALUE", s)
		}
		params[name] = chain.Text(value)
	}
	return params, nil
}

func loadRecording(cmd *cobra.Command, path string) (*run.Recording, error) {
	name, data, err := read(cmd, path)
	if err != nil {
		return nil, err
	}
	rec, faults := run.ParseRecording(name, data)
	if rec == nil {
		return nil, refuse(cmd, faults)
	}
	return rec, nil
}

// recorder writes records as JSON Lines and keeps the first error.
func recorder(w io.Writer, failed *error) func(*session.Record) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return func(r *session.Record) error {
		err := enc.Encode(r)
		if err != nil && *failed == nil {
			*failed = fmt.Errorf("write records: %w", err)
		}
		return err
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// exitCode maps how a run ended to how the program does.
func exitCode(s run.Status) int {
	switch s {
	case run.Completed, run.Recovered:
		return exitOK
	case run.Failed:
		return exitInternal
	}
	return exitBlocked
}

func printResult(w io.Writer, r *run.Result, failed error, format string) error {
	out := bufio.NewWriter(w)
	if format == "json" {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			return err
		}
		return out.Flush()
	}
	timeline{out, colour(w), width(w)}.print(r, failed)
	return out.Flush()
}
