package lint_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/lint"
)

func TestUnknownAbility(t *testing.T) {
	policy := func(rules string) lint.File { return file("p.cbp", rules) }
	for _, c := range []struct {
		name string
		file lint.File
		want []string
	}{
		{"as declared", calls("mail.send", "to: me"), nil},
		{"names are folded", calls("Mail.Send", "to: me"), nil},
		{"a plugin without a manifest", calls("web.fetch", "anything: 1"), nil},
		{"a slip", calls("mail.sned", "to: me"), []string{"c.yaml:4 error unknown-ability «mail.sned»"}},
		{"a star is no pattern in a step", calls("'mail.*'", "to: me"), []string{"c.yaml:4 error unknown-ability «mail.*»"}},
		{"rules", policy("B:ability:mail.send|confirm\nB:!ability:web.*|warn\nB:ability:*|warn|id=x\nB:ability:mail.s*|abort\n"), nil},
		{"a rule about a slip", policy("B:ability:mail.sned|confirm\n"), []string{"p.cbp:1 error unknown-ability «mail.sned»"}},
		{"a pattern about a slip", policy("B:ability:mail.sned.*|confirm\n"), []string{"p.cbp:1 error unknown-ability «mail.sned.*»"}},
		{"a count of a slip", policy("B:frequency:mail.*>3/1h|abort\nB:frequency:mail.sned>3/1h|abort\n"), []string{"p.cbp:2 error unknown-ability «mail.sned»"}},
		{"what was called before", policy("B:after:mail.gone & ability:x.y|warn\n"), []string{"p.cbp:1 error unknown-ability «mail.gone»"}},
		{"a rule of a chain", file("c.yaml", "id: c\ncircuit_breakers: [{condition: \"ability:mail.sned\", action: confirm}]\nsteps: [{id: a, ability: mail.list}]\n"),
			[]string{"c.yaml:2 error unknown-ability «mail.sned»"}},
		{"a block", file("t.txt", "<nyaya>\nNEW:n\nG:mail.list,mail.lst\nB:ability:mail.snd|abort\nS:mail.list>all\n</nyaya>\n"),
			[]string{"t.txt:3 error unknown-ability «mail.lst»", "t.txt:4 error unknown-ability «mail.snd»"}},
		{"a delegation", calls("delegate.chef", ""), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, only(withMail(t).Run([]lint.File{c.file}).Findings, lint.UnknownAbilityID), c.want...)
		})
	}
}

func TestUnknownAbility_NotInACompleteList(t *testing.T) {
	o := withMail(t, file("abilities.txt", "web.fetch\n"))
	for _, c := range []struct {
		name, hint string
		file       lint.File
		want       []string
	}{
		{"in the list", "", calls("web.fetch", "anything: 1"), nil},
		{"in a manifest", "", calls("mail.send", "to: me"), nil},
		{"in neither", "did you mean web.fetch?", calls("web.fetsh", ""), []string{"c.yaml:4 error unknown-ability «web.fetsh»"}},
		{"like nothing", "name an ability that the host offers", calls("trading.execute", ""), []string{"c.yaml:4 error unknown-ability «trading.execute»"}},
		{"a pattern", "name an ability that the host offers", file("p.cbp", "B:ability:shell.*|abort\n"), []string{"p.cbp:1 error unknown-ability «shell.*»"}},
		{"a class", "", file("p.cbp", "B:ability:@writes & after:@writes & frequency:@writes>5/1h|abort\n"), nil},
		{"delegations", "", file("p.cbp", "B:ability:delegate.*|abort\nB:ability:*.chef|abort\nB:ability:delegate.chef|abort\n"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := o.Run([]lint.File{c.file}).Findings
			expect(t, found, c.want...)
			if len(found) == 1 && found[0].Hint != c.hint {
				t.Errorf("hint %q, want %q", found[0].Hint, c.hint)
			}
		})
	}
}

// A step that a block adds to a chain is checked where it is written, and the
// steps that were there are not reported again.
func TestUnknownAbility_InAPatch(t *testing.T) {
	base := calls("mail.sned", "to: me")
	patch := file("t.txt", "<nyaya>\nPATCH:c\nADD_STEP:after:a|b|mail.lst\n</nyaya>\n")
	expect(t, only(withMail(t).Run([]lint.File{base, patch}).Findings, lint.UnknownAbilityID),
		"c.yaml:4 error unknown-ability «mail.sned»", "t.txt:3 error unknown-ability «mail.lst»")
}
