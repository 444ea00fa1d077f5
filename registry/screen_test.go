package registry_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
)

// proseOf returns so many bytes of the project's own documentation.
func proseOf(t testing.TB, size int) string {
	t.Helper()
	var b strings.Builder
	for b.Len() < size {
		for _, file := range []string{"../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md"} {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(text)
		}
	}
	return b.String()[:size]
}

func injectionPolicy(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../examples/policies/injection.cbp")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every kind of rule with a regular expression decides the same, whether a
// screen stands before it or not.
const screenedPolicy = "B:output:*|matches:`(?i)ask(ing)? me`|warn|id=any\n" +
	"B:output:a|matches:`(?i)ask(ing)? me`|warn|id=one\n" +
	"B:output:a.b|matches:`^ask`|warn|id=inside\n" +
	"B:!output:a|matches:`(?i)ask`|warn|id=without\n" +
	"B:!output:*|matches:`never`|warn|id=nowhere\n" +
	"B:arg:*|matches:`ask\\s+me`|warn|id=argument\n" +
	"B:arg:a|matches:`\\W`|warn|id=blind\n" +
	"B:ability:pay.* & output:a|matches:`k me$` & !output:a|contains:not|warn|id=both\n" +
	"B:output:a*|matches:`me|you`|warn|id=some\n"

func TestScreen_ChangesNoVerdict(t *testing.T) {
	plain := load(t, screenedPolicy)
	registry.WithoutScreens(plain.Set())
	screened, unscreened := deciderOf(load(t, screenedPolicy)), deciderOf(plain)
	text := rapid.Custom(func(r *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"ask", "ASK", "a\u017f\u212a", "ing", " ", "\n", "me", "you", "not", "never", `\n`, `\u0061sk me`,
			"&#97;sk", "ａｓｋ", "\xff", strings.Repeat("a long text. ", 10)}), 0, 6).Draw(r, "parts")
		return strings.Join(parts, "")
	})
	value := rapid.Custom(func(r *rapid.T) registry.Value {
		s := text.Draw(r, "text")
		raw, err := json.Marshal(map[string]any{"b": s, "list": []string{text.Draw(r, "element"), s}})
		if err != nil {
			r.Fatal(err)
		}
		switch rapid.IntRange(0, 3).Draw(r, "kind") {
		case 0:
			return registry.Text(string(raw)) // JSON in a text
		case 1:
			v, err := registry.ParseValue(raw)
			if err != nil {
				r.Fatal(err)
			}
			return v
		case 2:
			return registry.Text(strings.Repeat("[", registry.MaxDepth+1) + s) // cannot be read
		}
		return registry.Text(s)
	})
	rapid.Check(t, func(r *rapid.T) {
		st := registry.Step{Args: &registry.Values{}, Outputs: &registry.Values{}}
		for range 3 { // what is remembered of a value is used from the second step on
			if name := rapid.SampledFrom([]string{"a", "ab", "c"}).Draw(r, "name"); rapid.Bool().Draw(r, "output") {
				st.Outputs.Bind(name, value.Draw(r, "value"))
			} else {
				st.Args.Bind(name, value.Draw(r, "value"))
			}
			if got, want := judge(t, screened, st), judge(t, unscreened, st); got != want {
				r.Fatalf("%s, without screens %s", got, want)
			}
		}
		texts := map[string]string{"a": text.Draw(r, "plain text")}
		st = registry.Step{Args: registry.Texts(texts), Outputs: registry.Texts(texts)}
		if got, want := judge(t, screened, st), judge(t, unscreened, st); got != want {
			r.Fatalf("%q: %s, without screens %s", texts, got, want)
		}
	})
}

// The first step after an output has come in, by a policy of 19 regular
// expressions over all outputs.
func BenchmarkInjection(b *testing.B) {
	const size = 64 << 10
	text := proseOf(b, size)
	for _, c := range []struct {
		name string
		set  *registry.Set
	}{
		{"screened", load(b, injectionPolicy(b)).Set()},
		{"unscreened", registry.WithoutScreens(load(b, injectionPolicy(b)).Set())},
	} {
		b.Run(c.name, func(b *testing.B) {
			var p registry.Plan
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				outputs := &registry.Values{}
				outputs.Bind("page", registry.Text(text))
				c.set.Plan(&registry.Step{Chain: "trade", Ability: "mail.send", Outputs: outputs, Now: start.UnixNano()}, &p)
				if !p.Quiet() {
					b.Fatal("a rule holds")
				}
			}
		})
	}
}
