package lint_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/lint"
	"github.com/cbpolicy/cbpolicy/registry"
)

// randomChain is a chain of three steps and one rule that only warns, in which
// keys are read early, late, or nowhere bound.
func randomChain(rng *rand.Rand) string {
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	condition := pick("", "", "ability:pay.x & ", "ability:log.x & ", "!ability:pay.x & ") +
		pick("o0", "o1", "o2", "s1.output", "v", "w", "p", "nobody", "s0_error") + ">1" + pick("", "", " & o0>1", " & v>1")
	var b strings.Builder
	fmt.Fprintf(&b, "id: c\nparams: [{name: p, param_type: number, default: 2}]\ncircuit_breakers:\n  - {condition: %q, action: warn, id: r%s}\nsteps:\n",
		condition, pick("", "", ", missing: fire", ", missing: skip"))
	for i := range 3 {
		fmt.Fprintf(&b, "  - {id: s%d, ability: %s, args: {%s: %q}", i, pick("pay.x", "log.x"), pick("v", "w"),
			pick("1", "1", "{{p}}", "{{o0}}", "{{o1}}", "{{s1.output}}", "{{nobody}}", "{{s7.output}}", "{{s0_error}}"))
		if rng.IntN(3) > 0 {
			fmt.Fprintf(&b, ", output_key: o%d", i)
		}
		if rng.IntN(3) == 0 {
			fmt.Fprintf(&b, ", condition: {ref_key: %s, op: %s, value: 5}", pick("o0", "o1", "o2", "p", "nobody"), pick("equals", "greater_than", "not_equals"))
		}
		if rng.IntN(3) == 0 {
			fmt.Fprintf(&b, ", on_failure: %s", pick("continue", "s2"))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// randomRecording lets each step succeed with a number, or fail.
func randomRecording(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("steps:\n")
	for i := range 3 {
		for range 2 { // a step may be jumped back to
			if rng.IntN(4) == 0 {
				fmt.Fprintf(&b, "  - {step: s%d, error: {class: ToolError, message: no}}\n", i)
			} else {
				fmt.Fprintf(&b, "  - {step: s%d, output: %q}\n", i, fmt.Sprint(rng.IntN(7)))
			}
		}
	}
	return b.String()
}

// TestProvedChainFindings runs random chains and looks for a run that shows a
// proved finding to be wrong: a chain that starts where a reference was said
// to refuse the start, a rule that does not fire at the step where it was
// said to, a step that runs where its condition was said never to hold.
func TestProvedChainFindings(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	refused, fired, skipped := 0, 0, 0
	rounds := searchRounds(1500)
	for range rounds {
		text := randomChain(rng)
		c, faults := chain.Parse("c.yaml", []byte(text))
		if c == nil {
			t.Fatalf("%s\n%v", text, faults)
		}
		found := slices.DeleteFunc(lint.Run([]lint.File{file("c.yaml", text)}).Findings, func(f *diag.Finding) bool { return f.Confidence != diag.Proved })
		_, err := c.Start(map[string]chain.Value{"p": jsonv.OfNumber("2")}, chain.Host)
		for _, f := range found {
			about := strings.HasPrefix(f.Message, "step ") || strings.HasPrefix(f.Message, "the chain has no step")
			if !about || !strings.Contains(f.Text, "{{") {
				continue
			}
			if refused++; err == nil {
				t.Errorf("%s\n%v\nbut the chain starts", text, f)
			}
		}
		if err != nil {
			continue
		}
		for range 4 {
			recording := randomRecording(rng)
			result := runRecorded(t, c, recording)
			if result == nil {
				continue
			}
			for _, f := range found {
				for _, s := range result.Steps {
					switch {
					case f.Witness != nil && s.Verdict != nil && s.Step == witnessStep(t, f):
						if fired++; !slices.ContainsFunc(s.Verdict.Fired, func(r registry.FiredJSON) bool { return r.Rule == "r" }) {
							t.Errorf("%s%s\n%v\nbut it does not fire at %s", text, recording, f, s.Step)
						}
					case strings.Contains(f.Message, "the step never runs") && strings.Contains(f.Message, "before "+s.Step+" "):
						if skipped++; s.Outcome != run.Skipped {
							t.Errorf("%s%s\n%v\nbut it %s", text, recording, f, s.Outcome)
						}
					}
				}
			}
		}
	}
	if refused < rounds/15 || fired < rounds/30 || skipped < rounds/75 {
		t.Errorf("%d refused starts, %d firings, %d skipped steps: the search sees too little", refused, fired, skipped)
	}
}

// runRecorded runs a chain against a recording; nil: it does not begin.
func runRecorded(t *testing.T, c *chain.Chain, recording string) *run.Result {
	t.Helper()
	rec, faults := run.ParseRecording("rec.yaml", []byte(recording))
	if rec == nil {
		t.Fatal(faults)
	}
	result, err := run.DryRun(t.Context(), run.DryRunOptions{Chain: c, Recording: rec})
	if result == nil && !errors.As(err, new(*chain.StartError)) {
		t.Fatal(err)
	}
	return result
}

func witnessStep(t *testing.T, f *diag.Finding) string {
	t.Helper()
	var step struct{ Step string }
	if err := json.Unmarshal(f.Witness, &step); err != nil {
		t.Fatal(err)
	}
	return step.Step
}
