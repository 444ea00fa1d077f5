package run_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
)

// three is a chain of three steps, b only if a put out "go".
const three = `
id: three
params: [{name: limit, param_type: number, default: 100}]
steps:
  - {id: a, ability: tool.a, args: {amount: 5}, output_key: first}
  - {id: b, ability: tool.b, args: {text: "got {{first}}"}, output_key: second, condition: {ref_key: first, op: equals, value: go}}
  - {id: c, ability: tool.c, output_key: third}
`

func TestStepsRunInOrder(t *testing.T) {
	h := newHost(t, three, "")
	h.puts("tool.a", "go")
	got := ""
	h.outputs["tool.b"] = func(args string) (run.Output, error) { got = args; return run.Text("x"), nil }
	r, err := h.run()
	if err != nil || r.Status != run.Completed || outcomes(r) != "a:ran b:ran c:ran" {
		t.Fatalf("%v: %s, %v", r.Status, outcomes(r), err)
	}
	if got != `{"text":"got go"}` {
		t.Errorf("b was called with %s", got)
	}
	if out := string(r.Outputs.AppendJSON(nil)); out != `{"first":"go","second":"x","third":"ok"}` {
		t.Errorf("outputs %s", out)
	}
}

// The condition is tested before the rules: a step that does not run is not judged.
func TestSkippedStepIsNotJudged(t *testing.T) {
	h := newHost(t, three, "B:ability:tool.b|abort|\"never\"\n")
	h.puts("tool.a", "stop")
	r, err := h.run()
	if err != nil || outcomes(r) != "a:ran b:skipped c:ran" || r.Steps[1].Verdict != nil {
		t.Errorf("%s, %v", outcomes(r), err)
	}
}

const recovering = `
id: recovering
steps:
  - {id: a, ability: tool.a, output_key: data, on_failure: spare}
  - {id: b, ability: tool.b, args: {text: "{{data}}"}}
  - {id: spare, ability: tool.spare, output_key: data}
  - {id: last, ability: tool.last, args: {why: "{{a_error}}"}, condition: {ref_key: a_error, op: is_not_empty}}
`

func TestOnFailureJumpsAndRecovers(t *testing.T) {
	h := newHost(t, recovering, "")
	h.fails("tool.a")
	got := ""
	h.outputs["tool.last"] = func(args string) (run.Output, error) { got = args; return run.Text(""), nil }
	r, err := h.run()
	if err != nil || r.Status != run.Recovered || outcomes(r) != "a:failed spare:ran last:ran" {
		t.Fatalf("%s: %s, %v", r.Status, outcomes(r), err)
	}
	if got != `{"why":"502"}` {
		t.Errorf("the error text: %s", got)
	}
}

func TestEachTargetIsUsedOnce(t *testing.T) {
	h := newHost(t, "id: loop\nsteps:\n  - {id: a, ability: tool.a}\n  - {id: b, ability: tool.b, on_failure: a}\n", "")
	h.fails("tool.b")
	r, err := h.run()
	var fail *run.FailError
	if !errors.As(err, &fail) || fail.Step != "b" || outcomes(r) != "a:ran b:failed a:ran b:failed" || r.Status != run.Failed {
		t.Errorf("%s: %s, %v", r.Status, outcomes(r), err)
	}
}

func TestContinueGoesOn(t *testing.T) {
	h := newHost(t, "id: go\nsteps:\n  - {id: a, ability: tool.a, on_failure: continue}\n  - {id: b, ability: tool.b}\n", "")
	h.fails("tool.a")
	if r, err := h.run(); err != nil || r.Status != run.Recovered || outcomes(r) != "a:failed b:ran" {
		t.Errorf("%s: %s, %v", r.Status, outcomes(r), err)
	}
}

// The first implementation threw away the receipts of finished steps.
func TestFault23_ReceiptsSurviveAnAbort(t *testing.T) {
	h := newHost(t, three, "B:output:first|contains:bad|abort|\"bad data\"|id=bad\n")
	h.puts("tool.a", "bad things")
	r, err := h.run()
	var stop *actions.StopError
	if !errors.As(err, &stop) || !errors.Is(err, actions.ErrAborted) || stop.Rule != "bad" || stop.Step != "c" {
		t.Fatal(err)
	}
	if r.Status != run.Aborted || outcomes(r) != "a:ran b:skipped c:refused" || r.Steps[0].Output != "bad things" {
		t.Errorf("%s: %s", r.Status, outcomes(r))
	}
	if r.Halt.Rule != "bad" || r.Halt.Reason != "bad data" {
		t.Errorf("halt %+v", r.Halt)
	}
}

// The first implementation never looked at what the last step put out, nor into JSON.
func TestFault22_LastOutputIsChecked(t *testing.T) {
	for name, c := range map[string]struct{ policy, output, rule string }{
		"text":         {"B:output:third|contains:fail|abort|\"x\"|id=r\n", "it failed", "r"},
		"JSON":         {"B:third.order.amount>1000|abort|\"x\"|id=r\n", `{"order":[{"amount":5000}]}`, "r"},
		"below":        {"B:third.order.amount>1000|abort|\"x\"|id=r\n", `{"order":[{"amount":500}]}`, ""},
		"by step id":   {"B:output:c.output|contains:fail|abort|\"x\"|id=r\n", "it failed", "r"},
		"step asked":   {"B:ability:* & output:third|contains:fail|abort|\"x\"|id=r\n", "it failed", ""},
		"any output":   {"B:output:*|icontains:FAIL|abort|\"x\"|id=r\n", "it failed", "r"},
		"confirm once": {"B:output:third|contains:fail|confirm|\"x\"|id=r\n", "it failed", "r"},
	} {
		h := newHost(t, three, c.policy)
		h.puts("tool.c", c.output)
		r, _ := h.run()
		got := ""
		if r.Halt != nil {
			got = r.Halt.Rule
		}
		if got != c.rule || len(r.Steps) != 3 {
			t.Errorf("%s: stopped by %q, want %q (%s)", name, got, c.rule, outcomes(r))
		}
	}
}

// The first implementation's chains had no field for rules.
func TestFault27_RulesOfTheChainAreInForce(t *testing.T) {
	h := newHost(t, `
id: own
params: [{name: limit, param_type: number, required: true}]
circuit_breakers:
  - {condition: "amount>{{limit}}", action: abort, reason: "more than {{limit}}"}
steps: [{id: a, ability: tool.a, args: {amount: 5}}]
`, "")
	if r, err := h.run("limit=5"); err != nil || r.Status != run.Completed {
		t.Errorf("at the limit: %s, %v", r.Status, err)
	}
	r, _ := h.run("limit=4.99")
	if r.Status != run.Aborted || r.Halt.Reason != "more than 4.99" {
		t.Errorf("above the limit: %s, %+v", r.Status, r.Halt)
	}
}

// A value never becomes a rule, nor a reference.
func TestParametersAreData(t *testing.T) {
	h := newHost(t, `
id: own
params: [{name: limit, param_type: text, required: true}]
circuit_breakers: [{condition: "amount>{{limit}}", action: abort, reason: r}]
steps: [{id: a, ability: tool.a, args: {amount: 5, note: "{{limit}}"}}]
`, "")
	for _, value := range []string{`1|confirm|"x"`, "{{other}}", "NaN", "", "1e999", "5 & ability:x"} {
		r, err := h.run("limit=" + value)
		var start *chain.StartError
		if !errors.As(err, &start) || r.Status != run.Failed || len(h.called) > 0 {
			t.Errorf("%q: %s, %v", value, r.Status, err)
		}
	}
}

// A rule on a later step's argument waits for it, and is judged there.
func TestRuleWaitsForTheStepThatBindsItsKey(t *testing.T) {
	const text = `
id: wait
steps:
  - {id: look, ability: tool.look, output_key: price}
  - {id: buy, ability: tool.buy, args: {amount: "{{price}}"}}
  - {id: tell, ability: tool.tell}
`
	for _, c := range []struct{ price, want string }{
		{"900", "look:ran buy:ran tell:ran"},
		{"1001", "look:ran buy:refused"},
		{"a lot", "look:ran buy:refused"},
	} {
		h := newHost(t, text, "B:amount>1000|abort|\"limit\"\n")
		h.puts("tool.look", c.price)
		if r, _ := h.run(); outcomes(r) != c.want {
			t.Errorf("price %s: %s, want %s", c.price, outcomes(r), c.want)
		}
	}
}

// An output that a step declared and did not produce is missing from then on.
func TestOutputThatWasNotProducedIsMissing(t *testing.T) {
	const text = `
id: gone
steps:
  - {id: look, ability: tool.look, output_key: price, on_failure: continue}
  - {id: tell, ability: tool.tell}
`
	h := newHost(t, text, "B:price>1000|abort|\"limit\"|id=r\n")
	h.fails("tool.look")
	if r, _ := h.run(); outcomes(r) != "look:failed tell:refused" || r.Halt.Rule != "r" {
		t.Errorf("%s", outcomes(r))
	}
}

// What the arguments of the step about to run lack is missing, not pending.
func TestBoundArgumentWithoutTheKeyIsMissing(t *testing.T) {
	h := newHost(t, "id: c\nsteps: [{id: a, ability: tool.a, args: {order: {item: 1}}}]\n", "B:order.amount>1000|abort|\"limit\"\n")
	if r, _ := h.run(); outcomes(r) != "a:refused" {
		t.Error(outcomes(r))
	}
}

func TestPanickingAbilityIsAFailure(t *testing.T) {
	h := newHost(t, three, "")
	h.outputs["tool.a"] = func(string) (run.Output, error) { panic("boom") }
	r, err := h.run()
	if r.Status != run.Failed || !strings.Contains(err.Error(), "boom") {
		t.Errorf("%s, %v", r.Status, err)
	}
}

func TestContextEndsTheRun(t *testing.T) {
	h := newHost(t, three, "")
	ctx, cancel := context.WithCancel(t.Context())
	h.outputs["tool.a"] = func(string) (run.Output, error) { cancel(); return run.Text("x"), nil }
	r, err := h.runner.Run(ctx, nil, chain.Host)
	if !errors.Is(err, context.Canceled) || r.Status != run.Failed || outcomes(r) != "a:ran" {
		t.Errorf("%s: %s, %v", r.Status, outcomes(r), err)
	}
}

func TestRunsAtTheSameTimeCountEach(t *testing.T) {
	h := newHost(t, "id: c\nsteps: [{id: a, ability: tool.a}, {id: b, ability: tool.b}]\n", "B:frequency>10/1h|abort|\"ten\"\n")
	var mu sync.Mutex
	h.outputs["tool.a"] = func(string) (run.Output, error) { return run.Text("x"), nil }
	runner, err := run.New(run.Options{Chain: parse(t, "id: c\nsteps: [{id: a, ability: tool.a}, {id: b, ability: tool.b}]\n"),
		Gate: h.gate, Abilities: run.AbilityFunc(quiet)})
	if err != nil {
		t.Fatal(err)
	}
	completed := 0
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			r, _ := runner.Run(t.Context(), nil, chain.Host)
			mu.Lock()
			defer mu.Unlock()
			if r.Status == run.Completed {
				completed++
			}
		})
	}
	wg.Wait()
	if completed != 10 {
		t.Errorf("%d of 40 runs completed, the limit is 10", completed)
	}
}

func TestProgressTellsEveryStep(t *testing.T) {
	h := newHost(t, three, "")
	var events []string
	runner, err := run.New(run.Options{Chain: parse(t, three), Gate: h.gate, Abilities: run.AbilityFunc(quiet),
		Progress: func(e run.Event) {
			if e.Done {
				events = append(events, e.Result.Step+":"+string(e.Result.Outcome))
			} else {
				events = append(events, e.Result.Step)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runner.Run(t.Context(), nil, chain.Host); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(events, " "); got != "a a:ran b b:skipped c c:ran" {
		t.Error(got)
	}
}

// Every run is a task of its own: what one has done does not count in the next.
func TestARunIsATask(t *testing.T) {
	h := newHost(t, two, "B:task.tool_calls>2|abort|\"enough\"\n")
	for range 2 {
		r, err := h.runner.Run(t.Context(), nil, chain.Host)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := r.Meters.Member("task.tool_calls"); n.Text() != "2" {
			t.Errorf("%s calls in the run, want 2", n.Text())
		}
	}
	shot := h.gate.Session.Snapshot()
	if len(shot.Tasks) != 1 || shot.ToolCalls != 4 {
		t.Errorf("%d tasks are open and %d calls were made; want the session's own, and 4", len(shot.Tasks), shot.ToolCalls)
	}
}

// What a recording says of usage moves the meters of the run.
func TestRecordedUsageIsCounted(t *testing.T) {
	r, _, err := dryRun(t, two, "B:task.spend_cents>10|abort|\"dear\"|id=dear\n",
		"steps: [{step: a, usage: {model: m, input_tokens: 900, output_tokens: 40, cost_cents: 10.5}}, {step: b}]")
	if err == nil || r.Halt == nil || r.Halt.Step != "b" || r.Halt.Rule != "dear" {
		t.Errorf("%+v, %v", r.Halt, err)
	}
	if n, _ := r.Meters.Member("task.input_tokens"); n.Text() != "900" {
		t.Errorf("%s input tokens, want 900", n.Text())
	}
}
