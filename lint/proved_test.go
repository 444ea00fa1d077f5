package lint_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/lint"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

// verdicts judges random steps under a policy and calls f with each verdict.
func verdicts(t *testing.T, policy string, rng *rand.Rand, f func(v *registry.Verdict)) {
	t.Helper()
	p, faults := dsl.ParsePolicy("p.cbp", []byte(policy))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	e := eval.New(eval.Options{Registry: &reg})
	for range 40 {
		step := map[string]any{
			"chain": "c", "ability": []string{"pay.send", "mail.send", "x.y"}[rng.IntN(3)],
			"args": map[string]any{"amount": rng.IntN(4), "note": []string{"fail", "fine", ""}[rng.IntN(3)]},
			"now":  fmt.Sprintf("2026-01-05T09:%02d:00Z", rng.IntN(60)),
		}
		line, err := json.Marshal(step)
		if err != nil {
			t.Fatal(err)
		}
		v := e.Line(t.Context(), line)
		f(&v)
	}
}

// atoms of the policies that are searched.
var searched = []string{
	"amount>1", "amount>1.0", "amount<=2", "ability:pay.*", "ability:Pay.*", "!ability:x.y", "arg:note|contains:fail",
	"frequency>2/1h", "frequency>2/60m", "frequency:pay.*>1/1h", "frequency>0/1h", "after:mail.send",
}

// TestProvedRulesAreProved searches for a step that shows a proved finding
// about a policy to be wrong: a throttle without end that says when it ends,
// equal rules of which only one fires.
func TestProvedRulesAreProved(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	endless, twins := 0, 0
	for range 400 {
		policy := ""
		for i := range 3 {
			condition := searched[rng.IntN(len(searched))]
			if rng.IntN(2) == 0 {
				condition += " & " + searched[rng.IntN(len(searched))]
			}
			policy += fmt.Sprintf("B:%s|%s|id=r%d\n", condition, []string{"abort", "throttle", "warn"}[rng.IntN(3)], i)
		}
		for _, f := range lint.Run([]lint.File{file("p.cbp", policy)}).Findings {
			if f.Confidence != diag.Proved {
				continue
			}
			id := fmt.Sprintf("r%d", f.Pos.Line-1)
			switch f.ID {
			case lint.EndlessThrottleID:
				verdicts(t, policy, rng, func(v *registry.Verdict) {
					for _, fired := range v.Fired {
						if endless++; fired.Rule.ID == id && fired.RetryAfter >= 0 {
							t.Errorf("%s ends in %v:\n%s", id, fired.RetryAfter, policy)
						}
					}
				})
			case lint.DuplicateRuleID:
				other := fmt.Sprintf("r%d", f.Related[0].Pos.Line-1)
				verdicts(t, policy, rng, func(v *registry.Verdict) {
					fires := func(id string) bool {
						return slices.ContainsFunc(v.Fired, func(f registry.Fired) bool { return f.Rule.ID == id })
					}
					if twins++; fires(id) != fires(other) {
						t.Errorf("%s and %s are not equal:\n%s", id, other, policy)
					}
				})
			}
		}
	}
	if endless < 100 || twins < 100 {
		t.Errorf("%d and %d verdicts: the search sees too little", endless, twins)
	}
}

// TestProvedSelfComparisons gives the parameter every value.
func TestProvedSelfComparisons(t *testing.T) {
	for op, always := range map[string]bool{">": false, "<": false, "!=": false, ">=": true, "<=": true, "==": true} {
		c := file("c.yaml", fmt.Sprintf(`id: c
params: [{name: limit, param_type: number, required: true}]
circuit_breakers: [{condition: "amount%s{{limit}}", action: abort, id: r}]
steps:
  - {id: a, ability: pay.x, args: {amount: "{{limit}}"}}
`, op))
		if found := only(lint.Run([]lint.File{c}).Findings, lint.SelfComparisonID); len(found) != 1 {
			t.Fatalf("%s: %v", op, found)
		}
		for _, value := range []string{"0", "-1", "1e9", "0.30000000000000000000000000000000000001", "7"} {
			step := fmt.Sprintf(`{"chain":"c","ability":"pay.x","args":{"amount":%q},"params":{"limit":%q}}`, value, value)
			if fired := slices.Contains(firedBy(t, []byte(step), c), "r"); fired != always {
				t.Errorf("%s with %s: fires %v, want %v", op, value, fired, always)
			}
		}
	}
}
