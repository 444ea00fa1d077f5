package prefilter_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/internal/prefilter"
)

type fatal interface{ Fatalf(string, ...any) }

func compile(t fatal, patterns ...string) []*prefilter.Regexp {
	var out []*prefilter.Regexp
	for _, pattern := range patterns {
		re, err := prefilter.Compile(pattern)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		out = append(out, re)
	}
	return out
}

func TestFilter_May(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		may           bool
	}{
		{`ignore`, "please ignore this", true},
		{`ignore`, "please do not", false},
		{`(?i)ignore\s+all`, "IGNORE this, ALL of it", true},
		{`(?i)ignore\s+all`, "IGNORE this", false},
		{`red|green`, "a green door", true},
		{`red|green`, "a blue door", false},
		{`(red|green)+ do(or)?`, "green do", true},
		{`(red|green)* door`, " door", true},
		{`(red|green){2,3}door`, "greengreendoor", true},
		{`(red|green){2,3}door`, "gregreedoor", false},
		{`gr[ae]y`, "grey", true},
		{`gr[ae]y`, "griy", false},
		{`gr\bey|^grey$`, "grey", true},
		{`colou?r`, "color", true},
		{`colou?r`, "colo", false},
		{`(?i)ask`, "aſ\u212a", true},
		{`(?i)ask`, "aſ", false},
		{`(?i)ÄRA`, "ära", true},
		{`(?i)ÄRA`, "ara", false},
		{"a\uFFFDb+c", "a\xffbc", true},
		{`\w+`, "%", true},                    // nothing is known
		{`a`, "b", true},                      // too short to look for
		{`ab[^\x00-\x{10FFFF}]`, "ab", false}, // matches nothing
	} {
		x := prefilter.New(compile(t, c.pattern))
		var f prefilter.Found
		x.Scan(c.text, &f)
		if got := x.May(0, &f); got != c.may {
			t.Errorf("may %s match %q: %t, want %t", c.pattern, c.text, got, c.may)
		}
		if c.may == false && regexp.MustCompile(c.pattern).MatchString(c.text) {
			t.Errorf("%s matches %q: the case is wrong", c.pattern, c.text)
		}
	}
}

// What comes after more literals than there is room for may always match.
func TestNew_TooManyPatterns(t *testing.T) {
	var patterns []string
	for i := range 5000 {
		patterns = append(patterns, fmt.Sprintf("a long literal number %d", i))
	}
	x := prefilter.New(compile(t, patterns...))
	var f prefilter.Found
	x.Scan("nothing", &f)
	if x.Blind(0) || x.May(0, &f) || !x.Blind(4999) || !x.May(4999, &f) {
		t.Error("the first must be known, the last must not")
	}
}

func TestCompile_BadPattern(t *testing.T) {
	if _, err := prefilter.Compile("("); err == nil {
		t.Error("what is no pattern was compiled")
	}
}

func TestRegexp_MatchString(t *testing.T) {
	rest := strings.Repeat(" and so on", 10)
	for _, c := range []struct{ why, pattern, text string }{
		{"at the beginning of the text", `(?i)ask me`, "Ask me" + rest},
		{"one character behind it", `(?i)ask me`, "-Ask me" + rest},
		{"at the end", `ask me$`, rest + " ask me"},
		{"a word begins where the text is cut", `\bask`, rest + " task" + rest},
		{"a line begins behind the gap", `(?m)^[ \t]{0,6}ask`, rest + "\n  ask" + rest},
		{"no line begins there", `(?m)^[ \t]{0,6}ask`, rest + "  ask" + rest},
		{"what may be left out", `(_*|(so|thus)\W+)ask`, rest + "__ask" + rest},
		{"the long s", `(?i)\bask`, rest + " a\u017fk" + rest},
		{"an invalid byte before", `.{3}ask`, rest + "\xff\xe2\x84ask" + rest},
		{"a quotation without an end", `\Qask`, rest + "ask" + rest},
		{"more places than may be looked at", `ask\w*!`, strings.Repeat("ask", 200) + "!" + rest},
		{"longer than what may be read", `ask\w*!`, "ask" + strings.Repeat("o", 500) + "!"},
		{"that is cut does not end it", `ask[a-z]*$`, "ask" + strings.Repeat("o", 500) + "!"},
	} {
		re := compile(t, c.pattern)[0]
		var r prefilter.Reader
		if got, want := re.MatchString(c.text, &r), regexp.MustCompile(c.pattern).MatchString(c.text); got != want {
			t.Errorf("%s: %s in %q: %t, want %t", c.why, c.pattern, c.text, got, want)
		}
	}
}

// agree holds the filter and the search against the regexp package.
func agree(t fatal, patterns, texts []string) {
	compiled := compile(t, patterns...)
	x := prefilter.New(compiled)
	var found prefilter.Found
	var reader prefilter.Reader
	for i, pattern := range patterns {
		plain := regexp.MustCompile(pattern)
		re := compiled[i]
		for _, text := range texts {
			want := plain.MatchString(text)
			if got := re.MatchString(text, &reader); got != want {
				t.Fatalf("%s matches %q: %t, want %t", pattern, text, got, want)
			}
			if x.Scan(text, &found); want && !x.May(i, &found) {
				t.Fatalf("%s matches %q, and the filter says that it cannot", pattern, text)
			}
		}
	}
}

// letters are those in which case folding, classes of word characters, lines
// and invalid bytes differ.
var letters = []string{"a", "A", "k", "K", "\u212a", "s", "S", "ſ", "é", "É", "µ", "μ", "_", " ", ".", "\n", "<", "7", "\xff", "\xe2\x84", "\xc5", "\uFFFD", "日"}

// words are short texts of the letters.
func words(most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(letters), 0, most).Draw(t, "letters"), "")
	})
}

// patternOf draws a pattern from a grammar.
func patternOf(t *rapid.T, depth int) string {
	kinds := 6
	if depth > 0 {
		kinds = 14
	}
	part := func() string { return patternOf(t, depth-1) }
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0, 1, 2:
		return regexp.QuoteMeta(strings.ToValidUTF8(words(3).Draw(t, "literal"), "x"))
	case 3:
		return rapid.SampledFrom([]string{`\b`, `\B`, `^`, `$`, `\A`, `\z`, `(?m:^)`, `(?m:$)`, ``}).Draw(t, "place")
	case 4:
		return rapid.SampledFrom([]string{`[ks]`, `[^a]`, `[\W_]`, `\w`, `\s`, `.`, `(?s:.)`, `[é-ë]`, `[\x{fffc}-\x{fffe}]`, `[aAk7]`}).Draw(t, "class")
	case 5:
		return "(?i:" + regexp.QuoteMeta(rapid.SampledFrom([]string{"k", "ask", "é", "µ", "sk_", "a s", "<k>", "KS"}).Draw(t, "folded")) + ")"
	case 6, 7, 8:
		return part() + part()
	case 9, 10:
		return "(" + part() + "|" + part() + ")"
	case 11:
		return "(?i:" + part() + part() + ")"
	case 12:
		return "(" + part() + ")" + rapid.SampledFrom([]string{"?", "*", "+", "??", "*?", "+?"}).Draw(t, "repeat")
	}
	return "(?:" + part() + ")" + rapid.SampledFrom([]string{"{0,3}", "{2}", "{1,}", "{2,4}?"}).Draw(t, "count")
}

func TestAgrees_WithRegexp(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		pattern := patternOf(r, 4)
		if _, err := regexp.Compile(pattern); err != nil {
			r.Skip("too large a pattern")
		}
		pad := rapid.SampledFrom([]string{"", "", strings.Repeat(" . ", 15), strings.Repeat("日\n", 12)}).Draw(r, "pad")
		text := words(12).Draw(r, "text")
		agree(r, []string{pattern, "ask", `(?i)k+s`}, []string{text, pad + text, text + pad, pad + text + pad, pad})
	})
}

func FuzzAgrees(f *testing.F) {
	f.Add(`(?i)\b_*ask(ing)?[\W_]+`, "he ASK\u212a aſ\u212aing, they ask _ a long text without any")
	f.Add(`^[ \t]{0,6}(user|ai)\s*:`, "one line\n  user : and another line behind it\nai:")
	f.Add("a\uFFFDb", "a\xffb \xe2\x84 \xe2\x84\xaa and what makes it long enough")
	f.Add(`\Qa`, "the beginning of a quotation that has no end")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 100 || len(text) > 2000 {
			return
		}
		if _, err := regexp.Compile(pattern); err == nil {
			agree(t, []string{pattern}, []string{text, text + strings.Repeat("-", 40) + text})
		}
	})
}

// The patterns of the example policies over the texts that were written for them.
func TestAgrees_Examples(t *testing.T) {
	var patterns, texts []string
	for _, file := range []string{"injection.cbp", "loops.cbp", "provenance.cbp", "spend.cbp"} {
		for _, m := range regexp.MustCompile("matches:`([^`]*)`").FindAllStringSubmatch(read(t, file), -1) {
			patterns = append(patterns, m[1])
		}
	}
	for _, file := range []string{"testdata/instructions.yaml", "testdata/harmless.yaml"} {
		whole := read(t, file)
		for i, line := range strings.Split(whole, "\n") {
			if !testing.Short() || i%5 == 0 {
				texts = append(texts, line, strings.ToUpper(line))
			}
		}
		texts = append(texts, whole)
	}
	if len(patterns) < 19 || len(texts) < 100 {
		t.Fatalf("%d patterns, %d texts: too few", len(patterns), len(texts))
	}
	agree(t, patterns, texts)
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../examples/policies/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
