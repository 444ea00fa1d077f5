// Command agent-loop shows the built-in rules around any Go function: an
// agent that reads the same page for ever is stopped, though nobody wrote a
// rule for it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// page is what the tool below takes.
type page struct {
	URL string `json:"url"`
}

// fetch stands for any function that an agent calls.
func fetch(_ context.Context, p page) (string, error) { return "the text of " + p.URL, nil }

func run(w io.Writer) error {
	var rules registry.Registry
	if err := rules.LoadBuiltins(); err != nil {
		return err
	}
	s, err := session.New(session.Options{
		ID: "demo", Registry: &rules, Store: memory.New(memory.Options{}), Breakers: session.DefaultBreakers(),
	})
	if err != nil {
		return err
	}
	gate := &actions.Gate{Session: s, Clock: session.SystemClock()}
	guarded := actions.Wrap(gate, "web.fetch", fetch) // all there is to it

	calls := 0
	for {
		_, err := guarded(context.Background(), page{"https://example.org/"})
		var stop *actions.StopError
		if errors.As(err, &stop) {
			fmt.Fprintf(w, "stopped after %d calls by rule %s: %s of %s\n", calls, stop.Rule, stop.Actual, stop.Limit)
			noticed(w, stop)
			return nil
		}
		if err != nil {
			return err
		}
		calls++
	}
}

// noticed prints what else fired, without stopping anything.
func noticed(w io.Writer, stop *actions.StopError) {
	for i := range stop.Verdict.Fired {
		if f := &stop.Verdict.Fired[i]; !f.Decides() {
			fmt.Fprintf(w, "  noticed: %s (%s)\n", f.ReasonText(), f.Explain())
		}
	}
}
