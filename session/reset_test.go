package session_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A breaker that an operator closes is told of as any other that moves, once the
// session is unlocked; one that was closed has not moved.
func TestResetBreaker_IsTold(t *testing.T) {
	var (
		log     bytes.Buffer
		changes []session.BreakerChange
		a       *agent
	)
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{
		ID: "s", Registry: load(t, ""), Store: memory.New(memory.Options{}), Clock: clock,
		Breakers: []session.Breaker{{Abilities: "*", Config: breaker.Config{Threshold: 2, Manual: true}}},
		Log:      slog.New(slog.NewTextHandler(&log, nil)),
		OnBreaker: func(c session.BreakerChange) {
			changes = append(changes, c)
			if _, phase, _, err := a.Breaker(t.Context(), "web"); err != nil || phase != c.To { // it may call back
				t.Errorf("told of %s: it is %s (%v)", c.To, phase, err)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	a = &agent{s, clock, t}
	a.try("web", session.ClassTool)
	if err := a.ResetBreaker(t.Context(), "web"); err != nil || len(changes) > 0 {
		t.Errorf("of a closed one %v is told (%v)", changes, err)
	}
	a.try("web", session.ClassTool)
	a.try("web", session.ClassTool)
	log.Reset()
	clock.Advance(time.Minute)
	if err := a.ResetBreaker(t.Context(), "Web"); err != nil {
		t.Fatal(err)
	}
	if len(changes) != 2 {
		t.Fatalf("told of %v, want that it opened and closed", changes)
	}
	want := session.BreakerChange{Ability: "web", At: clock.Now(), From: breaker.Open, To: breaker.Closed, Trips: 1}
	if changes[1] != want {
		t.Errorf("told of %+v, want %+v", changes[1], want)
	}
	if line := log.String(); !strings.Contains(line, `msg="breaker changed" session=s ability=web from=open to=closed trips=1`) {
		t.Errorf("logged %q", line)
	}
}
