package actions_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
)

func TestFault18_ThrottleWaits(t *testing.T) {
	g, clock := newGate(t, `B:frequency>1/30s|throttle`, nil)
	for range 2 {
		if _, err := g.Enter(t.Context(), step(t, "x", `{}`)); err != nil {
			t.Fatal(err)
		}
	}
	if d := time.Duration(clock.Now() - start.UnixNano()); d != 30*time.Second {
		t.Errorf("the second step ran after %s, want 30s", d)
	}
}

func TestFault19_ConfirmWithoutAChannelAborts(t *testing.T) {
	g, _ := newGate(t, ask, nil)
	_, err := g.Enter(t.Context(), step(t, "pay.send", `{}`))
	wantStop(t, err, actions.ErrAborted, "ask")
}

func TestFault20_ApprovingOneRuleApprovesNoOther(t *testing.T) {
	person := &answering{answers: []actions.Answer{actions.ForRun}}
	g, _ := newGate(t, ask+"\nB:amount>1|confirm|id=big", person)
	if _, err := g.Enter(t.Context(), step(t, "pay.send", `{"amount":5}`)); !errors.Is(err, actions.ErrAborted) {
		t.Errorf("one answer for two rules: %v", err)
	}
	person.answers = []actions.Answer{actions.ForRun, actions.ForRun}
	for range 3 { // "for this run" is kept and not asked for again
		if _, err := g.Enter(t.Context(), step(t, "pay.send", `{"amount":5}`)); err != nil {
			t.Fatal(err)
		}
	}
	if len(person.asked) != 2 || len(person.asked[1].Rules) != 2 {
		t.Errorf("asked %d times", len(person.asked))
	}
}
