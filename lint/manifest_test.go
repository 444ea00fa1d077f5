package lint_test

import (
	"strings"
	"testing"

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
      more: {type: object, required: false}
      when: {type: date}
  mail.list:
`

// withMail is the checks with the manifest in force, and lists.
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

// calls is a chain of one step, whose arguments stand in line 5.
func calls(ability, args string) lint.File {
	return file("c.yaml", "id: c\nsteps:\n  - id: a\n    ability: "+ability+"\n    args: {"+args+"}\n")
}

func TestManifestFaults(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no abilities", "name: x\n", "m.yaml:1:1 error syntax"},
		{"abilities in a list", "abilities: [a, b]\n", "m.yaml:1:1 error syntax"},
		{"an ability of one word", "abilities: {a.b: yes please}\n", "m.yaml:1:18 error wrong-type"},
		{"an ability without a name", "abilities: {\"\": {}}\n", "m.yaml:1:13 error syntax"},
		{"params of one word", "abilities: {a.b: {params: none}}\n", "m.yaml:1:27 error wrong-type"},
		{"a parameter that is a number", "abilities: {a.b: {params: {p: 1}}}\n", "m.yaml:1:31 error wrong-type"},
		{"a type that is none", "abilities: {a.b: {params: {p: {type: [int]}}}}\n", "m.yaml:1:38 error wrong-type"},
		{"required by word", "abilities: {a.b: {params: {p: {required: \"yes\"}}}}\n", "m.yaml:1:42 error wrong-type"},
		{"two that differ in case", "abilities:\n  a.b: {}\n  A.B: {params: {p: int}}\n", "m.yaml:3:3 error syntax"},
		{"no YAML", "abilities: {", "m.yaml:1 error syntax «abilities: {»"},
		{"nothing", "", "m.yaml:1:1 error syntax"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a lint.Abilities
			l := a.AddManifest("m.yaml", []byte(c.text))
			if len(l) == 0 || l.Err() == nil {
				t.Fatal("no error")
			}
			if got := show(l)[0]; got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			expect(t, lint.Options{Abilities: a}.Run([]lint.File{calls("a.c", "")}).Findings) // nothing was added
		})
	}
}

func TestManifestsThatSpeakOfOneAbility(t *testing.T) {
	var a lint.Abilities
	for _, name := range []string{"one.yaml", "again.json"} {
		text := mailManifest
		if strings.HasSuffix(name, ".json") {
			text = `{"abilities":{"Mail.List":{"description":"the same"}}}`
		}
		if l := a.AddManifest(name, []byte(text)); len(l) > 0 {
			t.Errorf("%v", l)
		}
	}
	l := a.AddManifest("other.yaml", []byte("abilities:\n  mail.list: {params: {folder: string}}\n"))
	if len(l) != 1 || len(l[0].Related) != 1 || l[0].Related[0].File != "again.json" && l[0].Related[0].File != "one.yaml" {
		t.Errorf("%v", l)
	}
	expect(t, lint.Options{Abilities: a}.Run([]lint.File{calls("mail.list", "folder: in")}).Findings, "c.yaml:5 error undeclared-parameter «folder»")
}

func TestAbilityList(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             []string // of the list
	}{
		{"names and comments", "l.txt", "\ufeff# all\r\nweb.fetch\r\n\r\n  mail.send  \n", nil},
		{"a manifest", "l.yaml", "abilities: {web.fetch: {}}\n", nil},
		{"two words", "l.txt", "web.fetch\ntwo words\n", []string{"l.txt:2:1 error syntax"}},
		{"a hidden character", "l.txt", "web\u200b.fetch\n", []string{"l.txt:1:1 error syntax"}},
		{"no names", "l.txt", "# nothing\n", []string{"l.txt:1:1 error syntax"}},
		{"no map", "l.json", "[]", []string{"l.json:1:1 error syntax"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a lint.Abilities
			expect(t, a.AddList(c.file, []byte(c.text)), c.want...)
			found := lint.Options{Abilities: a}.Run([]lint.File{calls("web.fetch", "u: 1"), calls("web.fetsh", "")}).Findings
			if (c.want == nil) != (len(only(found, lint.UnknownAbilityID)) == 1) {
				t.Errorf("%v", found)
			}
		})
	}
}
