package policytest_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSteps says of steps what fails; the tests begin at line 5 of the file.
func TestSteps(t *testing.T) {
	for name, c := range map[string]struct{ steps, want string }{
		"admitted": {`- {expect: allow, rules: [], observed: []}`, ``},
		"the wrong decision is told at expect": {`- {args: {amount: 2000}, expect: throttle}`,
			"7 `throttle` step 1, x at +0s: decision: expected throttle, got abort"},
		"a rule that should not have fired": {`- {args: {amount: 2000}, expect: abort, rules: [frequency-gt-5-1h]}`,
			"7 `[frequency-gt-5-1h` step 1, x at +0s: rules: expected [frequency-gt-5-1h], got [amount-gt-1000]"},
		"rules are exact": {`- {ability: pay.a, args: {amount: 101}, expect: confirm, rules: [ask]}`,
			"7 `[ask` step 1, pay.a at +0s: rules: expected [ask], got [ask, ask-big]"},
		"rules in any order, once":      {`- {ability: pay.a, args: {amount: 101}, expect: confirm, rules: [ask-big, ask, ask]}`, ``},
		"not_rules":                     {`- {args: {amount: 2000}, expect: abort, not_rules: [ask, amount-gt-1000]}`, "7 `[ask` step 1, x at +0s: not_rules: expected none of [amount-gt-1000, ask], got [amount-gt-1000]"},
		"not_rules that keep silent":    {`- {args: {amount: 2000}, expect: abort, not_rules: [ask]}`, ``},
		"an observed rule has no say":   {`- {ability: look.at, expect: allow, rules: [], observed: [seen]}`, ``},
		"an observed rule is looked at": {`- {ability: look.at, expect: allow, observed: []}`, "7 `[` step 1, look.at at +0s: observed: expected [], got [seen]"},
		"not_rules sees observed rules": {`- {ability: look.at, expect: allow, not_rules: [seen]}`, "7 `[seen` step 1, look.at at +0s: not_rules: expected none of [seen], got [seen]"},
		"repeat is a step each": {`- {repeat: 6, expect: allow}`,
			"7 `allow` step 1, x at +0s (6 of 6): decision: expected allow, got throttle"},
		"every lets time pass": {`- {repeat: 7, every: 12m, expect: allow}`, ``},
		"retry_after":          {"- {repeat: 5, every: 1m, expect: allow}\n      - {at: 5m, expect: throttle, retry_after: 55m}", ``},
		"retry_after is exact": {"- {repeat: 5, every: 1m, expect: allow}\n      - {at: 5m, expect: throttle, retry_after: 54m59.999s}",
			"8 `54m59.999s` step 2, x at +5m: retry_after: expected 54m59.999s, got 55m"},
		"no time is known":       {`- {chain: other, ability: gone, expect: throttle, retry_after: unknown}`, ``},
		"the clock stands still": {"- {at: 59m, repeat: 5, expect: allow}\n      - {expect: throttle}\n      - {at: 119m, expect: allow}", ``},
		"the first failure ends the test": {"- {expect: abort}\n      - {expect: confirm}",
			"7 `abort` step 1, x at +0s: decision: expected abort, got allow"},
		"a session of its own":            {"- {session: a, ability: web.get, expect: allow}\n      - {session: b, executions: [-1m, 2026-01-05T08:58:00Z, -59m, -3s, -2s], expect: throttle}", ``},
		"an execution outside":            {"- {executions: [-1h, -59m, -3s, -2s, -1s], expect: allow}", ``},
		"approved":                        {`- {ability: pay.a, expect: confirm, approve: true}`, ``},
		"approved once":                   {"- {ability: pay.a, expect: confirm, approve: true}\n      - {ability: pay.a, expect: confirm}", ``},
		"approving one approves no other": {`- {ability: pay.a, args: {amount: 101}, expect: confirm, approve: [ask], then: {expect: confirm, rules: [ask-big]}}`, ``},
		"not approved enough": {`- {ability: pay.a, args: {amount: 101}, expect: confirm, approve: [ask]}`,
			"7 `[ask` step 1, pay.a at +0s, approved: approve: expected the step is admitted, got confirm"},
		"nothing to approve":       {`- {expect: allow, approve: true}`, "7 `true` step 1, x at +0s: approve: expected a confirm rule asks, got none does"},
		"a rule that does not ask": {`- {ability: pay.a, expect: confirm, approve: [ask-big]}`, "7 `[ask-big` step 1, pay.a at +0s: approve: expected the rule ask-big asks, got it does not"},
		"an approved abort":        {`- {ability: pay.a, args: {amount: 2000}, expect: abort, approve: true, then: {expect: abort, rules: [amount-gt-1000]}}`, ``},
		"approve: false is none":   {`- {ability: pay.a, expect: confirm, approve: false}`, ``},
		"the wait comes first":     {"- {repeat: 5, expect: allow}\n      - {ability: pay.a, expect: confirm, rules: [ask, frequency-gt-5-1h], approve: true, then: {expect: throttle}}", ``},
		"a step that is malformed": {`- {ability: "a\u200bb", expect: abort, rules: [malformed_step]}`, ``},
		"numbers are exact":        {"- {args: {amount: 1000.00000000000000000000001}, expect: abort}\n      - {args: {amount: 1e3}, expect: allow}", ``},
		"null is malformed":        {`- {args: {amount: null}, expect: abort, rules: [amount-gt-1000]}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			text := head + "  - name: a test\n    steps:\n      " + c.steps + "\n"
			if diff := cmp.Diff(c.want, failures(text, run(t, text, nil))); diff != "" {
				t.Error("(-want +got):\n" + diff)
			}
		})
	}
}

func TestTable(t *testing.T) {
	text := head + `  - name: amounts
    defaults: {args: {kind: a}, ability: pay.a, expect: confirm}
    table:
      columns: [name, args.amount, expect, rules, approve]
      rows:
        - [least, 100, ~, [ask], true]
        - [~, 101, ~, [ask, ask-big], false]
        - [most, 1001, abort, [ask], ~]
  - name: after the fifth
    steps: [{repeat: 5, every: 1m, expect: allow}]
    table:
      columns: [at, expect]
      rows: [[~, throttle], [1h, allow], [4m, allow]]
`
	r := run(t, text, nil)
	if diff := cmp.Diff([]string{"after the fifth/1", "after the fifth/2", "after the fifth/3", "amounts/2", "amounts/least", "amounts/most"}, names(r)); diff != "" {
		t.Error("names (-want +got):\n" + diff)
	}
	want := "12 `[ask` step 1, pay.a at +0s: rules: expected [ask], got [amount-gt-1000, ask, ask-big]\n" +
		"17 `allow` step 2, x at +4m: decision: expected allow, got throttle"
	if diff := cmp.Diff(want, failures(text, r)); diff != "" {
		t.Error("failures (-want +got):\n" + diff)
	}
}

func TestDryRun(t *testing.T) {
	const dear = "chain: chain.yaml, recording: rec.yaml, params: {max: 100}, "
	const cheap = "chain: chain.yaml, recording: rec.yaml, "
	for name, c := range map[string]struct{ dryrun, want string }{
		"all that can be expected": {cheap + `expect: {status: completed, steps: {fetch: ran, pay: ran}, outputs: {price: 150, paid: "ok"}, rules: [ask, ask-big, sure], not_rules: [dear]}`, ``},
		"the wrong end":            {dear + `expect: {status: completed}`, "4 `completed` dry run of trade: status: expected completed, got aborted"},
		"a halt":                   {dear + `expect: {status: aborted, halt: {step: pay, rule: dear}, steps: {pay: refused}, rules: [dear, sure, ask, ask-big]}`, ``},
		"another halt": {dear + `expect: {status: aborted, halt: {step: fetch, rule: sure, retry_after: 1s}}`, "4 `fetch` dry run of trade: step of the halt: expected fetch, got pay\n" +
			"4 `sure` dry run of trade: rule of the halt: expected sure, got dear\n" +
			"4 `1s` dry run of trade: retry_after of the halt: expected 1s, got 0s"},
		"no halt": {cheap + `expect: {status: completed, halt: {step: pay}}`, "4 `{step` dry run of trade: halt: expected the run is halted, got it ran to its end"},
		"outputs and outcomes": {cheap + `params: {max: 1}, expect: {status: aborted, outputs: {price: "150", paid: x}, steps: {pay: ran}}`, "4 `ran` dry run of trade: outcome of pay: expected ran, got refused\n" +
			"4 `\"150\"` dry run of trade: output price: expected \"150\", got 150\n" +
			"4 `x` dry run of trade: output paid: expected \"x\", got nothing"},
		"rules":                   {cheap + `expect: {status: completed, rules: [ask], not_rules: [sure]}`, "4 `[ask` dry run of trade: rules: expected [ask], got [ask, ask-big, sure]\n4 `[sure` dry run of trade: not_rules: expected none of [sure], got [sure]"},
		"a recording in place":    {`chain: chain.yaml, recording: {params: {max: 5}, steps: [{step: fetch, output: 1}]}, expect: {status: aborted, halt: {step: pay, rule: ask}}`, ``},
		"a start that is refused": {`chain: chain.yaml, recording: {params: {nobody: 1}}, expect: {status: completed}`, "4 `completed` dry run of trade: status: expected completed, got failed"},
		"a step not reached":      {`chain: chain.yaml, recording: {params: {nobody: 1}}, expect: {status: failed, steps: {pay: ran}}`, "4 `ran` dry run of trade: outcome of pay: expected ran, got not reached"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "policies: [p.cbp]\ntests:\n  - name: a run\n    dryrun: {" + c.dryrun + "}\n"
			if diff := cmp.Diff(c.want, failures(text, run(t, text, nil))); diff != "" {
				t.Error("(-want +got):\n" + diff)
			}
		})
	}
}

// TestRun_Fresh: every test has a state of its own, and twice gives the same.
func TestRun_Fresh(t *testing.T) {
	text := head + "  - {name: a, steps: [{repeat: 5, expect: allow}]}\n  - {name: b, steps: [{repeat: 5, expect: allow}, {expect: throttle}]}\n"
	s, err := load(t, text)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r, err := s.Run(t.Context(), nil, nil)
		if err != nil || failures(text, r) != "" || len(r.Tests) != 2 {
			t.Errorf("%v: %s", err, failures(text, r))
		}
	}
	r, err := s.Run(t.Context(), func(name string) bool { return name == "b" }, nil)
	if err != nil || len(r.Tests) != 1 || r.Tests[0].Name != "b" {
		t.Errorf("the filter let through %v, %v", names(r), err)
	}
}

func TestRun_Cancelled(t *testing.T) {
	for _, text := range []string{
		head + "  - {name: a, steps: [{expect: allow}]}\n",
		"tests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: rec.yaml, expect: {status: completed}}}\n",
	} {
		s, err := load(t, text)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Run(ctx, nil, nil); err == nil {
			t.Error("a run that was cancelled tells nothing")
		}
	}
}

func TestBuiltins(t *testing.T) {
	text := `builtins: true
defaults: {chain: any, ability: x}
tests:
  - name: fifty calls
    table:
      columns: [meters.task.tool_calls, expect, rules]
      rows: [[50, allow, []], [51, abort, [tool_call_limit]]]
`
	r := run(t, text, nil)
	if got := failures(text, r); got != "" || len(r.Tests) != 2 {
		t.Error(got)
	}
}
