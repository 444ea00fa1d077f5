package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/registry"
)

// ANSI colours, by what a decision or an outcome means to its reader.
const (
	red    = "31"
	yellow = "33"
	green  = "32"
	faint  = "2"
	bold   = "1"
)

// paint colours a text.
func paint(on bool, code, s string) string {
	if !on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func decisionColour(decision string) string {
	switch decision {
	case registry.Allow.String():
		return green
	case registry.Warned.String():
		return yellow
	}
	return red
}

// verdictText prints a verdict for a person: the decision, and each rule that
// fired with why.
func verdictText(w *bufio.Writer, v *registry.Verdict, colour bool) {
	j := v.JSON()
	what := j.Ability
	if j.Step != "" {
		what = j.Step + " (" + j.Ability + ")"
	}
	if j.Chain != "" {
		what = j.Chain + ": " + what
	}
	fmt.Fprintf(w, "%s  %s\n", paint(colour, decisionColour(j.Decision), j.Decision), diag.Escape(what))
	firedText(w, j.Fired, colour, "  ")
	waitText(w, j.RetryAfterMS, "  ")
	notesText(w, j.Notes, "  ")
}

// notesText prints how a verdict came about, beside the rules.
func notesText(w *bufio.Writer, notes []string, indent string) {
	for _, note := range notes {
		fmt.Fprintf(w, "%snote: %s\n", indent, diag.Escape(note))
	}
}

// firedText prints each fired rule: what it says, why it holds, where it stands.
func firedText(w *bufio.Writer, fired []registry.FiredJSON, colour bool, indent string) {
	for _, f := range fired {
		action := f.Action
		switch {
		case f.Mode == "observe":
			action += ", observed only"
		case f.Approved:
			action += ", approved"
		}
		fmt.Fprintf(w, "%s%s (%s): %s\n", indent, diag.Escape(f.Rule), action, diag.Escape(f.Reason))
		lines := []string{}
		if f.Explain != f.Reason {
			lines = append(lines, f.Explain)
		}
		if where := strings.Trim(f.Origin+" rule at "+f.Source, " "); f.Source != "" {
			lines = append(lines, where)
		}
		for _, line := range lines {
			fmt.Fprintf(w, "%s  %s\n", indent, paint(colour, faint, diag.Escape(line)))
		}
	}
}

func waitText(w *bufio.Writer, retryAfter int64, indent string) {
	switch {
	case retryAfter > 0:
		fmt.Fprintf(w, "%sroom in %s\n", indent, duration(retryAfter))
	case retryAfter < 0:
		fmt.Fprintf(w, "%sno time is known at which there is room\n", indent)
	}
}
