package lint_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

func TestEndlessThrottle(t *testing.T) {
	for _, c := range []struct{ rule, want string }{
		{"frequency>5/1h|throttle", ""},
		{"amount>3 & frequency:pay.*>5/1h|throttle", ""},
		{"amount>3|throttle|\"slow down\"", "p.cbp:1 warning endless-throttle «amount>3|throttle|\"slow down\"»"},
		{"ability:pay.*|throttle(2m)", "p.cbp:1 warning endless-throttle «ability:pay.*|throttle(2m)»"},
		{"frequency>0/1h|throttle", "p.cbp:1 warning endless-throttle «frequency>0/1h|throttle»"},
		{"frequency>0/1h|abort", ""},
	} {
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		expect(t, lint.Run([]lint.File{file("p.cbp", "B:"+c.rule+"\n")}).Findings, want...)
	}
}

func TestUnscopedRateLimit(t *testing.T) {
	block := file("t.txt", "<nyaya>\nNEW:x\nS:a.b>out\n</nyaya>\n")
	run := func(policy string, more ...lint.File) []lint.File { return append(more, file("p.cbp", policy)) }
	expect(t, lint.Run(run("B:frequency>5/1h|throttle\n", block)).Findings, "p.cbp:1 warning? unscoped-rate-limit «frequency>5/1h»")
	expect(t, lint.Run(run("B:frequency@all>5/1h|throttle\nB:frequency:a.b@session>5/1h|throttle\n", block)).Findings)
	expect(t, lint.Run(run("CHAIN:trade\nB:frequency>5/1h|throttle\n", block)).Findings)
	expect(t, lint.Run(run("B:frequency>5/1h|throttle\n")).Findings)
}

// A limit that every process would count by itself is told of once.
func TestLocalWithoutFleet(t *testing.T) {
	const local, other = "B:frequency>5/1h|abort|on_store_error=local,id=first\n", "B:frequency>9/1h|abort|id=other\nB:frequency>7/1h|abort|on_store_error=allow\n"
	const second = "CHAIN:trade\nB:frequency>6/1h|abort|on_store_error=local\n"
	const finding = "p.cbp:1 warning local-without-fleet «frequency>5/1h|abort|on_store_error=local,id=first»"
	shared := lint.Options{FleetUnknown: true}
	expect(t, shared.Run([]lint.File{file("p.cbp", local+other)}).Findings, finding)
	found := shared.Run([]lint.File{file("p.cbp", local+other), file("q.cbp", second)}).Findings
	expect(t, found, finding)
	if want := "rule first (and 1 more) are counted locally"; len(found) != 1 || !strings.HasPrefix(found[0].Message, want) {
		t.Errorf("%v, want %s …", found, want)
	}
	expect(t, shared.Run([]lint.File{file("p.cbp", other)}).Findings)
	expect(t, lint.Run([]lint.File{file("p.cbp", local)}).Findings)
}

func TestSelfComparison(t *testing.T) {
	for _, c := range []struct {
		name string
		file lint.File
		want []string
	}{
		{"a parameter with itself", trade(`"max_spend>{{max_spend}}"`, ""), []string{"trade.yaml:3 warning self-comparison «max_spend>{{max_spend}}»"}},
		{"the argument is the parameter", trade(`"amount>{{max_spend}}"`, ""), []string{"trade.yaml:3 warning self-comparison «amount>{{max_spend}}»"}},
		{"another parameter", trade(`"max_spend>{{ticker}}"`, ""), nil},
		{"a number", trade(`"amount>1000"`, ""), nil},
		{"one step gives another value", file("c.yaml", `id: c
params: [{name: limit, param_type: number, required: true}]
circuit_breakers: [{condition: "amount>{{limit}}", action: abort}]
steps:
  - {id: a, ability: pay.x, args: {amount: "{{limit}}"}}
  - {id: b, ability: pay.y, args: {amount: "{{limit}}0"}}
`), nil},
		{"the catalogue dialect", file("c.yaml", `id: c
circuit_breakers: [{condition: "amount>={{input.limit}}", action: abort}]
steps:
  - {id: a, ability: pay.x, params: {amount: "{{input.limit}}"}}
`), []string{"c.yaml:2 warning self-comparison «amount>={{input.limit}}»"}},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, lint.Run([]lint.File{c.file}).Findings, c.want...) })
	}
}

func TestSuppression(t *testing.T) {
	const throttle = "B:amount>3|throttle\n"
	for _, c := range []struct {
		name       string
		file       lint.File
		suppressed int
		want       []string
	}{
		{"the line before", file("p.cbp", "# cbpolicy:ignore endless-throttle the gate is replaced\n"+throttle), 1, nil},
		{"with lines between", file("p.cbp", "# cbpolicy:ignore endless-throttle the gate is replaced\n\n# another comment\n"+throttle), 1, nil},
		{"only the next line", file("p.cbp", "# cbpolicy:ignore endless-throttle the gate is replaced\n"+throttle+"B:price>3|throttle\n"), 1, []string{"p.cbp:3 warning endless-throttle «price>3|throttle»"}},
		{"unused", file("p.cbp", "# cbpolicy:ignore endless-throttle it was one once\nB:amount>3|abort\n"), 0, []string{"p.cbp:1:1 warning unused-suppression"}},
		{"without a reason", file("p.cbp", "# cbpolicy:ignore endless-throttle\n"+throttle), 0, []string{"p.cbp:1:1 error bad-suppression", "p.cbp:2 warning endless-throttle «amount>3|throttle»"}},
		{"no such finding", file("p.cbp", "# cbpolicy:ignore endless-throtle because\nB:amount>3|abort\n"), 0, []string{"p.cbp:1:1 error bad-suppression"}},
		{"of what refuses the file", file("p.cbp", "# cbpolicy:ignore syntax because\nB:amount>|abort\n"), 0, []string{"p.cbp:1:1 error bad-suppression", "p.cbp:2 error syntax «|»"}},
		{"behind a line of a chain", file("c.yaml", "id: c\nsteps:\n  - {id: a, ability: x, args: {m: \"{{nobody}}\"}} # cbpolicy:ignore undeclared-input the caller gives it\n"), 1, nil},
		{"before a line of a chain", file("c.yaml", "id: c\nsteps:\n  # cbpolicy:ignore undeclared-input the caller gives it\n  - {id: a, ability: x, args: {m: \"{{nobody}}\"}}\n"), 1, nil},
		{"what is no comment in a chain", file("c.yaml", "id: c\nsteps:\n  - id: a\n    ability: x\n    args:\n      m: |\n        # cbpolicy:ignore undeclared-input no comment\n        {{nobody}}\n"), 0,
			[]string{"c.yaml:6:10 warning undeclared-input"}},
		{"in a block there are none", file("t.txt", "<nyaya>\nNEW:x\n# cbpolicy:ignore endless-throttle because\nB:amount>3|throttle\n</nyaya>\n"), 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := lint.Run([]lint.File{c.file})
			if c.file.Kind == lint.Text {
				if len(r.Findings) == 0 || r.Suppressed > 0 {
					t.Errorf("%v, %d suppressed", r.Findings, r.Suppressed)
				}
				return
			}
			expect(t, r.Findings, c.want...)
			if r.Suppressed != c.suppressed {
				t.Errorf("%d suppressed, want %d", r.Suppressed, c.suppressed)
			}
		})
	}
}

func TestBlocksWriteChains(t *testing.T) {
	base := file("c.yaml", "id: base\nparams: [{name: p, param_type: text}]\nsteps:\n  - {id: a, ability: x.y}\n  - {id: b, ability: x.z, args: {t: \"{{a.output}}{{p}}\"}}\n")
	for _, c := range []struct {
		name, lines string
		want        []string
	}{
		{"fine", "NEW:n\nS:a.b:x=1>out\nS:c.d:$out", nil},
		{"a reference to nothing", "NEW:n\nS:a.b:x=$nobody>out", []string{"t.txt:3:9 error dangling-reference"}},
		{"an unguarded flow", "NEW:n\nS:gmail.read>mail\nS:slack.send:$mail", []string{"t.txt:4:14 warning? untrusted-flow"}},
		{"a patch", "PATCH:base\nADD_STEP:after:a|n|x.y|$p", nil},
		{"a patch that takes what is read", "PATCH:base\nREMOVE_STEP:a", []string{"t.txt:3:1 error dangling-reference"}},
		{"a call", "C:base|1", nil},
		{"a call with too much", "C:base|1|2", []string{"t.txt:2:1 error syntax"}},
		{"a key that nothing binds", "NEW:n\nS:a.b:x=1>out\nB:nobody>3|abort", []string{"t.txt:4 error never-produced «nobody>3»", "t.txt:4 error unknown-key «nobody»"}},
		{"a key that nothing of a changed chain binds", "PATCH:base\nADD_STEP:after:a|n|x.y|$p\nB:nobody>3|abort", []string{"t.txt:4 error unknown-key «nobody»"}},
		{"a key of the changed chain", "PATCH:base\nADD_STEP:after:a|n|x.y|$p\nB:p>3&t>2|abort", nil},
		{"a grant of a misspelt word", "NEW:n\nG:abilty:a.b\nS:a.b:x=1", []string{"t.txt:3 error syntax «abilty»"}},
		{"a mode line with a misspelt tag", "PACTH:base\nADD_STEP:after:a|n|x.y|$p", []string{"t.txt:2 error unknown-tag «PACTH»"}},
		{"an id that G: takes", "NEW:n\nG:a.b\nB:x>1|abort|id=not_granted", []string{"t.txt:4 error syntax «B:x>1|abort|id=not_granted»"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := lint.Run([]lint.File{base, file("t.txt", "<nyaya>\n"+c.lines+"\n</nyaya>\n")})
			got := show(r.Findings)
			if len(got) != len(c.want) || len(got) > 0 && !strings.HasPrefix(got[0], strings.Split(c.want[0], " «")[0]) && !strings.HasPrefix(got[0], "t.txt:4 warning? untrusted-flow") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
