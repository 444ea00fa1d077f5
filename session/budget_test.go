package session_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// dollar is one in nano-dollars.
const dollar = int64(1e9)

// spender is a session whose tasks may spend 50 dollars each.
func spender(t testing.TB) *agent {
	return newAgent(t, "B:task.spend_cents>5000|abort|id=token_spend_limit")
}

// The money of a task is that of those above it, and reserved there: a task
// below is refused what its own limit would let it spend.
func TestWhatATaskSpendsIsHeldAgainstThoseAboveIt(t *testing.T) {
	a := spender(t)
	a.StartTask("root", "", "")
	for i, want := range []string{"allow", "abort token_spend_limit", "abort token_spend_limit"} {
		kid := fmt.Sprint("kid", i)
		a.StartTask(kid, "root", "")
		st := &session.Step{Call: session.Call{Ability: "model.ask"}, Task: kid, Estimate: 30 * dollar}
		if got := a.judge(st); got != want {
			t.Errorf("%s: got %s, want %s", kid, got, want)
		}
	}
	a.StartTask("other", "", "")
	st := &session.Step{Call: session.Call{Ability: "model.ask"}, Task: "other", Estimate: 30 * dollar}
	if got := a.judge(st); got != "allow" {
		t.Errorf("a task beside: got %s, want allow", got)
	}
}

func TestWhatTasksHaveSpentOneAfterTheOtherCountsAbove(t *testing.T) {
	a := spender(t)
	a.StartTask("root", "", "")
	a.StartTask("mid", "root", "")
	for i, want := range []string{"allow", "abort token_spend_limit"} {
		kid := fmt.Sprint("kid", i)
		a.StartTask(kid, "mid", "")
		st := &session.Step{Call: session.Call{Ability: "model.ask"}, Task: kid, Estimate: 30 * dollar}
		if got := a.judge(st); got != want {
			t.Fatalf("%s: got %s, want %s", kid, got, want)
		}
		if want != "allow" {
			break
		}
		if err := a.After(t.Context(), session.Outcome{Step: st, Cost: 30 * dollar, Settled: true}); err != nil {
			t.Fatal(err)
		}
		a.FinishTask(kid, session.Completed, "")
	}
}

func TestUsageBelowEndsTheTaskWhoseLimitItReaches(t *testing.T) {
	a := spender(t)
	a.StartTask("root", "", "")
	var ended []string
	for i := range 4 {
		kid := fmt.Sprint("kid", i)
		a.StartTask(kid, "root", "")
		halts := a.Observe(t.Context(), &session.Event{Type: session.Usage, Task: kid, Cost: 20 * dollar, HasCost: true})
		for _, h := range halts {
			if h.Ended {
				ended = append(ended, h.Task+" by "+kid)
			}
		}
	}
	if got := strings.Join(ended, ", "); got != "root by kid2" {
		t.Errorf("ended: %q, want %q", got, "root by kid2")
	}
	st := &session.Step{Call: session.Call{Ability: "model.ask"}, Task: "kid0"}
	if got := a.judge(st); got != "abort token_spend_limit" {
		t.Errorf("a task below the one that was ended: got %s", got)
	}
}

// A call that is asked for twice reserves its money once, above too.
func TestACallUnderWayIsNotHeldAgainstThoseAboveTwice(t *testing.T) {
	a := spender(t)
	a.StartTask("root", "", "")
	a.StartTask("kid", "root", "")
	for range 3 {
		st := &session.Step{Call: session.Call{ID: "c1", Ability: "model.ask"}, Task: "kid", Estimate: 30 * dollar}
		if got := a.judge(st); got != "allow" {
			t.Fatalf("got %s, want allow", got)
		}
	}
}

// spentBy is what a task has spent and reserved, in cents.
func spentBy(s *session.Session, task string) (cents int64) {
	for _, m := range s.Meters(task) {
		if m.Name == "task.spend_cents" {
			fmt.Sscan(m.Value, &cents)
		}
	}
	return cents
}

// The refusal of a task whose money was counted at a guess says so, however
// often it is asked.
func TestEveryRefusalOverGuessedMoneySaysSo(t *testing.T) {
	a := priced(t, 0, "B:task.spend_cents>10|abort|id=cap")
	a.Observe(t.Context(), &session.Event{Type: session.Usage, Model: "unheard-of", Tokens: meter.Tokens{Input: 1e6}})
	for range 2 {
		var v registry.Verdict
		a.Before(t.Context(), &session.Step{Call: session.Call{Ability: "model.ask"}}, &v)
		if brief(&v) != "abort cap" || !strings.Contains(strings.Join(v.Notes, " "), "unheard-of") {
			t.Errorf("got %s with notes %q, want abort cap and a note of the model", brief(&v), v.Notes)
		}
	}
}

// Two calls of one id are two calls where their abilities differ; a call that
// is asked for again is found by all three.
func TestMoneyOfCallsWithOneIDIsKeptApart(t *testing.T) {
	a := newAgent(t, "")
	step := func(ability string, cents int64) *session.Step {
		st := &session.Step{Call: session.Call{ID: "c1", Ability: ability}, Estimate: cents * dollar / 100}
		if got := a.judge(st); got != "allow" {
			t.Fatalf("%s: got %s", ability, got)
		}
		return st
	}
	step("x", 1)
	y := step("y", 100)
	x := step("x", 1) // again
	for _, o := range []session.Outcome{{Step: x, Cost: dollar / 100, Settled: true}, {Step: y, Cost: dollar, Settled: true}} {
		if err := a.After(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if got := spentBy(a.Session, ""); got != 101 {
		t.Errorf("spent %d cents, want 101", got)
	}
}

// One call costs once, whoever reports it first.
func TestACallThatIsReportedByTwoStepsCostsOnce(t *testing.T) {
	a := newAgent(t, "")
	step := func() *session.Step {
		st := &session.Step{Call: session.Call{ID: "c1", Ability: "x"}, Estimate: dollar / 10}
		a.judge(st)
		return st
	}
	first, again := step(), step()
	if first.Repeated() || !again.Repeated() {
		t.Fatalf("repeated: %v, %v", first.Repeated(), again.Repeated())
	}
	for i, st := range []*session.Step{first, again} {
		if err := a.After(t.Context(), session.Outcome{Step: st, Cost: int64(i*10+5) * dollar / 100, Settled: true}); err != nil {
			t.Fatal(err)
		}
	}
	if got := spentBy(a.Session, ""); got != 5 {
		t.Errorf("spent %d cents, want 5", got)
	}
}

// What a call comes to whose task has begun anew counts in the place of what was
// reserved for it, whatever its Step says by then.
func TestALateCostCountsInsteadOfWhatWasReserved(t *testing.T) {
	cheaper := newAgent(t, "")
	cheaper.StartTask("t", "", "")
	less := &session.Step{Call: session.Call{Ability: "x"}, Task: "t", Estimate: 10 * dollar}
	cheaper.judge(less)
	cheaper.NewAttempt("t")
	if err := cheaper.After(t.Context(), session.Outcome{Step: less, Cost: dollar, Settled: true}); err != nil {
		t.Fatal(err)
	}
	if got := spentBy(cheaper.Session, "t"); got != 100 {
		t.Errorf("spent %d cents, want 100", got)
	}
	a := newAgent(t, "")
	a.StartTask("t", "", "")
	st := &session.Step{Call: session.Call{ID: "c1", Ability: "x"}, Task: "t", Estimate: dollar / 10}
	a.judge(st)
	a.NewAttempt("t")
	st.Estimate = 9 * dollar / 10
	for range 2 {
		if err := a.After(t.Context(), session.Outcome{Step: st, Cost: 9 * dollar / 10, Settled: true}); err != nil {
			t.Fatal(err)
		}
	}
	if got := spentBy(a.Session, "t"); got != 90 {
		t.Errorf("spent %d cents, want 90", got)
	}
}

func TestReservationsBeyondAnyAmountAreNotLost(t *testing.T) {
	a := newAgent(t, "")
	var all [2]*session.Step
	for i := range all {
		all[i] = &session.Step{Call: session.Call{Ability: "x"}, Estimate: math.MaxInt64}
		a.judge(all[i])
	}
	if err := a.After(t.Context(), session.Outcome{Step: all[0], Settled: true}); err != nil {
		t.Fatal(err)
	}
	if got := spentBy(a.Session, ""); got < math.MaxInt64/10_000_000 {
		t.Errorf("spent and reserved %d cents, though a call is under way that may cost as much as there is", got)
	}
}

func TestAMessageThatIsToldOfAgainAfterAReviewCostsNothingMore(t *testing.T) {
	a := priced(t, 0, "")
	a.StartTask("t", "", "")
	e := &session.Event{Type: session.Usage, Task: "t", MessageID: "m", Model: "cheap", Tokens: meter.Tokens{Input: 1e6}}
	a.Observe(t.Context(), e)
	once := spentBy(a.Session, "t")
	a.NewAttempt("t")
	a.Observe(t.Context(), e)
	if got := spentBy(a.Session, "t"); got != once || once != 100 {
		t.Errorf("spent %d cents, and %d when told again, want 100", once, got)
	}
}

// A call that nobody may tell of any more is no longer under way: made again it
// is another, and takes its place in a window.
func TestACallOfATaskThatIsOverIsNotRepeated(t *testing.T) {
	for name, over := range map[string]func(a *agent){
		"another task":     func(*agent) {},
		"begun anew":       func(a *agent) { a.NewAttempt("t1") },
		"closed":           func(a *agent) { a.FinishTask("t1", session.Completed, "") },
		"closed and again": func(a *agent) { a.FinishTask("t1", session.Completed, ""); a.StartTask("t1", "", "") },
	} {
		a := newAgent(t, "B:frequency:pay@session>1/1h|abort")
		a.StartTask("t1", "", "")
		a.StartTask("t2", "", "")
		pay := func(task string) string {
			return a.judge(&session.Step{Call: session.Call{ID: "c1", Ability: "pay"}, Task: task})
		}
		if first, again := pay("t1"), pay("t1"); first != "allow" || again != "allow" {
			t.Fatalf("%s: %s, asked again %s", name, first, again)
		}
		over(a)
		task := "t1"
		if name == "another task" {
			task = "t2"
		}
		if got := pay(task); !strings.HasPrefix(got, "abort") {
			t.Errorf("%s: a second payment: got %s, want abort", name, got)
		}
	}
}
