// Command runaway shows a review: an agent that makes 80 calls for one page is
// paused, told what went wrong, and gets it done in its second attempt. Without
// a reviewer it is merely stopped.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/trim"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

func main() {
	for _, reviewer := range []review.Reviewer{nil, review.Rules{}} {
		if err := run(os.Stdout, reviewer); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// run has the agent work under the monitor set: warnings at 50 calls, a review
// at 80.
func run(w io.Writer, reviewer review.Reviewer) error {
	var rules registry.Registry
	if err := rules.TuneBuiltins(registry.Builtins{Sets: map[string]bool{"monitor": true}}); err != nil {
		return err
	}
	s, err := session.New(session.Options{
		ID: "demo", Registry: &rules, Store: memory.New(memory.Options{}), Clock: session.SystemClock(), Recall: review.MaxCalls,
	})
	if err != nil {
		return err
	}
	a := &agent{}
	gate := &actions.Gate{Session: s, Clock: session.SystemClock(), Review: actions.Review{
		Reviewer: reviewer, Name: "rules", History: func(string) []trim.Message { return a.history },
	}}
	a.fetch, a.search = actions.Wrap(gate, "web.fetch", fetch), actions.Wrap(gate, "web.search", search)
	s.User("What does the ferry to Oslo cost?")
	a.say(trim.User, "What does the ferry to Oslo cost?")
	for {
		answer, err := a.work(context.Background())
		var stop *actions.StopError
		switch {
		case err == nil:
			fmt.Fprintf(w, "done after %d calls: %s\n\n", a.calls, answer)
			return nil
		case errors.As(err, &stop) && errors.Is(err, actions.ErrReviewed):
			fmt.Fprintf(w, "reviewed after %d calls by rule %s: %s of %s\n", a.calls, stop.Rule, stop.Actual, stop.Limit)
			fmt.Fprintf(w, "  %s: %s\n", stop.Guidance.Specialist, stop.Guidance.Analysis)
			a.retry(w, stop)
		case errors.As(err, &stop):
			fmt.Fprintf(w, "stopped after %d calls by rule %s: %s of %s\n\n", a.calls, stop.Rule, stop.Actual, stop.Limit)
			return nil
		default:
			return err
		}
	}
}

// agent stands for a model: it fetches the same page until it is told better.
type agent struct {
	fetch, search func(context.Context, string) (string, error)
	history       []trim.Message
	guided        bool
	calls         int
}

func (a *agent) work(ctx context.Context) (string, error) {
	for {
		tool := a.fetch
		if a.guided {
			tool = a.search
		}
		out, err := tool(ctx, "ferry Oslo price")
		if err != nil {
			return "", err
		}
		a.calls++
		id := fmt.Sprint("call", a.calls)
		a.history = append(a.history,
			trim.Message{Role: "assistant", CallIDs: []string{id}}, trim.Message{Role: "tool", ResultOf: []string{id}, Text: out})
		if strings.HasPrefix(out, "From ") {
			return out, nil
		}
	}
}

// retry begins the next attempt with the latest of the history and the guidance.
func (a *agent) retry(w io.Writer, stop *actions.StopError) {
	fmt.Fprintf(w, "attempt %d, with %d of %d messages\n", stop.Attempt, len(stop.Messages), len(a.history))
	a.history = stop.Messages
	a.say(trim.User, stop.Guidance.Text())
	a.guided = stop.Guidance.Specialist == review.Loop // a model would read it
}

func (a *agent) say(role, text string) {
	a.history = append(a.history, trim.Message{Role: role, Text: text})
}

func fetch(context.Context, string) (string, error) { return "503: try again later", nil }

func search(context.Context, string) (string, error) { return "From 49 euros, with a cabin.", nil }
