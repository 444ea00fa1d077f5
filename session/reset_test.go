package session_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// The metrics of a process say what its breakers are, whoever has opened, closed or
// reset them, and also after the store has forgotten them.
func TestBreakerMetrics_SeeWhatIs(t *testing.T) {
	const day = breaker.Forget
	for name, test := range map[string]struct {
		manual bool
		then   func(here, there *agent, later func(time.Duration))
		want   breaker.Reading
	}{
		"reset here": {true, func(here, _ *agent, later func(time.Duration)) {
			later(time.Minute)
			here.reset("web")
			later(time.Hour)
		}, breaker.Reading{Phase: "closed", Trips: 1, Open: time.Minute}},
		"reset here, and called": {true, func(here, _ *agent, later func(time.Duration)) {
			later(time.Minute)
			here.reset("web")
			later(time.Hour)
			here.want("allow", "web", "")
		}, breaker.Reading{Phase: "closed", Trips: 1, Calls: 1, Open: time.Minute}},
		"reset there": {true, func(here, there *agent, later func(time.Duration)) {
			later(time.Minute)
			there.reset("web")
			later(time.Hour)
			here.want("allow", "web", "")
		}, breaker.Reading{Phase: "closed", Trips: 1, Calls: 1, Open: time.Minute}},
		"reset there, and forgotten": {true, func(here, there *agent, later func(time.Duration)) {
			later(time.Minute)
			there.reset("web")
			later(2 * day)
			here.want("allow", "web", "")
		}, breaker.Reading{Phase: "closed", Calls: 1}},
		"closed by a probe there": {false, func(here, there *agent, later func(time.Duration)) {
			later(time.Minute)
			there.want("allow", "web", "")
			later(time.Hour)
			here.want("allow", "web", session.ClassTool)
		}, breaker.Reading{Phase: "closed", Trips: 1, Calls: 1, Failed: 1, Open: time.Minute}},
		"forgotten": {false, func(here, _ *agent, later func(time.Duration)) {
			later(2 * day)
			for range 20 {
				here.want("allow", "web", "")
			}
		}, breaker.Reading{Phase: "closed", Calls: 20}},
		"forgotten, and not called": {false, func(_, _ *agent, later func(time.Duration)) {
			later(2 * day)
		}, breaker.Reading{Phase: "closed"}},
		"opened there": {false, func(here, there *agent, later func(time.Duration)) {
			later(2 * day)
			there.want("allow", "web", session.ClassTool)
			there.want("allow", "web", session.ClassTool)
			here.want("abort circuit_open", "web", "")
		}, breaker.Reading{Phase: "open", Trips: 1}},
		"only looked at": {true, func(here, there *agent, later func(time.Duration)) {
			later(time.Minute)
			there.reset("web")
			if _, _, _, err := here.Breaker(t.Context(), "web"); err != nil {
				t.Error(err)
			}
		}, breaker.Reading{Phase: "closed", Trips: 1, Calls: 2, Failed: 2, Open: time.Minute}},
	} {
		t.Run(name, func(t *testing.T) {
			clock, store := session.NewVirtualClock(start), memory.New(memory.Options{})
			m := breaker.NewMetrics(0, breaker.Alerts{Trips: 100, Open: 1000 * time.Hour})
			agentOf := func(id string, m *breaker.Metrics) *agent {
				s, err := session.New(session.Options{
					ID: id, Registry: load(t, ""), Store: store, Clock: clock, Metrics: m,
					Breakers: []session.Breaker{{Abilities: "*", Config: breaker.Config{Threshold: 2, Manual: test.manual}}},
				})
				if err != nil {
					t.Fatal(err)
				}
				return &agent{s, clock, t}
			}
			here, there := agentOf("here", m), agentOf("there", nil)
			here.want("allow", "web", session.ClassTool)
			here.want("allow", "web", session.ClassTool)
			test.then(here, there, clock.Advance)
			test.want.Ability, test.want.Alerts = "web", []string{}
			if d := cmp.Diff([]breaker.Reading{test.want}, m.Read(clock.Now())); d != "" {
				t.Error(d)
			}
		})
	}
}

func (a *agent) reset(ability string) {
	a.t.Helper()
	if err := a.ResetBreaker(a.t.Context(), ability); err != nil {
		a.t.Error(err)
	}
}

// want makes a call that ends in an error class, or well, and wants a verdict.
func (a *agent) want(verdict, ability, class string) {
	a.t.Helper()
	if got := a.try(ability, class); got != verdict {
		a.t.Errorf("%s: %s, want %s", ability, got, verdict)
	}
}
