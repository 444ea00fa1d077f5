package main

import (
	"bufio"
	"fmt"
	"io"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

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

// runText prints a run that was stopped, that a person was asked about, or
// whose recording is broken.
func runText(w *bufio.Writer, r *replay.Result, colour bool) {
	if !r.Halted() && r.FirstConfirm == nil && r.Broken == "" {
		return
	}
	fmt.Fprintf(w, "%s  %s", paint(colour, decisionColour(r.Decision), r.Decision), diag.Escape(r.Source))
	if r.Halted() {
		fmt.Fprintf(w, "  at call %d of %d by rule %s: %s", r.HaltedAt, r.ToolCalls, diag.Escape(r.Rule), diag.Escape(r.Reason))
		if r.Task != "" {
			fmt.Fprintf(w, " in task %s, beside the one at work", diag.Escape(r.Task))
		}
		fmt.Fprintf(w, "\n  %s; saved %s", diag.Escape(r.Explain), savedText(r.Saved))
	}
	w.WriteByte('\n')
	for _, note := range r.Notes {
		fmt.Fprintf(w, "  note: %s\n", diag.Escape(note))
	}
	if r.Broken != "" {
		fmt.Fprintf(w, "  broken: %s\n", diag.Escape(r.Broken))
	}
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

// wrongText prints how many runs are broken and how many could not be read.
func wrongText(w *bufio.Writer, broken, unread int) {
	if broken > 0 {
		fmt.Fprintf(w, ", broken: %d", broken)
	}
	if unread > 0 {
		fmt.Fprintf(w, ", not read: %d", unread)
	}
}

func summaryText(w *bufio.Writer, s *replay.Summary) {
	fmt.Fprintf(w, "runs: %d, halted: %d, asked: %d", s.Runs, s.Halted, s.Asked)
	wrongText(w, s.Broken, s.Unread)
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
