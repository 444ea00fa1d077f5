package trace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/trace"
)

// readAll reads every run of a text, as of a file of that name.
func readAll(name, text string, o trace.Options) (runs []*trace.Run, errs []error) {
	for r, err := range trace.Read(name, strings.NewReader(text), o) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		runs = append(runs, r)
	}
	return runs, errs
}

// readOne reads the one run of a text, and holds its format against the name.
func readOne(t *testing.T, format, name, text string) *trace.Run {
	t.Helper()
	runs, errs := readAll(name, text, trace.Options{})
	if len(errs) > 0 || len(runs) != 1 {
		t.Fatalf("%d runs, errors %v", len(runs), errs)
	}
	if runs[0].Format != format {
		t.Fatalf("format %s, want %s", runs[0].Format, format)
	}
	return runs[0]
}

// show prints events one a line, with the time since the first.
func show(events []session.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "+%v ", time.Duration(e.At-events[0].At))
		if e.Task != "" {
			fmt.Fprintf(&b, "[%s] ", e.Task)
		}
		switch e.Type {
		case session.ToolUse:
			fmt.Fprintf(&b, "call %s %s%s", e.CallID, e.Ability, leaves(&e))
		case session.Delegate:
			fmt.Fprintf(&b, "delegate %s to %s%s", e.CallID, e.Worker, leaves(&e))
		case session.ToolResult:
			fmt.Fprintf(&b, "result %s", e.CallID)
			if e.Error != nil {
				fmt.Fprintf(&b, " %s: %s", e.Error.Class, e.Error.Message)
			} else if e.Output != nil {
				fmt.Fprintf(&b, " = %s", e.Output)
			}
		case session.Usage:
			fmt.Fprintf(&b, "usage %s %d+%d", e.MessageID, e.Tokens.Input, e.Tokens.Output)
			if e.Tokens.CacheRead+e.Tokens.CacheWrite > 0 {
				fmt.Fprintf(&b, " cache %d+%d", e.Tokens.CacheRead, e.Tokens.CacheWrite)
				if e.Tokens.CacheWrite1h > 0 {
					fmt.Fprintf(&b, " (1h: %d)", e.Tokens.CacheWrite1h)
				}
			}
			if e.HasCost {
				fmt.Fprintf(&b, " $%g", float64(e.Cost)/1e9)
			}
		case session.TaskStart:
			fmt.Fprintf(&b, "start %s%s", e.Chain, e.Text)
		default:
			fmt.Fprintf(&b, "%s %s", e.Type, e.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func leaves(e *session.Event) string {
	var all []string
	if e.Args.Len() > 0 {
		e.Args.Leaves(func(leaf string) { all = append(all, leaf) })
	}
	if len(all) == 0 {
		return ""
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// wantEvents compares events with what they should be, one a line.
func wantEvents(t *testing.T, events []session.Event, want string) {
	t.Helper()
	if got, want := show(events), strings.TrimLeft(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// wantLabels compares labels.
func wantLabels(t *testing.T, r *trace.Run, want trace.Labels) {
	t.Helper()
	if r.Labels != want {
		t.Errorf("labels %+v, want %+v", r.Labels, want)
	}
}

// oneLine takes the line breaks out of JSON.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", "") }

// tokens are what a message took.
func tokens(input, output, cacheRead, cacheWrite int64) meter.Tokens {
	return meter.Tokens{Input: input, Output: output, CacheRead: cacheRead, CacheWrite: cacheWrite}
}
