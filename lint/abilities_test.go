package lint_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/lint"
)

const mailManifest = `name: mail
version: "1.0"
abilities:
  mail.send:
    endpoint: "https://example.com"
    params:
      to: {type: string, required: true}
      count: {type: int, required: true, default: 1}
      urgent: boolean
      tags: {type: array}
  mail.list:
`

// withMail is the checks with the manifest in force.
func withMail(t *testing.T, lists ...lint.File) lint.Options {
	t.Helper()
	var o lint.Options
	if l := o.Abilities.AddManifest("mail.yaml", []byte(mailManifest)); len(l) > 0 {
		t.Fatal(l)
	}
	for _, f := range lists {
		if l := o.Abilities.AddList(f.Name, f.Data); len(l) > 0 {
			t.Fatal(l)
		}
	}
	return o
}

func TestAbilities(t *testing.T) {
	step := func(ability, args string) lint.File {
		return file("c.yaml", "id: c\nsteps:\n  - id: a\n    ability: "+ability+"\n    args: {"+args+"}\n")
	}
	for _, c := range []struct {
		name string
		file lint.File
		want []string
	}{
		{"as declared", step("mail.send", "to: me, count: '3', urgent: false, tags: [x]"), nil},
		{"another plugin", step("web.fetch", "anything: 1"), nil},
		{"names are folded", step("Mail.Send", "to: me"), nil},
		{"a slip", step("mail.sned", "to: me"), []string{"c.yaml:4 error unknown-ability «mail.sned»"}},
		{"undeclared", step("mail.list", "folder: in"), []string{"c.yaml:5 error undeclared-parameter «folder»"}},
		{"missing", step("mail.send", "count: 2"), []string{"c.yaml:4 error missing-parameter «mail.send»"}},
		{"wrong types", step("mail.send", "to: [me], count: many, urgent: 1, tags: {a: b}"), []string{
			"c.yaml:5 error wrong-type «to»", "c.yaml:5 error wrong-type «count»", "c.yaml:5 error wrong-type «urgent»", "c.yaml:5 error wrong-type «tags»"}},
		{"a rule about a slip", file("p.cbp", "B:ability:mail.sned|confirm\nB:frequency:mail.*>3/1h|abort\nB:after:mail.gone & ability:x.y|warn\n"), []string{
			"p.cbp:1 warning? unknown-ability «mail.sned»", "p.cbp:3 warning? unknown-ability «mail.gone»"}},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, withMail(t).Run([]lint.File{c.file}).Findings, c.want...) })
	}
	t.Run("a list is complete", func(t *testing.T) {
		o := withMail(t, file("abilities.txt", "# all there are\nweb.fetch\n\nmail.send\n"))
		expect(t, o.Run([]lint.File{step("web.fetch", "anything: 1")}).Findings)
		expect(t, o.Run([]lint.File{step("mail.send", "to: me, cc: you")}).Findings, "c.yaml:5 error undeclared-parameter «cc»")
		found := o.Run([]lint.File{step("web.fetsh", "")}).Findings
		expect(t, found, "c.yaml:4 error unknown-ability «web.fetsh»")
		if found[0].Hint != "did you mean web.fetch?" {
			t.Errorf("hint %q", found[0].Hint)
		}
	})
}

func TestBadManifest(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no abilities", "name: x\n", "m.yaml:1:1 error syntax"},
		{"a list", "abilities: [a, b]\n", "m.yaml:1:1 error syntax"},
		{"an ability of one word", "abilities: {a.b: yes please}\n", "m.yaml:1:18 error wrong-type"},
		{"params of one word", "abilities: {a.b: {params: none}}\n", "m.yaml:1:27 error wrong-type"},
		{"no YAML", "abilities: {", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a lint.Abilities
			l := a.AddManifest("m.yaml", []byte(c.text))
			if l.Err() == nil {
				t.Fatal("no error")
			}
			if got := show(l)[0]; c.want != "" && got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	var a lint.Abilities
	if l := a.AddList("a.txt", []byte("web.fetch\ntwo words\n")); len(l) != 1 || l[0].Pos.Line != 2 {
		t.Errorf("%v", l)
	}
}

func TestUntrustedFlow(t *testing.T) {
	chain := func(rules, steps string) lint.File {
		return file("c.yaml", "id: c\n"+rules+"steps:\n"+steps)
	}
	const direct = "  - {id: read, ability: gmail.read}\n  - {id: send, ability: slack.send, args: {text: \"{{read.output}}\"}}\n"
	const through = "  - {id: read, ability: gmail.read, output_key: mail}\n  - {id: sum, ability: llm.query, args: {p: [{x: \"About {{mail}}\"}]}}\n  - {id: send, ability: slack.send, args: {text: \"{{sum.output}}\"}}\n"
	for _, c := range []struct {
		name  string
		files []lint.File
		want  []string
	}{
		{"direct", []lint.File{chain("", direct)}, []string{"c.yaml:4 warning? untrusted-flow «{{read.output}}»"}},
		{"through a step", []lint.File{chain("", through)}, []string{"c.yaml:5 warning? untrusted-flow «{{sum.output}}»"}},
		{"no source", []lint.File{chain("", strings.ReplaceAll(direct, "gmail.read", "gmail.labels"))}, nil},
		{"no sink", []lint.File{chain("", strings.ReplaceAll(direct, "slack.send", "notify.user"))}, nil},
		{"the other way round", []lint.File{chain("", "  - {id: send, ability: slack.send, args: {text: hello}}\n  - {id: read, ability: gmail.read}\n")}, nil},
		{"a rule of the chain asks", []lint.File{chain("circuit_breakers: [{condition: \"ability:slack.*\", action: confirm}]\n", direct)}, nil},
		{"a policy asks", []lint.File{chain("", direct), file("p.cbp", "B:ability:slack.send|abort\n")}, nil},
		{"a policy for another chain", []lint.File{chain("", direct), file("p.cbp", "CHAIN:other\nB:ability:slack.send|abort\n")}, []string{"c.yaml:4 warning? untrusted-flow «{{read.output}}»"}},
		{"a rule that only warns", []lint.File{chain("", direct), file("p.cbp", "B:ability:slack.send|warn\n")}, []string{"c.yaml:4 warning? untrusted-flow «{{read.output}}»"}},
		{"a rule that only looks", []lint.File{chain("", direct), file("p.cbp", "B:ability:slack.send|confirm|mode=observe\n")}, []string{"c.yaml:4 warning? untrusted-flow «{{read.output}}»"}},
		{"a rule that asks sometimes", []lint.File{chain("", direct), file("p.cbp", "B:ability:slack.send & arg:text|contains:x|confirm\n")}, []string{"c.yaml:4 warning? untrusted-flow «{{read.output}}»"}},
		{"all but another", []lint.File{chain("", direct), file("p.cbp", "B:!ability:gmail.read|confirm\n")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, lint.Run(c.files).Findings, c.want...) })
	}
	o := lint.Options{Sources: []dsl.NamePattern{"gmail.labels"}, Sinks: []dsl.NamePattern{"Slack.*"}}
	expect(t, o.Run([]lint.File{chain("", strings.ReplaceAll(direct, "gmail.read", "gmail.labels"))}).Findings,
		"c.yaml:4 warning? untrusted-flow «{{read.output}}»")
}
