package lint_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

// paramTest is a step whose arguments are held against the manifest.
type paramTest struct {
	name, ability, args string
	want                []string
}

// checkParams looks for one kind of finding, and that it points to the manifest.
func checkParams(t *testing.T, id string, tests []paramTest) {
	t.Helper()
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			found := only(withMail(t).Run([]lint.File{calls(c.ability, c.args)}).Findings, id)
			expect(t, found, c.want...)
			for _, f := range found {
				if len(f.Related) != 1 || f.Related[0].File != "mail.yaml" || f.Related[0].Pos.Line < 4 {
					t.Errorf("related: %v", f.Related)
				}
			}
		})
	}
}

func TestUndeclaredParameter(t *testing.T) {
	checkParams(t, lint.UndeclaredParameterID, []paramTest{
		{"as declared", "mail.send", "to: me, count: 2, urgent: true", nil},
		{"misspelt", "mail.send", "to: me, cuont: 2", []string{"c.yaml:5 error undeclared-parameter «cuont»"}},
		{"in another case", "mail.send", "To: me", []string{"c.yaml:5 error undeclared-parameter «To»"}},
		{"of an ability that declares none", "mail.list", "folder: in, to: me", []string{"c.yaml:5 error undeclared-parameter «folder»", "c.yaml:5 error undeclared-parameter «to»"}},
		{"of an ability that is not known", "web.fetch", "folder: in", nil},
	})
	f := only(withMail(t).Run([]lint.File{calls("mail.send", "to: me, cuont: 2")}).Findings, lint.UndeclaredParameterID)[0]
	if f.Hint != "did you mean count?" {
		t.Errorf("hint %q", f.Hint)
	}
}

func TestMissingParameter(t *testing.T) {
	checkParams(t, lint.MissingParameterID, []paramTest{
		{"given", "mail.send", "to: me", nil},
		{"given as a template", "mail.send", "to: '{{a.output}}'", nil},
		{"left out", "mail.send", "count: 2", []string{"c.yaml:4 error missing-parameter «mail.send»"}},
		{"of an ability that requires none", "mail.list", "", nil},
	})
}

func TestWrongType(t *testing.T) {
	wrong := func(name string) []string { return []string{"c.yaml:5 error wrong-type «" + name + "»"} }
	checkParams(t, "wrong-type", []paramTest{
		{"of every type", "mail.send", "to: me, count: 3, urgent: false, tags: [x], more: {a: 1}, when: [any]", nil},
		{"as texts", "mail.send", "to: '', count: ' 3', urgent: 'true', tags: '[1]', more: '{}'", nil},
		{"scalars for a text", "mail.send", "to: 5, count: 1e3", nil},
		{"a large number", "mail.send", "to: 1, count: 123456789012345678901234567890", nil},
		{"templates", "mail.send", "to: me, count: '{{p}}', tags: ['{{p}}'], more: 'a {{p}}'", nil},
		{"null for what is not required", "mail.send", "to: me, tags: null", nil},
		{"null for what is required", "mail.send", "to: null", wrong("to")},
		{"a list for a text", "mail.send", "to: [me]", wrong("to")},
		{"a text for a number", "mail.send", "to: me, count: many", wrong("count")},
		{"a fraction for a whole number", "mail.send", "to: me, count: 1.5", wrong("count")},
		{"true for a number", "mail.send", "to: me, count: true", wrong("count")},
		{"a number for a truth", "mail.send", "to: me, urgent: 1", wrong("urgent")},
		{"an object for a list", "mail.send", "to: me, tags: {a: b}", wrong("tags")},
		{"a text for a list", "mail.send", "to: me, tags: 'a, b'", wrong("tags")},
		{"a list for an object", "mail.send", "to: me, more: '[]'", wrong("more")},
	})
}
