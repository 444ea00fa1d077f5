package diag_test

import (
	"errors"
	"testing"

	"github.com/cbpolicy/cbpolicy/diag"
)

func TestFindingIsAnError(t *testing.T) {
	for _, tt := range []struct {
		f    diag.Finding
		want string
	}{
		{diag.Finding{File: "a.cbp", Pos: diag.Position{Line: 3, Column: 7}, Message: "no action", Hint: "add |abort"}, "a.cbp:3:7: no action (add |abort)"},
		{diag.Finding{File: "a.cbp", Message: "is empty"}, "a.cbp: is empty"},
		{diag.Finding{Pos: diag.Position{Line: 1, Column: 2}, Message: "bad"}, "1:2: bad"},
		{diag.Finding{Message: "bad"}, "bad"},
		{diag.Finding{File: "a\n.cbp", Message: "a\u202eb"}, `a\n.cbp: a\u{202e}b`},
	} {
		if got := tt.f.Error(); got != tt.want {
			t.Errorf("Error() = %q, want %q", got, tt.want)
		}
	}
}

func TestListReachesItsFindings(t *testing.T) {
	var err error = diag.List{{ID: "a", Severity: diag.Warning, Message: "x"}, {ID: "b", Message: "y"}}
	var f *diag.Finding
	if !errors.As(err, &f) || f.ID != "a" {
		t.Errorf("errors.As found %v", f)
	}
	if got := err.Error(); got != "x\ny" {
		t.Errorf("Error() = %q", got)
	}
}

func TestListErrNeedsAnError(t *testing.T) {
	if err := (diag.List{{Severity: diag.Warning}, {Severity: diag.Info}}).Err(); err != nil {
		t.Errorf("warnings alone are the error %v", err)
	}
	if err := (diag.List{{Severity: diag.Warning}, {}}).Err(); err == nil {
		t.Error("an error finding is no error")
	}
}

func TestSortOrdersByPlace(t *testing.T) {
	l := diag.List{
		{File: "b", ID: "4"},
		{File: "a", Pos: diag.Position{Line: 2, Column: 1}, ID: "3"},
		{File: "a", Pos: diag.Position{Line: 1, Column: 9}, ID: "2", Severity: diag.Warning},
		{File: "a", Pos: diag.Position{Line: 1, Column: 9}, ID: "9"},
		{File: "a", Pos: diag.Position{Line: 1, Column: 2}, ID: "1"},
	}
	l.Sort()
	got := ""
	for _, f := range l {
		got += f.ID
	}
	if got != "19234" {
		t.Errorf("order %s, want 19234", got)
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain \\ é 時 “x”":   "plain \\ é 時 “x”",
		"a\x00b":             `a\u{0}b`,
		"a\nb\tc\r":          `a\nb\tc\u{d}`,
		"\x1b[31m":           `\u{1b}[31m`,
		"pay\u202eexe":       `pay\u{202e}exe`,
		"a\u200bb\ufeff":     `a\u{200b}b\u{feff}`,
		"a\u2028b":           `a\u{2028}b`,
		"\u3164\U000e0041x":  `\u{3164}\u{e0041}x`,
		"bad \xff\xc3 utf-8": `bad \xff\xc3 utf-8`,
		"\ufffd":             "\ufffd",
	} {
		if got := diag.Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSuggest(t *testing.T) {
	actions := []string{"abort", "confirm", "throttle", "review", "warn"}
	for _, tt := range []struct {
		word  string
		known []string
		want  string
	}{
		{"abrot", actions, "abort"}, // a swap is one edit
		{"Abort", actions, "abort"},
		{"throttel", actions, "throttle"},
		{"conferm", actions, "confirm"},
		{"warm", actions, "warn"},
		{"wurm", actions, ""}, // two edits of four letters
		{"deny", actions, ""},
		{"block", actions, ""},
		{"x", []string{"y"}, ""}, // too short to mean anything
		{"", []string{"a"}, ""},
		{"amount", []string{"amounts", "amoun", "count"}, "amoun"}, // a tie: first in the alphabet
		{"amount", nil, ""},
		{"日本語文字", []string{"日本語文"}, "日本語文"},
	} {
		if got := diag.Suggest(tt.word, tt.known); got != tt.want {
			t.Errorf("Suggest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}
