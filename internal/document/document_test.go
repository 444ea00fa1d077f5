package document_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

var limits = document.Limits{Bytes: 1 << 20, Depth: 100, Nodes: 10_000}

func parse(text string) *document.Document { return document.Parse("f.yaml", []byte(text), limits) }

// tree prints a node as JSON, or what was found wrong.
func tree(d *document.Document) string {
	if l := d.Findings(); len(l) > 0 {
		return l.Error()
	}
	return string(d.Root.Value().AppendJSON(nil))
}

func TestScalarsKeepTheirText(t *testing.T) {
	for in, want := range map[string]string{
		`1500`: `1500`, `182.50`: `182.50`, `-0`: `-0`, `1e3`: `1e3`, `1E+3`: `1E+3`,
		`123456789012345678901234567890.10`: `123456789012345678901234567890.10`,
		`"182.50"`:                          `"182.50"`, `'1'`: `"1"`,
		`0x10`: `"0x10"`, `0o7`: `"0o7"`, `007`: `"007"`, `+5`: `"+5"`, `.5`: `".5"`, `1.`: `"1."`, `1_000`: `"1_000"`,
		`.inf`: `".inf"`, `.NaN`: `".NaN"`, `1:30`: `"1:30"`, `2026-01-05T09:00:00Z`: `"2026-01-05T09:00:00Z"`,
		`yes`: `"yes"`, `No`: `"No"`, `on`: `"on"`, `y`: `"y"`,
		`true`: `true`, `True`: `true`, `FALSE`: `false`,
		`~`: `null`, `null`: `null`, `NULL`: `null`, `nil`: `"nil"`, `"~"`: `"~"`, `"null"`: `"null"`,
		"|\n  a\n  b": `"a\nb"`, ">\n  a\n  b": `"a b"`, "a\n b": `"a b"`,
	} {
		if got := tree(parse("v: " + in)); got != `{"v":`+want+`}` {
			t.Errorf("%s reads %s, want %s", in, got, want)
		}
	}
	if got := tree(parse("v:")); got != `{"v":null}` {
		t.Errorf("an empty value reads %s", got)
	}
}

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"empty":                          {"", `f.yaml:1:1: the file is empty`},
		"comments only":                  {"# x\n", `f.yaml:1:1: the file is empty`},
		"duplicate":                      {"a: 1\nb:\n  c: 1\n  c: 2", `f.yaml:4:3: duplicate key "c" (remove one of the two)`},
		"duplicate in JSON":              {`{"a":1,"a":2}`, `f.yaml:1:8: duplicate key "a" (remove one of the two)`},
		"merge":                          {"a: &x {b: 1}\nc:\n  <<: *x", `f.yaml:3:3: the merge key << is not read (write the fields out)`},
		"tag":                            {"a: !money 5", `f.yaml:1:4: the tag !money has no meaning here (leave it out; a number in quotes is a text)`},
		"core tag":                       {"a: !!str 5", `f.yaml:1:4: the tag !!str has no meaning here (leave it out; a number in quotes is a text)`},
		"empty tag":                      {"a: ! 5", `f.yaml:1:4: the tag ! has no meaning here (leave it out; a number in quotes is a text)`},
		"binary":                         {"a: !!binary gIGC", `f.yaml:1:4: the tag !!binary has no meaning here (leave it out; a number in quotes is a text)`},
		"two documents":                  {"a: 1\n---\nb: 2", `f.yaml:2:1: a second document begins here (a file holds one document: remove the ---, or split the file)`},
		"template":                       {"a: {{b}}", `f.yaml:1:5: a map as a key (a template stands in quotes: "{{name}}")`},
		"list key":                       {"? [a]\n: 1", `f.yaml:1:3: a list as a key (a key is a text)`},
		"alias key":                      {"a: &x b\n*x : 1", `f.yaml:2:1: an alias as a key (write the key out)`},
		"alias in itself":                {"a: &x [*x]", `f.yaml:1:8: the alias *x stands inside what it repeats`},
		"unknown alias":                  {"a: 1\nb: *x", `f.yaml:2:1: an alias (*name) without its anchor (&name) (put the value in quotes)`},
		"NUL":                            {"a: 1\nb: \x00", `f.yaml:2:4: the character U+0000 (remove it; text in double quotes may hold it as \u0000)`},
		"UTF-8":                          {"a: é\xff", `f.yaml:1:5: the text is not valid UTF-8 (save it as UTF-8)`},
		"UTF-16":                         {"\xff\xfea\x00", `f.yaml:1:1: the text is not valid UTF-8 (save it as UTF-8)`},
		"next line":                      {"a: b\u0085c", `f.yaml:1:5: the character U+0085 (remove it; text in double quotes may hold it as \u0085)`},
		"line separator":                 {"a: b\u2028c", `f.yaml:1:5: the character U+2028 (remove it; text in double quotes may hold it as \u2028)`},
		"byte order mark":                {"a: \ufeffc", `f.yaml:1:4: the character U+FEFF (remove it; text in double quotes may hold it as \ufeff)`},
		"carriage return":                {"a: 1\rb: 2", `f.yaml:1:5: a carriage return without a line feed (end lines with a line feed)`},
		"tab":                            {"a:\n\tb: 1", `f.yaml:2:2: a value cannot begin with this character (put the value in quotes; indent with blanks, not tabs)`},
		"second colon":                   {"a: 1\nb: c: d", `f.yaml:2:1: a second colon in this value (put the value in quotes, or check the indent)`},
		"no colon":                       {"a: 1\nb\nc: 2", `f.yaml:2:1: a colon is expected after the key (write "key: value")`},
		"open quote":                     {"a: 1\nb: \"x\nc: 2", `f.yaml:2:4: a quote is not closed (close it in this line; a text of several lines is clearer as a block: key: |)`},
		"a quote that the next one ends": {"a: 1\nb: \"x\nc: \"y\"\nd: 2", `f.yaml:2:4: a quote is not closed (close it in this line; a text of several lines is clearer as a block: key: |)`},
		"a single quote":                 {"a: 1\nb: 'it''s\nc: 'y'\nd: 2", `f.yaml:2:4: a quote is not closed (close it in this line; a text of several lines is clearer as a block: key: |)`},
		"in a list":                      {"a: [\"x, 1]\nb: \"\"", `f.yaml:1:5: a quote is not closed (close it in this line; a text of several lines is clearer as a block: key: |)`},
		"a quote of two lines is fine":   {"a: \"x\n  y\"\nb: c: d", `f.yaml:3:1: a second colon in this value (put the value in quotes, or check the indent)`},
		"quotes in other texts":          {"a: 5\" of rain # it's \"\nt: |\n  he said: \"no\nb: c: d", `f.yaml:4:1: a second colon in this value (put the value in quotes, or check the indent)`},
		"open list":                      {"a: 1\nb: [x\nc: 2", `f.yaml:2:1: the list is not closed (a list in brackets has commas between its elements and ends with ])`},
		"indent":                         {"a:\n  - b: 1\n    c: 2\n   d: 3", `f.yaml:4:4: an element that begins with "- " is expected here (check the indent)`},
		"indent of a key":                {"a:\n    b: 1\n  c: 2", `f.yaml:3:3: a key is expected here (check the indent, and that the line before ends its quotes and brackets)`},
		"escape":                         {"a: 1\nb: \"\\q\"", `f.yaml:2:1: an unknown escape after \ (text in single quotes knows no escapes)`},
	} {
		if got := tree(parse(c.in)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestAllFaultsAreReported(t *testing.T) {
	got := parse("a: !x 1\nb: {c: 1, c: 2}\nd:\n  <<: {e: 1}\n").Findings()
	if len(got) != 3 {
		t.Errorf("%d findings:\n%v", len(got), got)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	if n := len(parse(strings.Repeat("- !x 1\n", 5000)).Findings()); n != document.MaxFindings {
		t.Errorf("%d findings, want %d", n, document.MaxFindings)
	}
}

func TestJSONFilesAreJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": 1.50, "b": "\ud83d\ude00\u0000"}`: `{"a":1.50,"b":"😀\u0000"}`,
		"{\"a\": 1,\n\"b\": x}":                  `f.JSON:2:6: want a value: a text in double quotes, a number, true, false, null, a list or an object`,
		`{"a":{"b":1,"b":2}}`:                    `f.JSON:1:13: duplicate key "b" in a`,
		strings.Repeat("[", 200):                 `f.JSON:1:101: nested more than 100 deep`,
		"a: 1":                                   `f.JSON:1:1: want a value: a text in double quotes, a number, true, false, null, a list or an object`,
		"\ufeff[]":                               `[]`,
	} {
		if got := tree(document.Parse("f.JSON", []byte(in), limits)); !strings.HasPrefix(got, want) {
			t.Errorf("%s reads %s, want %s", in, got, want)
		}
	}
	if got := tree(parse("{\"a\": \"\\ud83d\\ude00\",\n\t\"b\":[1]}")); got != `{"a":"😀","b":[1]}` {
		t.Errorf("JSON in a file of another name reads %s", got)
	}
}

func TestPositionsCountCodePoints(t *testing.T) {
	for _, file := range []string{"f.yaml", "f.json"} {
		d := document.Parse(file, []byte("{\n  \"時\": \"é🙂x\", \"b\": [1, {\"c\": true}]}"), limits)
		if d.Root == nil {
			t.Fatal(d.Findings())
		}
		text, list := d.Root.Items[0], d.Root.Items[1]
		at := func(line, column int) diag.Position { return diag.Position{Line: line, Column: column} }
		if d.Root.Names[0].Pos != at(2, 3) || text.Pos != at(2, 8) || d.Root.Names[1].Pos != at(2, 15) {
			t.Errorf("%s: names at %v %v, text at %v", file, d.Root.Names[0].Pos, d.Root.Names[1].Pos, text.Pos)
		}
		if pos, exact := text.TextPos(len("é🙂")); pos != at(2, 11) || !exact || text.End() != at(2, 13) {
			t.Errorf("%s: x at %v, the end at %v", file, pos, text.End())
		}
		if c := list.Items[1].Items[0]; c.Pos != at(2, 30) || c.Kind != jsonv.Bool {
			t.Errorf("%s: c at %v", file, c.Pos)
		}
	}
}

func TestTextPos(t *testing.T) {
	for in, want := range map[string]string{
		`abc`:           "1:6 exact 1:7",
		`'abc'`:         "1:7 exact 1:9",
		`"abc"`:         "1:7 exact 1:9",
		`"a\u0062c"`:    "1:4  0:0",
		`'a''c'`:        "1:4  0:0",
		"|\n   abc":     "2:6 exact 2:7",
		">-\n  abc":     "2:5 exact 2:6",
		"|\n  abc\n  d": "1:4  0:0",
		"&x abc":        "1:4  0:0",
		"\n  abc":       "2:5 exact 2:6",
	} {
		d := parse("v: " + in)
		n := d.Root.Items[0]
		pos, exact := n.TextPos(2)
		word := ""
		if exact {
			word = "exact"
		}
		end := n.End()
		if got := fmt.Sprintf("%d:%d %s %d:%d", pos.Line, pos.Column, word, end.Line, end.Column); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestAliasesRepeat(t *testing.T) {
	if got := tree(parse("a: &x {b: [1, 2]}\nc: *x\nd: &y z\ne: *y")); got != `{"a":{"b":[1,2]},"c":{"b":[1,2]},"d":"z","e":"z"}` {
		t.Error(got)
	}
}

// bomb doubles a list at each level: n levels stand for 2^n values.
func bomb(n int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x]\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	return b.String()
}

func manyKeys(size int) string {
	var b strings.Builder
	b.WriteString("{")
	for i := 0; b.Len() < size-20; i++ {
		fmt.Fprintf(&b, "é%d: 1, ", i)
	}
	return b.String() + "}"
}

// TestHostileTextsEndSoon gives what could take much time or memory. The
// limits are far above what is needed, and far below what a mistake takes.
func TestHostileTextsEndSoon(t *testing.T) {
	const n = 1 << 20
	for name, c := range map[string]struct{ text, id string }{
		"100 MB line":       {strings.Repeat("a", 100<<20), document.LimitID},
		"alias bomb":        {bomb(60), document.LimitID},
		"100,000 lists":     {strings.Repeat("[", 100_000), document.LimitID},
		"100,000 maps":      {strings.Repeat(`{"a":`, 100_000), document.LimitID},
		"101 deep":          {strings.Repeat("[", 101) + strings.Repeat("]", 101), document.LimitID},
		"101 deep in YAML":  {"a: " + strings.Repeat("[", 101) + strings.Repeat("]", 101), document.LimitID},
		"100,000 dashes":    {strings.Repeat("- ", 100_000), document.LimitID},
		"100,000 questions": {strings.Repeat("? ", 100_000), document.LimitID},
		"many values":       {"[" + strings.Repeat("x,", n/2-2) + "x]", document.LimitID},
		"many comments":     {strings.Repeat("#\n- a\n", n/6), document.LimitID},
		"many anchors":      {strings.Repeat("- &a x\n", n/7), document.LimitID},
		"many equal keys":   {"{" + strings.Repeat("x,", n/2-2) + "}", document.SyntaxID},
		"many keys":         {manyKeys(n), document.LimitID},
		"a long text again": {"- &a " + strings.Repeat("é", n/8) + "\n- [" + strings.Repeat("*a,", 9000) + "*a]", document.LimitID},
		"a long line again": {"[&a [" + strings.Repeat("é", n/8) + ",b]," + strings.Repeat("*a,", 2000) + "*a]", document.LimitID},
		"one long word":     {strings.Repeat("a", n), ""},
		"NULs":              {strings.Repeat("\x00", n), document.SyntaxID},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			data := []byte(c.text)
			runtime.ReadMemStats(&before)
			start := time.Now()
			l := document.Parse("f.yaml", data, limits).Findings()
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if len(l) == 0 != (c.id == "") || len(l) > 0 && l[0].ID != c.id {
				t.Errorf("findings %.200v, want %q", l, c.id)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 60*time.Second || used > 600 {
				t.Errorf("took %v and %d MiB", took, used)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: [1, \"x\", {b: ~}]", `{"a":"\u00e9","b":[1.50]}`, bomb(3), "a: |\n  x\nb: 'c'", "? a\n: b", "- !x y", "a: {{b}}"} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, yaml bool) {
		name := "f.json"
		if yaml {
			name = "f.yaml"
		}
		d := document.Parse(name, data, limits)
		l := d.Findings()
		if d.Root == nil && len(l) == 0 {
			t.Fatalf("%q: no tree and no finding", data)
		}
		for _, finding := range l {
			if finding.Message == "" || finding.Pos.Line < 0 || finding.Pos.Line > 1+strings.Count(string(data), "\n") {
				t.Fatalf("%q: finding %+v", data, finding)
			}
		}
		if len(l) > 0 {
			return
		}
		// What was read prints as JSON that reads the same.
		out := d.Root.Value().AppendJSON(nil)
		again := document.Parse("f.json", out, limits)
		if again.Root == nil || string(again.Root.Value().AppendJSON(nil)) != string(out) {
			t.Fatalf("%q prints %s, which reads %v", data, out, again.Findings())
		}
	})
}
