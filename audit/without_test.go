package audit

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWithout(t *testing.T) {
	for _, tt := range []struct {
		text   string
		hidden []string
		whole  bool
		want   string
	}{
		{"amount 1500 exceeds 1000", []string{"1500"}, false, "amount «masked» exceeds 1000"},
		{"1500", []string{"1500"}, true, "«masked»"},
		{"1500", []string{"500", "15"}, false, "1500"},
		{"1500", []string{"500"}, true, "«masked»"},
		{"$1500.00", []string{"1500"}, true, "$«masked».00"},
		{"Ännchen Änn", []string{"Änn"}, false, "Ännchen «masked»"},
		{"-5 is below -1", []string{"-5"}, false, "«masked» is below -1"},
		{"to Eve Adams", []string{"Eve", "Eve Adams"}, true, "to «masked»"},
		{"a b c d", []string{"b c", "a b"}, true, "«masked» d"},
		{"masked 7 m", []string{"7", "m", "masked"}, false, "«masked» «masked» «masked»"},
		{`"a \"b\"" of`, []string{`a "b"`}, false, `"«masked»" of`},
		{"long secr… end", []string{"secret"}, true, "long «masked»… end"},
		{"long s…", []string{"secret"}, true, "long «masked»…"},
		{"longs…", []string{"secret"}, true, "longs…"},
		{"", []string{"x"}, true, ""},
		{"«masked»", []string{"x"}, true, "«masked»"},
	} {
		if got := without(tt.text, tt.hidden, tt.whole); got != tt.want {
			t.Errorf("%q without %q: %q, want %q", tt.text, tt.hidden, got, tt.want)
		}
	}
	began := time.Now()
	if got := without(strings.Repeat("a", 2<<20), []string{strings.Repeat("a", 1<<20)}, false); got != Masked || time.Since(began) > 5*time.Second {
		t.Errorf("%d bytes after %s", len(got), time.Since(began))
	}
}

// In a text that people wrote nothing is left of what is hidden, however it was
// put in.
func TestWithout_LeavesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-c]{1,3}[ .$"]{0,1}[a-c]{0,3}`)
		hidden := rapid.SliceOfN(word, 1, 3).Draw(t, "hidden")
		var text strings.Builder
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			text.WriteString(rapid.SampledFrom([]string{"", " ", "x", ", "}).Draw(t, "between"))
			text.WriteString(rapid.SampledFrom(hidden).Draw(t, "put in"))
		}
		got := strings.ReplaceAll(without(text.String(), hidden, true), Masked, "")
		for _, h := range hidden {
			if strings.Contains(got, h) {
				t.Fatalf("%q without %q: %q", text.String(), hidden, got)
			}
		}
	})
}
