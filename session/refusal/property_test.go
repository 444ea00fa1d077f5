package refusal_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/session/refusal"
)

// How an answer is written, and how it is marked up, does not change what it
// says: letter case, apostrophes, blanks, line breaks within a paragraph, and
// emphasis.
func TestSpellingIsNoMeaning(t *testing.T) {
	var all []answer
	for _, a := range append(readAnswers(t, "tune.txt"), readAnswers(t, "held.txt")...) {
		// Where blanks and marks have a meaning of their own, they are left alone.
		if !strings.ContainsAny(a.text, "\n`{[<>'‘*_") || strings.ContainsAny(a.text, "'’") && !strings.ContainsAny(a.text, "\n`{[<>*_") {
			all = append(all, a)
		}
	}
	d := refusal.Default()
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(all)-1).Draw(t, "answer")
		text := all[i].text
		other := respell(t, text)
		// The number, not the text: a failure on the held half stays unread.
		if a, b := d.Judge(text), d.Judge(other); a.Kind != b.Kind {
			t.Fatalf("answer %d is %s, respelt %s", i, a.Kind, b.Kind)
		}
	})
}

func respell(t *rapid.T, text string) string {
	if rapid.Bool().Draw(t, "curly") {
		text = strings.ReplaceAll(text, "'", "’")
	}
	switch rapid.IntRange(0, 2).Draw(t, "case") {
	case 1:
		text = strings.ToUpper(text)
	case 2:
		text = strings.ToLower(text)
	}
	words := strings.Split(text, " ")
	for i, w := range words {
		switch mark := rapid.SampledFrom([]string{"", "", "", "*", "**", "_", "__"}).Draw(t, "emphasis"); {
		case mark != "" && isPlain(w):
			words[i] = mark + w + mark
		}
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			blank := rapid.SampledFrom([]string{" ", " ", "  ", "\t", "\n", " \n "}).Draw(t, "blank")
			if c, _ := utf8.DecodeRuneInString(w); strings.Contains(blank, "\n") && !unicode.IsLetter(c) {
				blank = " "
			}
			b.WriteString(blank)
		}
		b.WriteString(w)
	}
	return rapid.SampledFrom([]string{"", " ", "\n\n", "\ufeff"}).Draw(t, "before") + b.String() +
		rapid.SampledFrom([]string{"", " ", "\n", "\r\n"}).Draw(t, "after")
}

func isPlain(w string) bool {
	for _, c := range w {
		if !unicode.IsLetter(c) && c != '\'' && c != '’' {
			return false
		}
	}
	return w != ""
}

// An answer says the same in a wrapper as without it.
func TestWrapperIsNoMeaning(t *testing.T) {
	d := refusal.Default()
	for i, a := range append(readAnswers(t, "tune.txt"), readAnswers(t, "held.txt")...) {
		if strings.HasPrefix(a.text, "{") || strings.HasPrefix(a.text, "[") || strings.HasPrefix(a.text, "```") {
			continue
		}
		want := d.Judge(a.text).Kind
		for _, wrapper := range []string{`{"result": %q}`, `{"answer": %q, "confidence": 0.5}`, `[{"type": "text", "text": %q}]`, `{"output": {"message": %q}}`} {
			text := strings.Replace(wrapper, "%q", jsonText(a.text), 1)
			if got := d.Judge(text).Kind; got != want {
				t.Errorf("answer %d is %s, in %s it is %s", i, want, wrapper, got)
			}
		}
	}
}

func jsonText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

// What stands in the middle of a long answer is not read.
func TestOnlyBothEndsAreRead(t *testing.T) {
	d := refusal.Default()
	rapid.Check(t, func(t *rapid.T) {
		filler := strings.Repeat("Vendor prices rose again. ", rapid.IntRange(300, 400).Draw(t, "length"))
		middle := rapid.SampledFrom([]string{"I can't help with that.", "I cannot complete the task.", "ü", "\x00\xff"}).Draw(t, "middle")
		at := rapid.IntRange(5000, len(filler)-2000).Draw(t, "at")
		if v := d.Judge(filler[:at] + ". " + middle + " " + filler[at:]); v.Failed() {
			t.Fatalf("got %+v", v)
		}
	})
}

func FuzzJudge(f *testing.F) {
	for _, s := range []string{
		"", "I can't do that.", "{\"result\": \"I cannot\"}", "[{\"text\":null}]", "```json\n{}\n```", "```\nx", "> I can't",
		"“I can’t”", "'a' \"b", "<think>no</think> I can't", "- 1. a\n- 2. b", "I\u200b can\u0301't", "{\"a", "||\n|-|", "....?!;:—", "00000\xd4",
		"a: \nb: 0", "a=\"b c=d", "[x] \"\n\n\"", "| a | b |\nok: no", "0 of 1 attempts",
	} {
		f.Add(s)
	}
	d := refusal.Default()
	f.Fuzz(func(t *testing.T, output string) {
		v := d.Judge(output)
		if v != d.Judge(output) {
			t.Fatal("the same answer is judged twice in two ways")
		}
		switch {
		case !v.Failed() && v != (refusal.Verdict{}):
			t.Fatalf("a result with a reason: %+v", v)
		case v.Pattern != "" && v.Phrase == "":
			t.Fatalf("a pattern without the words that it matched: %+v", v)
		case len(v.Phrase) > 300 || !utf8.ValidString(v.Phrase):
			t.Fatalf("a phrase that cannot be shown: %q", v.Phrase)
		case strings.TrimSpace(output) == "" && v.Kind != refusal.Empty:
			t.Fatalf("blanks are %s", v.Kind)
		}
	})
}

func FuzzPattern(f *testing.F) {
	for _, p := range refusal.Defaults() {
		f.Add(p.Text, uint8(p.Role))
	}
	for _, s := range []string{"[a] b", "^", "~ $", "<x>", "(a|<i>) ... b $", "a-b", "can't", "fail* ... (*ing|no)", "*"} {
		f.Add(s, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, role uint8) {
		p := refusal.Pattern{Text: text, Role: refusal.Role(role)}
		if p.Role == refusal.Clue {
			p.Points = 1
		}
		d, err := refusal.New([]refusal.Pattern{p})
		if err != nil {
			if !utf8.ValidString(err.Error()) {
				t.Fatalf("an error that cannot be shown: %q", err)
			}
			return
		}
		d.Judge("I can't do that. " + text)
	})
}

func BenchmarkJudge(b *testing.B) {
	d := refusal.Default()
	for _, size := range []int{1 << 10, 100 << 10} {
		prose := strings.Repeat("I looked at the market, which grew by four percent, and vendors cannot finance new stock. ", size/80)[:size]
		for _, c := range []struct{ name, text string }{
			{"prose", prose},
			{"json", `{"result": ` + jsonText(prose) + `}`},
			{"worst", strings.Repeat("I can not 'I \"we ", size/17)},
		} {
			b.Run(fmt.Sprintf("%dkB/%s", size>>10, c.name), func(b *testing.B) {
				b.SetBytes(int64(len(c.text)))
				b.ReportAllocs()
				for b.Loop() {
					d.Judge(c.text)
				}
			})
		}
	}
}

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		refusal.Default()
	}
}
