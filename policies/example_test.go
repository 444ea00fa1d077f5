package policies_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cbpolicy/cbpolicy/policies"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A program follows a directory of policies. What is put there wrongly leaves
// what was right in force, and verdicts say so.
func Example() {
	dir, _ := os.MkdirTemp("", "policies")
	defer os.RemoveAll(dir)
	publish := func(text string) {
		_ = os.WriteFile(filepath.Join(dir, "mail.cbp"), []byte(text), 0o600)
	}
	publish(`B:ability:mail.*|abort|"No mail today"`)

	var rules registry.Registry
	loader, err := policies.Open(&rules, policies.Options{Paths: []string{dir}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go loader.Watch(ctx, policies.DefaultInterval)

	agent, _ := session.New(session.Options{ID: "s1", Registry: &rules, Store: memory.New(memory.Options{})})
	ask := func() {
		var v registry.Verdict
		agent.Before(ctx, &session.Step{Call: session.Call{Ability: "mail.send"}}, &v)
		fmt.Println(v.Decision, len(v.Notes) > 0)
	}
	ask()

	publish(`B:ability:mail.*|abrot|"No mail today"`)
	loader.Look() // as Watch does, every two seconds
	loader.Look()
	ask()
	fmt.Println(loader.Status().Refused != nil)

	publish(`B:ability:mail.*|warn|"Mail is watched"`)
	loader.Look()
	loader.Look()
	ask()
	// Output:
	// abort false
	// abort true
	// true
	// warn false
}
