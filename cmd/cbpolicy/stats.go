package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/telemetry"
)

func newStats() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "stats FILE…|-",
		Short: "Answer questions about tasks that are over",
		Long: `stats reads the telemetry that run, dryrun and Go programs write of tasks, one
JSON object a line, and says what the tasks came to, which tripped, when and by
which rule, and how tasks end that were reviewed, then or before they began, that
were not, and that never tripped.

The figures of a task:
  toolCallCount, messageCount, estimatedContextTokens, duration (seconds)
                           of its last attempt: a review begins a new one at 0
  totals.toolCallCount, totals.messageCount, totals.duration
                           of all its attempts, which is what stats adds up
  spendCents               of all its attempts, and of the tasks below it
  retryCount               attempts beyond the first
  qcRecommended            a rule over its meters warned or asked for a review, or
                           the work had to be reviewed before it began
  circuitBreakerTriggered  such a rule asked for a review or ended it, or that
                           review before was not given; rule, explain and
                           trippedAt say what did so first, and when
  reviewedBefore           it was reviewed before it began
  finalStatus              completed, failed, or halted: stopped by a rule
  failureReason            why it failed or was halted
docs/telemetry.md has them all.

Exit codes: 0 fine, 1 a file cannot be read, 2 usage, 3 a line cannot be read.`,
		Example: "  cbpolicy run chain.yaml --telemetry tasks.jsonl …\n  cbpolicy stats tasks.jsonl",
		Args:    atLeast(1, "a file of telemetry, or - for standard input"),
	}
	formatFlag(cmd.Flags(), &format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		stats := telemetry.Stats{ByRule: map[string]int{}, Trips: []telemetry.Trip{}}
		faults := 0
		for _, path := range args {
			if err := addStats(cmd, path, &stats, &faults); err != nil {
				return err
			}
		}
		stats.Sort()
		if err := printStats(cmd.OutOrStdout(), &stats, format); err != nil {
			return err
		}
		if faults > 0 {
			return exit(exitFindings)
		}
		return nil
	}
	return cmd
}

// addStats reads the tasks of a file.
func addStats(cmd *cobra.Command, path string, stats *telemetry.Stats, faults *int) error {
	name, in := "<stdin>", cmd.InOrStdin()
	if path != stdin {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		name, in = path, f
	}
	for m, err := range telemetry.Read(name, in) {
		var unread *fs.PathError
		switch {
		case errors.As(err, &unread):
			return unread // of the file, not of one of its lines
		case err != nil:
			*faults++
			fmt.Fprintln(cmd.ErrOrStderr(), "cbpolicy:", diag.Escape(err.Error()))
			continue
		}
		stats.Add(m)
	}
	return nil
}

func printStats(w io.Writer, s *telemetry.Stats, format string) error {
	if format == "json" {
		return printJSON(w, s)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "tasks: %d, tripped: %d, review recommended: %d\n", s.Tasks, s.Triggered, s.Recommended)
	fmt.Fprintf(out, "together: %d tool calls, %d messages, %.3f s\n", s.Totals.ToolCallCount, s.Totals.MessageCount, s.Totals.Duration)
	for _, rule := range slices.Sorted(maps.Keys(s.ByRule)) {
		fmt.Fprintf(out, "%6d  %s\n", s.ByRule[rule], diag.Escape(rule))
	}
	outcomesText(out, "tripped, reviewed", s.Reviewed)
	outcomesText(out, "tripped, not reviewed", s.Unreviewed)
	outcomesText(out, "reviewed before, never tripped", s.ReviewedBefore)
	outcomesText(out, "never tripped", s.Quiet)
	for _, t := range s.Trips {
		fmt.Fprintf(out, "%s  %s  %s: %s  %s\n", t.At.Format(time.RFC3339), whoText(t),
			diag.Escape(t.Rule), diag.Escape(t.Explain), orUnknown(string(t.Status)))
	}
	return out.Flush()
}

func outcomesText(w io.Writer, title string, o telemetry.Outcomes) {
	if o.Tasks == 0 {
		return
	}
	rate := "unknown"
	if r, known := o.SuccessRate(); known {
		rate = fmt.Sprintf("%.0f %%", 100*r)
	}
	fmt.Fprintf(w, "%s: %d, completed: %d, failed: %d, halted: %d, success: %s\n", title, o.Tasks, o.Completed, o.Failed, o.Halted, rate)
}

// whoText names a task and its session, each by itself: either may hold the other.
func whoText(t telemetry.Trip) string {
	who := "session " + diag.Escape(t.Session)
	if t.Task != "" {
		who = "task " + diag.Escape(t.Task) + " of " + who
	}
	return who
}

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return diag.Escape(text)
}
