package actions_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

func TestThrottle_WaitsUntilThereIsRoom(t *testing.T) {
	g, clock := newGate(t, `B:frequency>1/30s|throttle|id=slow`, nil)
	var waits []time.Duration
	g.Waiting = func(_ *session.Step, _ *registry.Verdict, d time.Duration) { waits = append(waits, d) }
	for range 3 {
		if _, err := g.Enter(t.Context(), step(t, "x", `{}`)); err != nil {
			t.Fatal(err)
		}
		clock.Advance(10 * time.Second)
	}
	if len(waits) != 2 || waits[0] != 20*time.Second || waits[1] != 20*time.Second {
		t.Errorf("waited %v, want 20s twice", waits)
	}
}

func TestThrottle_Stops(t *testing.T) {
	for policy, retry := range map[string]time.Duration{
		`B:frequency>1/61s|throttle|id=slow`:                                          61 * time.Second, // longer than the default of 60s
		`B:frequency>1/10s|throttle(9s)|id=slow`:                                      10 * time.Second,
		`B:frequency:y>0/1h|throttle|id=slow`:                                         -1,
		`B:ability:y|throttle|id=slow`:                                                -1,
		"B:frequency>1/5s|throttle|id=fast\nB:ability:y|throttle|id=slow":             -1,
		"B:frequency>1/50s|throttle|id=fast\nB:frequency>1/55s|throttle(54s)|id=slow": 55 * time.Second,
	} {
		g, clock := newGate(t, policy, nil)
		if _, err := g.Enter(t.Context(), step(t, "x", `{}`)); err != nil {
			t.Fatal(err)
		}
		_, err := g.Enter(t.Context(), step(t, "y", `{}`))
		if stop := wantStop(t, err, actions.ErrThrottled, "slow"); stop.RetryAfter != retry {
			t.Errorf("%s: room in %s, want %s", policy, stop.RetryAfter, retry)
		}
		if clock.Now() != start.UnixNano() {
			t.Errorf("%s: the step waited in vain", policy)
		}
	}
}

func TestThrottle_TotalOverRechecks(t *testing.T) {
	g, _ := newGate(t, `B:frequency>1/30s|throttle(45s)|id=slow`, nil)
	if _, err := g.Enter(t.Context(), step(t, "x", `{}`)); err != nil {
		t.Fatal(err)
	}
	// Whenever the wait is over, another call has taken the room.
	waits := 0
	g.Waiting = func(_ *session.Step, _ *registry.Verdict, d time.Duration) {
		waits++
		g.Clock.(*session.VirtualClock).Advance(d)
		var v registry.Verdict
		g.Session.Before(t.Context(), step(t, "x", `{}`), &v)
		g.Clock.(*session.VirtualClock).Advance(-d)
	}
	_, err := g.Enter(t.Context(), step(t, "x", `{}`))
	wantStop(t, err, actions.ErrThrottled, "slow")
	if waits != 1 {
		t.Errorf("waited %d times, want once: twice would be 60s of 45s", waits)
	}
}

func TestThrottle_ComesBeforeTheQuestion(t *testing.T) {
	var order []string
	g, _ := newGate(t, "B:frequency>1/30s|throttle\nB:ability:pay.*|confirm", actions.ConfirmFunc(func(context.Context, *actions.Question) ([]actions.Answer, error) {
		order = append(order, "ask")
		return []actions.Answer{actions.Yes}, nil
	}))
	g.Waiting = func(*session.Step, *registry.Verdict, time.Duration) { order = append(order, "wait") }
	for _, ability := range []string{"x", "pay.send"} {
		if _, err := g.Enter(t.Context(), step(t, ability, `{}`)); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(order, " "); got != "wait ask" {
		t.Errorf("got %s", got)
	}
}
