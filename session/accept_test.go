package session_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// halted is an agent whose task "t", below "above", was ended by a built-in halt.
func halted(t *testing.T, slug string, o session.Options) (*agent, *session.Halt) {
	t.Helper()
	reg := new(registry.Registry)
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	clock := session.NewVirtualClock(start)
	o.ID, o.Registry, o.Store, o.Clock = "s", reg, memory.New(memory.Options{}), clock
	s, err := session.New(o)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{s, clock, t}
	a.StartTask("above", "", "")
	a.StartTask("t", "above", "")
	a.StartTask("below", "t", "")
	// What is spent and how long it takes is the task above's too: it may.
	if limit := map[string]string{"token_spend_limit": "5000", "duration_limit": "1800"}[slug]; limit != "" {
		if err := errors.Join(a.Raise("above", slug, "99999"), a.Raise("t", slug, limit)); err != nil {
			t.Fatal(err)
		}
	}
	var halts []session.Halt
	observe := func(e session.Event) {
		e.Task = "t"
		halts = append(halts, a.Observe(t.Context(), &e)...)
	}
	switch slug {
	case "tool_call_limit":
		for range 51 {
			observe(session.Event{Type: session.ToolUse, Ability: "ls"})
		}
	case "token_spend_limit":
		observe(session.Event{Type: session.Usage, Cost: 5000e7 + 1e5, HasCost: true})
	case "duration_limit":
		for range 18 {
			clock.Advance(100 * time.Second)
			a.beat("below")
		}
		clock.Advance(100 * time.Second)
		observe(session.Event{Type: session.Heartbeat, Phase: session.Working})
	case "idle_timeout":
		clock.Advance(200 * time.Second)
		a.beat("above")
		clock.Advance(101 * time.Second)
		observe(session.Event{Type: session.Heartbeat, Phase: session.Working})
	case "output_loop":
		for range 3 {
			observe(session.Event{Type: session.AgentSaid, Text: "I will try again"})
		}
	}
	for i := range halts {
		if h := &halts[i]; h.Ended && h.Task == "t" && h.Fired.Rule.ID == slug {
			return a, h
		}
	}
	t.Fatalf("%s did not end the task: %v", slug, halts)
	return nil, nil
}

// beat is a sign of life.
func (a *agent) beat(task string) {
	a.Observe(a.t.Context(), &session.Event{Type: session.Heartbeat, Task: task, Phase: session.Working})
}

// in judges a call of a task.
func (a *agent) in(task string) string {
	return a.judge(&session.Step{Call: session.Call{Ability: "ls"}, Task: task})
}

// state is an open task in a snapshot.
func (a *agent) state(task string) *session.TaskState {
	shot := a.Snapshot()
	for i := range shot.Tasks {
		if shot.Tasks[i].Task == task {
			return &shot.Tasks[i]
		}
	}
	return nil
}

var slugs = []string{"tool_call_limit", "token_spend_limit", "duration_limit", "idle_timeout", "output_loop"}

// The card of each of the five halts has its counters as they are, and every
// choice; each choice does what its name says.
func TestAccept(t *testing.T) {
	counters := map[string]string{
		"tool_call_limit": "tool calls: 51 of 50", "token_spend_limit": "spend: 5000.01 of 5000 cents",
		"duration_limit": "duration: 1900 of 1800 seconds", "idle_timeout": "idle: 301 of 300 seconds",
		"output_loop": "similarity of the last 3 outputs: 1 of 0.95",
	}
	for _, slug := range slugs {
		t.Run(slug, func(t *testing.T) {
			a, h := halted(t, slug, session.Options{})
			card := h.Alert()
			var choices []session.Choice
			for _, o := range card.Choices {
				choices = append(choices, o.Choice)
			}
			if card.Slug != slug || card.Task != "t" || card.Counters != counters[slug] || fmt.Sprint(choices) != "[raise_limit pause narrow_scope new_plan dismiss]" {
				t.Errorf("card %+v", card)
			}
			for _, task := range []string{"t", "below"} {
				if got := a.in(task); got != "abort "+slug {
					t.Errorf("%s before a choice: %s", task, got)
				}
			}
			for _, c := range []session.Choice{session.RaiseLimit, session.Narrow, session.Replan} {
				a, h := halted(t, slug, session.Options{})
				if err := a.Accept(h, c); err != nil {
					t.Fatalf("%s: %v", c, err)
				}
				for _, task := range []string{"t", "below"} {
					if got := a.in(task); got != "allow" {
						t.Errorf("%s after %s: %s", task, c, got)
					}
				}
				if err := a.Accept(h, c); !errors.Is(err, session.ErrNotEnded) {
					t.Errorf("%s once more: %v", c, err)
				}
			}
		})
	}
}

// Who pauses a task finds it as he left it: refused, and not a second older.
func TestAccept_Pause(t *testing.T) {
	for _, slug := range slugs {
		t.Run(slug, func(t *testing.T) {
			a, h := halted(t, slug, session.Options{})
			if err := a.Accept(h, session.Pause); err != nil {
				t.Fatal(err)
			}
			before, below, session0 := *a.state("t"), *a.state("below"), a.Snapshot().Duration
			a.clock.Advance(time.Hour)
			a.beat("t") // the agent is still there
			a.clock.Advance(time.Hour)
			a.Observe(t.Context(), &session.Event{Type: session.UserSaid, Task: "t", Text: "and?"})
			a.clock.Advance(46 * time.Hour)
			a.StartTask("new", "t", "")
			a.clock.Advance(time.Hour)
			now := *a.state("t")
			if !now.Paused || now.EndedBy != slug || now.Duration != before.Duration || a.state("below").Duration != below.Duration {
				t.Errorf("paused: %+v, was %+v", now, before)
			}
			for _, task := range []string{"t", "below", "new"} {
				if got := a.in(task); got != "abort "+slug {
					t.Errorf("%s is paused: %s", task, got)
				}
			}
			if m := a.Metadata("t"); m.FinalStatus != session.Halted {
				t.Errorf("paused: %+v", m)
			}
			if a.state("above").Paused {
				t.Errorf("the task above is paused too; the session showed %s s", session0)
			}
			if err := a.Resume("t"); err != nil {
				t.Fatal(err)
			}
			a.clock.Advance(time.Second)
			now = *a.state("t")
			if got, want := secs(t, now.Duration), secs(t, before.Duration)+1; now.Paused || got != want {
				t.Errorf("resumed: %v s, want %v: %+v", got, want, now)
			}
			if got, want := secs(t, a.state("below").Duration), secs(t, below.Duration)+1; got != want {
				t.Errorf("below, resumed: %v s, want %v", got, want)
			}
			if got := secs(t, a.state("new").Duration); got != 1 {
				t.Errorf("what was opened meanwhile: %v s, want 1", got)
			}
		})
	}
}

// A paused task goes on, too, where its limit is raised after all.
func TestAccept_RaisedWhilePaused(t *testing.T) {
	a, h := halted(t, "output_loop", session.Options{})
	if err := a.Accept(h, session.Pause); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Hour)
	if err := a.Accept(h, session.RaiseLimit); err != nil {
		t.Fatal(err)
	}
	if got := a.in("t"); got != "allow" || a.state("t").Paused {
		t.Errorf("with its limit raised: %s, %+v", got, a.state("t"))
	}
}

// The whole session can be paused, with its own clock.
func TestAccept_PauseOfTheSession(t *testing.T) {
	a := newAgent(t, "B:session.tool_calls>1|abort|id=all\nB:task.messages>0|warn|id=said\n")
	a.StartTask("t", "", "")
	a.in("t")
	a.clock.Advance(time.Second)
	var v registry.Verdict
	a.Before(t.Context(), &session.Step{Call: session.Call{Ability: "ls"}, Task: "t"}, &v)
	h := a.HaltOf(&v, "t", a.clock.Now())
	if h == nil || h.Alert().Task != "" {
		t.Fatalf("the session was ended: %+v", h)
	}
	for _, c := range []session.Choice{session.RaiseLimit, session.Narrow, session.Replan} {
		if err := a.Accept(h, c); err == nil {
			t.Errorf("%s would change nothing, and was accepted", c)
		}
	}
	if n := len(h.Alert().Choices); n != 2 {
		t.Errorf("choices that change nothing are offered: %+v", h.Alert().Choices)
	}
	if err := a.Accept(h, session.Pause); err != nil {
		t.Fatal(err)
	}
	before := a.Snapshot().Duration
	a.clock.Advance(time.Hour)
	a.StartTask("u", "", "")
	a.beat("t")
	a.clock.Advance(time.Hour)
	if got := a.Snapshot(); got.Duration != before || !a.state("t").Paused {
		t.Errorf("paused: %+v, was %s", got, before)
	}
	if err := a.Resume(""); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(time.Second)
	if got, want := secs(t, a.Snapshot().Duration), secs(t, before)+1; got != want {
		t.Errorf("resumed: %v s, want %v", got, want)
	}
}

// A warning ends nothing: it may be paused for, and put away.
func TestAccept_OfAWarning(t *testing.T) {
	a := newAgent(t, "B:task.messages>0|warn|id=said\n")
	a.StartTask("t", "", "")
	halts := a.Observe(t.Context(), &session.Event{Type: session.AgentSaid, Task: "t", Text: "x"})
	if len(halts) != 1 {
		t.Fatal(halts)
	}
	if err := a.Accept(&halts[0], session.RaiseLimit); !errors.Is(err, session.ErrNotEnded) {
		t.Errorf("raised: %v", err)
	}
	if err := a.Accept(&halts[0], session.Dismiss); err != nil || a.in("t") != "warn said" || a.state("t") == nil {
		t.Errorf("dismissed: %v", err)
	}
	if err := a.Accept(&halts[0], session.Pause); err != nil || a.in("t") != "abort paused" || !a.state("t").Paused {
		t.Errorf("paused: %v, %s", err, a.in("t"))
	}
	var v registry.Verdict
	a.Before(t.Context(), &session.Step{Call: session.Call{Ability: "ls"}, Task: "t"}, &v)
	if by := v.Blocking(); by == nil || by.Explain() != "the task is paused: task.messages 1 exceeds 0 (rule said)" {
		t.Errorf("what stands behind the refusal: %+v", by)
	}
	h := a.HaltOf(&v, "t", 0)
	if h == nil {
		t.Fatal("a paused task has no halt")
	}
	if card := h.Alert(); card.Slug != session.SlugPaused || card.Counters == "" {
		t.Errorf("its card: %+v", card)
	}
	if err := a.Resume("t"); err != nil || a.in("t") != "warn said" {
		t.Errorf("resumed: %v", err)
	}
}

// A person may have a task begun anew as often as he likes; reviews are counted
// without it.
func TestAccept_BegunAnew(t *testing.T) {
	for _, c := range []session.Choice{session.Narrow, session.Replan} {
		t.Run(string(c), func(t *testing.T) {
			var log strings.Builder
			a, h := halted(t, "tool_call_limit", session.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			for i := range 4 {
				if err := a.Accept(h, c); err != nil {
					t.Fatal(err)
				}
				if s := a.state("t"); s.ToolCalls != 0 || s.EndedBy != "" || s.Idle != "0" {
					t.Errorf("begun anew: %+v", s)
				}
				if m := a.Metadata("t"); m.RetryCount != i+1 || m.FinalStatus != "" || m.Totals.ToolCallCount != int64(51*(i+1)) {
					t.Errorf("begun anew: %+v", m)
				}
				h = nil
				for range 51 {
					for _, x := range a.Observe(t.Context(), &session.Event{Type: session.ToolUse, Task: "t", Ability: "ls"}) {
						if x.Ended {
							h = &x
						}
					}
				}
				if h == nil {
					t.Fatal("the limit of the attempt is gone")
				}
			}
			notices := strings.Join(a.state("above").Notices, "\n")
			if c == session.Narrow && notices != "" {
				t.Errorf("the task above was told: %s", notices)
			}
			if want := `task "t" needs a new plan: task.tool_calls 51 exceeds 50 (rule tool_call_limit)`; c == session.Replan && (!strings.HasPrefix(notices, want) || strings.Count(log.String(), "new plan wanted") != 4) {
				t.Errorf("the task above was told %q, want %q; log: %s", notices, want, log.String())
			}
			for i := range session.MaxReviews {
				for _, task := range []string{"t", "below"} {
					if n := a.Reviews(task); n != i {
						t.Errorf("%d reviews of %s, want %d", n, task, i)
					}
				}
				if err := a.NewAttempt("t"); err != nil {
					t.Errorf("review %d: %v", i+1, err)
				}
			}
			if err := a.NewAttempt("t"); err == nil || !strings.Contains(err.Error(), "begun anew 2 times already") {
				t.Errorf("one review too many: %v", err)
			}
			if err := a.NewAttempt("above"); err != nil || a.state("above").Notices != nil {
				t.Errorf("the task above has begun anew: %v, %+v", err, a.state("above"))
			}
		})
	}
}

// Money goes on in a new attempt; what a person grants with it is the limit once more.
func TestAccept_NarrowedOfMoney(t *testing.T) {
	a, h := halted(t, "token_spend_limit", session.Options{})
	if err := a.Accept(h, session.Narrow); err != nil {
		t.Fatal(err)
	}
	spend := func(nano int64) string {
		return a.observe(session.Event{Type: session.Usage, Task: "t", Cost: nano, HasCost: true})
	}
	if got := a.state("t").Spend; got != "5000.01" {
		t.Errorf("spent: %s", got)
	}
	if got := spend(5000e7); got != "" {
		t.Errorf("5,000 cents more: %s", got)
	}
	if got := spend(1); got != "t token_spend_limit" {
		t.Errorf("and a nano-dollar: %q", got)
	}
}

// What is dismissed is closed as halted, and the card is of no use any more.
func TestAccept_Dismiss(t *testing.T) {
	var told []string
	a, h := halted(t, "tool_call_limit", session.Options{OnTask: func(m session.Metadata) {
		told = append(told, fmt.Sprintf("%s %s", m.Task, m.FinalStatus))
	}})
	if err := a.Accept(h, session.Dismiss); err != nil {
		t.Fatal(err)
	}
	if a.state("t") != nil || a.state("below") != nil || a.state("above") == nil || fmt.Sprint(told) != "[below halted t halted]" {
		t.Errorf("told %v, open %+v", told, a.Snapshot().Tasks)
	}
	if m := a.Metadata("t"); m.FinalStatus != session.Halted || m.FailureReason == "" || m.Rule != "tool_call_limit" {
		t.Errorf("%+v", m)
	}
	if got := a.in("t"); got != "abort tool_call_limit" {
		t.Errorf("a step of it: %s", got)
	}
	for _, c := range []session.Choice{session.RaiseLimit, session.Pause, session.Narrow, session.Replan, session.Dismiss} {
		if err := a.Accept(h, c); err == nil || !strings.Contains(err.Error(), "closed already") {
			t.Errorf("%s of a card that was put away: %v", c, err)
		}
	}
}

// The threshold of similarity goes half of the way to 1, and outputs are
// compared anew.
func TestAccept_RaisedSimilarity(t *testing.T) {
	a, h := halted(t, "output_loop", session.Options{})
	for _, limit := range []string{"0.95", "0.975", "0.9875", "0.99375"} {
		if h.Fired.Limit != limit {
			t.Errorf("threshold %s, want %s", h.Fired.Limit, limit)
		}
		if err := a.Accept(h, session.RaiseLimit); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			h = nil
			for _, x := range a.Observe(t.Context(), &session.Event{Type: session.AgentSaid, Task: "t", Text: "I will try again"}) {
				if x.Ended {
					h = &x
				}
			}
			if (h != nil) != (i == 2) {
				t.Fatalf("output %d: %v", i+1, h)
			}
		}
	}
	if err := a.Raise("t", "output_loop", "1"); err != nil {
		t.Fatal(err)
	}
	if err := a.Resume("t"); err != nil {
		t.Fatal(err)
	}
	halts := a.Observe(t.Context(), &session.Event{Type: session.AgentSaid, Task: "t", Text: "I will try again"})
	if len(halts) == 0 || halts[0].Alert().Choices[0].Choice == session.RaiseLimit || a.Accept(&halts[0], session.RaiseLimit) == nil {
		t.Errorf("a threshold of 1 is raised: %+v", halts)
	}
}

// A step below a task that was ended has the card of that task; to accept it
// lets both go on.
func TestHaltOf_ATaskBelow(t *testing.T) {
	for _, c := range []session.Choice{session.RaiseLimit, session.Narrow, session.Replan} {
		a, _ := halted(t, "tool_call_limit", session.Options{})
		var v registry.Verdict
		a.Before(t.Context(), &session.Step{Call: session.Call{Ability: "ls"}, Task: "below"}, &v)
		h := a.HaltOf(&v, "below", a.clock.Now())
		if h == nil || h.Task != "t" || h.Alert().Task != "t" {
			t.Fatalf("%+v", h)
		}
		if err := a.Accept(h, c); err != nil {
			t.Fatal(err)
		}
		if got := a.in("t") + ", " + a.in("below"); got != "allow, allow" {
			t.Errorf("%s: %s", c, got)
		}
		if h := a.HaltOf(&v, "below", 0); h != nil {
			t.Errorf("the verdict ends nothing any more: %+v", h)
		}
	}
}

// What is below a task that was ended cannot be let go on by its own card.
func TestAccept_BelowAnEndedTask(t *testing.T) {
	a, h := halted(t, "tool_call_limit", session.Options{})
	for range 60 {
		a.in("above")
	}
	for _, c := range []session.Choice{session.RaiseLimit, session.Narrow, session.Replan} {
		if err := a.Accept(h, c); err == nil || !strings.Contains(err.Error(), `task "t" is below one that was ended by tool_call_limit`) {
			t.Errorf("%s: %v", c, err)
		}
	}
	if got := a.state("t"); got.EndedBy != "tool_call_limit" || got.ToolCalls != 51 {
		t.Errorf("and something was done: %+v", got)
	}
}

// Bad input is an error and nothing else.
func TestAccept_OfNothing(t *testing.T) {
	a, h := halted(t, "tool_call_limit", session.Options{})
	for _, c := range []session.Choice{session.RaiseLimit, session.Pause, session.Narrow, session.Replan, session.Dismiss, "shrug"} {
		if a.Accept(nil, c) == nil || a.Accept(&session.Halt{}, c) == nil {
			t.Errorf("%s of nothing is accepted", c)
		}
	}
	if err := a.Accept(h, "shrug"); err == nil {
		t.Error("a choice that is none is accepted")
	}
	if err := a.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Accept(h, session.RaiseLimit); err == nil || !strings.Contains(err.Error(), "it has ended") {
		t.Errorf("after the end: %v", err)
	}
}

func secs(t *testing.T, text string) float64 {
	t.Helper()
	var n float64
	if _, err := fmt.Sscan(text, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
