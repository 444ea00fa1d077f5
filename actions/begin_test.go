package actions_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/session"
)

var advice = review.Func(func(context.Context, *review.Case) (*review.Guidance, error) {
	return &review.Guidance{Analysis: "a", Approach: []string{"b"}}, nil
})

// Risky work is reviewed before it begins; without a review it does not begin.
func TestBegin(t *testing.T) {
	risky := review.Work{Risk: dsl.RiskHigh, Abilities: []string{"ls"}}
	for name, c := range map[string]struct {
		r    review.Reviewer
		off  bool
		work review.Work
		want string // of the error; "": none
		says string // what guidance says; "": there is none
	}{
		"harmless":      {advice, false, review.Work{Calls: 3}, "", ""},
		"not mandatory": {advice, true, risky, "", ""},
		"reviewed":      {advice, false, risky, "", "a"},
		"by rules":      {review.Rules{}, false, risky, "", "The work is medium (40 of 100): the risk is high."},
		"nobody":        {nil, false, risky, "the run aborted by rule mandatory_review: this work must be reviewed before it begins: the risk is high: there is nobody to review it", ""},
		"refused": {review.Func(func(context.Context, *review.Case) (*review.Guidance, error) {
			return nil, errors.New("not today")
		}), false, risky, "reviewer test: not today", ""},
		"garbage": {review.Func(func(context.Context, *review.Case) (*review.Guidance, error) {
			return &review.Guidance{Analysis: " "}, nil
		}), false, risky, "the guidance has no analysis", ""},
		"dying": {review.Func(func(context.Context, *review.Case) (*review.Guidance, error) { panic("oh") }), false, risky, "it panicked: oh", ""},
		"hanging": {review.Func(func(context.Context, *review.Case) (*review.Guidance, error) {
			select {}
		}), false, risky, "no answer within 50ms", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := reviewed(t, "", c.r)
			if !c.off {
				g.Review.Mandatory = &review.Limits{}
			}
			guidance, err := g.Begin(t.Context(), "", "", c.work)
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, actions.ErrAborted) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if (guidance != nil) != (c.says != "") || guidance != nil && !strings.Contains(guidance.Analysis, c.says) {
				t.Errorf("guidance %+v, want %q", guidance, c.says)
			}
			if g.Session.Attempts("") != 0 {
				t.Error("it has counted as an attempt")
			}
			asked := c.want != "" || c.says != ""
			m := g.Session.Metadata("")
			if m.QCRecommended != asked || m.ReviewedBefore != (c.says != "") || m.CircuitBreakerTriggered != (c.want != "") {
				t.Errorf("in figures: %+v", m)
			}
			if stopped := m.FinalStatus == session.Halted; stopped != (c.want != "") || stopped && (m.Rule != actions.MandatoryReview || m.TrippedAt == nil) {
				t.Errorf("in figures: %+v", m)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g, _ := reviewed(t, "", advice)
	g.Review.Mandatory = &review.Limits{}
	if _, err := g.Begin(ctx, "", "", risky); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if m := g.Session.Metadata(""); !m.QCRecommended || m.ReviewedBefore || m.FinalStatus != "" {
		t.Errorf("interrupted, in figures: %+v", m)
	}
}

// Work that was refused does not begin by itself.
func TestBegin_RefusalIsRemembered(t *testing.T) {
	var refusal error
	g, _ := reviewed(t, "", review.Func(func(ctx context.Context, c *review.Case) (*review.Guidance, error) {
		if refusal != nil {
			return nil, refusal
		}
		return advice(ctx, c)
	}))
	g.Review.Mandatory = &review.Limits{}
	g.Session.StartTask("t1", "", "")
	g.Session.StartTask("t2", "t1", "")
	g.Session.StartTask("t3", "", "")
	begin := func(task string, refuse error, abilities ...string) {
		t.Helper()
		refusal = refuse
		if _, err := g.Begin(t.Context(), task, "", review.Work{Abilities: abilities}); (err != nil) != (refuse != nil) {
			t.Fatal(err)
		}
	}
	enters := func(task string, free bool, abilities ...string) {
		t.Helper()
		for _, a := range abilities {
			v, err := g.Enter(t.Context(), &session.Step{Call: session.Call{Ability: a}, Task: task})
			var stop *actions.StopError
			if free && err != nil {
				t.Errorf("%s in %s: %v", a, task, err)
			}
			if !free && (!errors.As(err, &stop) || !errors.Is(err, actions.ErrAborted) || stop.Rule != actions.MandatoryReview || stop.Ability != a || !v.Decision.Blocks()) {
				t.Errorf("%s in %s: %v, want an abort by %s", a, task, err, actions.MandatoryReview)
			}
		}
	}
	no := errors.New("no")
	enters("t1", true, "pay", "ls") // nobody said that it has to be reviewed
	begin("t1", no, "pay", "Fetch")
	calls := g.Session.Snapshot().ToolCalls
	enters("t1", false, "pay", "PAY", "shop.delete", "fetch")
	enters("t2", false, "pay", "fetch")
	enters("t2", true, "ls")
	enters("t3", true, "pay", "fetch")
	if now := g.Session.Snapshot().ToolCalls; now != calls+3 {
		t.Errorf("%d calls, want %d: what is refused counts for nothing", now, calls+3)
	}
	begin("t1", nil, "fetch") // is harmless
	enters("t1", true, "fetch")
	enters("t1", false, "pay")
	begin("t1", no, "deploy")
	enters("t1", false, "pay", "deploy")
	begin("t1", nil, "pay", "deploy")
	enters("t1", true, "pay", "deploy")
	enters("t2", true, "pay")

	// The session's own task is above every other; a name may be opened later.
	g.Session.EndTask("t3")
	g.Session.EndTask("t2")
	g.Session.EndTask("t1")
	begin("", no, "pay")
	enters("t3", false, "pay")
	g.Ended("", false)
	enters("", true, "pay")
	begin("later", no, "pay")
	g.Session.StartTask("later", "", "")
	enters("later", false, "pay")
	enters("", false, "pay") // is the active one
	g.Ended("later", false)
	enters("later", true, "pay")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Begin(ctx, "later", "", review.Work{Abilities: []string{"pay"}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	enters("later", false, "pay")
}

// Who reviews a task, and how often, may be set for it; the reviewer is told
// his role apart from the case.
func TestReview_OfATask(t *testing.T) {
	var seen []*review.Case
	g, _ := reviewed(t, "B:ability:odd|review|id=odd\n", review.Func(func(_ context.Context, c *review.Case) (*review.Guidance, error) {
		seen = append(seen, c)
		return &review.Guidance{Analysis: "a", Approach: []string{"b"}}, nil
	}))
	g.Session.StartTask("t", "", "")
	if err := g.Session.Tune("t", session.TaskLimits{Review: session.TaskReview{Role: "tester", Preamble: "Be brief.", Most: 1}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []error{actions.ErrReviewed, actions.ErrAborted} {
		_, err := g.Enter(t.Context(), &session.Step{Call: session.Call{Ability: "odd"}, Task: "t"})
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if want == actions.ErrAborted && !strings.Contains(err.Error(), "it was reviewed once already") {
			t.Error(err)
		}
	}
	if len(seen) != 1 || seen[0].Role != "tester" || seen[0].Preamble != "Be brief." {
		t.Errorf("%+v", seen)
	}
}

// A failure that was reviewed is remembered, offered to the next review that
// looks alike, and told how it went.
func TestReview_Remembers(t *testing.T) {
	known := &review.Patterns{}
	run := func(well bool) (offered int) {
		g, _ := reviewed(t, "B:task.tool_calls>4|review|id=many\n", review.Func(func(_ context.Context, c *review.Case) (*review.Guidance, error) {
			offered = len(c.Known)
			return &review.Guidance{Analysis: "it loops", Approach: []string{"search instead"}, Specialist: review.Loop}, nil
		}))
		g.Review.Patterns = known
		for stopped := false; !stopped; {
			stop := enter(t, g, "web.fetch")
			stopped = stop != nil
			if stopped && !errors.Is(stop, actions.ErrReviewed) {
				t.Fatal(stop)
			}
		}
		g.Ended("", well)
		g.Ended("", well) // says nothing more
		return offered
	}
	if run(true) != 0 || run(true) != 1 || run(false) != 1 {
		t.Error("a failure that looked alike was not offered")
	}
	all := known.All()
	if len(all) != 1 || all[0].Seen != 3 || all[0].Offered != 3 || all[0].Helped != 2 {
		t.Errorf("%+v", all)
	}
	// An attempt that runs away again was not helped, nor is one at its end.
	g, _ := reviewed(t, "B:ability:odd|review|id=odd\n", advice)
	g.Review.Patterns = &review.Patterns{}
	for range 3 {
		enter(t, g, "odd")
	}
	g.Ended("", true)
	offered, helped := 0, 0
	for _, k := range g.Review.Patterns.All() {
		offered, helped = offered+k.Offered, helped+k.Helped
	}
	if offered != 2 || helped != 0 {
		t.Errorf("tried %d, helped %d: %+v", offered, helped, g.Review.Patterns.All())
	}
}

// A remedy after which every call failed has not helped, though the task went
// on to its end.
func TestEnded_AllCallsFailed(t *testing.T) {
	for name, c := range map[string]struct {
		failed []bool // calls of the last attempt
		helped int
	}{
		"all":          {[]bool{true, true, true}, 0},
		"the only one": {[]bool{true}, 0},
		"not all":      {[]bool{true, false, true}, 1},
		"not the last": {[]bool{true, true, false}, 1},
		"no call":      {nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := reviewed(t, "B:ability:odd|review|id=odd\n", advice)
			g.Review.Patterns = &review.Patterns{}
			g.Session.StartTask("t", "", "")
			call := func(ability string, failed bool) {
				st := &session.Step{Call: session.Call{Ability: ability}, Task: "t"}
				if _, err := g.Enter(t.Context(), st); err == nil {
					if err := g.Session.After(t.Context(), session.Outcome{Step: st, Failed: failed, Class: session.ClassTool}); err != nil {
						t.Fatal(err)
					}
				}
			}
			call("ls", false)
			call("odd", false)
			for _, failed := range c.failed {
				call("ls", failed)
			}
			g.Ended("t", true)
			if all := g.Review.Patterns.All(); len(all) != 1 || all[0].Offered != 1 || all[0].Helped != c.helped {
				t.Errorf("%+v, want helped %d", all, c.helped)
			}
		})
	}
}
