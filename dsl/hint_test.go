package dsl_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/dsl/dslgen"
)

// updateGolden rewrites the golden files instead of comparing with them.
var updateGolden = os.Getenv("UPDATE_GOLDEN") != ""

func golden(t *testing.T, file, got string) {
	t.Helper()
	if updateGolden {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s differs at line %d:\n got %s\nwant %s\n(UPDATE_GOLDEN=1 rewrites it)", file, i+1, g[i], w[i])
		}
	}
	t.Fatalf("%s has %d lines, got %d (UPDATE_GOLDEN=1 rewrites it)", file, len(w), len(g))
}

// Each line of testdata/hints.txt is a slip; testdata/hints.golden shows what
// a person reads about it.
func TestHintsReadAsExpected(t *testing.T) {
	lines, err := os.ReadFile("testdata/hints.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(lines)) {
		line = strings.TrimSuffix(line, "\n")
		_, f := dsl.ParseRule("", start, line)
		if f == nil {
			t.Errorf("%s: accepted", line)
			continue
		}
		if err := diag.Text(&b, diag.List{f}, diag.TextOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "testdata/hints.golden", b.String())
}

func TestHints(t *testing.T) {
	for _, tt := range []struct {
		text          string
		column        int
		message, hint string
	}{
		{`amount=>1000|abort`, 7, `unknown comparison "=>"`, "write >="},
		{`amount=1000|abort`, 7, `unknown comparison "="`, "write == for equal"},
		{`frequency>10|throttle`, 13, "a window is required", "frequency>10/1h"},
		{`frequency>10/|throttle`, 14, "a window such as 1h is missing after the slash", "frequency>10/1h"},
		{`frequency>10/0s|throttle`, 14, "a window of 0", "at least 1"},
		{`amount>5|abort|no quotes`, 16, "a reason stands in double quotes", `write "no quotes"`},
		{`amount>5|abort|"open`, 16, "this quote is not closed", `end the text with "`},
		{`abort|amount>5`, 1, "an action stands where the condition should", "condition|action"},
		{`amount>5|"r"|abort`, 10, "a quoted text stands where the action should", "condition|action"},
		{`amount>$1000|abort`, 8, "without a currency sign", "write 1000"},
		{`amount>1,000|abort`, 8, "without separators", "write 1000"},
		{`amount>5|abort|“r”`, 16, "a typographic quote", `straight quote "`},
		{`B:amount>5|abort`, 1, `"B:" is written twice`, "keep one"},
		{`a>5 && b>5|abort`, 5, `joined by a single "&"`, "write &"},
		{`a>5|abrot`, 5, `unknown action "abrot"`, "did you mean abort?"},
		{`a>5|abort|"r"|mod=observe`, 15, `unknown option "mod"`, "did you mean mode=?"},
		{`a>5|abort|"r"|mode=obsreve`, 20, `unknown value "obsreve"`, "did you mean mode=observe?"},
		{`output:x|contians:y|abort`, 10, `unknown match "contians"`, "did you mean contains:?"},
		{`abilty:x|abort`, 1, `"abilty:" begins no condition`, "did you mean ability:?"},
		{`task.tool_cals>5|abort`, 1, `no meter "task.tool_cals"`, "did you mean task.tool_calls?"},
		{`wait>5hours|abort`, 7, `unknown unit "hours"`, "write 5h"},
		{`時 > 5|abort`, 1, "expected a condition", ""},
		{`output:x|contains:時計 & y=5|abort`, 25, `unknown comparison "="`, ""},
	} {
		_, f := dsl.ParseRule("p.cbp", diag.Position{Line: 7, Column: 3}, tt.text)
		if f == nil {
			t.Errorf("%s: accepted", tt.text)
			continue
		}
		if want := (diag.Position{Line: 7, Column: tt.column + 2}); f.Pos != want || f.File != "p.cbp" {
			t.Errorf("%s: at %s:%v, want %v", tt.text, f.File, f.Pos, want)
		}
		if !strings.Contains(f.Message, tt.message) || !strings.Contains(f.Hint, tt.hint) {
			t.Errorf("%s: %s", tt.text, f.Error())
		}
	}
}

// Whatever is cut out of a rule or put into it, the finding is about a place
// in the text, in words and without scraps of the grammar.
func TestEveryFaultIsExplained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []rune(dslgen.Rule(t).String())
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		cut := rapid.IntRange(0, len(text)-at).Draw(t, "cut")
		insert := []rune(rapid.SampledFrom([]string{"", "|", "&", "\"", "`", "(", ")", "=", " x ", "5", ":", "{{", "}}", "!", ".", "時", "@", "/", ","}).Draw(t, "insert"))
		broken := string(text[:at]) + string(insert) + string(text[at+cut:])
		_, f := dsl.ParseRule("", start, broken)
		if f == nil {
			return
		}
		if n := utf8.RuneCountInString(broken); f.Pos.Line != 1 || f.Pos.Column < 1 || f.Pos.Column > n+1 || f.End.Column > n+1 || f.End.Before(f.Pos) {
			t.Fatalf("%s: from %v to %v of %d characters", broken, f.Pos, f.End, n)
		}
		if f.Message == "" || strings.Contains(f.Message, "unexpected token") || strings.Contains(f.Message, "Node") || strings.Contains(f.Message, "cannot be read") {
			t.Fatalf("%s: %s", broken, f.Message)
		}
		if err := diag.Text(&strings.Builder{}, diag.List{f}, diag.TextOptions{}); err != nil {
			t.Fatal(err)
		}
	})
}
