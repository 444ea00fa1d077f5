package session_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// estimating is a session that reserves the next turn, with answers of at most
// so many tokens.
func estimating(t testing.TB, output int64, policy string, table session.Pricing) *agent {
	t.Helper()
	clock := session.NewVirtualClock(start)
	table.MaxOutput = output
	s, err := session.New(session.Options{ID: "s", Registry: load(t, policy), Store: memory.New(memory.Options{}), Clock: clock, Pricing: table})
	if err != nil {
		t.Fatal(err)
	}
	return &agent{s, clock, t}
}

// used reports a turn of a model.
func (a *agent) used(task, model string, input, output int64) {
	a.Observe(a.t.Context(), &session.Event{Type: session.Usage, Task: task, Model: model, Tokens: meter.Tokens{Input: input, Output: output}})
}

// The turn after a call is reserved while the call is under way: the context so
// far and an answer. Of 1,000 tokens in and 100 out at 10 and 20 dollars a million
// 1.2 cents are spent; the next turn may cost 1,100 in and 500 out, 2.1 cents.
func TestEstimate(t *testing.T) {
	const policy = "B:task.spend_cents>3|abort|id=cap\n"
	ls := session.Call{Ability: "ls"}
	for name, c := range map[string]struct {
		output int64
		model  string
		step   session.Step
		want   string
		held   string // cents while the call is under way
	}{
		"off":           {0, "dear", session.Step{Call: ls}, "allow", "1.2"},
		"reserved":      {200, "dear", session.Step{Call: ls}, "allow", "2.7"},
		"too dear":      {500, "dear", session.Step{Call: ls}, "abort cap", "1.2"},
		"not known yet": {500, "", session.Step{Call: ls}, "allow", "0"},
		"of the step":   {500, "dear", session.Step{Call: ls, Estimate: 3e6}, "allow", "1.5"},
		"none":          {500, "dear", session.Step{Call: ls, Estimate: -1}, "allow", "1.2"},
		"a cheaper one": {500, "cheap", session.Step{Call: ls}, "allow", "0.33"},
		// 1,100 in at 6 dollars a million, as the dearest way to read them, and 200 out.
		"of a cache":     {200, "cached", session.Step{Call: ls}, "allow", "1.14"},
		"of another one": {500, "dear", session.Step{Call: ls, Task: "other"}, "allow", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			a := estimating(t, c.output, policy, session.Pricing{Table: priceTable(t)})
			a.StartTask("t", "", "")
			a.StartTask("other", "", "")
			if c.model != "" {
				a.used("t", c.model, 1000, 100)
			}
			if c.step.Task == "" {
				c.step.Task = "t"
			}
			st := &c.step
			var v registry.Verdict
			a.Before(t.Context(), st, &v)
			if got := brief(&v); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if v.Decision == registry.Abort {
				if len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "2.1 cents of it are what the next turn of dear may cost") {
					t.Errorf("notes %q", v.Notes)
				}
				return
			}
			spent := func() string {
				for _, m := range a.Meters(st.Task) {
					if m.Name == "task.spend_cents" {
						return m.Value
					}
				}
				return "0"
			}
			if got := spent(); got != c.held {
				t.Errorf("%s cents are held, want %s", got, c.held)
			}
			if err := a.After(t.Context(), session.Outcome{Step: st}); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"dear": "1.2", "cheap": "0.12", "cached": "0.36"}[c.model]
			if c.model == "" || st.Task == "other" {
				want = "0"
			}
			if st.Estimate > 0 {
				want = "1.5" // an estimate of the host's own counts as spent
			}
			if got := spent(); got != want {
				t.Errorf("%s cents are spent, want %s", got, want)
			}
		})
	}
}

// Usage that is reported while a call is under way is the turn that was
// reserved, and counts in its place.
func TestEstimate_UsageMeanwhile(t *testing.T) {
	a := estimating(t, 500, "B:task.spend_cents>4|abort|id=cap\n", session.Pricing{Table: priceTable(t)})
	a.StartTask("t", "", "")
	a.used("t", "dear", 1000, 100) // 1.2 cents
	st := &session.Step{Call: session.Call{Ability: "ls"}, Task: "t"}
	if got := a.judge(st); got != "allow" { // 2.1 cents more
		t.Fatal(got)
	}
	a.used("t", "dear", 1100, 500) // the 2.1 cents
	if m := a.Metadata("t"); m.SpendCents != 3.3 || m.FinalStatus != "" {
		t.Errorf("%+v", m)
	}
	if err := a.After(t.Context(), session.Outcome{Step: st}); err != nil {
		t.Fatal(err)
	}
	if m := a.Metadata("t"); m.SpendCents != 3.3 {
		t.Errorf("%+v", m)
	}
}

// As long as answers and results stay within what is estimated, the cap holds
// whatever is done: no turn brings the money above it.
func TestEstimate_HoldsTheCap(t *testing.T) {
	table := priceTable(t)
	refused := 0
	rapid.Check(t, func(rt *rapid.T) {
		most := rapid.Int64Range(1, 2000).Draw(rt, "most")
		a := estimating(t, most, "B:task.spend_cents>50|abort|id=cap\n", session.Pricing{Table: table})
		a.StartTask("t", "", "")
		context := rapid.Int64Range(0, 10_000).Draw(rt, "context")
		a.used("t", "dear", context, 0)
		for range 60 {
			st := &session.Step{Call: session.Call{Ability: "ls"}, Task: "t"}
			var v registry.Verdict
			if a.Before(t.Context(), st, &v); v.Decision == registry.Abort {
				refused++
				break
			}
			if err := a.After(t.Context(), session.Outcome{Step: st}); err != nil {
				rt.Fatal(err)
			}
			output := rapid.Int64Range(0, most).Draw(rt, "output")
			a.used("t", "dear", context, output)
			context += output
		}
		m := a.Metadata("t")
		if m.SpendCents > 50 {
			rt.Errorf("%v cents were spent of 50", m.SpendCents)
		}
	})
	if refused == 0 {
		t.Error("the cap was never reached")
	}
}
