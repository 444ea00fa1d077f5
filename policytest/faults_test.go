package policytest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/policytest"
)

const one = "  - name: a\n    steps:\n      - "

// TestFaults: what is wrong in a test file is told at its place.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":               {"", "1 `nowhere` syntax: the file is empty"},
		"no YAML":             {"tests: [", "1 `tests` syntax: a value is expected here"},
		"a list":              {"- a\n", "1 `-` wrong-type: a test file is a map of fields, not a list"},
		"no tests":            {"policies: [p.cbp]\n", "1 `policies` syntax: a test file has no tests"},
		"an empty list":       {"policies: [p.cbp]\ntests: []\n", "2 `[` syntax: there is no test"},
		"an unknown field":    {"polices: [p.cbp]\ntests: []\n", "1 `polices` unknown-field: a test file has no field \"polices\" (did you mean policies?)\n2 `[` syntax: there is no test"},
		"an unknown policy":   {"policies: [gone.cbp]\ntests: []\n", "1 `gone.cbp` dangling-reference: a policy: there is no file \"d/gone.cbp\""},
		"a policy of nothing": {"policies: [empty.cbp]\ntests: []\n", "1 `empty.cbp` syntax: the policy \"d/empty.cbp\" has no rule\n2 `[` syntax: there is no test"},
		"a start":             {"start: noon\ntests: [{name: a, steps: [{chain: c, ability: x, expect: allow, rules: []}]}]\n", "1 `noon` wrong-type: start: \"noon\" is no time such as 2026-01-05T09:00:00Z"},
		"builtins":            {"builtins: 1\ntests: [{name: a, steps: [{chain: c, ability: x, expect: allow, rules: []}]}]\n", "1 `1` wrong-type: builtins is true or false, not a number"},

		"a test of nothing":     {head + "  - name: a\n", "5 `a` syntax: a test tests nothing"},
		"no step":               {head + "  - {name: a, steps: []}\n", "5 `[` syntax: a test has no step"},
		"no name":               {head + "  - {steps: [{expect: allow}]}\n", "5 `{steps` syntax: a test has no name"},
		"two of a name":         {head + "  - {name: a, steps: [{expect: allow}]}\n  - {name: a, steps: [{expect: allow}]}\n", "6 `a` syntax: two tests have the name \"a\""},
		"a step's field":        {head + "  - {name: a, ability: x, steps: [{expect: allow}]}\n", "5 `ability` unknown-field: a test has no field \"ability\" (a field of steps: put it into one of them, or under defaults)"},
		"two kinds":             {head + "  - {name: a, steps: [{expect: allow}], dryrun: {}}\n", "5 `a` syntax: a test with dryrun has no steps, table or defaults"},
		"a misspelt test field": {head + "  - {name: a, stepz: [{expect: allow}]}\n", "5 `a` syntax: a test tests nothing\n5 `stepz` unknown-field: a test has no field \"stepz\" (did you mean steps?)"},

		"no decision":            {head + one + "{args: {}}\n", "7 `{args` syntax: a step has no expect"},
		"no ability":             {"policies: [p.cbp]\ntests:\n" + one + "{chain: c, expect: allow}\n", "5 `{chain` syntax: a step has no ability"},
		"an empty chain":         {head + one + "{chain: \"\", expect: allow}\n", "7 `\"\"` syntax: chain is empty"},
		"an unknown decision":    {head + one + "{expect: alow}\n", "7 `alow` syntax: there is no decision \"alow\" (did you mean allow?)"},
		"an unknown step field":  {head + one + "{expect: allow, argz: {}}\n", "7 `argz` unknown-field: a step has no field \"argz\" (did you mean args?)"},
		"now":                    {head + one + "{expect: allow, now: 1m}\n", "7 `now` unknown-field: a step has no field \"now\" (at says when: a duration since the test's start)"},
		"a wrong type":           {head + one + "{expect: allow, args: [1]}\n", "7 `[1` wrong-type: args: want a JSON object of named values"},
		"a wrong history":        {head + one + "{expect: allow, history: web.get}\n", "7 `web.get` wrong-type: history: want a list, not a text"},
		"an unknown meter":       {head + one + "{expect: allow, meters: {task.calls: 1}}\n", "7 `{task.calls` wrong-type: meters: unknown meter \"task.calls\""},
		"an unknown rule":        {head + one + "{expect: allow, rules: [ask-bog]}\n", "7 `ask-bog` unknown-rule: no rule has the id \"ask-bog\" (did you mean ask-big?)"},
		"a rule that never was":  {head + one + "{expect: allow, not_rules: [a, b]}\n", "7 `a` unknown-rule: no rule has the id \"a\"\n7 `b` unknown-rule: no rule has the id \"b\""},
		"a rule of elsewhere":    {head + one + "{expect: allow, not_rules: [never]}\n", "7 `never` unknown-rule: the rule \"never\" does not apply to the chain \"trade\" (it stands at d/p.cbp:7:3, for the chain \"other\")"},
		"an observed rule":       {head + one + "{expect: allow, rules: [seen]}\n", "7 `seen` unknown-rule: the rule \"seen\" can never stand under rules (its mode is observe: name it under observed)"},
		"an enforced rule":       {head + one + "{expect: allow, observed: [ask]}\n", "7 `ask` unknown-rule: the rule \"ask\" can never stand under observed (its mode is enforce: name it under rules)"},
		"an approval of no rule": {head + one + "{expect: allow, approve: [amount-gt-1000, malformed_step]}\n", "7 `amount-gt-1000` unknown-rule: the rule \"amount-gt-1000\" can never stand under approve (only confirm rules are approved)\n7 `malformed_step` unknown-rule: no rule has the id \"malformed_step\""},
		"then by itself":         {head + one + "{expect: allow, then: {expect: allow}}\n", "7 `{expect` syntax: then without approve"},
		"then of nothing":        {head + one + "{expect: confirm, approve: true, then: {rules: []}}\n", "7 `{rules` syntax: then has no expect"},
		"approve":                {head + one + "{expect: confirm, approve: yes}\n", "7 `yes` wrong-type: approve, where it is no list of rule ids, is true or false, not a text"},
		"time goes back":         {head + one + "{at: 1h, expect: allow}\n      - {at: 59m, expect: allow}\n", "8 `59m` syntax: time goes back: the step before is at 1h"},
		"a time of the past":     {head + one + "{at: -1s, expect: allow}\n", "7 `-1s` wrong-type: at cannot be \"-1s\""},
		"a time without unit":    {head + one + "{at: 5, expect: allow}\n", "7 `5` wrong-type: at cannot be \"5\""},
		"the end of time":        {head + one + "{at: 90000d, expect: allow}\n", "7 `{at` limit-exceeded: the step is too late to be told"},
		"repeat":                 {head + one + "{repeat: 0, expect: allow}\n", "7 `0` wrong-type: repeat is a whole number from 1 to 10000"},
		"too many steps":         {head + one + "{repeat: 6000, expect: allow}\n      - {repeat: 6000, expect: allow}\n", "8 `{repeat` limit-exceeded: more than 10000 steps in a test, repetitions counted"},
		"retry_after":            {head + one + "{expect: throttle, retry_after: soon}\n", "7 `soon` wrong-type: retry_after cannot be \"soon\""},
		"retry_after too fine":   {head + one + "{expect: throttle, retry_after: 1us}\n", "7 `1us` wrong-type: retry_after is told in whole milliseconds, rounded up"},
		"a chain without rules":  {"policies: [q.cbp]\ntests:\n" + one + "{chain: othr, ability: x, expect: allow}\n", "5 `othr` unknown-rule: no rule applies to the chain \"othr\" (did you mean other? rules: [] says that this is meant)"},
		"a default":              {"policies: [p.cbp]\ndefaults: {tool: x}\ntests: [{name: a, steps: [{chain: c, ability: x, expect: allow}]}]\n", "2 `tool` unknown-field: defaults has no field \"tool\" (did you mean ability?)"},

		"a column":           {head + "  - {name: a, table: {columns: [amount, expect], rows: [[1, allow]]}}\n", "5 `amount` unknown-field: a step has no field \"amount\" (did you mean args.amount?)\n5 `1` unknown-field: a step has no field \"amount\""},
		"a column twice":     {head + "  - {name: a, table: {columns: [expect, args.a, args.a], rows: [[allow, 1, 2]]}}\n", "5 `args.a` syntax: the column \"args.a\" is there already"},
		"no column":          {head + "  - {name: a, table: {columns: [], rows: [[1, allow]]}}\n", "5 `[` syntax: the table has no column"},
		"no row":             {head + "  - {name: a, table: {columns: [expect], rows: []}}\n", "5 `[` syntax: the table has no row"},
		"a short row":        {head + "  - {name: a, table: {columns: [expect, args.a], rows: [[allow]]}}\n", "5 `[allow` syntax: the row has 1 values for 2 columns"},
		"a row that is none": {head + "  - {name: a, table: {columns: [expect], rows: [allow]}}\n", "5 `allow` wrong-type: a row is a list of values, not a text"},
		"rows of one name":   {head + "  - {name: a, table: {columns: [name, expect], rows: [[x, allow], [x, allow]]}}\n", "5 `[x` syntax: two tests have the name \"a/x\""},

		"a dry run of nothing":     {"tests:\n  - {name: a, dryrun: {chain: chain.yaml}}\n", "2 `{chain` syntax: a dryrun has no expect\n2 `{chain` syntax: a dryrun has no recording"},
		"an unknown chain":         {"tests:\n  - {name: a, dryrun: {chain: gone.yaml, recording: rec.yaml, expect: {status: failed}}}\n", "2 `gone.yaml` dangling-reference: a chain: there is no file \"d/gone.yaml\""},
		"an unknown status":        {"tests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: rec.yaml, expect: {status: complete}}}\n", "2 `complete` syntax: status cannot be \"complete\" (did you mean completed?)"},
		"a status too high":        {"tests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: rec.yaml, status: failed, expect: {}}}\n", "2 `status` unknown-field: a dryrun has no field \"status\" (it stands under expect)"},
		"an unknown step":          {"tests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: rec.yaml, expect: {status: failed, steps: {pai: ran}, halt: {step: fetsh}}}}\n", "2 `pai` dangling-reference: the chain has no step \"pai\" (did you mean pay?)\n2 `fetsh` dangling-reference: the chain has no step \"fetsh\" (did you mean fetch?)"},
		"an unknown outcome":       {"tests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: rec.yaml, expect: {status: failed, steps: {pay: run}}}}\n", "2 `run` syntax: the outcome of a step cannot be \"run\" (did you mean ran?)"},
		"a halt rule":              {"tests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: rec.yaml, expect: {status: failed, halt: {rule: deer}}}}\n", "2 `deer` unknown-rule: no rule has the id \"deer\" (did you mean dear?)"},
		"a halt of nothing":        {"tests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: rec.yaml, expect: {status: failed, halt: {}}}}\n", "2 `{` syntax: halt expects nothing"},
		"a recording in place":     {"tests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: {steps: [{step: fetsh, output: 1}]}, expect: {status: failed}}}\n", "2 `{step` dangling-reference: the chain has no step \"fetsh\" (did you mean fetch?)"},
		"a recording that is none": {"tests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: {stepz: []}, expect: {status: failed}}}\n", "2 `stepz` unknown-field: a recording has no field \"stepz\" (did you mean steps?)"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := directory()
			dir["d/q.cbp"] = "CHAIN:other\nB:a>1|abort\n"
			_, err := policytest.Load("d/x_test.yaml", []byte(c.text), dir.read)
			var wrong *policytest.FileError
			if !errors.As(err, &wrong) {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(c.want, faults(c.text, c.want, wrong.Findings)); diff != "" {
				t.Error("(-want +got):\n" + diff)
			}
		})
	}
}

// faults prints findings, with the hint where one is wanted.
func faults(source, want string, list diag.List) string {
	wanted := strings.Split(want, "\n")
	var lines []string
	for i, f := range list {
		line := fmt.Sprintf("%d `%s` %s: %s", f.Pos.Line, textAt(source, f.Pos), f.ID, f.Message)
		if i < len(wanted) && strings.HasSuffix(wanted[i], ")") && f.Hint != "" {
			line += " (" + f.Hint + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestFaults_Elsewhere: what is wrong in another file is told there.
func TestFaults_Elsewhere(t *testing.T) {
	for text, want := range map[string]string{
		"policies: [bad.cbp]\ntests: []\n":              "d/bad.cbp:1:12: ",
		"chains: [bad.yaml]\ntests: []\n":               "d/bad.yaml:1:1: ",
		"policies: [p.cbp, p.cbp]\ntests: []\n":         "d/p.cbp:1:3: ",
		"policies: [burning.cbp]\ntests: [{name: a}]\n": "d/x_test.yaml:1:12: a policy: the disk is on fire",
		"policies: [p.cbp]\ntests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: bad.yaml, expect: {status: failed}}}\n": "d/bad.yaml:1:1: ",
	} {
		_, err := load(t, text)
		var inFile *policytest.FileError
		if err == nil || errors.As(err, &inFile) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s…", text, err, want)
		}
	}
}

// FuzzLoad: whatever stands in a test file, it is read or refused with places
// inside it, and what was read can be run.
func FuzzLoad(f *testing.F) {
	f.Add(head + one + "{args: {amount: 2000}, expect: abort, rules: [amount-gt-1000]}\n")
	f.Add(head + "  - {name: a, table: {columns: [args.a, expect], rows: [[1, allow], [~, warn]]}}\n")
	f.Add("tests:\n  - {name: a, dryrun: {chain: chain.yaml, recording: {steps: [{step: fetch, output: 1}]}, expect: {status: failed}}}\n")
	f.Add(head + one + "{ability: pay.a, at: 1d2h, repeat: 2, every: 1s, expect: confirm, approve: [ask], then: {expect: allow}, calls: [{ability: x, at: -1m}]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := policytest.Load("d/x_test.yaml", []byte(text), directory().read)
		if err != nil {
			var wrong *policytest.FileError
			if errors.As(err, &wrong) {
				for _, finding := range wrong.Findings {
					if finding.File != "d/x_test.yaml" || finding.Pos.Line > strings.Count(text, "\n")+1 {
						t.Errorf("a fault nowhere: %v", finding)
					}
				}
			}
			return
		}
		if len(s.Tests) == 0 {
			t.Fatal("no test and no error")
		}
		r, err := s.Run(t.Context(), nil, policytest.NewCoverage())
		if err != nil || len(r.Tests) != len(s.Tests) {
			t.Errorf("%d of %d tests were run: %v", len(r.Tests), len(s.Tests), err)
		}
	})
}
