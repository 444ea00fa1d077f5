package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	ruleFlags
	confirm, failOn, input, format string
	workers                        int
}

func newReplay() *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay [--policy FILE.cbp…] [--confirm stop|approve|decline] PATH…|-",
		Short: "Say what the rules would have done to recorded runs",
		Long: `replay puts recorded runs of agents to the rules, on the recorded clock, and
says of each where it would have been stopped, by which rule, and what that would
have saved. A path is a file of runs or a directory of them; .gz is unpacked. The
format is found from what a file holds:
` + indented(strings.Join(trace.Formats(), ", ")) + `

A run ends at the first verdict that blocks. --confirm says what follows a
question: stop ends the run there, approve says yes each time, decline leaves the
call out and goes on.

Exit codes: 0 fine, 1 a file cannot be read, 2 usage, 3 a policy is wrong or a
run cannot be read, 5 a run was halted and --fail-on halted is given.`,
		Example: "  cbpolicy replay --policy policies --confirm approve recordings\n  cbpolicy replay --fail-on halted session.jsonl",
		Args:    atLeast(1, "a file or directory of recorded runs, or - for standard input"),
	}
	o.add(cmd)
	o.addNoBuiltins(cmd)
	cmd.Flags().StringVar(&o.confirm, "confirm", string(replay.Stop), "what follows a question: stop, approve or decline")
	cmd.Flags().StringVar(&o.failOn, "fail-on", "", "exit 5 if a run was `halted`")
	cmd.Flags().StringVar(&o.input, "input-format", "", "format of the recordings, in the place of what they look like")
	cmd.Flags().IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "how many runs are replayed at the same time")
	formatFlag(cmd.Flags(), &o.format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runReplay(cmd, o, args) }
	return cmd
}

func runReplay(cmd *cobra.Command, o replayOptions, paths []string) error {
	confirm, err := replay.ParseConfirm(o.confirm)
	switch {
	case err != nil:
		return usage("--confirm: %w", err)
	case o.failOn != "" && o.failOn != "halted":
		return usage("--fail-on %q: want halted", o.failOn)
	case o.workers < 1:
		return usage("--workers %d: want at least 1", o.workers)
	}
	if known := trace.Formats(); o.input != "" && !contains(known, o.input) {
		return unknownWord("replay", "format", o.input, known)
	}
	reg, settings, err := o.load(cmd)
	if err != nil {
		return err
	}
	if reg.Set().Len() == 0 {
		return usage("replay: no rules: give --policy, or leave --no-builtins out")
	}
	options := replay.Options{Confirm: confirm, Session: session.Options{Registry: reg}}
	if err := sessionOf(cmd, settings, &options.Session); err != nil {
		return err
	}
	runs := recorded(cmd, paths, trace.Options{Format: o.input})
	report := replay.Report{Runs: []replay.Result{}}
	for result, err := range replay.All(cmd.Context(), runs, o.workers, options) {
		if err != nil {
			if !errors.As(err, new(*trace.Error)) {
				return err
			}
			report.Summary.Unread++
			fmt.Fprintln(cmd.ErrOrStderr(), "cbpolicy:", diag.Escape(err.Error()))
			continue
		}
		report.Runs = append(report.Runs, *result)
		report.Summary.Add(result)
	}
	if err := printReplay(cmd.OutOrStdout(), &report, o.format); err != nil {
		return err
	}
	switch {
	case report.Summary.Unread > 0:
		return exit(exitFindings)
	case o.failOn != "" && report.Summary.Halted > 0:
		return exit(exitBlocked)
	}
	return nil
}

// indented is a text in lines of a help page.
func indented(text string) string { return "  " + strings.Join(wrap(text, 70), "\n  ") }

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// recorded reads the runs of all paths.
func recorded(cmd *cobra.Command, paths []string, o trace.Options) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		for _, path := range paths {
			runs := trace.Open(path, o)
			if path == stdin {
				runs = trace.Read("<stdin>", cmd.InOrStdin(), o)
			}
			for r, err := range runs {
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

func printReplay(w io.Writer, r *replay.Report, format string) error {
	if format == "json" {
		return printLine(w, r)
	}
	out := bufio.NewWriter(w)
	c := colour(w)
	for i := range r.Runs {
		runText(out, &r.Runs[i], c)
	}
	summaryText(out, &r.Summary)
	return out.Flush()
}

// runText prints a run that was stopped, or that a person was asked about.
func runText(w *bufio.Writer, r *replay.Result, colour bool) {
	if !r.Halted() && r.FirstConfirm == nil {
		return
	}
	fmt.Fprintf(w, "%s  %s", paint(colour, decisionColour(r.Decision), r.Decision), diag.Escape(r.Source))
	if r.Halted() {
		fmt.Fprintf(w, "  at call %d of %d by rule %s: %s", r.HaltedAt, r.ToolCalls, diag.Escape(r.Rule), diag.Escape(r.Reason))
		fmt.Fprintf(w, "\n  %s; saved %s", diag.Escape(r.Explain), savedText(r.Saved))
	}
	w.WriteByte('\n')
	if r.FirstConfirm != nil {
		fmt.Fprintf(w, "  first asked at call %d by rule %s\n", r.FirstConfirm.At, diag.Escape(r.FirstConfirm.Rule))
	}
}

func savedText(s *replay.Saved) string {
	text := count(s.ToolCalls, "call")
	if s.Tokens > 0 {
		text += fmt.Sprintf(", %d tokens", s.Tokens)
	}
	if s.Cents > 0 {
		text += fmt.Sprintf(", %s cents", s.Cents)
	}
	return text
}

func summaryText(w *bufio.Writer, s *replay.Summary) {
	fmt.Fprintf(w, "runs: %d, halted: %d, asked: %d", s.Runs, s.Halted, s.Asked)
	if s.Unread > 0 {
		fmt.Fprintf(w, ", not read: %d", s.Unread)
	}
	w.WriteByte('\n')
	if s.Halted == 0 {
		return
	}
	fmt.Fprintf(w, "saved: %s\n", savedText(&s.Saved))
	s.ByRule.Each(func(rule string, n int) { fmt.Fprintf(w, "%6d  %s\n", n, diag.Escape(rule)) })
	if s.ByFormat.Len() > 1 {
		s.ByFormat.Each(func(format string, n int) { fmt.Fprintf(w, "%6d  in %s\n", n, format) })
	}
}
