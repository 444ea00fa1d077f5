package lint_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/lint"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

// file is a file whose kind is told by its name.
func file(name, text string) lint.File {
	return lint.File{Name: name, Data: []byte(text), Kind: lint.KindOf(name)}
}

// show renders findings a line each: file:line severity id «text that is
// marked», with "?" for a finding that is not proved. Where no end is known
// the column stands behind the line.
func show(l diag.List) []string {
	lines := []string{}
	for _, f := range l {
		place, marked := fmt.Sprintf("%s:%d:%d", f.File, f.Pos.Line, f.Pos.Column), ""
		if line := []rune(f.Text); f.End.Line == f.Pos.Line && f.End.Column <= len(line)+1 {
			place = fmt.Sprintf("%s:%d", f.File, f.Pos.Line)
			marked = " «" + string(line[f.Pos.Column-1:f.End.Column-1]) + "»"
		}
		doubt := ""
		if f.Confidence == diag.Possible {
			doubt = "?"
		}
		lines = append(lines, fmt.Sprintf("%s %s%s %s%s", place, f.Severity, doubt, f.ID, marked))
	}
	return lines
}

// only keeps the findings of one check.
func only(l diag.List, id string) diag.List {
	return slices.DeleteFunc(slices.Clone(l), func(f *diag.Finding) bool { return f.ID != id })
}

// expect compares what was found with lines as show gives them.
func expect(t *testing.T, got diag.List, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if d := cmp.Diff(want, show(got)); d != "" {
		t.Errorf("findings (-want +got):\n%s\n%v", d, got)
	}
}

// one runs the checks and returns the only finding of an id.
func one(t *testing.T, id string, files ...lint.File) *diag.Finding {
	t.Helper()
	found := only(lint.Run(files).Findings, id)
	if len(found) != 1 {
		t.Fatalf("%d findings %s, want 1: %v", len(found), id, found)
	}
	return found[0]
}

// tradeSteps are two steps: the first puts out current_price, the second has
// the argument amount.
const tradeSteps = `
params:
  - {name: ticker, param_type: text, required: true}
  - {name: max_spend, param_type: number, required: true}
steps:
  - id: fetch_price
    ability: trading.get_price
    args: {symbol: "{{ticker}}"}
    output_key: current_price
  - id: execute_trade
    ability: trading.execute
    args: {symbol: "{{ticker}}", amount: "{{max_spend}}"}
    output_key: trade_result
`

// trade is a chain of those steps with one rule, whose condition stands in
// line 3 from column 16 on.
func trade(condition, more string) lint.File {
	return file("trade.yaml", "id: trade\ncircuit_breakers:\n  - condition: "+condition+"\n    action: abort\n"+more+strings.TrimPrefix(tradeSteps, "\n"))
}

// searchRounds is how many rounds a random search has: fewer with -short.
func searchRounds(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

// firedBy returns the ids of the rules that fire at a step given as JSON,
// with a policy and a chain in force.
func firedBy(t *testing.T, step []byte, files ...lint.File) []string {
	t.Helper()
	var reg registry.Registry
	for _, f := range files {
		var err error
		if f.Kind == lint.Policy {
			p, faults := dsl.ParsePolicy(f.Name, f.Data)
			if faults != nil {
				t.Fatal(faults)
			}
			err = reg.Load(p)
		} else {
			c, faults := chain.Parse(f.Name, f.Data)
			if c == nil {
				t.Fatal(faults)
			}
			err = reg.Replace(run.Ruleset(c))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	v := eval.New(eval.Options{Registry: &reg}).Line(context.Background(), step)
	var ids []string
	for _, f := range v.Fired {
		if f.Rule == nil {
			t.Fatalf("the step was refused: %s", step)
		}
		ids = append(ids, f.Rule.ID)
	}
	return ids
}
