package lint_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

// bounded is a chain with one parameter, which a step passes on as amount.
func bounded(param, rule, steps string) lint.File {
	return file("c.yaml", "id: c\nparams: [{name: sum, param_type: number, "+param+"}]\ncircuit_breakers:\n  - "+rule+"\nsteps:\n"+steps)
}

const (
	paySum    = "  - {id: a, ability: pay.x, args: {amount: \"{{sum}}\"}}\n"
	payTwice  = paySum + "  - {id: b, ability: pay.y, args: {amount: \"{{sum}}0\"}}\n"
	payAndLog = paySum + "  - {id: b, ability: log.x, args: {note: \"{{sum}}\"}}\n"
)

func TestConstantComparison(t *testing.T) {
	for _, c := range []struct{ name, param, rule, steps, want string }{
		{"> where >= was meant", "required: true, max: 500", "sum>500", paySum, "warning"},
		{">=", "required: true, max: 500", "sum>=500", paySum, ""},
		{"beyond the greatest", "required: true, max: 500", "sum>=500.01", paySum, "warning"},
		{"below the least", "required: true, min: 5", "sum<5", paySum, "warning"},
		{"the least and more", "required: true, min: 5", "sum>=5", paySum, "warning"},
		{"within", "required: true, min: 5, max: 500", "sum>5", paySum, ""},
		{"another number", "required: true, min: 5, max: 500", "sum==501", paySum, "warning"},
		{"not another number", "required: true, min: 5, max: 500", "sum!=501", paySum, "warning"},
		{"only that number", "required: true, min: 5, max: 5", "sum==5", paySum, "warning"},
		{"none of a list", "required: true, enum: [1, 2, 3]", "sum>3", paySum, "warning"},
		{"all of a list", "required: true, enum: [1, 2, 3]", "sum<=3", paySum, "warning"},
		{"some of a list", "required: true, enum: [1, 2, 3]", "sum>=3", paySum, ""},
		{"a default is a value", "default: 3, max: 500", "sum>500", paySum, "warning"},
		{"unset it is missing, which fires", "max: 500", "sum>500", paySum, ""},
		{"unset it is skipped", "max: 500", "sum>500, missing: skip", paySum, "warning"},
		{"the argument is the parameter", "required: true, max: 500", "amount>500", paySum, "warning?"},
		{"a step gives something else", "required: true, max: 500", "amount>500", payTwice, ""},
		{"a rule that waits for the argument", "required: true, max: 500", "amount>500", payAndLog, "warning?"},
		{"a rule that does not wait", "required: true, max: 500", "amount>500, missing: fire", payAndLog, ""},
		{"a rule about another step", "required: true, max: 500", "ability:log.x&amount>500", payAndLog, ""},
		{"a rule about this step", "required: true, max: 500", "ability:pay.x&amount>500", payAndLog, "warning?"},
		{"no bounds", "required: true", "sum>500", paySum, ""},
		{"a meter", "required: true", "task.output_similarity>1", paySum, "warning"},
		{"a unit", "required: true, max: 60", "sum>1m", paySum, "warning"},
	} {
		t.Run(c.name, func(t *testing.T) {
			condition, more, found := strings.Cut(c.rule, ", ")
			if found {
				more = ", " + more
			}
			f := bounded(c.param, fmt.Sprintf("{condition: %q, action: abort%s}", condition, more), c.steps)
			got := only(lint.Run([]lint.File{f}).Findings, lint.ConstantComparisonID)
			var want []string
			if c.want != "" {
				_, marked, two := strings.Cut(condition, "&")
				if !two {
					marked = condition
				}
				want = []string{"c.yaml:4 " + c.want + " constant-comparison «" + marked + "»"}
			}
			expect(t, got, want...)
		})
	}
}

func TestConstantComparison_Meters(t *testing.T) {
	for rule, want := range map[string]string{
		"task.output_similarity>1": "did you mean task.output_similarity>=1?", "task.output_similarity>=1": "", "task.output_similarity>0.95": "",
		"task.tool_calls<0": "did you mean task.tool_calls<=0?", "task.tool_calls>=0": "leave it out, or compare with a number that makes a difference",
		"task.duration>30m": "", "session.spend_cents<0": "", "worker.failures==-1": "compare with a number that can be passed",
	} {
		got := lint.Run([]lint.File{file("p.cbp", "B:"+rule+"|abort\n")}).Findings
		switch {
		case want == "" && len(got) > 0, want != "" && len(got) != 1:
			t.Errorf("%s: %v", rule, got)
		case want != "" && (got[0].ID != lint.ConstantComparisonID || got[0].Hint != want):
			t.Errorf("%s: %v", rule, got)
		}
	}
	// An operator may guard a parameter whatever the chain says of it.
	f := bounded("required: true, max: 500", "{condition: amount>100, action: abort}", paySum)
	if got := lint.Run([]lint.File{f, file("p.cbp", "CHAIN:c\nB:sum>500|abort\n")}).Findings; len(got) > 0 {
		t.Error(got)
	}
}

// TestProvedConstantComparisons gives the parameter values that it may have:
// the rule fires at all of them, or at none; at some, where nothing is found.
func TestProvedConstantComparisons(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	proved, open := 0, 0
	rounds := searchRounds(1500)
	for range rounds {
		low, limit := rng.IntN(4), rng.IntN(8)
		high := low + rng.IntN(4)
		op := []string{">", ">=", "<", "<=", "==", "!="}[rng.IntN(6)]
		param := fmt.Sprintf("required: true, min: %d, max: %d", low, high)
		if rng.IntN(3) == 0 {
			param = fmt.Sprintf("required: true, enum: [%d, %d]", low, high)
		}
		c := bounded(param, fmt.Sprintf("{condition: \"sum%s%d\", action: abort, id: r}", op, limit), paySum)
		found := only(lint.Run([]lint.File{c}).Findings, lint.ConstantComparisonID)
		outcomes := map[bool]int{}
		for _, value := range []string{fmt.Sprint(low), fmt.Sprint(high), fmt.Sprint(low) + ".0"} {
			step, err := json.Marshal(map[string]any{"chain": "c", "ability": "pay.x", "args": map[string]any{"amount": value}, "params": map[string]any{"sum": value}})
			if err != nil {
				t.Fatal(err)
			}
			outcomes[len(firedBy(t, step, c)) > 0]++
		}
		if len(found) == 0 {
			between := low < limit && limit < high && (op == "==" || op == "!=") // a value that was not tried
			if open++; len(outcomes) != 2 && !between {
				t.Errorf("sum%s%d with %s: nothing is found, but fires %v", op, limit, param, outcomes)
			}
			continue
		}
		proved++
		if f := found[0]; f.Confidence != diag.Proved || len(outcomes) != 1 || outcomes[true] > 0 != strings.Contains(f.Message, "always holds") {
			t.Errorf("sum%s%d with %s: %v, but fires %v", op, limit, param, f, outcomes)
		}
	}
	if proved < rounds/8 || open < rounds/8 {
		t.Errorf("%d proved, %d not: the search sees too little", proved, open)
	}
}
