package lint_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

// TestRead covers the findings that come from the readers of the formats.
func TestRead(t *testing.T) {
	long := strings.Repeat("y", 4200)
	tests := []struct {
		name string
		file lint.File
		want []string
	}{
		{"syntax in every line", file("p.cbp", "B:a>|abort\nB:a>1|abort\nB:a>1|stop\n"), []string{"p.cbp:1 error syntax «|»", "p.cbp:3 error syntax «stop»"}},
		{"unknown-tag", file("p.cbp", "G:ability:x\nBB:a>1|abort\n"), []string{"p.cbp:1 error unknown-tag «G»", "p.cbp:2 error unknown-tag «BB»"}},
		{"unknown-tag in a block", file("t.md", "<nyaya>\nNEW:x\nCHAIN:y\n</nyaya>\n"), []string{"t.md:3 error unknown-tag «CHAIN»"}},
		{"unknown-field", file("a.yaml", "id: a\nsteps: [{id: s, ability: x, ouput_key: y}]\n"), []string{"a.yaml:2:29 error unknown-field"}},
		{"limit-exceeded", file("p.cbp", "B:output:x|contains:"+long+"|abort\n"), []string{"p.cbp:1 error limit-exceeded «»"}},
		{"limit-exceeded in a block", file("t.md", "<nyaya>\nNEW:x\n"+strings.Repeat("B:a>1|abort\n", 101)+"</nyaya>\n"), []string{"t.md:103 error limit-exceeded «B:a>1|abort»"}},
		{"unobservable-frequency", file("p.cbp", "B:frequency>10000/1d|throttle\nB:frequency>9999/1d|throttle\n"), []string{"p.cbp:1 error unobservable-frequency «10000»"}},
		{"unobservable-frequency in a chain", trade("frequency>10000/1d", ""), []string{"trade.yaml:3 error unobservable-frequency «10000»"}},
		{"a good recording", file("r.json", `{"chain":"a","steps":[{"step":"s","output":"x"}]}`), nil},
		{"a block of every kind", file("t.md", "<nyaya>CACHE:1h</nyaya>\n<nyaya>C:x|1</nyaya>\n"), nil},
		{"an empty policy", file("p.cbp", ""), nil},
		{"an empty chain", file("a.yaml", ""), []string{"a.yaml:1:1 error syntax"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			expect(t, lint.Run([]lint.File{tt.file}).Findings, tt.want...)
		})
	}
}

// TestRead_Found passes over what is nothing of ours, unless it was named.
func TestRead_Found(t *testing.T) {
	tests := []struct {
		name, text string
		passed     bool
	}{
		{"a manifest", "name: x\nversion: 1.0.0\npermissions: [a.b]\nrules: [{name: y}]\n", true},
		{"a package", `{"name":"x","dependencies":{}}`, true},
		{"a step", `{"chain":"a","ability":"x","args":{}}`, true},
		{"a verdict", `{"decision":"abort","chain":"a","step":"s"}`, true},
		{"a result", `{"status":"aborted","chain":"a","steps":[{"step":"s","outcome":"ran"}]}`, true},
		{"a chain without steps", "id: x\n", false},
		{"a chain with a slip in all it has", "stesp: []\n", false},
		{"a recording", "confirm: {x: maybe}\n", false},
		{"what does not parse", "name: [\n", false},
		{"a list", "- name: x\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := file("x.yaml", tt.text)
			if named := lint.Run([]lint.File{f}); named.Files != 1 || len(named.Findings) == 0 {
				t.Errorf("named: %d files, %v", named.Files, named.Findings)
			}
			f.Found = true
			found := lint.Run([]lint.File{f})
			if passed := found.Files == 0 && len(found.Findings) == 0; passed != tt.passed {
				t.Errorf("found: %d files, %v", found.Files, found.Findings)
			}
		})
	}
}

func TestPolicyByAnotherName(t *testing.T) {
	for text, want := range map[string]int{
		"# limits\n\nB:amount>1|abort|\"x\"\n":    1,
		"CHAIN:x\n":                               1,
		"Some words.\n\nB:amount>1|abort|\"x\"\n": 0, // prose that quotes a rule
		"": 0,
	} {
		l := lint.Run([]lint.File{{Name: "limits.policy", Kind: lint.Text, Data: []byte(text)}}).Findings
		if len(l) != want || want == 1 && (l[0].ID != "no-block" || l[0].Severity != diag.Warning) {
			t.Errorf("%q: %v", text, l)
		}
	}
}
