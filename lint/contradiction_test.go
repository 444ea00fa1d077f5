package lint_test

import (
	"fmt"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/lint"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

func TestContradiction(t *testing.T) {
	for _, c := range []struct{ condition, want string }{
		{"ability:@writes & !ability:@writes", "warning contradiction «!ability:@writes»"},
		{"!ability:@writes & task.tool_calls>3 & ability:@writes", "warning contradiction «ability:@writes»"},
		{"ability:Mail.send & !ability:mail.*", "warning contradiction «!ability:mail.*»"},
		{"ability:mail.* & !ability:*", "warning contradiction «!ability:*»"},
		{"ability:mail.* & !ability:mail.send", ""},
		{"ability:mail.send & !ability:@writes", ""}, // which words a name has depends on the case of its letters
		{"!ability:mail.* & !ability:mail.send", ""},
		{"ability:mail.send & ability:mail.read", "warning contradiction «ability:mail.read»"},
		{"ability:mail.* & ability:pay", "warning contradiction «ability:pay»"},
		{"ability:mail.send & ability:*.send", ""},
		{"ability:mail.send & ability:@writes", ""},
		{"ability:*.x & ability:mail.*", ""},
		{"after:web.* & !after:web.*", "warning contradiction «!after:web.*»"},
		{"!after:web.* & after:web.fetch", "warning contradiction «after:web.fetch»"},
		{"after:web.fetch & after:mail.read", ""},
		{"after:web.fetch & !after:mail.read", ""},
		{"after:web.fetch & !ability:web.fetch", ""},
		{"arg:x|contains:a & !arg:x|contains:a", ""}, // both hold of what cannot be read
		{"task.tool_calls>5 & task.tool_calls<=5", "warning? contradiction «task.tool_calls<=5»"},
		{"task.tool_calls>5 & task.tool_calls<=6", ""},
		{"task.tool_calls>=5 & task.tool_calls<=5", ""},
		{"task.tool_calls<5 & task.tool_calls>=5", "warning? contradiction «task.tool_calls>=5»"},
		{"task.tool_calls==5 & task.tool_calls!=5", "warning? contradiction «task.tool_calls!=5»"},
		{"task.tool_calls==5 & task.tool_calls==6", "warning? contradiction «task.tool_calls==6»"},
		{"task.tool_calls==5 & task.tool_calls>4", ""},
		{"task.duration>2m & task.duration<90", "warning? contradiction «task.duration<90»"},
		{"task.duration>1m & task.duration<90", ""},
		{"task.tool_calls>5 & session.tool_calls<5", ""},
		{"amount>5 & amount<5", ""}, // two values may be bound to it
	} {
		var want []string
		if c.want != "" {
			want = []string{"p.cbp:1 " + c.want}
		}
		t.Run(c.condition, func(t *testing.T) {
			expect(t, lint.Run([]lint.File{file("p.cbp", "B:"+c.condition+"|abort|id=r\n")}).Findings, want...)
		})
	}
}

// TestProvedContradictions judges steps of every ability, after every other
// one, under each pair of atoms that is said to be a proved contradiction.
func TestProvedContradictions(t *testing.T) {
	abilities := []string{"mail", "mail.send", "Mail.Send", "mail.get_x", "mail.a.send", "pay", "getX"}
	patterns := []string{"mail.send", "MAIL.SEND", "mail.*", "*.send", "*", "mail*", "pay", "getx", "@writes"}
	var signed []string
	for _, p := range patterns {
		signed = append(signed, p, "!"+p)
	}
	found := 0
	for _, kind := range []string{"ability:", "after:"} {
		for _, a := range signed {
			for _, b := range signed {
				policy := "B:" + atomOf(kind, a) + " & " + atomOf(kind, b) + "|abort|id=r\n"
				all := only(lint.Run([]lint.File{file("p.cbp", policy)}).Findings, lint.ContradictionID)
				if len(all) == 0 {
					continue
				}
				found++
				if all[0].Confidence != diag.Proved {
					t.Errorf("%s: %v", policy, all)
				}
				e := evaluator(t, policy)
				for _, ability := range abilities {
					for _, before := range abilities {
						v := e.Line(t.Context(), fmt.Appendf(nil, `{"chain":"c","ability":%q,"history":[%q]}`, ability, before))
						if v.Decision != registry.Allow {
							t.Errorf("%safter %s, %s: %v", policy, before, ability, v.Decision)
						}
					}
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("%d contradictions: the search sees too little", found)
	}
}

func atomOf(kind, pattern string) string {
	if pattern[0] == '!' {
		return "!" + kind + pattern[1:]
	}
	return kind + pattern
}

func evaluator(t *testing.T, policy string) *eval.Evaluator {
	t.Helper()
	p, faults := dsl.ParsePolicy("p.cbp", []byte(policy))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	return eval.New(eval.Options{Registry: &reg})
}
