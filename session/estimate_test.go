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

// What processes that died had reserved for the turns of a task is given back with
// the task's next usage, and what they had for those of another task is not. Of a
// call that is asked for again it counts once.
func TestEstimatesOfDeadProcessesAreGivenBack(t *testing.T) {
	for name, id := range map[string]string{"without an id": "", "with an id": "c1"} {
		store := &lasting{Store: memory.New(memory.Options{})}
		begin := func() *agent {
			s, err := session.New(session.Options{
				ID: "s", Registry: load(t, "B:task.spend_cents>5000|abort|id=cap"), Store: store, Clock: session.NewVirtualClock(start),
				Pricing: session.Pricing{Table: priceTable(t), MaxOutput: 500},
			})
			if err != nil {
				t.Fatal(err)
			}
			s.StartTask("part", "", "")
			s.StartTask("other", "", "")
			return &agent{s, nil, t}
		}
		spent := func(a *agent, want string) {
			t.Helper()
			if got := a.Snapshot().Spend; got != want {
				t.Errorf("%s: %s cents, want %s", name, got, want)
			}
		}
		ask := func(a *agent, task string) {
			t.Helper()
			st := &session.Step{Call: session.Call{ID: id, Ability: "ls"}, Task: task}
			if got := a.judge(st); got != "allow" {
				t.Fatalf("%s: %s", name, got)
			}
		}
		want := map[string][3]string{"": {"3.3", "6.6", "9.9"}, "c1": {"3.3", "4.5", "7.8"}}[id]
		a := begin()
		a.used("part", "dear", 1000, 100) // 1.2 cents
		ask(a, "part")                    // and 2.1 for the next turn
		spent(a, want[0])
		a = begin() // it died
		a.used("part", "dear", 1000, 100)
		ask(a, "part")
		spent(a, want[1])
		a = begin()
		a.used("other", "dear", 1000, 100)
		ask(a, "other")
		spent(a, want[2])
		a = begin()
		ask(a, "part") // of no model that this process knows: nothing is reserved
		a.used("part", "dear", 1000, 100)
		spent(a, "6.9") // four turns, and what may be under way in the other task
		if err := a.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		a = begin()
		ask(a, "other")
		spent(a, "6.9")
		a.used("other", "dear", 1000, 100)
		spent(a, "6")
	}
}

// A call under way that is asked for again is one call, whoever says the second time
// what it may cost: by what stands for usage, or by its host.
func TestACallUnderWayThatIsEstimatedAnew(t *testing.T) {
	for name, estimates := range map[string][2]int64{"by its host": {0, 10}, "by its price": {10, 0}} {
		store := &lasting{Store: memory.New(memory.Options{})}
		begin := func() *agent {
			s, err := session.New(session.Options{
				ID: "s", Registry: load(t, "B:task.spend_cents>1202|abort|id=cap"), Store: store, Clock: session.NewVirtualClock(start),
				Pricing: session.Pricing{Table: priceTable(t), MaxOutput: 500},
			})
			if err != nil {
				t.Fatal(err)
			}
			s.StartTask("part", "", "")
			return &agent{s, nil, t}
		}
		a := begin()
		a.used("part", "dear", 1000, 100) // 1.2 cents
		for _, estimate := range estimates {
			st := &session.Step{Call: session.Call{ID: "c1", Ability: "ls"}, Task: "part", Estimate: estimate * dollar}
			if got := a.judge(st); got != "allow" {
				t.Fatalf("%s: %s", name, got)
			}
		}
		if err := a.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, a := range []*agent{a, begin()} {
			look := &session.Step{Call: session.Call{Ability: "look"}, Task: "part", Estimate: -1}
			if got := a.judge(look); got != "allow" {
				t.Fatalf("%s: %s", name, got)
			}
			if got := a.Snapshot().Spend; got != "1001.2" {
				t.Errorf("%s: %s cents", name, got)
			}
		}
	}
}
