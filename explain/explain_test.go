package explain_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/explain"
	"github.com/cbpolicy/cbpolicy/registry"
)

// golden compares with testdata/name; UPDATE_GOLDEN=1 writes it anew.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

// rules returns the rules of a policy.
func rules(t *testing.T, policy string) []*registry.Rule {
	t.Helper()
	p, faults := dsl.ParsePolicy("p.cbp", []byte(policy))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	return slices.Collect(reg.Set().Rules())
}

func one(t *testing.T, line string) *registry.Rule {
	t.Helper()
	all := rules(t, "B:"+line)
	if len(all) != 1 {
		t.Fatalf("%d rules in %s", len(all), line)
	}
	return all[0]
}

// render prints the sections named, or all, a sentence a line.
func render(e explain.Explanation, titles ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", e.Text)
	for _, s := range e.Sections {
		if len(titles) > 0 && !slices.Contains(titles, s.Title) {
			continue
		}
		fmt.Fprintf(&b, "  %s\n", s.Title)
		for _, sentence := range s.Sentences {
			fmt.Fprintf(&b, "    %s\n", sentence)
		}
	}
	return b.String()
}

// atoms are one of every kind, with every form that reads differently.
var atoms = []string{
	`amount>1000`, `amount>=1`, `amount<30m`, `amount<=1s`, `amount==2`, `amount!=-1.5e3`, `order.amount>{{max}}`,
	`task.tool_calls>50`, `worker.failures>=2`, `session.spend_cents>5000`,
	`frequency>5/1h`, `frequency>0/1d`, `frequency@session>1/1m`, `frequency:email.send>2/1h`, `frequency:email.*@all>10/30s`, `frequency:*@session>20/1h`,
	`ability:email.send`, `ability:email.*`, `ability:*`, `ability:a*.b`, `ability:*.x.*`, `!ability:email.send`, `!ability:email.*`, `!ability:*`,
	`arg:@destinations|matches:x`, `!arg:@destinations|in:user`, `ability:@writes`, `!ability:@writes`, `after:@writes`, `!after:@writes`, `frequency:@writes@session>5/1h`,
	`after:web.fetch`, `!after:web.*`,
	`output:note|contains:"fail"`, `output:*|icontains:"fail"`, `!output:note.*|equals:"ok"`, `output:note|matches:"^a|b$"`, `output:note|matches:^\S+$`,
	`arg:path|contains:"/etc"`, `!arg:*|equals:"x"`, `arg:to|in:user`, `!arg:to|in:user`, `arg:*|in:outputs`, `!arg:t*|in:outputs`,
	`when: args.amount > 2 * params.base`, `when: task.tool_calls > 3`,
}

func TestAtoms(t *testing.T) {
	var b strings.Builder
	for _, a := range atoms {
		b.WriteString(render(explain.Rule(one(t, a+"|abort"), nil), explain.Watches, explain.Fires, explain.Counts) + "\n")
	}
	golden(t, "atoms.golden", b.String())
}

func TestActions(t *testing.T) {
	actions := []string{"abort", "confirm", "confirm(2m)", "throttle", "throttle(1h)", "review", "warn"}
	conditions := []string{`ability:x`, `frequency>5/1h`, `frequency>0/1h`, `frequency>5/1h & frequency:x>2/1m`, `task.idle>5m`, `session.duration>1d`}
	options := []string{``, `mode=observe`, `on_store_error=allow`, `on_store_error=local`, `on_store_error=deny`}
	var b strings.Builder
	for _, c := range conditions {
		for _, a := range actions {
			for _, o := range options {
				line := c + "|" + a + `|"Say {{why}}"`
				if o != "" {
					line += "|" + o
				}
				b.WriteString(render(explain.Rule(one(t, line), nil), explain.Then) + "\n")
			}
		}
	}
	golden(t, "actions.golden", b.String())
}

const document = `
id: trade
params: [{name: max, param_type: number}]
circuit_breakers: [{condition: "total>{{max}}", action: abort}]
steps:
  - {id: fetch, ability: price.get, args: {symbol: X}, output_key: price}
  - {id: pay, ability: pay.send, args: {amount: "{{price}}"}, output_key: total}
  - {id: tell, ability: tell, args: {amount: 1}}
`

func tradeChain(t *testing.T) *chain.Chain {
	t.Helper()
	c, faults := chain.Parse("trade.yaml", []byte(document))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	return c
}

func TestUnbound(t *testing.T) {
	var b strings.Builder
	for _, c := range []*chain.Chain{nil, tradeChain(t)} {
		fmt.Fprintf(&b, "== with a chain: %v\n", c != nil)
		for _, condition := range []string{"amount>1", "price>1", "total>1", "max>1", "gone>1", "task.idle>1", "ability:pay.* & amount>1", "ability:pay.* & task.idle>1", "!ability:pay.* & price>1"} {
			for _, option := range []string{"", "|missing=fire", "|missing=skip"} {
				b.WriteString(render(explain.Rule(one(t, condition+"|abort"+option), c), explain.Unbound) + "\n")
			}
		}
	}
	golden(t, "unbound.golden", b.String())
}

func TestOrigins(t *testing.T) {
	var reg registry.Registry
	c := tradeChain(t)
	p, faults := dsl.ParsePolicy("p.cbp", []byte("B:a>1|warn\nCHAIN:trade\nB:frequency>1/1h|abort\nCHAIN:trade.*\nB:frequency>1/1h|abort"))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	model, fault := dsl.ParseRule("m", p.Sections[0].Rules[0].Pos.Start, "frequency>1/1h & x>2|abort")
	if fault != nil {
		t.Fatal(fault)
	}
	if err := reg.Replace(run.Ruleset(c), registry.Ruleset{
		Scope: registry.Scope{Origin: registry.Model, Pattern: "nyaya/x", Session: "s"}, Rules: []registry.RuleDef{{Rule: model}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := reg.LoadBuiltins(); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for r := range reg.Set().Rules() {
		if r.Scope.Origin == registry.Builtin && r.ID != "tool_call_limit" {
			continue
		}
		e := explain.Rule(r, c)
		fmt.Fprintf(&b, "%s, %s of %s at %q\n%s\n", e.Rule, e.Origin, e.Chain, e.Source, render(e))
	}
	golden(t, "origins.golden", b.String())
}

// TestEveryCombination: whatever the atom, the action and the options, every
// sentence is whole, and the sections come in order and are not empty.
func TestEveryCombination(t *testing.T) {
	order := []string{explain.Watches, explain.Fires, explain.Then, explain.Unbound, explain.Counts, explain.Applies}
	for _, condition := range append(slices.Clone(atoms), atoms[0]+" & "+atoms[10]+" & "+atoms[17]) {
		for _, action := range []string{"abort", "confirm(2m)", "throttle", "review", "warn"} {
			for _, option := range []string{"", "|mode=observe", "|missing=fire", "|missing=skip", "|mode=observe,missing=skip,on_store_error=local", "|id=x,on_store_error=allow"} {
				line := condition + "|" + action + option
				for _, c := range []*chain.Chain{nil, tradeChain(t)} {
					at := -1
					for _, s := range explain.Rule(one(t, line), c).Sections {
						i := slices.Index(order, s.Title)
						if i <= at || len(s.Sentences) == 0 {
							t.Errorf("%s: section %q out of order or empty", line, s.Title)
						}
						at = i
						for _, sentence := range s.Sentences {
							if !strings.HasSuffix(sentence, ".") && !strings.HasSuffix(sentence, ":") || strings.Contains(sentence, "%!") || sentence[:1] != strings.ToUpper(sentence[:1]) && !strings.HasPrefix(sentence, "retry_after") {
								t.Errorf("%s: %q is no sentence", line, sentence)
							}
						}
					}
					if at != len(order)-1 {
						t.Errorf("%s: it is not said where it applies", line)
					}
				}
			}
		}
	}
}

// TestMeters: every meter is described.
func TestMeters(t *testing.T) {
	for _, m := range dsl.Meters() {
		e := explain.Rule(one(t, m+">1|warn"), nil)
		if s := e.Sections[0].Sentences[0]; !strings.HasPrefix(s, "The meter "+m+": ") {
			t.Errorf("%s: %s", m, s)
		}
	}
}
