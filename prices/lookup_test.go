package prices_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/prices"
)

var header = prices.Header{Version: "test", Source: "written for the test", Date: "2026-09-23"}

// at returns an entry that costs so many dollars for input, and five times
// that for output.
func at(provider, model string, dollars int64, names ...string) prices.Entry {
	rates := prices.Rates{prices.Input: prices.PerMillion(dollars * dollar), prices.Output: prices.PerMillion(5 * dollars * dollar)}
	return prices.Entry{Provider: provider, Model: model, Names: names, Source: "test", Price: prices.Price{Rates: rates}}
}

func table(t testing.TB, entries ...prices.Entry) *prices.Table {
	t.Helper()
	tab, err := prices.New(header, entries)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func TestLookup(t *testing.T) {
	tab := table(t,
		at("anthropic", "claude-sonnet-4-20250514", 3),
		at("anthropic", "claude-opus-4-5", 5, "claude-opus-4.5*", "claude-opus-4-5*"),
		at("aws", "us.anthropic.claude-opus-4-5-20251101-v1:0", 6, "claude-opus-4-5-20251101"),
		at("aws", "global.anthropic.claude-opus-4-5", 5, "global.anthropic.claude-opus-4-5*"),
		at("openai", "gpt-4o", 2),
		at("openai", "gpt-4o-2024-05-13", 4),
		at("openai", "gpt-6", 7, "gpt-6*"),
		at("google", "gemini-2.5-pro", 1),
		at("copilot", "gpt-4o", 9),
		at("copilot", "copilot-1", 1),
		at("groq", "llama-3", 1), at("together", "llama-3", 2), at("avian", "llama-3-8b", 1), at("novita", "llama-3-8b", 1),
		at("openrouter", "anthropic/claude-opus-4-5", 8),
		at("openrouter", "deepseek/r1:free", 1),
		at("mistral", "mistral-medium", 1), at("mistral", "mistral-medium-latest", 2),
		at("house", "old-20240101", 1), at("house", "old-20250101", 2),
	)
	tests := []struct{ name, model, want string }{
		{"its name", "gpt-4o", "openai/gpt-4o"},
		{"case and blanks", " GPT-4o\n", "openai/gpt-4o"},
		{"with its provider", "openai/gpt-4o", "openai/gpt-4o"},
		{"with another provider", "copilot/gpt-4o", "copilot/gpt-4o"},
		{"with a provider that does not list it", "azure/gpt-4o", ""},
		{"a provider's other name", "gemini/gemini-2.5-pro", "google/gemini-2.5-pro"},
		{"as a resource", "models/gemini-2.5-pro", "google/gemini-2.5-pro"},
		{"a router's own name", "openrouter/anthropic/claude-opus-4-5", "openrouter/anthropic/claude-opus-4-5"},
		{"the maker before a router", "anthropic/claude-opus-4-5", "anthropic/claude-opus-4-5"},

		{"without the date of the table", "claude-sonnet-4", "anthropic/claude-sonnet-4-20250514"},
		{"Vertex", "claude-sonnet-4@20250514", "anthropic/claude-sonnet-4-20250514"},
		{"another date", "claude-sonnet-4-20260101", "anthropic/claude-sonnet-4-20250514"},
		{"an alias with a *", "claude-opus-4.5-latest", "anthropic/claude-opus-4-5"},
		{"the maker, though another lists the very name", "claude-opus-4-5-20251101", "anthropic/claude-opus-4-5"},
		{"Bedrock", "us.anthropic.claude-opus-4-5-20251101-v1:0", "aws/us.anthropic.claude-opus-4-5-20251101-v1:0"},
		{"Bedrock without a version", "us.anthropic.claude-opus-4-5-20251101", "aws/us.anthropic.claude-opus-4-5-20251101-v1:0"},
		{"Bedrock through a router", "bedrock/global.anthropic.claude-opus-4-5-v1", "aws/global.anthropic.claude-opus-4-5"},
		{"Bedrock in a region that is not listed", "eu.anthropic.claude-opus-4-5-20251101-v1:0", ""},

		{"a snapshot with a price of its own", "gpt-4o-2024-05-13", "openai/gpt-4o-2024-05-13"},
		{"a snapshot that is not listed", "gpt-4o-2030-01-01", ""},
		{"a snapshot where the table has a *", "gpt-6-2030-01-01", "openai/gpt-6"},
		{"another model that begins so", "gpt-6-max", ""},
		{"-latest has a price of its own", "mistral-medium-latest", "mistral/mistral-medium-latest"},
		{"-latest that is not listed", "gpt-4o-latest", ""},
		{"a tag", "gpt-4o:extended", ""},
		{"a tag that is listed", "openrouter/deepseek/r1:free", "openrouter/deepseek/r1:free"},
		{"a tag that is not", "openrouter/deepseek/r1", ""},
		{"a tag behind @", "gpt-4o@home", ""},

		{"only another sells it", "copilot-1", "copilot/copilot-1"},
		{"two prices and no maker", "llama-3", ""},
		{"two providers that agree", "llama-3-8b", "avian/llama-3-8b"},
		{"one of the two", "together/llama-3", "together/llama-3"},
		{"releases that differ in price", "old", ""},
		{"one of them", "old-20250101", "house/old-20250101"},
		{"one that is not listed", "old-20260101", ""},

		{"nothing", "", ""},
		{"blanks", " \t", ""},
		{"a slash", "/", ""},
		{"a provider alone", "openai/", ""},
		{"a pattern", "gpt-*", ""},
		{"only a date", "-20250514", ""},
		{"too long", strings.Repeat("a", 10_000), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, ok := tab.Lookup(tt.model)
			got := ""
			if ok {
				got = e.Of()
			}
			if got != tt.want {
				t.Errorf("Lookup(%q) is %q, want %q", tt.model, got, tt.want)
			}
		})
	}
}

// TestLookupNeverGuesses: what is found is named by the name that was asked
// for, as far as its release.
func TestLookupNeverGuesses(t *testing.T) {
	name := rapid.StringMatching(`[ab][-.:@/]?[12]?(-20250514|-v1:0|-2024-05-13|-latest|:free|@default)?`)
	rapid.Check(t, func(t *rapid.T) {
		var entries []prices.Entry
		seen := map[string]bool{}
		for i, model := range rapid.SliceOfN(name, 1, 6).Draw(t, "models") {
			if !seen[model] {
				entries = append(entries, at("p", model, int64(i+1)))
			}
			seen[model] = true
		}
		tab, err := prices.New(header, entries)
		if err != nil {
			t.Fatal(err)
		}
		asked := name.Draw(t, "asked")
		e, ok := tab.Lookup(asked)
		if seen[asked] && (!ok || e.Model != asked) {
			t.Fatalf("%q is in the table, but %q was found", asked, e.Model)
		}
		plain := func(s string) string {
			for {
				short := s
				for _, end := range []string{"-20250514", "-v1:0"} {
					short = strings.TrimSuffix(short, end)
				}
				if short == s {
					return s
				}
				s = short
			}
		}
		if ok && plain(e.Model) != plain(asked) {
			t.Fatalf("%q was asked for and %q found", asked, e.Model)
		}
	})
}

func TestDearest(t *testing.T) {
	long := at("p", "long", 1)
	long.Price.Tiers = []prices.Tier{{Above: 10, Rates: prices.Rates{prices.Input: prices.PerMillion(100 * dollar), prices.Output: prices.PerMillion(dollar)}}}
	got := table(t, at("p", "a", 3), long, at("p", "b", 4)).Dearest()
	want := prices.Rates{prices.Input: prices.PerMillion(100 * dollar), prices.Output: prices.PerMillion(20 * dollar)}
	if got.Rates != want || got.Tiers != nil {
		t.Errorf("Dearest() = %v, want %v", got, want)
	}
}

func TestQuote(t *testing.T) {
	tab := table(t, at("openai", "gpt-4o", 2), at("openai", "o1-pro", 150))
	free := table(t, at("house", "local", 0))
	u := prices.Usage{Input: 1_000_000}
	tests := []struct {
		name  string
		table *prices.Table
		model string
		o     prices.OnUnknown
		nano  int64
		of    string
		note  string
	}{
		{"known", tab, "gpt-4o", prices.Deny, 2 * dollar, "openai/gpt-4o", ""},
		{"unknown counts at the dearest rate", tab, "gpt-9", prices.Dearest, 150 * dollar, "", `the model "gpt-9" has no price in the table test and counts at the dearest known rates`},
		{"unknown is denied", tab, "gpt-9", prices.Deny, -1, "", ""},
		{"unknown is free where that is configured", tab, "gpt-9", prices.Zero, 0, "", `the model "gpt-9" has no price in the table test and counts as free, as configured`},
		{"a known model may be free", free, "local", prices.Dearest, 0, "house/local", ""},
		{"an unknown one is not, even where all others are", free, "gpt-9", prices.Dearest, -1, "", ""},
		{"an unknown policy denies", tab, "gpt-9", 7, -1, "", ""},
		{"a note shows what does not", tab, "\x1b[2J", prices.Dearest, 150 * dollar, "", `the model "\u{1b}[2J" has no price in the table test and counts at the dearest known rates`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, err := tt.table.Quote(tt.model, tt.o)
			var unknown *prices.UnknownModelError
			if tt.nano < 0 {
				if !errors.As(err, &unknown) || unknown.Model != tt.model || !strings.Contains(err.Error(), `the model "gpt-9" has no price in the table test`) {
					t.Fatalf("error %v, want an UnknownModelError", err)
				}
				return
			}
			nano, _ := q.Price.Cost(u)
			if err != nil || nano != tt.nano || q.Of != tt.of || q.Note != tt.note || q.Unknown != (tt.note != "") || q.Version != "test" {
				t.Errorf("Quote = %+v, %v; a million tokens cost %d", q, err, nano)
			}
		})
	}
}

func TestOnUnknownWords(t *testing.T) {
	for _, word := range prices.OnUnknownWords() {
		var o prices.OnUnknown
		if err := o.UnmarshalText([]byte(word)); err != nil || o.String() != word {
			t.Errorf("%s is read as %v (%v)", word, o, err)
		}
		if text, err := o.MarshalText(); err != nil || string(text) != word {
			t.Errorf("%v is written as %q (%v)", o, text, err)
		}
	}
	var o prices.OnUnknown
	if err := o.UnmarshalText([]byte("free")); err == nil || o != prices.Dearest {
		t.Errorf("free is read as %v (%v)", o, err)
	}
	if _, err := prices.OnUnknown(9).MarshalText(); err == nil {
		t.Error("9 has a word")
	}
}
