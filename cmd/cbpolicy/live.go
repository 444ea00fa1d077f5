package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"bufio"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// live prints a timeline while the run goes on: the step that is being run,
// and each as it is done.
type live struct {
	timeline
	name, ability int  // widths of the columns
	pending       bool // the line of a step that is not done was begun
}

// newLive begins the timeline of a chain.
func newLive(w io.Writer, c *chain.Chain) *live {
	l := &live{timeline: timeline{bufio.NewWriter(w), colour(w), width(w)}, name: 4, ability: 7}
	for i := range c.Steps {
		l.name, l.ability = max(l.name, diag.Columns(c.Steps[i].ID)), max(l.ability, diag.Columns(c.Steps[i].Ability))
	}
	fmt.Fprintf(l.w, "chain %s\n", diag.Escape(c.ID))
	l.w.Flush()
	return l
}

// progress is told of every step.
func (l *live) progress(e run.Event) {
	l.clear()
	switch {
	case e.Done:
		l.step(&e.Result, l.name, l.ability)
	case l.colour: // else the line could not be taken back
		fmt.Fprintf(l.w, "%s … %s", strings.Repeat(" ", 8), diag.Escape(e.Result.Step))
		l.pending = true
	}
	l.w.Flush()
}

// waiting is told before a step waits for room.
func (l *live) waiting(_ *session.Step, v *registry.Verdict, d time.Duration) {
	l.clear()
	rule := ""
	if f := v.Blocking(); f != nil {
		rule = ", rule " + diag.Escape(f.Rule.ID)
	}
	fmt.Fprintf(l.w, "%s … %s  waits %s for room%s\n", strings.Repeat(" ", 8), diag.Escape(v.Step), d.Round(time.Millisecond), rule)
	l.w.Flush()
}

// clear takes back the line of a step that is not done.
func (l *live) clear() {
	if l.pending {
		l.w.WriteString("\r\x1b[K")
	}
	l.pending = false
}
