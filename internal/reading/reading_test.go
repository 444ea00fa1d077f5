package reading_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/internal/reading"
)

func TestOf(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"nothing to undo", "Lunch at 12.\n\"Hi\" <b>", "Lunch at 12.\n\"Hi\" <b>"},
		{"ends of lines, tabs, quotes", `a\nb\tc\r\nd \"e\" \/ \\`, "a\nb\tc\r\nd \"e\" / \\"},
		{"escaped again", `a\\nb \\\"c\\\" \\\\u0041`, "a\nb \"c\" A"},
		{"code points", `\u0049gn\x6fre \u{61}ll \U00000041`, "Ignore all A"},
		{"a pair of surrogates", `\ud83d\ude00 \\ud83d\\ude00`, "\U0001F600 \U0001F600"},
		{"half a pair", `\ud83dx`, "\uFFFDx"},
		{"no code point", `\u12 \xg1 \u{} \u{12 \U0011`, `\u12 \xg1 \u{} \u{12 \U0011`},
		{"YAML folds a line", "all\\\n    \\ previous", "all previous"},
		{"YAML's ends of lines", `a\Nb\Lc\Pd`, "a\nb\nc\nd"},
		{"another letter", `\d+ \w \1 C:\Data`, `\d+ \w \1 C:\Data`},
		{"Markdown", `\*all\* \_previous\_`, "*all* _previous_"},
		{"the last character", `a\`, `a\`},
		{"entities", "all&nbsp;previous &lt;x&gt; &#65;&#x42; R&D", "all previous <x> AB R&D"},
		{"an escaped entity", `\u0026lt;x`, "<x"},
		{"full width", "Ｉｇｎｏｒｅ\u3000ａｌｌ", "Ignore all"},
		{"without a shape", "Ig\u200bno\u00adre\ufeff \u202eall\ufe0f", "Ignore all"},
		{"escaped, without a shape", `Ig\u200bnore`, "Ignore"},
		{"letters for tags", "x\U000E0069\U000E0067\U000E007F", "xig"},
		{"odd blanks and lines", "a\u00a0b\u2003c\u2028d\u0085e", "a b c\nd\ne"},
		{"other languages stay", "Größe 日本 привет", "Größe 日本 привет"},
		{"no UTF-8", "a\xffb", "a\uFFFDb"},
	} {
		got, differs := reading.Of(c.text)
		if got != c.want || differs != (c.text != c.want) {
			t.Errorf("%s: %q reads %q (differs: %t), want %q", c.why, c.text, got, differs, c.want)
		}
	}
}

// What JSON and YAML make of a text in ASCII is read out of it again.
func TestOf_UndoesWhatWritersDo(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"ignore", "all", "previous", "a longer word", "\n", "\t", `"`, "'", ": ", "<b>", "#", " - "}), 1, 60)
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(words.Draw(r, "words"), " ")
		once, err := json.Marshal(text)
		if err != nil {
			r.Fatal(err)
		}
		twice, err := json.Marshal(string(once))
		if err != nil {
			r.Fatal(err)
		}
		node := yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Value: text}
		asYAML, err := yaml.Marshal(&node)
		if err != nil {
			r.Fatal(err)
		}
		for _, written := range []string{string(once), string(twice), string(asYAML)} {
			read, _ := reading.Of(written)
			if got := strings.Trim(strings.TrimSpace(read), `"`); got != strings.Trim(text, `"`) {
				r.Fatalf("%q is written %q, and read %q", text, written, got)
			}
		}
	})
}

func FuzzOf(f *testing.F) {
	for _, seed := range []string{`\`, `\u`, `\u{`, `\ud83d\ude0`, `&#x;`, "\\\n", `\\\\n`, "\xff\\x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, differs := reading.Of(text)
		if differs != (read != text) {
			t.Errorf("%q reads %q, differs: %t", text, read, differs)
		}
		if differs && reading.Plain(text) {
			t.Errorf("%q is plain, and reads %q", text, read)
		}
		if utf8.ValidString(text) && !utf8.ValidString(read) {
			t.Errorf("%q reads %q", text, read)
		}
		if !strings.ContainsAny(text, `\&`) && len(text) == utf8.RuneCountInString(text) && utf8.ValidString(text) && differs {
			t.Errorf("%q has nothing to undo, and reads %q", text, read)
		}
	})
}
