package main

import (
	"context"
	"fmt"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// Tool is any function that an agent calls.
type Tool func(args map[string]string) (string, error)

// Guard puts the session's rules around a tool: ten lines, whatever it does.
func Guard(s *session.Session, ability string, tool Tool) Tool {
	return func(args map[string]string) (string, error) {
		st := &session.Step{Call: session.Call{Ability: ability, Args: registry.Texts(args)}}
		var v registry.Verdict
		if s.Before(context.Background(), st, &v); v.Decision.Blocks() {
			f := v.Blocking()
			return "", fmt.Errorf("%s by %s: %s", v.Decision, f.Rule.ID, f.Explain())
		}
		out, err := tool(args)
		text := registry.Text(out)
		return out, firstOf(err, s.After(context.Background(), session.Outcome{Step: st, Output: &text, Failed: err != nil}))
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
