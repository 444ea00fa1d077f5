// Package sessiontest owns the tests of sessions that race for one home of the
// state, in many processes at once. It knows no home; what every home does by
// itself is tested by package statetest.
package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/state/statetest"
)

const (
	processes = 8
	sessions  = 50 // of each
	failures  = processes * sessions
)

// Works are those of the child processes of RunFailures, for statetest.Main.
func Works() []statetest.Work {
	return []statetest.Work{{Name: "sessions that fail", Do: fail}, {Name: "failures of sessions", Do: count}}
}

// RunFailures tests that failures are all counted of which sessions tell at once,
// many in each of many processes: by After, by an event, or by events alone. address makes a new and empty home and returns
// what the function takes that is given to statetest.Main.
func RunFailures(t *testing.T, address func(*testing.T) string) {
	rounds := 4 // each takes seconds, as all wait for all
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		home := address(t)
		told := 0
		for _, n := range statetest.Processes(t, "sessions that fail", home) {
			told += n
		}
		if told != failures {
			t.Fatalf("%d failures were told of without an error, want %d", told, failures)
		}
		// The last process to look finds them all.
		if got := statetest.Processes(t, "failures of sessions", home)[0]; got != failures {
			t.Fatalf("%d failures were counted, want %d", got, failures)
		}
	}
}

// patient is a breaker that never opens here.
var patient = []session.Breaker{{Abilities: "*", Config: breaker.Config{Threshold: failures + 1}}}

// newSession returns a session of this process, of which i tells it from others.
func newSession(s state.Store, i int) (*session.Session, error) {
	return session.New(session.Options{ID: fmt.Sprintf("%d/%d", os.Getpid(), i), Registry: &registry.Registry{}, Store: s, Breakers: patient})
}

// fail makes calls of one ability that fail, all at once and each in a session of
// its own, and returns how many were told of without an error.
func fail(s state.Store) (told int, err error) {
	errs := make([]error, sessions)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = failOnce(s, i) })
	}
	all.Wait()
	for _, err := range errs {
		if err == nil {
			told++
		}
	}
	return told, errors.Join(errs...)
}

func failOnce(s state.Store, i int) error {
	of, err := newSession(s, i)
	if err != nil {
		return err
	}
	ctx, st := context.Background(), &session.Step{Call: session.Call{Ability: "web", ID: "call"}}
	if i%3 == 0 {
		of.Observe(ctx, &session.Event{Type: session.ToolUse, CallID: st.Call.ID, Ability: st.Ability})
	} else if err := letThrough(of, st); err != nil {
		return err
	}
	if i%3 == 1 {
		return of.After(ctx, session.Outcome{Step: st, Failed: true, Class: session.ClassTool, Message: "it failed"})
	}
	of.Observe(ctx, &session.Event{Type: session.ToolResult, CallID: st.Call.ID, Error: &session.Failure{Class: session.ClassTool, Message: "it failed"}})
	if err := of.Flush(ctx); err != nil || i%3 == 0 {
		return err
	}
	if err := letThrough(of, st); err != nil {
		return err
	}
	if st.Repeated() {
		return errors.New("the event has not settled the call")
	}
	return nil
}

func letThrough(s *session.Session, st *session.Step) error {
	var v registry.Verdict
	if s.Before(context.Background(), st, &v); v.Decision.Blocks() {
		return fmt.Errorf("refused: %s", v.Blocking().Explain())
	}
	return nil
}

// count returns how many failures are counted.
func count(s state.Store) (int, error) {
	of, err := newSession(s, 0)
	if err != nil {
		return 0, err
	}
	st, _, _, err := of.Breaker(context.Background(), "web")
	return int(st.Failures), err
}
