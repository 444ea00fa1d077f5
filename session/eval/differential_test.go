package eval_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// answer is the part of a verdict that the two evaluators must agree on.
type answer struct {
	decision string
	fired    string // "id action mode" of every fired rule, in order
	retry    int64
}

func (a answer) String() string {
	return fmt.Sprintf("%s, retry_after_ms %d, fired [%s]", a.decision, a.retry, a.fired)
}

// opener makes an evaluator of a policy, which then judges one line at a time.
type opener func(rules []rule) func(line string) answer

// naiveOpener opens the naive evaluator.
func naiveOpener(rules []rule) func(string) answer {
	h := newHistory()
	return func(line string) answer {
		v := judge(rules, h, readStep(line))
		fired := make([]string, len(v.fired))
		for i, f := range v.fired {
			fired[i] = f.id + " " + f.action + " " + f.mode
		}
		return answer{v.decision, strings.Join(fired, ", "), v.retry}
	}
}

// engineOpener opens the engine on the policy's text.
func engineOpener(t testing.TB) opener {
	return func(rules []rule) func(string) answer {
		eval := engine(t, policyText(rules))
		return func(line string) answer {
			v := eval([]byte(line))
			fired := make([]string, len(v.Fired))
			for i, f := range v.Fired {
				fired[i] = f.Rule + " " + f.Action + " " + f.Mode
			}
			return answer{v.Decision, strings.Join(fired, ", "), v.RetryAfterMS}
		}
	}
}

// disagreement returns the first line on which two evaluators differ, or -1.
func disagreement(s scenario, one, other opener) int {
	a, b := one(s.rules), other(s.rules)
	return slices.IndexFunc(s.lines, func(line string) bool { return a(line) != b(line) })
}

// shrunk drops lines, rules and atoms while the two evaluators still differ.
func shrunk(s scenario, one, other opener) scenario {
	for smaller := true; smaller; {
		smaller = false
		for _, candidate := range s.smaller() {
			if at := disagreement(candidate, one, other); at >= 0 {
				candidate.lines = candidate.lines[:at+1]
				s, smaller = candidate, true
				break
			}
		}
	}
	return s
}

// smaller returns the scenarios with one part less, the greatest parts first.
func (s scenario) smaller() (all []scenario) {
	if len(s.rules) > 1 {
		for i := range s.rules {
			all = append(all, scenario{slices.Delete(slices.Clone(s.rules), i, i+1), s.lines})
		}
	}
	for i := range s.lines {
		all = append(all, scenario{s.rules, slices.Delete(slices.Clone(s.lines), i, i+1)})
	}
	for i, r := range s.rules {
		for j := range r.atoms {
			if len(r.atoms) > 1 {
				r := r
				r.atoms = slices.Delete(slices.Clone(r.atoms), j, j+1)
				rules := slices.Clone(s.rules)
				rules[i] = r
				all = append(all, scenario{rules, s.lines})
			}
		}
	}
	return all
}

// report prints a scenario with what both evaluators say about each line.
func (s scenario) report(one, other opener) string {
	var b strings.Builder
	fmt.Fprintf(&b, "policy:\n%s", policyText(s.rules))
	x, y := one(s.rules), other(s.rules)
	for i, line := range s.lines {
		fmt.Fprintf(&b, "line %d: %s\n", i+1, line)
		if a, c := x(line), y(line); a != c {
			fmt.Fprintf(&b, "  naive:  %v\n  engine: %v\n", a, c)
		}
	}
	return b.String()
}

// TestDifferential compares at least 200,000 verdicts of the engine with
// those of the naive evaluator; 20,000 with -short.
func TestDifferential(t *testing.T) {
	want := 200_000
	if testing.Short() {
		want = 20_000
	}
	const mostReports = 5
	tested, reports := engineOpener(t), 0
	compared := 0
	for seed := uint64(0); compared < want; seed++ {
		s := drawScenario(seed)
		compared += len(s.lines)
		if disagreement(s, naiveOpener, tested) < 0 {
			continue
		}
		t.Errorf("seed %d, shrunk:\n%s", seed, shrunk(s, naiveOpener, tested).report(naiveOpener, tested))
		if reports++; reports == mostReports {
			t.Fatalf("%d disagreements within %d verdicts; giving up", reports, compared)
		}
	}
	t.Logf("compared %d verdicts", compared)
}

// FuzzDifferential compares scenarios of seeds that TestDifferential does not reach.
func FuzzDifferential(f *testing.F) {
	f.Add(uint64(1) << 32)
	f.Fuzz(func(t *testing.T, seed uint64) {
		if s, tested := drawScenario(seed), engineOpener(t); disagreement(s, naiveOpener, tested) >= 0 {
			t.Fatalf("seed %d, shrunk:\n%s", seed, shrunk(s, naiveOpener, tested).report(naiveOpener, tested))
		}
	})
}

// mutants are faults an engine might have, written as other rules.
var mutants = map[string]func(r *rule, a atom) atom{
	"one more is admitted": func(_ *rule, a atom) atom {
		if a, ok := a.(frequency); ok {
			a.count++
			return a
		}
		return a
	},
	"the scope of a counter is lost": func(_ *rule, a atom) atom {
		if a, ok := a.(frequency); ok {
			a.scope = ""
			return a
		}
		return a
	},
	"greater means at least": func(_ *rule, a atom) atom {
		if a, ok := a.(threshold); ok && a.op == ">" {
			a.op = ">="
			return a
		}
		return a
	},
	"a limit is a float": func(_ *rule, a atom) atom {
		if a, ok := a.(threshold); ok && a.limit == "0.30000000000000000000000000000000000001" {
			a.limit = "0.3"
			return a
		}
		return a
	},
	"missing=fire is missing=wait": func(r *rule, a atom) atom {
		if r.missing == "fire" {
			r.missing = "wait"
		}
		return a
	},
	"a negated provenance holds too seldom": func(_ *rule, a atom) atom {
		if a, ok := a.(match); ok && a.kind == "in" {
			a.not = false
			return a
		}
		return a
	},
	"a section is ignored": func(r *rule, a atom) atom {
		r.section = "*"
		return a
	},
	"observe decides": func(r *rule, a atom) atom {
		r.observe = false
		return a
	},
}

// TestDifferential_FindsFaults puts each fault into the naive evaluator and
// asks the comparison to find it and to shrink it to a few lines.
func TestDifferential_FindsFaults(t *testing.T) {
	for name, mutate := range mutants {
		t.Run(name, func(t *testing.T) {
			mutant := func(rules []rule) func(string) answer {
				changed := slices.Clone(rules)
				for i := range changed {
					r := &changed[i]
					r.atoms = slices.Clone(r.atoms)
					for j := range r.atoms {
						r.atoms[j] = mutate(r, r.atoms[j])
					}
				}
				return naiveOpener(changed)
			}
			for seed := range uint64(300) {
				s := drawScenario(seed)
				if disagreement(s, naiveOpener, mutant) < 0 {
					continue
				}
				if small := shrunk(s, naiveOpener, mutant); len(small.lines) > 8 || len(small.rules) > 2 {
					t.Errorf("not shrunk well:\n%s", small.report(naiveOpener, mutant))
				}
				return
			}
			t.Error("300 scenarios do not find this fault")
		})
	}
}
