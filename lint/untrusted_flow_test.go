package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/lint"
)

const direct = `id: c
steps:
  - {id: read, ability: gmail.read}
  - {id: send, ability: slack.send, args: {text: "{{read.output}}"}}
`

func TestUntrustedFlow(t *testing.T) {
	const found = "c.yaml:4 warning? untrusted-flow «{{read.output}}»"
	chain := func(text string) lint.File { return file("c.yaml", text) }
	policy := func(text string) lint.File { return file("p.cbp", text) }
	for _, c := range []struct {
		name  string
		files []lint.File
		want  []string
	}{
		{"direct", []lint.File{chain(direct)}, []string{found}},
		{"in another case", []lint.File{chain(strings.NewReplacer("gmail", "Gmail", "slack", "SLACK").Replace(direct))}, []string{found}},
		{"no source", []lint.File{chain(strings.ReplaceAll(direct, "gmail.read", "gmail.labels"))}, nil},
		{"no sink", []lint.File{chain(strings.ReplaceAll(direct, "slack.send", "notify.user"))}, nil},
		{"the source runs later", []lint.File{chain("id: c\nsteps:\n  - {id: send, ability: slack.send, args: {text: hello}}\n  - {id: read, ability: gmail.read}\n")}, nil},
		{"the error of a source", []lint.File{chain("id: c\nsteps:\n  - {id: read, ability: gmail.read, on_failure: send}\n  - {id: send, ability: slack.send, condition: {ref_key: read_error, op: is_not_empty}, args: {text: \"{{read_error}}\"}}\n")},
			[]string{"c.yaml:4 warning? untrusted-flow «{{read_error}}»"}},
		{"a rule of the chain asks", []lint.File{chain(direct + "circuit_breakers: [{condition: \"ability:slack.*\", action: confirm}]\n")}, nil},
		{"a policy stops", []lint.File{chain(direct), policy("B:ability:slack.send|abort\n")}, nil},
		{"a policy for the chain asks", []lint.File{chain(direct), policy("CHAIN:c\nB:ability:SLACK.send|confirm(5m)\n")}, nil},
		{"a policy for another chain", []lint.File{chain(direct), policy("CHAIN:other\nB:ability:slack.send|abort\n")}, []string{found}},
		{"a rule that only warns", []lint.File{chain(direct), policy("B:ability:slack.send|warn\n")}, []string{found}},
		{"a rule that only looks", []lint.File{chain(direct), policy("B:ability:slack.send|confirm|mode=observe\n")}, []string{found}},
		{"a rule about another sink", []lint.File{chain(direct), policy("B:ability:gmail.send|confirm\n")}, []string{found}},
		{"a rule about the source", []lint.File{chain(direct), policy("B:ability:gmail.read|confirm\n")}, []string{found}},
		{"a rule that asks sometimes", []lint.File{chain(direct), policy("B:ability:slack.send & arg:text|contains:x|confirm\n")}, []string{found}},
		{"a rule that asks from the sixth time on", []lint.File{chain(direct), policy("B:frequency:slack.send>5/1h|abort\n")}, []string{found}},
		{"a rule about all but another", []lint.File{chain(direct), policy("B:!ability:gmail.read|confirm\n")}, nil},
		{"a rule after the source", []lint.File{chain(direct), policy("B:ability:slack.send & after:gmail.*|confirm\n")}, nil},
		{"a rule about all that writes", []lint.File{chain(direct), policy("B:ability:@writes & after:gmail.*|confirm\n")}, nil},
		{"a rule about all that reads", []lint.File{chain(direct), policy("B:!ability:@writes|confirm\n")}, []string{found}},
		{"a rule after another source", []lint.File{chain(direct), policy("B:ability:slack.send & after:search.*|confirm\n")}, []string{found}},
		{"a rule before the source only", []lint.File{chain(direct), policy("B:ability:slack.send & !after:gmail.*|confirm\n")}, []string{found}},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, lint.Run(c.files).Findings, c.want...) })
	}
}

func TestUntrustedFlow_Ways(t *testing.T) {
	for _, c := range []struct{ name, steps, want, path string }{
		{"through a step", `
  - {id: read, ability: gmail.read, output_key: mail}
  - {id: sum, ability: llm.query, args: {p: [{x: "About {{mail.body}}"}]}}
  - {id: send, ability: slack.send, args: {text: "{{sum.output}}"}}`, "c.yaml:5 warning? untrusted-flow «{{sum.output}}»", "read → sum → send"},
		{"the shortest", `
  - {id: read, ability: gmail.read}
  - {id: one, ability: llm.query, args: {p: "{{read.output}}"}}
  - {id: two, ability: llm.query, args: {p: "{{one.output}}"}}
  - {id: send, ability: slack.send, args: {a: "{{two.output}}", b: "{{one.output}}"}}`, "c.yaml:6 warning? untrusted-flow «{{one.output}}»", "read → one → send"},
		{"back over a jump", `
  - {id: send, ability: slack.send, condition: {ref_key: sum.output, op: is_not_empty}, args: {text: "{{sum.output}}"}}
  - {id: read, ability: gmail.read}
  - {id: sum, ability: llm.query, args: {p: "{{read.output}}"}}
  - {id: last, ability: x.y, on_failure: send}`, "c.yaml:3 warning? untrusted-flow «{{sum.output}}»", "read → sum → send"},
		{"in the order of depends_on", `
  - {id: send, ability: slack.send, params: {text: "{{read.output}}"}, depends_on: [read]}
  - {id: read, ability: gmail.read}`, "c.yaml:3 warning? untrusted-flow «{{read.output}}»", "read → send"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := only(lint.Run([]lint.File{file("c.yaml", "id: c\nsteps:"+c.steps+"\n")}).Findings, lint.UntrustedFlowID)
			expect(t, found, c.want)
			if len(found) == 1 && !strings.HasSuffix(found[0].Message, ": "+c.path) {
				t.Errorf("%s, want %s", found[0].Message, c.path)
			}
		})
	}
}

func TestUntrustedFlow_TwoSources(t *testing.T) {
	found := lint.Run([]lint.File{file("c.yaml", `id: c
steps:
  - {id: mail, ability: gmail.read}
  - {id: news, ability: news.search}
  - {id: sum, ability: llm.query, args: {p: "{{mail.output}} {{news.output}} {{mail.output}}"}}
  - {id: send, ability: slack.send, args: {a: "{{sum.output}}", b: "{{sum.output}}"}}
`)}).Findings
	expect(t, found, "c.yaml:6 warning? untrusted-flow «{{sum.output}}»", "c.yaml:6 warning? untrusted-flow «{{sum.output}}»")
	for i, f := range found {
		if len(f.Related) != 1 || f.Related[0].Pos.Line != 3+i {
			t.Errorf("related: %v", f.Related)
		}
	}
}

func TestUntrustedFlow_Blocks(t *testing.T) {
	const steps = "S:gmail.read>mail\nS:slack.send:x=$mail"
	base := file("base.yaml", "id: base\nsteps:\n  - {id: read, ability: gmail.read, output_key: mail}\n")
	for _, c := range []struct{ name, lines, want string }{
		{"a chain", "NEW:n\n" + steps, "t.txt:4"},
		{"one that asks", "NEW:n\n" + steps + "!confirm", ""},
		{"one with a rule", "NEW:n\nB:ability:slack.send|abort\n" + steps, ""},
		{"one whose grants leave it out", "NEW:n\nG:gmail.read\n" + steps, ""},
		{"one whose grants name it", "NEW:n\nG:gmail.read,slack.send\n" + steps, "t.txt:5"},
		{"a change", "PATCH:base\nADD_STEP:after:read|tell|slack.send|$mail", "t.txt:3"},
		{"a change that asks", "PATCH:base\nB:ability:slack.send|confirm\nADD_STEP:after:read|tell|slack.send|$mail", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got string
			for _, f := range lint.Run([]lint.File{base, file("t.txt", "<nyaya>\n"+c.lines+"\n</nyaya>\n")}).Findings {
				got += fmt.Sprintf("%s:%d", f.File, f.Pos.Line)
				if f.ID != lint.UntrustedFlowID {
					t.Errorf("%v", f)
				}
			}
			if got != c.want {
				t.Errorf("found at %q, want %q", got, c.want)
			}
		})
	}
}

func TestUntrustedFlow_OtherSourcesAndSinks(t *testing.T) {
	o := lint.Options{Sources: []dsl.NamePattern{"gmail.labels"}, Sinks: []dsl.NamePattern{"Slack.*"}}
	expect(t, o.Run([]lint.File{file("c.yaml", direct)}).Findings)
	expect(t, o.Run([]lint.File{file("c.yaml", strings.ReplaceAll(direct, "gmail.read", "gmail.labels"))}).Findings,
		"c.yaml:4 warning? untrusted-flow «{{read.output}}»")
}

// A chain in which every step is given what all before it put out ends soon.
func TestUntrustedFlow_ManySteps(t *testing.T) {
	var b strings.Builder
	b.WriteString("id: c\nsteps:\n")
	const steps = 90
	for i := range steps {
		fmt.Fprintf(&b, "  - {id: s%d, ability: gmail.read, args: {p: \"", i)
		for j := range i {
			fmt.Fprintf(&b, "{{s%d.output}}", j)
		}
		b.WriteString("\"}}\n")
	}
	fmt.Fprintf(&b, "  - {id: send, ability: slack.send, args: {p: \"{{s%d.output}}\"}}\n", steps-1)
	found := lint.Run([]lint.File{file("c.yaml", b.String())}).Findings
	if n := len(only(found, lint.UntrustedFlowID)); n != steps || len(found) != steps {
		t.Errorf("%d flows among %d findings, want %d", n, len(found), steps)
	}
	// Each source comes straight, or over the last step.
	if last := found[0]; !strings.HasSuffix(last.Message, fmt.Sprintf(": s0 → s%d → send", steps-1)) {
		t.Errorf("%v", last)
	}
}
