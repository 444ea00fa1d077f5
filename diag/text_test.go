package diag_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
)

func at(line, column int) diag.Position { return diag.Position{Line: line, Column: column} }

func render(t *testing.T, o diag.TextOptions, l ...*diag.Finding) string {
	t.Helper()
	var b strings.Builder
	if err := diag.Text(&b, l, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestColumns(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 1, "e\u0301": 1, "等": 2, "\x1b": 6, "\n": 2, "\xff": 4} {
		if got := diag.Columns(s); got != want {
			t.Errorf("%q takes %d columns, want %d", s, got, want)
		}
	}
}

func TestTextBlock(t *testing.T) {
	got := render(t, diag.TextOptions{},
		&diag.Finding{ID: "syntax", File: "a.cbp", Pos: at(3, 9), End: at(3, 11), Message: "unknown operator =>",
			Hint: "write >=", Text: "B:amount=>1000|abort",
			Related: []diag.Related{{File: "b.cbp", Pos: at(1, 2), Message: "seen here"}}},
		&diag.Finding{ID: "empty", File: "c.cbp", Severity: diag.Warning, Message: "no rules"},
	)
	want := `a.cbp:3:9: error: unknown operator => [syntax]
  B:amount=>1000|abort
          ^^
  hint: write >=
b.cbp:1:2: note: seen here
c.cbp: warning: no rules [empty]
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestTextColourOnlyOnRequest(t *testing.T) {
	f := &diag.Finding{ID: "x", Message: "m"}
	if got := render(t, diag.TextOptions{}, f); strings.Contains(got, "\x1b") {
		t.Errorf("colour unasked: %q", got)
	}
	if got := render(t, diag.TextOptions{Color: true}, f); !strings.Contains(got, "\x1b[1;31merror:\x1b[0m") {
		t.Errorf("no colour: %q", got)
	}
}

func TestTextCaretLinesUp(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		column     int
		line, mark string
	}{
		{"ascii", "abc", 2, "abc", " ^"},
		{"tab", "\tab", 3, "    ab", "     ^"},
		{"tab in mid-line", "ab\tc", 4, "ab  c", "    ^"},
		{"wide", "時計x", 3, "時計x", "    ^"},
		{"on a wide one", "a時b", 2, "a時b", " ^^"},
		{"combining", "e\u0301x", 3, "e\u0301x", " ^"},
		{"bidi", "a\u202eb", 3, `a\u{202e}b`, strings.Repeat(" ", 9) + "^"},
		{"not utf-8", "a\xffb", 2, `a\xffb`, " ^^^^"},
		{"end of line", "abc", 4, "abc", "   ^"},
	} {
		got := render(t, diag.TextOptions{}, &diag.Finding{ID: "x", Pos: at(1, tt.column), Message: "m", Text: tt.text})
		want := "1:" + string(rune('0'+tt.column)) + ": error: m [x]\n  " + tt.line + "\n  " + tt.mark + "\n"
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

func TestTextCutsLongLinesAroundTheCaret(t *testing.T) {
	for _, column := range []int{1, 60, 2000, 4000, 4001} {
		text := strings.Repeat("a", column-1) + "!" + strings.Repeat("b", 4000-column+1)
		lines := strings.Split(render(t, diag.TextOptions{}, &diag.Finding{Pos: at(1, column), Message: "m", Text: text}), "\n")
		line, mark := []rune(lines[1]), lines[2]
		if len(line) > 110 {
			t.Errorf("column %d: %d characters shown", column, len(line))
		}
		if i := strings.IndexByte(mark, '^'); i < 0 || i >= len(line) || line[i] != '!' {
			t.Errorf("column %d: caret under the wrong place:\n%s\n%s", column, lines[1], mark)
		}
	}
}

func TestTextEscapesEverythingShown(t *testing.T) {
	bad := "x\x1b[2J\u202e\u200b\n"
	got := render(t, diag.TextOptions{}, &diag.Finding{ID: bad, File: bad, Pos: at(1, 1), Message: bad, Hint: bad, Text: bad,
		Related: []diag.Related{{File: bad, Message: bad}}})
	if strings.ContainsAny(got, "\x1b\u202e\u200b") || strings.Count(got, "\n") != 5 {
		t.Errorf("not escaped: %q", got)
	}
}
