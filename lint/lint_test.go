package lint_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/lint"
)

func TestRun_DocumentedChain(t *testing.T) {
	const name = "../chain/testdata/price_alert_trade.yaml"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r := lint.Run([]lint.File{{Name: name, Data: data, Kind: lint.Chain}})
	expect(t, r.Findings, name+":16 warning self-comparison «amount>{{max_spend}}»", name+":42 warning undeclared-input «{{buy_threshold}}»")
	if r.Files != 1 || r.Rules != 3 {
		t.Errorf("%d files, %d rules", r.Files, r.Rules)
	}
}

func TestRun_DocumentedPolicyAndBlock(t *testing.T) {
	const rules = `B:amount>1000|abort|"Transaction exceeds $1000 limit"
B:frequency>5/1h|throttle|"Max 5 trades per hour"
B:ability:trading.execute|confirm|"Confirm before executing trade"
`
	const block = "<nyaya>\nD:trading|medium\nG:ability:trading.execute,ability:trading.get_price\n" + rules + "</nyaya>\n"
	r := lint.Run([]lint.File{
		file("global.cbp", "# for every chain\n"+rules+"B:output:error_msg|contains:fail|abort|\"Step produced failure indicator\"\n"),
		file("answer.txt", "I will watch it.\n"+block),
		file("book.md", "A block:\n\n"+block+"\nand another:\n\n"+block+"\nand `<nyaya>` in prose.\n"),
		file("plain.md", "No block here: 1 | 2 & 3.\n"),
	})
	expect(t, r.Findings)
	if r.Files != 4 || r.Rules != 13 {
		t.Errorf("%d files, %d rules", r.Files, r.Rules)
	}
}

func TestRun_GoodChains(t *testing.T) {
	tests := map[string]string{
		"an alternative source": `id: a
steps:
  - {id: primary, ability: data.fetch_url, output_key: result, on_failure: fallback}
  - {id: fallback, ability: data.fetch_url, output_key: result}
  - {id: process, ability: nlp.summarize, args: {text: "{{result}}"}}
`,
		"a step guarded by what it reads": `id: a
steps:
  - {id: check, ability: a.check, output_key: state}
  - {id: look, ability: a.look, output_key: details, condition: {ref_key: state, op: equals, value: bad}}
  - {id: tell, ability: notify.user, args: {text: "{{details}}"}, condition: {ref_key: details, op: is_not_empty}}
`,
		"two steps under one condition": `id: a
steps:
  - {id: check, ability: a.check, output_key: state}
  - {id: look, ability: a.look, output_key: details, condition: {ref_key: state, op: equals, value: bad}}
  - {id: tell, ability: notify.user, args: {text: "{{details}} {{look.output}}"}, condition: {ref_key: state, op: equals, value: bad}}
`,
		"a handler that looks whether there was an error": `id: a
steps:
  - {id: fetch, ability: a.fetch, output_key: data, on_failure: recover}
  - {id: use, ability: a.use, args: {data: "{{data}}"}}
  - {id: recover, ability: notify.user, args: {text: "{{fetch_error}}"}, condition: {ref_key: fetch_error, op: is_not_empty}}
`,
		"parts of values": `id: a
params: [{name: customer, required: true}]
circuit_breakers:
  - {condition: "order.total>100 & ability:pay.card", action: confirm, reason: "{{order.total}} for {{customer.name}}, {{missing_words}}"}
  - {condition: "order.items.price>5000", action: abort}
  - {condition: "output:order.*|contains:fail", action: abort}
  - {condition: "arg:card|matches:^4", action: warn}
  - {condition: "task.tool_calls>20", action: abort}
steps:
  - {id: get, ability: shop.order, args: {who: "{{customer.id}}"}, output_key: order}
  - {id: words, ability: nlp.words, args: {text: "{{get.output}}"}, output_key: missing_words}
  - {id: pay, ability: pay.card, args: {card: "{{order.card}}", sum: "{{order.total}}"}}
`,
		"rules that wait, skip or test": `id: a
circuit_breakers:
  - {condition: "price>100", action: abort}
  - {condition: "amount>100", action: abort, missing: skip}
  - {condition: "when: has(args.amount) && args.amount > outputs.price", action: abort}
  - {condition: "ability:b.buy & when: args.amount > outputs.price", action: abort}
  - {condition: "ability:b.buy & amount>100 & price>3", action: confirm}
steps:
  - {id: look, ability: a.look, output_key: price}
  - {id: buy, ability: b.buy, args: {amount: "{{price}}"}}
`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			expect(t, lint.Run([]lint.File{file("a.yaml", text)}).Findings)
		})
	}
}

// TestRun_Kinds tells what stands on standard input by its content.
func TestRun_Kinds(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a policy", "# mine\n\nB:amount>>1|abort\n", "3:9 syntax"},
		{"a policy of sections", "CHAIN:trade\nB:x>1|abrt\n", "2:7 syntax"},
		{"a rule without a tag", "amount > 1000 | abort\n", "1:1 unknown-tag"},
		{"a block without its tags", "NEW:chain\nB:x>1|abort\n", "1:1 unknown-tag"},
		{"a chain", "# mine\nid: a\nstep: []\n", "3:1 unknown-field"},
		{"a chain in JSON", `{"id":"a","steps":[{"id":"s","ability":"x","agrs":{}}]}`, "1:44 unknown-field"},
		{"a recording", "chain: a\nsteps:\n  - {stp: s, output: x}\n", "3:6 unknown-field"},
		{"a recording by its steps", "steps:\n  - {step: s, outptu: x}\n", "2:15 unknown-field"},
		{"model text", "Of course.\n<nyaya>\nNEW:a\nB:x>|abort\n</nyaya>\n", "4:5 syntax"},
		{"model text with an open block", "Of course.\n<nyaya>\nNEW:a\n", "2:1 syntax"},
		{"a chain with a tag in a text", "id: a\ndescription: writes a <nyaya> tag\nsteps: []\n", "3:8 syntax"},
		{"prose", "Nothing to see here.\n", ""},
		{"nothing", "", ""},
		{"junk", "\x00\x01\x02", "1:1 syntax"},
		{"no UTF-8", "B:x>1|abort\n\xff\xfe", "2:1 syntax"},
		{"a byte order mark", "\ufeffB:x>|abort\n", "1:5 syntax"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range lint.Run([]lint.File{{Name: "<stdin>", Data: []byte(tt.text)}}).Findings {
				got = append(got, strings.TrimSuffix(strings.TrimPrefix(f.Error(), "<stdin>:"), ": "+f.Message)[:strings.Index(f.Error()[len("<stdin>:"):], ": ")]+" "+f.ID)
			}
			if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestKindOf(t *testing.T) {
	for name, want := range map[string]lint.Kind{
		"a.cbp": lint.Policy, "A.CBP": lint.Policy, "a.yaml": lint.Chain, "a.yml": lint.Chain, "d/a.json": lint.Chain,
		"a.md": lint.Text, "a.txt": lint.Text, "a.nyaya": lint.Text, "a": lint.Text,
	} {
		if got := lint.KindOf(name); got != want {
			t.Errorf("KindOf(%q) = %d, want %d", name, got, want)
		}
	}
	for _, ext := range lint.Extensions() {
		if lint.KindOf("x"+ext) == lint.Auto {
			t.Errorf("%s has no kind", ext)
		}
	}
}

// TestRun_Hostile gives every kind what is far too large or no text at all:
// the answer is short, and comes soon.
func TestRun_Hostile(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 100 MB several times")
	}
	long := bytes.Repeat([]byte("a"), 100<<20)
	junk := bytes.Repeat([]byte{0x00, 0xff, '<', 'B', ':', '\n', 0x1b, '{'}, 1<<20)
	lines := bytes.Repeat([]byte("x\n"), 1<<20)
	blocks := bytes.Repeat([]byte("<nyaya>\nX:\n</nyaya>\n"), 100_000)
	for _, name := range []string{"x.cbp", "x.yaml", "x.json", "x.txt", "<stdin>"} {
		for what, data := range map[string][]byte{"long": long, "junk": junk, "lines": lines, "blocks": blocks} {
			start := time.Now()
			kind := lint.KindOf(name)
			if name == "<stdin>" {
				kind = lint.Auto
			}
			r := lint.Run([]lint.File{{Name: name, Data: data, Kind: kind}})
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("%s in %s took %s", what, name, took)
			}
			prose := (name == "x.txt" || name == "<stdin>") && (what == "long" || what == "lines")
			if n := len(r.Findings); n == 0 != prose || n > 2001 {
				t.Errorf("%s in %s: %d findings", what, name, n)
			}
			for _, f := range r.Findings {
				if f.Message == "" || len(f.Error()) > 2000 {
					t.Fatalf("%s in %s: %.200q", what, name, f.Error())
				}
			}
		}
	}
}

// TestRun_LargestChain gives the checks as many rules and steps as a chain can
// hold, and nearly all the references: they come to an end, and say so much only.
func TestRun_LargestChain(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var b strings.Builder
	b.WriteString("{\"id\":\"a\",\"circuit_breakers\":[")
	for i := range 500 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"condition":"ability:x & k%d>1`, i)
		for j := range 8 {
			fmt.Fprintf(&b, "&k%dx%d>1", i, j)
		}
		b.WriteString(`","action":"abort"}`)
	}
	b.WriteString("],\"steps\":[")
	for i := range 200 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"s%d","ability":"x","output_key":"o%d","condition":{"ref_key":"o%d","op":"equals","value":"%d"},"args":{"a":0`, i, i, i/2, i/3)
		for j := range 45 {
			fmt.Fprintf(&b, `,"a%dx%d":"{{o%d}}"`, i, j, (i*j)%200)
		}
		b.WriteString("}}")
	}
	b.WriteString("]}")
	r := lint.Run([]lint.File{file("a.json", b.String())})
	if n := len(r.Findings); n < 500 || n > 2001 || r.Rules != 500 {
		t.Errorf("%d findings about %d rules: %.500s", n, r.Rules, r.Findings.Error())
	}
}

// TestRun_EveryFindingIsComplete looks at the form of all findings that a
// folder full of mistakes gives.
func TestRun_EveryFindingIsComplete(t *testing.T) {
	paths, err := filepath.Glob("testdata/faulty/*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no files", err)
	}
	var files []lint.File
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, lint.File{Name: path, Data: data, Kind: lint.KindOf(path)})
	}
	ids := map[string]bool{}
	for _, f := range lint.Run(files).Findings {
		ids[f.ID] = true
		if f.File == "" || f.Pos.Line == 0 || f.Pos.Column == 0 || f.Message == "" {
			t.Errorf("incomplete: %v", f)
		}
		if f.Hint == "" && !strings.HasPrefix(f.Message, "expected ") { // those say what would be right
			t.Errorf("no hint: %v", f)
		}
		if f.Text == "" {
			t.Errorf("no source line: %v", f)
		}
		if f.End != (diag.Position{}) && !f.Pos.Before(f.End) && f.Pos != f.End {
			t.Errorf("ends before it begins: %v", f)
		}
	}
	for _, id := range []string{"syntax", "unknown-tag", "unknown-field", "limit-exceeded", "duplicate-rule", "unobservable-frequency",
		"unknown-key", "never-produced", "maybe-unset", "undeclared-input", "dangling-reference"} {
		if !ids[id] {
			t.Errorf("no finding %s", id)
		}
	}
}
