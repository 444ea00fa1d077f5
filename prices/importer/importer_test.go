package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/prices/importer"
)

var today = importer.Options{Date: "2026-11-21"}

func fixture(t testing.TB, format string) (file string, data []byte) {
	t.Helper()
	file = filepath.Join("testdata", format+".json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, data
}

// show renders a price as input/output/read/5m/1h, and each tier behind it.
func show(p prices.Price) string {
	rates := func(r prices.Rates) string {
		var parts []string
		for _, rate := range r {
			parts = append(parts, rate.String())
		}
		return strings.Join(parts, "/")
	}
	out := rates(p.Rates)
	for _, t := range p.Tiers {
		out += " >" + strings.TrimSuffix(prices.Rate{Nano: t.Above * 1_000_000_000, Listed: true}.String(), "000") + "k " + rates(t.Rates)
	}
	return out
}

func TestRead(t *testing.T) {
	tests := []struct {
		format string
		want   []string // provider/model names: price, source
		left   []string
	}{
		{"genai-prices", []string{
			"anthropic/claude-opus-4-6 [claude-opus-4-6* claude-4.6-opus claude-o4.6*]: 5/25/0.5// https://example.com/anthropic",
			"anthropic/tiered [-tiered]: 5/30/0.0875// >200k 10/37.5/0.0875// >400k 10/50/0.0875// https://example.com/anthropic",
			"deepseek/by-the-hour []: 0.44/0.66/0.44// https://github.com/pydantic/genai-prices",
			"deepseek/to-come []: 1/2/// https://github.com/pydantic/genai-prices",
		}, []string{
			`42:7: 2 models are left out, such as "deepseek/embedding": it has no price for both input and output tokens`,
			`44:7: "deepseek/free" is left out: input costs 0, which these files also write for what is not known or part of a subscription`,
		}},
		{"litellm", []string{
			"anthropic/claude-sonnet-4-5 []: 3/15/0.3/3.75/6 >200k 6/22.5/0.3/3.75/12 >1000k 6/30/0.3/3.75/12 https://example.com/claude",
			"bedrock/eu-west-1/claude []: 0.1/0.5/// https://github.com/BerriAI/litellm",
			"openrouter/openai/gpt []: 2/2/// https://github.com/BerriAI/litellm",
		}, []string{
			`30:3: "openai/dall-e" is left out: it has no price for both input and output tokens`,
			`31:3: "qwen" is left out: its tiered_pricing is not understood`,
			`32:3: "house/a name" is left out: model: want a name without blanks`,
			`33:3: "ollama/llama" is left out: input costs 0, which these files also write for what is not known or part of a subscription`,
			`34:3: "wandb/phi" is left out: input: a rate is at most 5000 dollars for a million tokens`,
			`35:3: "stray" is left out: it has no litellm_provider`,
		}},
		{"models.dev", []string{
			"anthropic/claude-sonnet-4-5 []: 3/15/0.3/3.75/ >200k 6/22.5/0.6/7.5/ https://example.com/docs",
			"openai/gpt-5.4 []: 2.5/16/// >272k 5/22.5/// https://models.dev/api.json",
		}, []string{
			`9:7: "anthropic/unpriced" is left out: it has no price for both input and output tokens`,
			`22:43: "copilot/gpt-5.4" is left out: input costs 0, which these files also write for what is not known or part of a subscription`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.format, func(t *testing.T) {
			file, data := fixture(t, tt.format)
			tab, findings := importer.Read(tt.format, file, data, today)
			if tab == nil {
				t.Fatal(findings)
			}
			var got, left []string
			for _, e := range tab.Entries() {
				got = append(got, e.Of()+" ["+strings.Join(e.Names, " ")+"]: "+show(e.Price)+" "+e.Source)
			}
			for _, f := range findings {
				if f.ID != importer.LeftOutID || f.Severity != diag.Info {
					t.Errorf("finding %v", f)
				}
				left = append(left, strings.TrimPrefix(f.Error(), file+":"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.left, left); diff != "" {
				t.Error(diff)
			}
			if h := tab.Header(); !strings.HasPrefix(h.Version, tt.format+" sha256:") || h.Date != today.Date {
				t.Errorf("header %+v", h)
			}
			back, findings := prices.Parse("t.json", tab.AppendJSON(nil))
			if len(findings) > 0 || !back.Equal(tab) {
				t.Errorf("written and read again it is another: %v", findings)
			}
		})
	}
}

// What these files write as 0 may as well be what nobody knows: it makes nothing free.
func TestRead_ZeroIsNotFree(t *testing.T) {
	litellm := func(fields string) string {
		return `{"m": {"litellm_provider": "p", "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6` + fields + `}}`
	}
	genai := func(fields string) string {
		return `[{"id": "p", "models": [{"id": "m", "prices": {` + fields + `}}]}]`
	}
	dev := func(cost string) string { return `{"p": {"models": {"m": {"cost": {` + cost + `}}}}}` }
	const also = " costs 0, which these files also write for what is not known or part of a subscription"
	for _, tt := range []struct{ name, format, file, want, left string }{
		{"a tier", "litellm", litellm(`, "input_cost_per_token_above_128k_tokens": 0, "output_cost_per_token_above_128k_tokens": 0`), "", "input above 128000 tokens" + also},
		{"the output of a tier", "litellm", litellm(`, "output_cost_per_token_above_128k_tokens": 0`), "", "output above 128000 tokens" + also},
		{"a tier", "genai-prices", genai(`"input_mtok": {"base": 1, "tiers": [{"start": 5, "price": 0}]}, "output_mtok": 1`), "", "input above 5 tokens" + also},
		{"a tier", "models.dev", dev(`"input": 1, "output": 2, "context_over_200k": {"input": 0, "output": 0}`), "", "input above 200000 tokens" + also},
		{"input", "models.dev", dev(`"input": 0, "output": 2`), "", "input" + also},
		{"output", "models.dev", dev(`"input": 1, "output": 0`), "", "output" + also},
		{"output, but not reasoning", "models.dev", dev(`"input": 1, "output": 0, "reasoning": 3`), "1/3///", ""},
		{"a cache", "models.dev", dev(`"input": 1, "output": 2, "cache_read": 0, "cache_write": 0`), "1/2///", ""},
		{"a cache in a tier", "models.dev", dev(`"input": 1, "output": 2, "cache_read": 0.5, "context_over_200k": {"input": 2, "output": 4, "cache_read": 0}`), "1/2/0.5// >200k 2/4///", ""},
		{"a cache, of one price", "genai-prices", genai(`"input_mtok": 1, "output_mtok": 2, "cache_read_mtok": {"base": 0, "tiers": [{"start": 1000, "price": 0.5}]}`), "1/2/// >1k 1/2/0.5//", ""},
		// Other slips by which a dearer rate was lost.
		{"a tier twice", "genai-prices", genai(`"input_mtok": {"base": 1, "tiers": [{"start": 1000, "price": 9}, {"start": 1000, "price": 2}]}, "output_mtok": 1`), "1/1/// >1k 9/1///", ""},
		{"a tier above nothing", "litellm", litellm(`, "input_cost_per_token_above_0k_tokens": 9e-6`), "", `its "input_cost_per_token_above_0k_tokens" is not understood`},
		{"a tier above a word", "litellm", litellm(`, "input_cost_per_token_above_many": 9e-6`), "", `its "input_cost_per_token_above_many" is not understood`},
		{"a tier in capitals", "litellm", litellm(`, "input_cost_per_token_above_200K_tokens": 9e-6`), "1/2/// >200k 9/2///", ""},
		{"a tier twice", "litellm", litellm(`, "input_cost_per_token_above_200k_tokens": 9e-6, "input_cost_per_token_above_200000_tokens": 3e-6`), "1/2/// >200k 9/2///", ""},
		{"a service that is not asked for", "litellm", litellm(`, "input_cost_per_token_above_200k_tokens_flex": 0, "input_cost_per_token_flex": 0`), "1/2///", ""},
	} {
		t.Run(tt.format+": "+tt.name, func(t *testing.T) {
			tab, findings := importer.Read(tt.format, "f.json", []byte(tt.file), today)
			got := ""
			if tab != nil {
				got = show(tab.Entries()[0].Price)
			}
			if got != tt.want || !strings.Contains(findings.Error(), tt.left) || tt.left == "" && len(findings) > 0 {
				t.Errorf("got %s, %v", got, findings)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	file, data := fixture(t, "genai-prices")
	price := func(o importer.Options) string {
		tab, findings := importer.Read("genai-prices", file, data, o)
		if tab == nil {
			return findings.Error()
		}
		return show(tab.Entries()[0].Price)
	}
	for _, tt := range []struct{ name, date, want string }{
		{"before a change", "2026-03-12", "5/25//6.25/10 >200k 10/37.5//6.25/10 >400k 10/50//6.25/10"},
		{"on its day", "2026-03-13", "5/25/0.5//"},
		{"after the next", "2027-06-01", "4/20///"},
		{"no day", "soon", file + ": date: want the day of the prices, such as 2026-09-23"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := price(importer.Options{Date: tt.date, Providers: []string{"Anthropic"}}); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	litellm, data2 := fixture(t, "litellm")
	tab, findings := importer.Read("litellm", litellm, data2, importer.Options{Date: today.Date, Providers: []string{"aws"}, Source: "a mirror"})
	if tab == nil || len(tab.Entries()) != 1 || tab.Entries()[0].Provider != "bedrock" || tab.Header().Source != "a mirror" {
		t.Errorf("%v %v", tab, findings)
	}
	if got := price(importer.Options{Date: today.Date, Providers: []string{"nobody"}}); !strings.Contains(got, "at least one price") {
		t.Errorf("no provider: %s", got)
	}
}

func TestReadRefuses(t *testing.T) {
	genai := func(fields string) string {
		return `[{"id": "p", "models": [{"id": "m", "match": {"equals": "m"}, "prices": {` + fields + `}}]}]`
	}
	litellm := func(fields string) string { return `{"m": {"litellm_provider": "p", ` + fields + `}}` }
	dev := func(cost string) string { return `{"p": {"models": {"m": {"cost": ` + cost + `}}}}` }
	tests := []struct{ name, format, file, want string }{
		{"an unknown format", "helicone", "[]", `unknown format "helicone" (want genai-prices, litellm or models.dev)`},
		{"no JSON", "litellm", `{"a": `, "f.json:1:7: "},
		{"a key twice", "litellm", `{"a": {}, "a": {}}`, "f.json:1:11: "},
		{"another format: an object", "genai-prices", "{}", "f.json:1:1: a file of genai-prices is a list of providers"},
		{"another format: a list", "models.dev", "[]", "f.json:1:1: a file of models.dev is an object"},
		{"litellm as models.dev", "models.dev", litellm(`"input_cost_per_token": 1e-6`), `f.json:1:2: the provider "m" has no models (is the file in another format?)`},
		{"models.dev as litellm", "litellm", dev(`{"input": 1, "output": 2}`), "at least one price"},
		{"per million as per token", "litellm", litellm(`"input_cost_per_token": 3, "output_cost_per_token": 15`), `f.json:1:2: "p/m" is left out: input: a rate is at most 5000 dollars for a million tokens`},
		{"a text for a rate", "litellm", litellm(`"input_cost_per_token": "1e-6"`), `f.json:1:57: "p/m" is left out: input_cost_per_token is a number, not a text`},
		{"a rate below 0", "litellm", litellm(`"output_cost_per_token": -1e-6`), "output_cost_per_token is below 0"},
		{"a provider that is no text", "litellm", `{"m": {"litellm_provider": 1}}`, "litellm_provider is a text"},
		{"a provider that is no object", "genai-prices", "[1]", "f.json:1:2: a provider is an object"},
		{"no id", "genai-prices", `[{"models": []}]`, "f.json:1:2: a provider has no id"},
		{"no models", "genai-prices", `[{"id": "p"}]`, "f.json:1:2: a provider has no models"},
		{"a rate that is an empty object", "genai-prices", genai(`"input_mtok": {}, "output_mtok": 1`), "input_mtok is a number, or has a base and tiers"},
		{"a tier without a start", "genai-prices", genai(`"input_mtok": {"base": 1, "tiers": [{"price": 1}]}, "output_mtok": 1`), "a tier has a start and a price"},
		{"a tier that is a number", "genai-prices", genai(`"input_mtok": {"base": 1, "tiers": [1]}, "output_mtok": 1`), "a tier has a start and a price"},
		{"a start below 1", "genai-prices", genai(`"input_mtok": {"base": 1, "tiers": [{"start": -1, "price": 1}]}, "output_mtok": 1`), "start is a whole number of tokens above 0"},
		{"a start that is text", "genai-prices", genai(`"input_mtok": {"base": 1, "tiers": [{"start": "1", "price": 1}]}, "output_mtok": 1`), "start is a whole number of tokens above 0"},
		{"prices that are a number", "genai-prices", `[{"id": "p", "models": [{"id": "m", "prices": 1}]}]`, "prices is an object"},
		{"a price without prices", "genai-prices", `[{"id": "p", "models": [{"id": "m", "prices": [{}]}]}]`, "a price has no prices"},
		{"a clause that is a number", "genai-prices", `[{"id": "p", "models": [{"id": "m", "match": 1, "prices": {}}]}]`, "a clause of match is an object"},
		{"a cost that is a number", "models.dev", dev(`1`), "cost is an object"},
		{"a tier by something else", "models.dev", dev(`{"input": 1, "output": 1, "tiers": [{"tier": {"type": "moon", "size": 1}}]}`), `a tier by "moon" is not understood (want context)`},
		{"a tier without a limit", "models.dev", dev(`{"input": 1, "output": 1, "tiers": [{"input": 1}]}`), "a tier does not say from how many tokens on it holds"},
		{"too many digits", "models.dev", dev(`{"input": 1.12345678901234567890123, "output": 1}`), "input has too many digits, or is too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tab, findings := importer.Read(tt.format, "f.json", []byte(tt.file), today)
			if tab != nil || !strings.Contains(findings.Error(), tt.want) {
				t.Errorf("Read = %v,\n%v\nwant %q", tab, findings, tt.want)
			}
		})
	}
}

// One slip in a file does not keep the others' prices from being read. What it
// is in is left out whole, so that it counts as dear as a model that is not known.
func TestReadLeavesOutWhatIsBad(t *testing.T) {
	const good = `"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6`
	for _, tt := range []struct{ name, format, file, want string }{
		{"a rate below 0", "litellm", `{"good": {"litellm_provider": "p", ` + good + `}, "bad": {"litellm_provider": "p", "output_cost_per_token": -1, "input_cost_per_token": 1e-6}}`,
			`f.json:1:156: "p/bad" is left out: output_cost_per_token is below 0`},
		{"a text in a tier", "litellm", `{"good": {"litellm_provider": "p", ` + good + `}, "bad": {"litellm_provider": "p", "input_cost_per_token_above_200k_tokens": "x", ` + good + `}}`,
			`f.json:1:173: "p/bad" is left out: input_cost_per_token_above_200k_tokens is a number, not a text`},
		{"one of the same name is good", "litellm", `{"good": {"litellm_provider": "p", ` + good + `}, "bad": {"litellm_provider": "p", ` + good + `}, "p/bad": {"litellm_provider": "p", "input_cost_per_token": []}}`,
			`f.json:1:252: "p/bad" is left out: input_cost_per_token is a number, not a list`},
		{"no model", "litellm", `{"good": {"litellm_provider": "p", ` + good + `}, "bad": 7}`, `f.json:1:105: "bad" is left out: a model is an object, not a number`},
		{"a price of genai-prices", "genai-prices", `[{"id": "p", "models": [{"id": "good", "prices": {"input_mtok": 1, "output_mtok": 2}}, {"id": "bad", "prices": {"input_mtok": -1, "output_mtok": 2}}]}]`,
			`f.json:1:127: "p/bad" is left out: input_mtok is below 0`},
		{"a cost of models.dev", "models.dev", `{"p": {"models": {"good": {"cost": {"input": 1, "output": 2}}, "bad": {"cost": [1]}}}}`,
			`f.json:1:80: "p/bad" is left out: cost is an object, not a list`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tab, findings := importer.Read(tt.format, "f.json", []byte(tt.file), today)
			if tab == nil || len(tab.Entries()) != 1 || tab.Entries()[0].Of() != "p/good" {
				t.Fatalf("%v, %v", tab, findings)
			}
			if len(findings) != 1 || findings[0].Severity != diag.Warning || findings[0].ID != importer.BadPriceID || findings.Error() != tt.want {
				t.Errorf("%v\nwant %s", findings, tt.want)
			}
			if q, err := tab.Quote("bad", prices.Dearest); err != nil || !q.Unknown {
				t.Errorf("bad is quoted at %+v, %v", q, err)
			}
		})
	}
}

// Where hardly anything can be read, the format is another one.
func TestReadRefusesWhatIsMostlyBad(t *testing.T) {
	file := `{"good": {"litellm_provider": "p", "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}`
	for i := range 101 {
		file += fmt.Sprintf(`, "bad%d": {"litellm_provider": "p", "input_cost_per_token": "x"}`, i)
	}
	tab, findings := importer.Read("litellm", "f.json", []byte(file+"}"), today)
	if tab != nil || findings[0].Error() != "f.json:1:1: the prices of 101 models cannot be read (is the file in another format?)" {
		t.Errorf("%v, %v", tab, findings)
	}
}

// FuzzRead: whatever a file holds, there is a table that can be written and
// read again, or an error.
func FuzzRead(f *testing.F) {
	for i, format := range importer.Formats() {
		_, data := fixture(f, format)
		f.Add(uint8(i), data)
	}
	f.Fuzz(func(t *testing.T, format uint8, data []byte) {
		formats := importer.Formats()
		tab, findings := importer.Read(formats[int(format)%len(formats)], "f.json", data, today)
		if (tab == nil) != (findings.Err() != nil) {
			t.Fatalf("a table and errors: %v", findings)
		}
		if tab == nil {
			return
		}
		back, again := prices.Parse("t.json", tab.AppendJSON(nil))
		if len(again) > 0 || !back.Equal(tab) {
			t.Fatalf("%v\n%s", again, tab.AppendJSON(nil))
		}
		for _, e := range tab.Entries() {
			if found, ok := tab.Lookup(e.Of()); ok && !strings.EqualFold(found.Of(), e.Of()) && found.Price.Rates != e.Price.Rates {
				t.Fatalf("%s is found as %s", e.Of(), found.Of())
			}
		}
	})
}
