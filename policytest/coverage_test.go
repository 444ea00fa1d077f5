package policytest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/policytest"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

// seen prints a coverage: a rule a line, + where it fired, and for each atom
// what was seen of it: T, F, both or neither.
func seen(c *policytest.Coverage) string {
	var b strings.Builder
	r := c.Report()
	for _, rule := range r.Rules {
		fired := "-"
		if rule.Fired {
			fired = "+"
		}
		fmt.Fprintf(&b, "%s%s", fired, rule.Rule)
		for _, a := range rule.Atoms {
			b.WriteString(" ")
			if a.True {
				b.WriteString("T")
			}
			if a.False {
				b.WriteString("F")
			}
			if !a.True && !a.False {
				b.WriteString("0")
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%d of %d", r.Seen, r.Total)
	return b.String()
}

func TestCoverage(t *testing.T) {
	const policy = `B:ability:pay & amount>100 & frequency:pay>1/1h|abort|id=three
B:frequency>2/1h & frequency:pay>0/1h|warn|id=counts
B:amount>5|warn|id=one,missing=skip
CHAIN:other
B:ability:x|abort|id=elsewhere
`
	for name, c := range map[string]struct{ steps, want string }{
		"nothing of it": {`{ability: look, expect: allow}`,
			"-three F 0 0\n-counts F 0\n-one F\n-elsewhere 0\n3 of 18"},
		"up to the first that does not hold": {`{ability: pay, args: {amount: 1}, expect: allow}`,
			"-three T F 0\n-counts F 0\n-one F\n-elsewhere 0\n4 of 18"},
		"counters are last": {`{ability: pay, args: {amount: 101}, expect: warn}`,
			"-three T T F\n-counts F 0\n+one T\n-elsewhere 0\n6 of 18"},
		"all of it": {`{ability: pay, args: {amount: 101}, expect: warn}, {ability: pay, args: {amount: 101}, expect: abort}`,
			"+three T T TF\n-counts F 0\n+one T\n-elsewhere 0\n8 of 18"},
		"a pure count": {`{ability: look, repeat: 2, expect: allow}, {ability: look, expect: allow}, {ability: pay, args: {amount: 1}, expect: warn}`,
			"-three TF F 0\n+counts TF TF\n-one F\n-elsewhere 0\n9 of 18"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := files{"d/p.cbp": policy}
			text := "policies: [p.cbp]\ndefaults: {chain: c}\ntests: [{name: a, steps: [" + c.steps + "]}]\n"
			s, err := policytest.Load("d/x_test.yaml", []byte(text), dir.read)
			if err != nil {
				t.Fatal(err)
			}
			cover := policytest.NewCoverage()
			r, err := s.Run(t.Context(), nil, cover)
			if err != nil || failures(text, r) != "" {
				t.Fatal(err, failures(text, r))
			}
			if diff := cmp.Diff(c.want, seen(cover)); diff != "" {
				t.Error("(-want +got):\n" + diff)
			}
		})
	}
}

// TestCoverage_DryRun: what a dry run judges is seen, the check after the
// last step too, and rules of a chain are told at their place.
func TestCoverage_DryRun(t *testing.T) {
	dir := files{"d/c.yaml": "id: c\ncircuit_breakers: [{condition: 'last>1', action: abort, id: final}, {condition: 'ability:y', action: warn, id: y}]\nsteps: [{id: a, ability: x, output_key: last}]\n"}
	text := "tests: [{name: a, dryrun: {chain: c.yaml, recording: {steps: [{step: a, output: 2}]}, expect: {status: aborted}}}]\n"
	s, err := policytest.Load("d/x_test.yaml", []byte(text), dir.read)
	if err != nil {
		t.Fatal(err)
	}
	cover := policytest.NewCoverage()
	r, err := s.Run(t.Context(), nil, cover)
	if err != nil || failures(text, r) != "" {
		t.Fatal(err, failures(text, r))
	}
	if diff := cmp.Diff("+final TF\n-y F\n4 of 6", seen(cover)); diff != "" {
		t.Error("(-want +got):\n" + diff)
	}
	if rule := cover.Report().Rules[0]; rule.File != "d/c.yaml" || rule.Line != 2 || rule.Atoms[0].Column != 33 {
		t.Errorf("the rule is told at %+v", rule)
	}
}

// TestCoverage_Shared: a policy that two files test is covered once; one that
// is no part of a run is not looked at.
func TestCoverage_Shared(t *testing.T) {
	dir := files{"p.cbp": "B:a>1|warn|missing=skip\n"}
	cover := policytest.NewCoverage()
	for i, value := range []string{"1", "2"} {
		text := "policies: [./p.cbp]\ntests: [{name: a, steps: [{chain: c, ability: x, args: {a: " + value + "}, expect: " + []string{"allow", "warn"}[i] + "}]}]\n"
		s, err := policytest.Load(fmt.Sprintf("%d_test.yaml", i), []byte(text), dir.read)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context(), nil, cover); err != nil {
			t.Fatal(err)
		}
	}
	if got := seen(cover); got != "+a-gt-1 TF\n3 of 3" || cover.Report().Percent() != 100 {
		t.Error(got)
	}
}

// TestAtoms_AgreeWithVerdicts: a rule fires if and only if each of its atoms
// is seen to hold, and every rule that applies is told of.
func TestAtoms_AgreeWithVerdicts(t *testing.T) {
	atoms := []string{`amount>5`, `amount<=3`, `order.n>1`, `ability:pay.*`, `!ability:pay.a`, `after:pay.a`, `!after:look`, `arg:*|contains:x`, `!arg:to|equals:x`,
		`arg:to|in:user`, `output:o|matches:"^x"`, `frequency>2/1h`, `frequency:pay.*>1/1h`, `frequency@all>1/10m`, `frequency:pay.a@session>2/2h`, `when: has(args.to) && args.to == "x"`}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for i := range rapid.IntRange(1, 12).Draw(t, "rules") {
			if rapid.IntRange(0, 5).Draw(t, "section") == 0 {
				text.WriteString("CHAIN:" + rapid.SampledFrom([]string{"*", "c", "c.*", "d"}).Draw(t, "chain") + "\n")
			}
			condition := strings.Join(rapid.SliceOfN(rapid.SampledFrom(atoms), 1, 3).Draw(t, "atoms"), " & ")
			fmt.Fprintf(&text, "B:%s|%s|id=r%d,missing=%s,mode=%s\n", condition, rapid.SampledFrom([]string{"abort", "confirm", "throttle", "warn"}).Draw(t, "action"), i,
				rapid.SampledFrom([]string{"wait", "fire", "skip"}).Draw(t, "missing"), rapid.SampledFrom([]string{"enforce", "observe"}).Draw(t, "mode"))
		}
		p, faults := dsl.ParsePolicy("p.cbp", []byte(text.String()))
		if faults.Err() != nil {
			t.Fatal(faults)
		}
		var reg registry.Registry
		if err := reg.Load(p); err != nil {
			t.Fatal(err)
		}
		var fired, told []string
		e := eval.New(eval.Options{Registry: &reg, Judged: func(st *registry.Step, p *registry.Plan, tally *registry.Tally) {
			fired, told = nil, nil
			p.Atoms(st, tally, func(r *registry.Rule, truth []registry.Truth) {
				told = append(told, r.ID)
				if !slices.ContainsFunc(truth, func(x registry.Truth) bool { return x != registry.True }) {
					fired = append(fired, r.ID)
				}
			})
		}})
		for i := range rapid.IntRange(1, 12).Draw(t, "steps") {
			chain := rapid.SampledFrom([]string{"c", "c.x", "d"}).Draw(t, "chain")
			line, err := json.Marshal(map[string]any{
				"chain": chain, "session": "s", "ability": rapid.SampledFrom([]string{"pay.a", "pay.b", "look"}).Draw(t, "ability"),
				"args":    rapid.SampledFrom([]map[string]any{{}, {"amount": 6}, {"amount": 2, "to": "x"}, {"order": map[string]any{"n": []int{1, 2}}, "to": "y"}}).Draw(t, "args"),
				"outputs": map[string]any{"o": rapid.SampledFrom([]string{"x", "y"}).Draw(t, "o")}, "user": []string{"x"},
				"pending": rapid.SampledFrom([][]string{{}, {"amount"}}).Draw(t, "pending"), "now": fmt.Sprintf("2026-01-05T%02d:00:00Z", i),
			})
			if err != nil {
				t.Fatal(err)
			}
			v := e.Line(t.Context(), line)
			var want, applies []string
			for _, f := range v.Fired {
				want = append(want, f.Rule.ID)
			}
			for r := range reg.Set().Rules() {
				if r.AppliesTo(chain) {
					applies = append(applies, r.ID)
				}
			}
			for _, l := range [][]string{want, fired, told, applies} {
				slices.Sort(l)
			}
			if !slices.Equal(want, fired) || !slices.Equal(applies, told) {
				t.Fatalf("step %s\nfired %v, by its atoms %v\napplies %v, told of %v\n%s", line, want, fired, applies, told, text.String())
			}
		}
	})
}
