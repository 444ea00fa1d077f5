package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// written reads a block's lines; nil if they are refused.
func written(lines string) *dsl.Block {
	b, _ := dsl.ParseBlock(&dsl.RawBlock{File: "m.txt", Pos: diag.Position{Line: 1, Column: 1}, Text: lines})
	return b
}

// fromBlock makes the chain that a block writes.
func fromBlock(t *testing.T, lines string) *chain.Chain {
	t.Helper()
	b := written(lines)
	if b == nil {
		t.Fatalf("not read: %s", lines)
	}
	c, l := chain.FromBlock(b)
	if c == nil {
		t.Fatal(l)
	}
	return c
}

// dryRunOf runs a chain against a recording in which every step puts out a text.
func dryRunOf(t *testing.T, c *chain.Chain, policy, output string, answer run.Answer) (*run.Result, error) {
	rec := &run.Recording{File: "rec", Params: map[string]chain.Value{}, Confirm: map[string]run.Answers{}}
	for i := range c.Params {
		if c.Params[i].Default == nil {
			rec.Params[c.Params[i].Name] = chain.Text("1")
		}
	}
	for i := range c.Steps {
		out := chain.Text(output)
		rec.Steps = append(rec.Steps, run.RecordedStep{Step: c.Steps[i].ID, Output: &out})
		rec.Confirm[c.Steps[i].ID] = run.Answers{All: answer}
	}
	p, faults := dsl.ParsePolicy("p.cbp", []byte(policy))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	return run.DryRun(t.Context(), run.DryRunOptions{Chain: c, Recording: rec, Session: session.Options{Registry: &reg}})
}

// What a model writes runs under its own rules and everybody else's.
func TestWrittenChainsAreGuarded(t *testing.T) {
	const trade = "NEW:trade\nD:trading|high\nP:amount:int:5\nS:trading.get_price:symbol=ACME>price\nS:trading.execute:amount=$amount>order\n"
	for _, tt := range []struct {
		name, lines, policy string
		answer              run.Answer
		status              run.Status
		rule                string
	}{
		{"free", trade, "", run.NoAnswer, run.Completed, ""},
		{"its own rule", trade + "B:amount>4|abort|\"four\"", "", run.NoAnswer, run.Aborted, "amount-gt-4"},
		{"its own limit", trade + "P:most:int:4\nB:amount>{{most}}|abort", "", run.NoAnswer, run.Aborted, "amount-gt-most"},
		{"the operator's for every chain", trade, "B:ability:trading.execute|abort|id=op\n", run.NoAnswer, run.Aborted, "op"},
		{"the operator's for what models write", trade, "CHAIN:nyaya/*\nB:ability:trading.execute|abort|id=op\n", run.NoAnswer, run.Aborted, "op"},
		{"the operator's for it", trade, "CHAIN:nyaya/trade\nB:ability:trading.execute|abort|id=op\n", run.NoAnswer, run.Aborted, "op"},
		{"not granted", trade + "G:trading.get_price", "", run.NoAnswer, run.Aborted, registry.NotGranted},
		{"granted", trade + "G:trading.get_price,ability:trading.execute", "", run.NoAnswer, run.Completed, ""},
		{"asked for and answered", trade + "S:notify.user:$order!confirm", "", run.Approve, run.Completed, ""},
		{"asked for and not answered", trade + "S:notify.user:$order!confirm", "", run.NoAnswer, run.Aborted, "confirm-notify-user"},
		{"asked for and declined", trade + "S:notify.user:$order!confirm", "", run.Decline, run.Declined, "confirm-notify-user"},
	} {
		r, _ := dryRunOf(t, fromBlock(t, tt.lines), tt.policy, "7", tt.answer)
		rule := ""
		if r.Halt != nil {
			rule = r.Halt.Rule
		}
		if r.Status != tt.status || rule != tt.rule || r.Chain != "nyaya/trade" {
			t.Errorf("%s: %s by %q, want %s by %q", tt.name, r.Status, rule, tt.status, tt.rule)
		}
	}
}

// A chain never runs with fewer rules than were written.
func TestRulesOfOneNameAreRefused(t *testing.T) {
	r, err := dryRunOf(t, fromBlock(t, "NEW:x\nB:n>5|warn|id=x\nB:n>6|abort|id=x\nS:a.b"), "", "1", run.Approve)
	if r != nil || err == nil || !strings.Contains(err.Error(), `rule "x" is there twice`) {
		t.Errorf("%+v, %v", r, err)
	}
}

const patchable = `id: pay
params: [{name: amount, param_type: number, default: 5}]
circuit_breakers: [{condition: "amount>100", action: abort, id: own}, {condition: "checked!=1", action: abort, missing: wait, id: checked}]
steps:
  - {id: check, ability: bank.check, output_key: checked}
  - {id: send, ability: pay.send, args: {amount: "{{amount}}"}}
`

// A patched copy is guarded as the chain is, and by what the patch says.
func TestPatchedChainsAreGuarded(t *testing.T) {
	c := parse(t, patchable)
	for _, tt := range []struct{ name, lines, policy, output, rule string }{
		{"nothing stops it", "ADD_STEP:after:send|tell|notify.user|sent $checked", "", "1", ""},
		{"the chain's rule", "ADD_STEP:after:send|tell|notify.user|sent", "", "2", "checked"},
		{"an operator's for the chain", "ADD_STEP:after:send|tell|notify.user|sent", "CHAIN:pay\nB:ability:notify.*|abort|id=op\n", "1", "op"},
		{"the chain's, of an added step", "ADD_STEP:before:send|more|pay.more|amount=101", "", "1", "own"},
		{"the block's own", "B:ability:pay.*|abort|id=mine", "", "1", "mine"},
		{"its grants", "G:bank.check", "", "1", registry.NotGranted},
		{"a key that only the patch declares", "ADD_STEP:after:send|tell|notify.user|approved=1", "B:approved!=1|abort|id=op\n", "1", "op"},
	} {
		b := written("PATCH:pay\n" + tt.lines)
		if b == nil {
			t.Fatalf("%s: not read", tt.name)
		}
		p, l := c.Patch(b)
		if p == nil {
			t.Fatalf("%s: %v", tt.name, l)
		}
		r, _ := dryRunOf(t, p, tt.policy, tt.output, run.NoAnswer)
		rule := ""
		if r.Halt != nil {
			rule = r.Halt.Rule
		}
		if rule != tt.rule || r.Chain != "pay" {
			t.Errorf("%s: stopped by %q, want %q", tt.name, rule, tt.rule)
		}
	}
}

// Blocks as people have written them are read; those that write a chain run.
func TestBlocksRunDry(t *testing.T) {
	for folder, least := range map[string]int{"../../dsl/testdata/blocks": 3, "../../../shared/traces-dev/chains/nyaya": 10} {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			files, _ := filepath.Glob(filepath.Join(folder, "*.txt"))
			if len(files) == 0 {
				t.Skip("the recorded traces are not beside the repository")
			}
			if n := runBlocks(t, files); n < least {
				t.Errorf("%d chains ran, want %d", n, least)
			}
		})
	}
}

// templates say what a block looks like, with "…" and words where names and
// types would stand: some cannot be read, at the line given.
var templates = map[string]string{
	"orchestrator-50.txt": "", "orchestrator-53.txt": ":3:11: unknown type", "orchestrator-63.txt": ":3:18: unknown type",
	"orchestrator-71.txt": ":2:9: \"ttl\" is no time", "orchestrator-78.txt": "", "orchestrator-85.txt": ":5:7: unknown security",
}

func runBlocks(t *testing.T, files []string) (ran int) {
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		raw, fault := dsl.ExtractBlock(file, data)
		if fault != nil {
			t.Error(fault)
			continue
		}
		b, faults := dsl.ParseBlock(raw)
		if want := templates[filepath.Base(file)]; b == nil || want != "" {
			if want == "" || !strings.Contains(faults.Error(), want) {
				t.Errorf("%s: %v, want %s", file, faults, want)
			}
			continue
		}
		if b.Mode.Kind != dsl.ModeNew {
			continue
		}
		c, l := chain.FromBlock(b)
		if c == nil {
			t.Errorf("%s: %v", file, l)
			continue
		}
		if r, err := dryRunOf(t, c, "", `{"text":"x"}`, run.Approve); err != nil || r.Status != run.Completed {
			t.Errorf("%s: %+v, %v", file, r, err)
		}
		ran++
	}
	return ran
}

// No text of a block becomes a reference or a rule: a value arrives as it was
// written, and brings no rule with it.
func TestTextOfABlockStaysText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z=|>$!{}. :;,<&/"\\]|\{\{x\}\}|B:a>1\|abort|!confirm|\$\$|>x|\\n){0,30}`).Draw(t, "text")
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", "$$").Replace(text)
		b := written("NEW:x\nS:first.step>x\nS:a.b:v=\"" + quoted + "\">out")
		if b == nil {
			t.Fatalf("%q is refused", text)
		}
		c, l := chain.FromBlock(b)
		if c == nil {
			t.Fatal(l)
		}
		if len(c.Steps) != 2 || len(c.Block.Rules) != 0 || len(c.Steps[1].Args) != 1 || len(c.Steps[1].Refs()) != 0 || c.Steps[1].OutputKey != "out" {
			t.Fatalf("%q became %+v", text, c.Steps[1])
		}
		v, ok := c.Steps[1].Args[0].Value.Fixed()
		if !ok || v.Text() != text {
			t.Fatalf("%q became %q", text, v.Text())
		}
	})
}

// What a step puts out and what a parameter holds is data in a block's chain.
func TestValuesOfABlockAreNotReadAgain(t *testing.T) {
	h := newHost(t, two, "")
	c := fromBlock(t, "NEW:x\nP:p:str\nS:a.b>x\nS:c.d:v=$x and $p w=$x")
	var err error
	if h.runner, err = run.New(run.Options{Chain: c, Gate: h.gate, Abilities: run.AbilityFunc(h.call)}); err != nil {
		t.Fatal(err)
	}
	h.puts("a.b", "$p {{p}}")
	var got string
	h.outputs["c.d"] = func(args string) (run.Output, error) { got = args; return run.Text("ok"), nil }
	if _, err := h.runner.Run(t.Context(), map[string]chain.Value{"p": chain.Text("$x {{x}}")}, chain.Model); err != nil {
		t.Fatal(err)
	}
	if want := `{"v":"$p {{p}} and $x {{x}}","w":"$p {{p}}"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// FuzzBlockRuns runs every chain that a block writes or changes: it ends.
func FuzzBlockRuns(f *testing.F) {
	for _, seed := range []string{
		"NEW:x\nP:a:int:3\nS:a.b:x=$a y=\"q\\n\">o\nS:c.d:$o|$$5!confirm\nB:a>{{a}}|warn\nG:a.b,c.d",
		"D:trading|low\nS:a.b:{{x}} $", "PATCH:pay\nADD_PARAM:m:int:1\nADD_STEP:after:check|n|a.b|$checked $m>z\nB:z>1|confirm",
		"PATCH:pay\nADD_STEP:before:check|n|a.b\nREMOVE_STEP:n", "C:pay|7\nG:pay.send\nB:frequency>0/1h|throttle",
		"NEW:pay\nS:bank.check>checked\nS:pay.send:amount=3\nB:when:args.amount>1|abort",
	} {
		f.Add(seed)
	}
	base, faults := chain.Parse("c.yaml", []byte(patchable))
	if base == nil {
		f.Fatal(faults)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		b := written(lines)
		if b == nil {
			return
		}
		made, _ := chain.FromBlock(b)
		patched, _ := base.Patch(b)
		anew, _ := base.Rewrite(b)
		if given, l := base.Call(b); len(l) == 0 {
			if _, err := base.Start(given, chain.Model); err != nil && err.Error() == "" {
				t.Error("an error without a message")
			}
		}
		for _, c := range []*chain.Chain{made, patched, anew} {
			if c == nil {
				continue
			}
			if c != made && (len(c.Rules) != len(base.Rules) || c.ID != base.ID) {
				t.Fatalf("the copy lost rules: %+v", c)
			}
			if len(c.Block.Rules) < len(b.Rules) {
				t.Fatalf("%d rules of %d", len(c.Block.Rules), len(b.Rules))
			}
			r, err := dryRunOf(t, c, "B:ability:trading.*|abort\n", "1", run.Approve)
			if _, failed := json.Marshal(r); failed != nil || r == nil && err == nil {
				t.Fatal(failed, err)
			}
		}
	})
}
