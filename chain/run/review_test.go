package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/session"
)

const abc = `
id: three
steps:
  - {id: a, ability: tool.a}
  - {id: b, ability: tool.b}
  - {id: c, ability: tool.c}
`

var advice = review.Func(func(_ context.Context, c *review.Case) (*review.Guidance, error) {
	return &review.Guidance{Analysis: "stopped by " + c.Rule.ID, Approach: []string{"look first"}}, nil
})

// After a review a run goes on at the step that was stopped: what ran is not
// run again. A rule that holds whatever is done ends it after the last review.
func TestReview(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		steps  string
		status run.Status
		at     []string // the steps that were reviewed
		calls  []string
	}{
		"once":          {"B:task.tool_calls>2|review|id=many", "a:ran b:ran c:ran", run.Completed, []string{"c"}, []string{"tool.a", "tool.b", "tool.c"}},
		"twice":         {"B:task.tool_calls>1|review|id=many", "a:ran b:ran c:ran", run.Completed, []string{"b", "c"}, []string{"tool.a", "tool.b", "tool.c"}},
		"whatever":      {"B:ability:tool.b|review|id=odd", "a:ran b:refused", run.Aborted, []string{"b", "b"}, []string{"tool.a"}},
		"and forbidden": {"B:task.tool_calls>1|review|id=many\nB:ability:tool.b|abort|id=no", "a:ran b:refused", run.Aborted, nil, []string{"tool.a"}},
		"at the end":    {"B:task.messages>=3|review|id=long", "a:ran b:ran c:ran", run.Completed, []string{""}, []string{"tool.a", "tool.b", "tool.c"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, abc, c.policy)
			h.gate.Review = actions.Review{Reviewer: advice, Name: "test"}
			r, err := h.run()
			if (err == nil) != (c.status == run.Completed) {
				t.Errorf("%v", err)
			}
			var at []string
			for i, v := range r.Reviews {
				at = append(at, v.Step)
				if v.Attempt != i+2 || v.Guidance == nil || v.Guidance.Analysis != "stopped by "+v.Rule {
					t.Errorf("review %d: %+v", i, v)
				}
			}
			if r.Status != c.status || outcomes(r) != c.steps || !slices.Equal(at, c.at) || !slices.Equal(h.called, c.calls) {
				t.Errorf("%s: %s, reviewed at %q, called %q; want %s: %s, %q, %q", r.Status, outcomes(r), at, h.called, c.status, c.steps, c.at, c.calls)
			}
		})
	}
}

// The abilities of further steps can read the advice, those before cannot.
func TestGuidance(t *testing.T) {
	h := newHost(t, abc, "B:task.tool_calls>2|review|id=many")
	h.gate.Review = actions.Review{Reviewer: advice, Name: "test"}
	told := map[string]string{}
	r, err := run.New(run.Options{Chain: parse(t, abc), Gate: h.gate, Abilities: run.AbilityFunc(func(ctx context.Context, name string, _ json.RawMessage) (run.Output, error) {
		told[name] = run.Guidance(ctx)
		return run.Text("ok"), nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), nil, 0); err != nil {
		t.Fatal(err)
	}
	if told["tool.a"] != "" || told["tool.b"] != "" || !strings.Contains(told["tool.c"], "look first") {
		t.Errorf("%q", told)
	}
}

// Risky work is reviewed before its first step, or not begun.
func TestReview_BeforeItBegins(t *testing.T) {
	const risky = "id: risky\nparams: [{name: sum, param_type: number, default: 5}]\nsteps: [{id: a, ability: shop.look, output_key: item}, {id: b, ability: shop.pay, args: {amount: \"{{sum}}\", text: \"for {{item}}\"}}]\n"
	for _, c := range []struct {
		reviewer review.Reviewer
		status   run.Status
		calls    int
	}{{advice, run.Completed, 2}, {nil, run.Aborted, 0}} {
		h := newHost(t, risky, "")
		var asked *review.Case
		h.gate.Review = actions.Review{Reviewer: c.reviewer, Name: "test", Mandatory: &review.Limits{}, Reviewed: func(c *review.Case, _ *review.Guidance, _ error) { asked = c }}
		r, err := h.run()
		if r.Status != c.status || len(h.called) != c.calls || (err == nil) != (c.calls == 2) {
			t.Errorf("%s, %v, called %v", r.Status, err, h.called)
		}
		if c.reviewer == nil && (!errors.Is(err, actions.ErrAborted) || r.Halt.Rule != actions.MandatoryReview || r.Halt.Step != "") {
			t.Errorf("%v: %+v", err, r.Halt)
		}
		if c.reviewer != nil && (len(r.Reviews) != 1 || r.Reviews[0].Rule != actions.MandatoryReview || r.Reviews[0].Attempt != 1 || r.Reviews[0].Reason != "the ability “shop.pay” is critical" ||
			len(asked.Plan) != 2 || asked.Plan[1].Ability != "shop.pay" || asked.Plan[1].Args != `{"amount":5,"text":"for {{item}}"}`) {
			t.Errorf("%+v, %+v", r.Reviews, asked)
		}
	}
}

// What a chain tells of its work; its block may raise the risk.
func TestWorkOf(t *testing.T) {
	w := run.WorkOf(parse(t, abc))
	if w.Calls != 3 || !slices.Equal(w.Abilities, []string{"tool.a", "tool.b", "tool.c"}) || w.Risk != 0 {
		t.Errorf("%+v", w)
	}
	c := parse(t, abc)
	c.Block = &dsl.Block{Risk: dsl.RiskHigh}
	if w := run.WorkOf(c); w.Risk != dsl.RiskHigh {
		t.Errorf("%+v", w)
	}
}

// A dry run is reviewed like any other, and again with the same result.
func TestDryRun_Reviewed(t *testing.T) {
	rec, faults := run.ParseRecording("rec.yaml", []byte("steps: [{step: a, output: x}, {step: b, output: x}, {step: c, output: x}]"))
	if rec == nil {
		t.Fatal(faults)
	}
	var first string
	for range 2 {
		h := newHost(t, abc, "B:task.tool_calls>2|review|id=many")
		r, err := run.DryRun(t.Context(), run.DryRunOptions{
			Chain: parse(t, abc), Recording: rec, Session: session.Options{Registry: h.gate.Session.Registry(), Recall: review.MaxCalls},
			Review: actions.Review{Reviewer: review.Rules{}, Name: "rules"},
		})
		if err != nil || len(r.Reviews) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
		}
		if string(text) != first {
			t.Errorf("%s\nthen %s", first, text)
		}
	}
}
