package prices_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/prices"
)

func TestNewRefuses(t *testing.T) {
	with := func(change func(*prices.Entry)) []prices.Entry {
		e := at("p", "m", 1)
		change(&e)
		return []prices.Entry{e}
	}
	fine := []prices.Entry{at("p", "m", 1)}
	tests := []struct {
		name    string
		header  prices.Header
		entries []prices.Entry
		want    string
	}{
		{"no version", prices.Header{Source: "s", Date: "2026-01-01"}, fine, "version: want"},
		{"no source", prices.Header{Version: "v", Date: "2026-01-01"}, fine, "source: want"},
		{"no day", prices.Header{Version: "v", Source: "s", Date: "2026-02-30"}, fine, "date: want"},
		{"what does not show", prices.Header{Version: "v\u200b", Source: "s", Date: "2026-01-01"}, fine, "version: want"},
		{"no price", header, nil, "at least one price"},
		{"no provider", header, []prices.Entry{at("", "m", 1)}, "price 1 (/m): provider"},
		{"a provider with a slash", header, []prices.Entry{at("a/b", "m", 1)}, "provider: want"},
		{"no model", header, []prices.Entry{at("p", "", 1)}, "model: want"},
		{"no source of a price", header, with(func(e *prices.Entry) { e.Source = "" }), "source: want"},
		{"a blank in a name", header, []prices.Entry{at("p", "m", 1, "a b")}, "is no name"},
		{"a * in a name", header, []prices.Entry{at("p", "m", 1, "a*b")}, "is no name"},
		{"a * alone", header, []prices.Entry{at("p", "m", 1, "*")}, "is no name"},
		{"many names", header, []prices.Entry{at("p", "m", 1, strings.Split(strings.Repeat("a,", 101), ",")...)}, "names: at most 100"},
		{"twice", header, []prices.Entry{at("p", "m", 1), at("P", "M", 2)}, "price 2 (P/M): the model has a price already"},
		{"no rate for output", header, with(func(e *prices.Entry) { e.Price.Rates[prices.Output] = prices.Rate{} }), "output: a rate is required"},
		{"below 0", header, with(func(e *prices.Entry) { e.Price.Rates[prices.CacheRead] = prices.PerMillion(-1) }), "cache_read: a rate is not below 0"},
		{"a rate per token", header, with(func(e *prices.Entry) { e.Price.Rates[prices.Input] = prices.PerMillion(prices.MaxRate + 1) }), "input: a rate is at most 5000 dollars"},
		{"a rate that is not listed", header, with(func(e *prices.Entry) { e.Price.Rates[prices.CacheRead].Nano = 1 }), "that is not listed is 0"},
		{"a tier from 0", header, with(func(e *prices.Entry) { e.Price.Tiers = []prices.Tier{{Above: 0, Rates: e.Price.Rates}} }), "tiers: each begins"},
		{"tiers out of order", header, with(func(e *prices.Entry) {
			e.Price.Tiers = []prices.Tier{{Above: 2, Rates: e.Price.Rates}, {Above: 2, Rates: e.Price.Rates}}
		}), "tiers: each begins"},
		{"a tier without rates", header, with(func(e *prices.Entry) { e.Price.Tiers = []prices.Tier{{Above: 2}} }), "above 2 tokens: input: a rate is required"},
		{"many tiers", header, with(func(e *prices.Entry) { e.Price.Tiers = make([]prices.Tier, 17) }), "tiers: at most 16"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tab, err := prices.New(tt.header, tt.entries)
			if tab != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("New = %v, %v, want an error with %q", tab, err, tt.want)
			}
			if e := (*prices.EntryError)(nil); errors.As(err, &e) && e.Unwrap() == nil {
				t.Error("an EntryError without what is wrong")
			}
		})
	}
}

func TestATableDoesNotChange(t *testing.T) {
	entries := []prices.Entry{at("p", "b", 1, "x"), at("p", "a", 2)}
	entries[0].Price.Tiers = []prices.Tier{{Above: 5, Rates: entries[0].Price.Rates}}
	tab := table(t, entries...)
	digest := tab.Digest()
	entries[0].Names[0], entries[0].Price.Tiers[0].Above = "y", 9
	got := tab.Entries()
	got[1].Names[0], got[1].Price.Tiers[0].Above = "z", 7
	found, _ := tab.Lookup("x")
	found.Names[0], found.Price.Tiers[0].Above = "z", 7
	if tab.Digest() != digest {
		t.Error("the table changed with what it was made of, or what it returned")
	}
	reversed := table(t, at("p", "a", 2), got[1])
	if reversed.Equal(tab) {
		t.Error("a table with another name is equal")
	}
}

func TestParse(t *testing.T) {
	const file = `{
  "version": "house 1", "source": "our contract", "date": "2026-11-01", "unit": "usd per million tokens",
  "models": [
    {"provider": "anthropic", "model": "claude-opus-4-5", "names": ["claude-opus-4.5*"], "input": 5, "output": 2.5e1, "cache_read": 0.000000001,
     "tiers": [{"above": 200000, "input": 10, "output": 37.50}], "source": "invoice"},
    {"provider": "house", "model": "local", "input": 0, "output": 0}
  ]
}`
	tab, findings := prices.Parse("p.json", []byte(file))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	if h := tab.Header(); h != (prices.Header{Version: "house 1", Source: "our contract", Date: "2026-11-01"}) {
		t.Errorf("header %+v", h)
	}
	e := tab.Entries()[0]
	rates := prices.Rates{prices.Input: prices.PerMillion(5 * dollar), prices.Output: prices.PerMillion(25 * dollar), prices.CacheRead: prices.PerMillion(1)}
	if e.Price.Rates != rates || len(e.Price.Tiers) != 1 || e.Price.Tiers[0].Rates[prices.Output] != prices.PerMillion(37_500_000_000) || e.Source != "invoice" {
		t.Errorf("price %+v", e)
	}
	if e := tab.Entries()[1]; e.Source != "our contract" || e.Price.Rates[prices.Input] != prices.PerMillion(0) {
		t.Errorf("price %+v", e)
	}
}

func TestParseYAML(t *testing.T) {
	tab, findings := prices.Parse("p.yaml", []byte("version: v\nsource: s\ndate: 2026-11-01\nunit: usd per million tokens\nmodels:\n  - {provider: p, model: m, input: 1.5, output: 2}\n"))
	if len(findings) > 0 || tab.Entries()[0].Price.Rates[prices.Input] != prices.PerMillion(1_500_000_000) {
		t.Errorf("%v %v", tab, findings)
	}
}

func TestParseRefuses(t *testing.T) {
	model := func(fields string) string {
		return "version: v\nsource: s\ndate: 2026-11-01\nunit: usd per million tokens\nmodels:\n  - {provider: p, model: m, " + fields + "}\n"
	}
	tests := []struct{ name, file, want string }{
		{"no object", "[]", "p.yaml:1:1: a table of prices is a map of fields"},
		{"nothing in it", "{}", "a table of prices has no version"},
		{"another unit", strings.Replace(model("input: 1, output: 2"), "million", "thousand", 1), "p.yaml:4:7: the unit"},
		{"no unit", strings.Replace(model("input: 1, output: 2"), "unit: usd per million tokens\n", "", 1), "a table of prices has no unit"},
		{"no models", "version: v\nsource: s\ndate: 2026-11-01\nunit: usd per million tokens\nmodels: []\n", "at least one price"},
		{"an unknown field", model("input: 1, output: 2, outptu: 3"), "p.yaml:6:50: a price has no field \"outptu\" (did you mean output?)"},
		{"no output", model("input: 1"), "p.yaml:6:5: a price has no output"},
		{"a text for a rate", model(`input: "1", output: 2`), "p.yaml:6:36: input is a number of dollars for a million tokens"},
		{"ten digits", model("input: 0.0000000001, output: 2"), "input has more than nine digits behind the point"},
		{"many digits", model("input: 1.00000000000000000000000000001, output: 2"), "input has more than nine digits"},
		{"too large", model("input: 1e300, output: 2"), "input has more than nine digits behind the point, or is too large"},
		{"a slip", model("input: 5000.01, output: 2"), "p.yaml:6:5: input: a rate is at most 5000 dollars for a million tokens"},
		{"below 0", model("input: -1, output: 2"), "p.yaml:6:5: input: a rate is not below 0"},
		{"half a token", model("input: 1, output: 2, tiers: [{above: 1.5, input: 1, output: 2}]"), "above is a whole number of tokens"},
		{"a tier without a limit", model("input: 1, output: 2, tiers: [{input: 1, output: 2}]"), "a tier has no above"},
		{"names that are none", model("input: 1, output: 2, names: [[a]]"), "a name is a text"},
		{"no day", strings.Replace(model("input: 1, output: 2"), "2026-11-01", "yesterday", 1), "date: want the day"},
		{"a bomb", "a: &a [1]\nb: [*a,", "p.yaml:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tab, findings := prices.Parse("p.yaml", []byte(tt.file))
			if tab != nil || !strings.Contains(findings.Error(), tt.want) {
				t.Errorf("Parse = %v, %v, want %q", tab, findings, tt.want)
			}
		})
	}
	if tab, findings := prices.Parse("p.json", make([]byte, prices.MaxFile+1)); tab != nil || !strings.Contains(findings.Error(), "at most") {
		t.Errorf("a file that is too large: %v", findings)
	}
}

func genTable() *rapid.Generator[*prices.Table] {
	word := rapid.StringMatching(`[a-zA-Zäß0-9"\\._:@-]{1,12}`)
	return rapid.Custom(func(t *rapid.T) *prices.Table {
		seen := map[string]bool{}
		var entries []prices.Entry
		for range rapid.IntRange(1, 8).Draw(t, "models") {
			e := prices.Entry{Provider: word.Draw(t, "provider"), Model: word.Draw(t, "model"), Source: word.Draw(t, "source"), Price: genPrice().Draw(t, "price")}
			for range rapid.IntRange(0, 3).Draw(t, "names") {
				e.Names = append(e.Names, word.Draw(t, "name")+rapid.SampledFrom([]string{"", "*"}).Draw(t, "star"))
			}
			if key := strings.ToLower(e.Of()); !seen[key] {
				seen[key] = true
				entries = append(entries, e)
			}
		}
		tab, err := prices.New(prices.Header{Version: word.Draw(t, "version"), Source: word.Draw(t, "source"), Date: "2026-11-21"}, entries)
		if err != nil {
			t.Fatal(err)
		}
		return tab
	})
}

func TestWrittenAndReadIsEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := genTable().Draw(t, "table")
		back, findings := prices.Parse("t.json", tab.AppendJSON(nil))
		if len(findings) > 0 {
			t.Fatalf("%v in\n%s", findings, tab.AppendJSON(nil))
		}
		if !back.Equal(tab) || back.Digest() != tab.Digest() {
			t.Fatalf("\n%s\nis read as\n%s", tab.AppendJSON(nil), back.AppendJSON(nil))
		}
	})
}

func TestBuiltin(t *testing.T) {
	tab, err := prices.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("builtin.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(tab.AppendJSON(nil)) != string(file) {
		t.Error("builtin.json is not as AppendJSON writes it")
	}
	if _, err := time.Parse(time.DateOnly, tab.Header().Date); err != nil {
		t.Error(err)
	}
	for _, e := range tab.Entries() {
		if !strings.HasPrefix(e.Source, "https://") {
			t.Errorf("%s has no source: %q", e.Of(), e.Source)
		}
		if e.Price.Rates[prices.Input].Nano == 0 || e.Price.Rates[prices.Output].Nano < e.Price.Rates[prices.Input].Nano {
			t.Errorf("%s costs %v", e.Of(), e.Price.Rates)
		}
		if found, ok := tab.Lookup(e.Of()); !ok || found.Of() != e.Of() {
			t.Errorf("%s is found as %q", e.Of(), found.Of())
		}
	}
	for model, want := range map[string]string{
		"claude-sonnet-4":                              "anthropic/claude-sonnet-4-0",
		"claude-sonnet-4-20250514":                     "anthropic/claude-sonnet-4-0",
		"claude-haiku-4-5-20251001":                    "anthropic/claude-haiku-4-5",
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0": "aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0",
		"gpt-5":                 "openai/gpt-5",
		"openai/gpt-4o":         "openai/gpt-4o",
		"models/gemini-2.5-pro": "google/gemini-2.5-pro",
		"grok-4":                "x-ai/grok-4-0709",
		"gpt-nobody-knows":      "",
	} {
		if e, ok := tab.Lookup(model); ok != (want != "") || ok && e.Of() != want {
			t.Errorf("%s is found as %q, want %q", model, e.Of(), want)
		}
	}
}

// FuzzParse: what is read can be written and read again, and looked up.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":"v","source":"s","date":"2026-01-01","unit":"usd per million tokens","models":[{"provider":"p","model":"m","input":1,"output":2.5,"tiers":[{"above":1,"input":1,"output":1}]}]}`), "m")
	f.Add([]byte("version: v\nmodels: [{input: 1e9}]"), "p/m-20250101")
	f.Fuzz(func(t *testing.T, data []byte, model string) {
		tab, findings := prices.Parse("f.yaml", data)
		if (tab == nil) == (len(findings) == 0) {
			t.Fatalf("a table and findings: %v", findings)
		}
		if tab == nil {
			return
		}
		back, findings := prices.Parse("f.json", tab.AppendJSON(nil))
		if len(findings) > 0 || !back.Equal(tab) {
			t.Fatalf("%v\n%s", findings, tab.AppendJSON(nil))
		}
		e, ok := tab.Lookup(model)
		if f, again := back.Lookup(model); again != ok || f.Of() != e.Of() {
			t.Fatalf("%q is %q and %q", model, e.Of(), f.Of())
		}
		if nano, _ := e.Price.Cost(prices.Usage{Input: 1, Output: 1}); nano < 0 {
			t.Fatal(nano)
		}
	})
}
