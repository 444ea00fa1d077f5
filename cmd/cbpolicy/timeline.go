package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	durations "github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// timeline prints a run for a person: a line a step, with the verdict beside
// it and the rules that fired below.
type timeline struct {
	w       *bufio.Writer
	colour  bool
	columns int
}

// marks and colours of what became of a step.
var marks = map[run.StepOutcome]struct{ sign, colour string }{
	run.Ran:        {"✓", green},
	run.Skipped:    {"–", faint},
	run.StepFailed: {"✗", red},
	run.Refused:    {"■", red},
}

func (t timeline) print(r *run.Result, failed error) {
	fmt.Fprintf(t.w, "chain %s\n", diag.Escape(r.Chain))
	name, ability := 4, 7
	for _, s := range r.Steps {
		name, ability = max(name, diag.Columns(s.Step)), max(ability, diag.Columns(s.Ability))
	}
	reviews := t.reviewsOf(r.Reviews, "")
	for i := range r.Steps {
		reviews = t.reviewsOf(reviews, r.Steps[i].Step)
		t.step(&r.Steps[i], name, ability)
	}
	t.reviewsOf(reviews, "")
	t.finish(r, failed)
}

// finish prints what comes after the steps.
func (t timeline) finish(r *run.Result, failed error) {
	if r.Final != nil {
		fmt.Fprintf(t.w, "  after the last step: %s\n", paint(t.colour, decisionColour(r.Final.Decision), r.Final.Decision))
		firedText(t.w, r.Final.Fired, t.colour, "    ")
		notesText(t.w, r.Final.Notes, "    ")
	}
	t.end(r, failed)
}

// step prints one step. Where the line is too narrow for all, the ability
// moves to a line of its own.
func (t timeline) step(s *run.StepResult, name, ability int) {
	m := marks[s.Outcome]
	verdict := string(s.Outcome)
	if s.Verdict != nil {
		verdict = s.Verdict.Decision
	}
	at := fmt.Sprintf("%8s", "+"+duration(s.At))
	sign := paint(t.colour, m.colour, m.sign)
	shown := verdict
	if s.Verdict != nil {
		shown = paint(t.colour, decisionColour(verdict), verdict)
	}
	if 8+3+name+2+ability+2+len("throttle") <= t.columns {
		fmt.Fprintf(t.w, "%s %s %s  %s  %s", at, sign, pad(s.Step, name), pad(s.Ability, ability), shown)
	} else {
		fmt.Fprintf(t.w, "%s %s %s  %s\n%s%s", at, sign, diag.Escape(s.Step), shown, strings.Repeat(" ", 11), diag.Escape(s.Ability))
	}
	if s.Took > 0 && s.Outcome != run.Skipped {
		fmt.Fprintf(t.w, "  %s", paint(t.colour, faint, duration(s.Took)))
	}
	t.w.WriteByte('\n')
	if s.Verdict != nil {
		firedText(t.w, s.Verdict.Fired, t.colour, strings.Repeat(" ", 11))
		notesText(t.w, s.Verdict.Notes, strings.Repeat(" ", 11))
	}
	if s.Error != nil {
		fmt.Fprintf(t.w, "%s%s: %s\n", strings.Repeat(" ", 11), diag.Escape(s.Error.Class), diag.Escape(s.Error.Message))
	}
}

// end says how the run ended and why.
func (t timeline) end(r *run.Result, failed error) {
	code := green
	if exitCode(r.Status) != exitOK {
		code = red
	}
	fmt.Fprintf(t.w, "%s", paint(t.colour, code, string(r.Status)))
	switch {
	case r.Halt == nil:
	case r.Halt.Step == "" && r.Halt.Rule != "": // before the first step
		fmt.Fprintf(t.w, " by rule %s: %s", diag.Escape(r.Halt.Rule), diag.Escape(r.Halt.Reason))
	case r.Halt.Step == "" && failed != nil:
		for i, line := range strings.Split(failed.Error(), "\n") {
			fmt.Fprintf(t.w, "%s%s", []string{": ", "\n"}[min(i, 1)], diag.Escape(line))
		}
	case r.Halt.Rule == "":
		fmt.Fprintf(t.w, " at %s: %s", diag.Escape(r.Halt.Step), diag.Escape(r.Halt.Reason))
	default:
		fmt.Fprintf(t.w, " at %s by rule %s: %s", diag.Escape(r.Halt.Step), diag.Escape(r.Halt.Rule), diag.Escape(r.Halt.Reason))
	}
	t.w.WriteByte('\n')
	var stop *actions.StopError
	if errors.As(failed, &stop) && stop.Cause != nil {
		fmt.Fprintf(t.w, "  %s\n", diag.Escape(stop.Cause.Error()))
	}
	if r.Halt != nil {
		waitText(t.w, r.Halt.RetryAfterMS, "  ")
	}
	t.meters(r.Meters)
}

// meters prints the meters that moved, but for the streaks that any two calls
// are.
func (t timeline) meters(all jsonv.Value) {
	column := t.columns
	for i := range all.Len() {
		name, value := strings.TrimPrefix(all.Key(i), "task."), all.Elem(i).Text()
		if value == "1" && strings.HasSuffix(name, "_streak") || name == "alternation" && (value == "1" || value == "2") {
			continue
		}
		if name == "duration" || name == "idle" {
			value = milliseconds(value) + "s"
		}
		part := name + " " + value
		switch {
		case column == t.columns:
			part = "meters: " + part
			column = len(part)
		case column+2+len(part)+1 > t.columns:
			part = ",\n        " + part
			column = len(part) - 2
		default:
			part = ", " + part
			column += len(part)
		}
		t.w.WriteString(paint(t.colour, faint, part))
	}
	if column != t.columns {
		t.w.WriteByte('\n')
	}
}

// milliseconds cuts a number of seconds off after the third digit.
func milliseconds(seconds string) string {
	whole, part, ok := strings.Cut(seconds, ".")
	if !ok || len(part) <= 3 {
		return seconds
	}
	return whole + "." + part[:3]
}

func pad(s string, n int) string {
	return diag.Escape(s) + strings.Repeat(" ", max(n-diag.Columns(s), 0))
}

// duration renders milliseconds in the units that say it exactly: 1.2s, 5m, 1d2h.
func duration(ms int64) string { return durations.Format(time.Duration(ms) * time.Millisecond) }
