package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// explainRun prints the timeline of the run that --explain names.
func (o *replayOptions) explainRun(cmd *cobra.Command, paths []string, options replay.Options) error {
	run, err := o.find(cmd, paths)
	if err != nil {
		return err
	}
	o.faulty(cmd, run.Source, run.Broken)
	t, err := replay.Explain(cmd.Context(), run, options)
	if err != nil {
		return err
	}
	if err := printExplained(cmd.OutOrStdout(), t, o.format); err != nil {
		return err
	}
	halted := 0
	if t.Result.Halted() {
		halted = 1
	}
	return o.end(halted)
}

// find reads up to the run that is to be explained.
func (o *replayOptions) find(cmd *cobra.Command, paths []string) (*trace.Run, error) {
	var sources []string
	for run, err := range o.runs(cmd, paths) {
		switch {
		case err != nil:
			if err := o.pass(cmd, err); err != nil {
				return nil, err
			}
		case run.Source == o.explain:
			return run, nil
		default:
			sources = append(sources, run.Source)
		}
	}
	hint := ""
	if s := diag.Suggest(o.explain, sources); s != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", s)
	}
	return nil, usage("--explain %q: there is no such run among the %s read%s", o.explain, count(len(sources), "run"), hint)
}

func printExplained(w io.Writer, t *replay.Timeline, format string) error {
	if format == "json" {
		return printLine(w, t)
	}
	out := bufio.NewWriter(w)
	p := explained{w: out, colour: colour(w), columns: width(w), timed: t.Timed}
	fmt.Fprintf(out, "%s  %s", diag.Escape(t.Result.Source), t.Result.Format)
	if t.Result.Chain != "" {
		fmt.Fprintf(out, "  chain %s", diag.Escape(t.Result.Chain))
	}
	out.WriteByte('\n')
	unmade := 0
	for i := range t.Entries {
		if t.Entries[i].Kind == replay.Unmade {
			unmade++
			continue
		}
		p.entry(&t.Entries[i])
	}
	if unmade > 0 {
		fmt.Fprintf(out, "%s\n", paint(p.colour, faint, "the recording goes on with "+count(unmade, "call")))
	}
	p.end(&t.Result)
	return out.Flush()
}

// explained prints a timeline for a person.
type explained struct {
	w       *bufio.Writer
	colour  bool
	columns int
	timed   bool
}

// entry prints one entry: when, which call, what was decided, and each rule
// that fired.
func (p *explained) entry(e *replay.Entry) {
	at := ""
	if p.timed {
		at = fmt.Sprintf("%12s ", "+"+duration(e.ElapsedMS))
	}
	what := map[replay.EntryKind]string{replay.Between: "between calls", replay.After: "after the last event"}[e.Kind]
	if what == "" {
		what = diag.Escape(e.Ability)
	}
	if e.Task != "" {
		what = diag.Escape(e.Task) + ": " + what
	}
	number := fmt.Sprintf("%4d", e.Call)
	if e.Kind == replay.Between || e.Kind == replay.After {
		number = strings.Repeat(" ", len(number))
	}
	fmt.Fprintf(p.w, "%s%s %s  %s", at, number, paintDecision(p.colour, e), what)
	used := len(at) + len(number) + 2 + len(e.Decision) + diag.Columns(what) + 2
	if room := p.columns - used; len(e.Args) > 0 && room > 8 {
		fmt.Fprintf(p.w, " %s", paint(p.colour, faint, cut(diag.Escape(string(e.Args)), room)))
	}
	p.w.WriteByte('\n')
	indent := strings.Repeat(" ", len(at)+len(number)+1)
	firedText(p.w, e.Fired, p.colour, indent)
	switch {
	case e.Kind == replay.Waited:
		fmt.Fprintf(p.w, "%swaits %s and is judged again\n", indent, duration(e.WaitMS))
	case e.Declined:
		fmt.Fprintf(p.w, "%sdeclined: the call is left out\n", indent)
	case e.Stops:
		fmt.Fprintf(p.w, "%s%s\n", indent, paint(p.colour, red, "the run stops here"))
	}
}

func paintDecision(colour bool, e *replay.Entry) string {
	return paint(colour, decisionColour(e.Decision), e.Decision) + strings.Repeat(" ", max(len("throttle")-len(e.Decision), 0))
}

// end says what became of the run.
func (p *explained) end(r *replay.Result) {
	if !r.Halted() {
		fmt.Fprintf(p.w, "%s after %s\n", paint(p.colour, decisionColour(r.Decision), r.Decision), count(r.ToolCalls, "call"))
		notesText(p.w, r.Notes, "  ")
		if r.Broken != "" {
			fmt.Fprintf(p.w, "  broken: %s\n", diag.Escape(r.Broken))
		}
		return
	}
	runText(p.w, r, p.colour)
}

// cut shortens a text to so many columns.
func cut(s string, columns int) string {
	if diag.Columns(s) <= columns {
		return s
	}
	used := 0
	for i, r := range s {
		if used += diag.Columns(string(r)); used > columns-1 {
			return s[:i] + "…"
		}
	}
	return s
}
