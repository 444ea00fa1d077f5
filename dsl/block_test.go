package dsl_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

func TestExtractBlock(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"one", "Sure.\n <nyaya>\nNEW:x\n</nyaya> done", ""},
		{"on one line", "é <nyaya>C:x|1</nyaya>", ""},
		{"none", "just text, <b>nyayas</b> and <nyayax>", "no-block: m: the text holds no <nyaya> block"},
		{"second", "<nyaya>\nNEW:x</nyaya>\n<nyaya></nyaya>", "syntax: m:3:1: more than 1 <nyaya> blocks (put all lines into one block)"},
		{"unclosed", "a\n é<nyaya>\nNEW:x", "syntax: m:2:3: this block is not closed (end it with </nyaya>)"},
		{"nested", "<nyaya>\n <nyaya>\n</nyaya></nyaya>", "syntax: m:2:2: a <nyaya> tag inside a block (close the first block with </nyaya>)"},
		{"only closed", "x </nyaya>", "syntax: m:1:3: </nyaya> closes no block (remove it, or write <nyaya> before the block)"},
		{"upper case", "<NYAYA>\nNEW:x\n</NYAYA>", "syntax: m:1:1: this is no tag of a block (write exactly <nyaya> and </nyaya>)"},
		{"with a blank", "<nyaya >\nNEW:x\n</nyaya>", "syntax: m:1:1: this is no tag of a block (write exactly <nyaya> and </nyaya>)"},
		{"with attributes", "<nyaya v=1>\nNEW:x\n</nyaya>", "syntax: m:1:1: this is no tag of a block (write exactly <nyaya> and </nyaya>)"},
		{"closed in upper case", "<nyaya>\nNEW:x\n</Nyaya>", "syntax: m:3:1: this is no tag of a block (write exactly <nyaya> and </nyaya>)"},
		{"in quotes of code", "`<nyaya>` is\n<nyaya>\nNEW:x\n</nyaya>", "syntax: m:2:1: a <nyaya> tag inside a block (close the first block with </nyaya>)"},
		{"too long", "<nyaya>" + strings.Repeat("x", dsl.MaxBlock+1) + "</nyaya>", "limit-exceeded: m:1:1: the block is 65537 bytes long; at most 65536 are allowed (split the chain)"},
	} {
		raw, f := dsl.ExtractBlock("m", []byte(tt.text))
		got := ""
		if f != nil {
			got = f.ID + ": " + f.Error()
		}
		if got != tt.want || (raw == nil) == (tt.want == "") {
			t.Errorf("%s: %v, %s, want %s", tt.name, raw, got, tt.want)
		}
	}
	raw, _ := dsl.ExtractBlock("m", []byte("é\n時 <nyaya>C:x</nyaya>"))
	if raw.Text != "C:x" || raw.Pos != (diag.Position{Line: 2, Column: 10}) {
		t.Errorf("got %+v", raw)
	}
}

func TestExtractBlocksOfADocument(t *testing.T) {
	doc := "# The `<nyaya>` block\n\nWrite `<nyaya>…</nyaya>` so:\n\n```\n<nyaya>\nNEW:a\n</nyaya>\n```\n<nyaya>\n<nyaya>\nNEW:b\n</nyaya>\n"
	blocks, findings := dsl.ExtractBlocks("d.md", []byte(doc))
	if len(blocks) != 2 || blocks[0].Text != "\nNEW:a\n" || blocks[1].Text != "\nNEW:b\n" {
		t.Errorf("blocks %+v", blocks)
	}
	if len(findings) != 1 || findings[0].Pos != (diag.Position{Line: 11, Column: 1}) || findings[0].Related[0].Pos != (diag.Position{Line: 10, Column: 1}) {
		t.Errorf("findings %v", findings)
	}
}

func TestExtractHugeTextsInTime(t *testing.T) {
	for name, part := range map[string]string{
		"pairs": "<nyaya></nyaya>", "opened": "<nyaya>", "closed": "</nyaya>", "brackets": "<", "code": "`<nyaya>", "near": "<nyaya x", "lines": "é\n<nyaya>\n</nyaya>",
	} {
		text := bytes.Repeat([]byte(part), (4<<20)/len(part))
		begin := time.Now()
		dsl.ExtractBlocks("", text)
		dsl.ExtractBlock("", text)
		if d := time.Since(begin); d > 60*time.Second { // a hang, not a slow machine
			t.Errorf("%s: took %v", name, d)
		}
	}
}

func TestParseBlock(t *testing.T) {
	b, err := block(t, "<nyaya>\n  D: trading | high\n  NEW: price_alert | x\n\n G: ability:trading.execute , trading.get_price\r\n\tG:\"odd name\", ability : trading.execute\n"+
		"B:amount>1000|abort|\"Too much\"\nB:frequency@chain>5/1h|throttle\nP:ticker:str:NVDA\nS:trading.execute:ticker=$ticker>out\n</nyaya>")
	if err != nil {
		t.Fatal(err)
	}
	var grants, tags []string
	for _, g := range b.Grants {
		grants = append(grants, g.Name)
	}
	for _, l := range b.Lines {
		tags = append(tags, l.Tag)
	}
	if b.Domain != "trading" || b.Risk != dsl.RiskHigh || b.ChainID() != "nyaya/price_alert" || len(b.Rules) != 2 {
		t.Errorf("got %+v", b)
	}
	if got := strings.Join(grants, ";"); got != "trading.execute;trading.get_price;odd name" {
		t.Errorf("grants %s", got)
	}
	if got := strings.Join(tags, " "); got != "D NEW G G B B P S" {
		t.Errorf("lines %s", got)
	}
	step := b.Lines[7]
	if step.Text != "trading.execute:ticker=$ticker>out" || step.Pos != (diag.Position{Line: 10, Column: 1}) || step.At != (diag.Position{Line: 10, Column: 3}) {
		t.Errorf("step %+v", step)
	}
	if r := b.Rules[0]; r.Pos.Start != (diag.Position{Line: 7, Column: 3}) {
		t.Errorf("rule at %v", r.Pos)
	}
	if g := b.Grants[1]; g.At.Start != (diag.Position{Line: 5, Column: 31}) {
		t.Errorf("grant at %v", g.At)
	}
}

func TestChainIDOfABlock(t *testing.T) {
	for text, want := range map[string]string{
		"D:trading|low\nB:a>1|abort":          "nyaya/trading",
		"D:trading|low\nNEW:x":                "nyaya/x",
		"C:x|1|2":                             "nyaya/x",
		"PATCH:x|1\nADD_PARAM:a:int:3":        "nyaya/x",
		"CACHE:1h\nL:weather":                 "",
		"NOCACHE\nL:fact":                     "",
		"PROPOSE_FUNC:cat.f\nD:Does a thing!": "",
	} {
		b, err := block(t, "<nyaya>\n"+text+"\n</nyaya>")
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := b.ChainID(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestParseBlockRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", " \n", "m.txt:1:8: the block is empty"},
		{"unknown tag", "NEW:x\nZ:y", `m.txt:3:1: unknown tag "Z:"`},
		{"misspelt tag", "NEW:x\nADD_STPE:y", `m.txt:3:1: unknown tag "ADD_STPE:" (did you mean ADD_STEP:?)`},
		{"policy tag", "NEW:x\nCHAIN:y", `belongs into a policy file`},
		{"comment", "NEW:x\n# y", "m.txt:3:1: the line begins with no known tag"},
		{"prose", "NEW:x\nplease run it", "m.txt:3:1: the line begins with no known tag"},
		{"bad rule", "NEW:x\nB:a>|abort", "m.txt:3:5: expected a number"},
		{"two modes", "NEW:x\nC:y", "m.txt:3:1: a second mode line"},
		{"two domains", "D:a|low\nD:b|low", "m.txt:3:1: a second D: line"},
		{"no risk", "D:a", "m.txt:2:4: the risk is missing"},
		{"unknown risk", "D:a|hihg", `m.txt:2:5: unknown risk "hihg" (did you mean high?)`},
		{"no domain", "D:|low", "m.txt:2:3: D: without a name"},
		{"no chain", "B:a>1|abort", "m.txt:2:1: the block names no chain that this line could belong to"},
		{"rules of a cache", "CACHE:1h\nB:a>1|abort", "m.txt:3:1: the block names no chain that this line could belong to"},
		{"no chain at all", "L:x", "m.txt:2:1: the block names no chain"},
		{"empty grant", "NEW:x\nG:", "m.txt:3:3: a grant is missing"},
		{"empty grant in a list", "NEW:x\nG:a,,b", "m.txt:3:5: a grant is missing"},
		{"grant of any", "NEW:x\nG:email.*", "m.txt:3:3: a grant names one ability"},
		{"grant of two words", "NEW:x\nG:a b", `m.txt:3:3: "a b" is not a name`},
		{"unclosed grant", "NEW:x\nG:\"a", `m.txt:3:3: ""a" is not a name`},
		{"no name", "NEW:", "m.txt:2:5: NEW: without a name"},
		{"path in a name", "NEW:../trade", `cannot be the name of a chain or domain`},
		{"slash in a name", "NEW:a/b", `cannot be the name of a chain or domain`},
		{"wildcard name", "NEW:*", `cannot be the name of a chain or domain`},
		{"zero-width name", "NEW:a\u200bb", `cannot be the name of a chain or domain`},
		{"bidi domain", "D:a\u202eb|low", `cannot be the name of a chain or domain`},
		{"control character", "NEW:a\x01b", "m.txt:2:6: control character U+0001"},
		{"not UTF-8", "NEW:a\xff", "m.txt:2:6: the text is not valid UTF-8"},
		{"wide scope", "NEW:x\nB:frequency@all>1/1h|warn", "m.txt:3:3: a rule in a block has no wider scope than its chain (remove @all)"},
		{"session scope", "NEW:x\nB:a>1 & frequency@session>1/1h|warn", "m.txt:3:9: a rule in a block has no wider scope"},
		{"store error", "NEW:x\nB:a>1|warn|on_store_error=allow", "m.txt:3:1: on_store_error is for operator rules only"},
		{"patch line without PATCH", "NEW:x\nADD_STEP:after:a|b", "m.txt:3:1: ADD_STEP: changes a chain"},
		{"function line without PROPOSE_FUNC", "NEW:x\nCAT:y", "m.txt:3:1: CAT: describes a function"},
		{"colon after NOCACHE", "NOCACHE:", "m.txt:2:1: unknown tag"},
		{"CACHE without a time", "CACHE:", "m.txt:2:1: CACHE: without a time"},
		{"too many steps", "NEW:x\n" + strings.Repeat("S:a:b>c\n", 51), "m.txt:53:1: too many steps"},
	} {
		b, err := block(t, "<nyaya>\n"+tt.text+"\n</nyaya>")
		if b != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestParseBlockReportsEveryLine(t *testing.T) {
	_, err := block(t, "<nyaya>\nNEW:x\nB:a>|abort\nZ:y\nG:\n</nyaya>")
	if got := strings.Count(err.Error(), "\n") + 1; got != 3 {
		t.Errorf("%d findings: %v", got, err)
	}
}

func TestSampleBlocksParse(t *testing.T) {
	files, err := filepath.Glob("testdata/blocks/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := block(t, string(text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
