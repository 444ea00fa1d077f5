package lint_test

import (
	"fmt"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

func TestDuplicateRule_Policy(t *testing.T) {
	tests := []struct {
		name, first, second string
		want                string // the severity; "": nothing
	}{
		{"one id", `a>1|abort`, `a>1|warn`, "error"},
		{"one id, given", `a>1|abort|id=x`, `b>1|abort|id=x`, "error"},
		{"other actions", `a>1|abort`, `a>1|warn|id=soft`, ""},
		{"other reasons", `a>1|abort|"one"`, `a>1|abort|"two"|id=two`, "warning"},
		{"another order", `a>1 & b>2|abort`, `b>2 & a>1|abort`, "warning"},
		{"an atom twice", `a>1|abort`, `a>1 & a>1|abort`, "warning"},
		{"numbers", `a>1000|abort`, `a>1.0e3|abort|id=x`, "warning"},
		{"units", `wait>30m|abort`, `wait>1800|abort`, "warning"},
		{"windows", `frequency>5/1h|throttle`, `frequency>5/60m|throttle`, "warning"},
		{"letter case of abilities", `ability:a.b|warn`, `ability:A.b|warn|id=x`, "warning"},
		{"the default time of an action", `a>1|confirm`, `a>1|confirm(5m)|id=x`, "warning"},
		{"another time of an action", `frequency>5/1h|throttle`, `frequency>5/1h|throttle(61s)|id=x`, ""},
		{"other numbers", `a>1|abort`, `a>1.1|abort`, ""},
		{"other scopes of a counter", `frequency>5/1h|throttle`, `frequency@all>5/1h|throttle`, ""},
		{"observed", `a>1|abort`, `a>1|abort|id=x,mode=observe`, ""},
		{"missing counts for keys", `a>1|abort`, `a>1|abort|id=x,missing=skip`, ""},
		{"missing means nothing without keys", `ability:x|warn`, `ability:x|warn|id=x,missing=skip`, "warning"},
		{"an operator's default", `frequency>5/1h|warn`, `frequency>5/1h|warn|id=x,on_store_error=deny`, "warning"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := lint.Run([]lint.File{file("p.cbp", "B:"+tt.first+"\nB:"+tt.second+"\n")}).Findings
			if tt.want == "" {
				expect(t, found)
				return
			}
			expect(t, found, fmt.Sprintf("p.cbp:2 %s duplicate-rule «%s»", tt.want, tt.second))
			if len(found) == 1 && (len(found[0].Related) != 1 || found[0].Related[0].Pos != (diag.Position{Line: 1, Column: 3})) {
				t.Errorf("related: %+v", found[0].Related)
			}
		})
	}
}

func TestDuplicateRule_Scopes(t *testing.T) {
	const rule, twin = "B:a>1|abort\n", "B:a>1.0|abort|id=twin\n"
	block := "<nyaya>\nNEW:x\nB:a>1|abort\nB:a>1e0|abort|id=twin\n</nyaya>\n"
	tests := []struct {
		name  string
		files []lint.File
		want  []string
	}{
		{"one id in two files", []lint.File{file("p.cbp", rule), file("q.cbp", rule)}, []string{"q.cbp:1 error duplicate-rule «a>1|abort»"}},
		{"one meaning in two files", []lint.File{file("p.cbp", rule), file("q.cbp", "CHAIN:*\n"+twin)}, []string{"q.cbp:2 warning duplicate-rule «a>1.0|abort|id=twin»"}},
		{"two sections of one pattern", []lint.File{file("p.cbp", "CHAIN:x\n"+rule+"CHAIN:y\n"+rule+"CHAIN:x\n"+twin)}, []string{"p.cbp:6 warning duplicate-rule «a>1.0|abort|id=twin»"}},
		{"sections of other patterns", []lint.File{file("p.cbp", "CHAIN:x\n"+rule+"CHAIN:y\n"+rule)}, nil},
		{"a block", []lint.File{file("t.txt", block), file("u.txt", block)}, []string{"t.txt:4 warning duplicate-rule «a>1e0|abort|id=twin»", "u.txt:4 warning duplicate-rule «a>1e0|abort|id=twin»"}},
		{"a block with one id", []lint.File{file("t.txt", "<nyaya>\nNEW:x\nB:a>1|abort\nB:a>1|abort\n</nyaya>\n")}, []string{"t.txt:4 error duplicate-rule «a>1|abort»"}},
		{"a chain", []lint.File{trade("amount>1", "  - {condition: amount>1e0, action: abort, id: twin}\n")}, []string{"trade.yaml:5 warning duplicate-rule «amount>1e0»"}},
		{"a chain with one id", []lint.File{trade("amount>1", "  - {condition: amount>1, action: warn}\n")}, []string{"trade.yaml:5:17 error duplicate-rule"}},
		{"a chain and an operator", []lint.File{trade("amount>1", ""), file("p.cbp", "CHAIN:trade\nB:amount>1|abort\n")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			expect(t, lint.Run(tt.files).Findings, tt.want...)
		})
	}
}

// TestDuplicateRule_Witness puts the witness before the engine: both rules fire.
func TestDuplicateRule_Witness(t *testing.T) {
	for _, condition := range []string{
		"a>1000", "a>0", "a>-5", "a>=7", "a<5", "a<0", "a<-3.5", "a<=2", "a==4", "a!=0", "a!=9", "wait>30m", "order.total>5",
		"ability:mail.send", "ability:*", "ability:mail.*", "!ability:mail.send", "ability:@writes", "after:@writes", "arg:@destinations|contains:x", "after:read_*", "task.tool_calls>50",
		"a>1 & b<2", "ability:mail.send & a>1", "output:x|contains:fail", "arg:x|equals:y", "arg:*|icontains:Key", `output:x|contains:"quo\"te"`,
	} {
		policy := file("p.cbp", "CHAIN:shop.*\nB:"+condition+"|abort|id=one\nB:"+condition+"|abort|id=two\n")
		f := one(t, lint.DuplicateRuleID, policy)
		if f.Witness == nil {
			t.Errorf("%s: no witness", condition)
			continue
		}
		if fired := firedBy(t, f.Witness, policy); len(fired) != 2 {
			t.Errorf("%s: at %s fire %v", condition, f.Witness, fired)
		}
	}
	for _, condition := range []string{"a>1 & a<1", "arg:x|matches:^y", "arg:x|in:user", "when: true", "frequency>5/1h", "ability:x & !ability:*", "!after:x"} {
		policy := file("p.cbp", "B:"+condition+"|abort|id=one\nB:"+condition+"|abort|id=two\n")
		if f := one(t, lint.DuplicateRuleID, policy); f.Witness != nil {
			t.Errorf("%s: a witness that nobody thought of: %s", condition, f.Witness)
		}
	}
}
