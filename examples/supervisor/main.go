// Command supervisor shows the delegation cap: a supervisor whose worker
// cannot do what it is asked goes on for ever, or stops after two failures and
// takes the way round.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// patience is how often the supervisor would try.
const patience = 14

// workers are the answers of the teams: one has no access, the other does it.
var workers = map[string]string{
	"chef_team":  "I'm sorry, but I don't have access to the kitchen's stock list, so I cannot plan the menu.",
	"grill_team": "Menu for Friday: grilled trout, potato salad, apple tart. All of it is in stock.",
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	fmt.Fprintf(w, "without rules: %d delegations\n", unguarded())
	if err := guarded(w, "with the cap", session.Delegation{}); err != nil {
		return err
	}
	return guarded(w, "with a way round", session.Delegation{
		Alternatives: []session.Alternative{{Workers: "chef_team", Use: []string{"grill_team"}}},
	})
}

// unguarded is a supervisor that takes every refusal for bad luck.
func unguarded() (delegations int) {
	for range patience {
		delegations++
		if done(workers["chef_team"]) {
			break
		}
	}
	return delegations
}

// done is how the supervisor would tell: there is a menu.
func done(answer string) bool { return len(answer) > 4 && answer[:4] == "Menu" }

// guarded is the same supervisor in a session.
func guarded(w io.Writer, title string, d session.Delegation) error {
	var rules registry.Registry
	if err := rules.LoadBuiltins(); err != nil {
		return err
	}
	s, err := session.New(session.Options{ID: "demo", Registry: &rules, Store: memory.New(memory.Options{}), Delegation: d})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s:\n", title)
	ctx, worker, delegations := context.Background(), "chef_team", 0
	for range patience {
		advice := s.Advise(ctx, "", worker)
		if advice.Way != session.Go {
			fmt.Fprintf(w, "  %s\n", advice.Why)
		}
		switch advice.Way {
		case session.Go:
		case session.Switch:
			worker = advice.Use
		default:
			fmt.Fprintf(w, "  %d delegations\n", delegations)
			return nil
		}
		answer, err := delegate(ctx, s, worker)
		if err != nil {
			return err
		}
		delegations++
		fmt.Fprintf(w, "  %s: %s\n", worker, answer)
		if done(answer) {
			break
		}
	}
	fmt.Fprintf(w, "  %d delegations\n", delegations)
	return nil
}

// delegate gives a worker the task, as the session lets it.
func delegate(ctx context.Context, s *session.Session, worker string) (string, error) {
	st := &session.Step{Call: session.Call{Ability: session.DelegationTo(worker)}}
	var v registry.Verdict
	if s.Before(ctx, st, &v); v.Decision.Blocks() {
		return "", fmt.Errorf("%s: %s", v.Decision, v.Blocking().Explain())
	}
	answer := workers[worker]
	out := registry.Text(answer)
	return answer, s.After(ctx, session.Outcome{Step: st, Output: &out})
}
