package replay_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// pricing prices a million input tokens of the model m at a dollar.
func pricing(t *testing.T, unknown prices.OnUnknown) session.Pricing {
	t.Helper()
	var rates prices.Rates
	rates[prices.Input], rates[prices.Output] = prices.PerMillion(1e9), prices.PerMillion(1e9)
	table, err := prices.New(prices.Header{Version: "1", Source: "test", Date: "2026-01-05"}, []prices.Entry{
		{Provider: "acme", Model: "m", Source: "test", Price: prices.Price{Rates: rates}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return session.Pricing{Table: table, Unknown: unknown}
}

const priced = `call a
{"type":"usage","message_id":"m1","model":"m","input_tokens":500000}
call no
{"type":"usage","message_id":"m2","model":"m","input_tokens":10000}
{"type":"usage","message_id":"m3","model":"m","input_tokens":10000,"cost_cents":0.5}
{"type":"usage","message_id":"m4","model":"unheard-of","input_tokens":30000}`

// What a source does not price is saved at the prices of the session.
func TestSavedAtPrices(t *testing.T) {
	for unknown, want := range map[prices.OnUnknown]string{prices.Dearest: "4.5", prices.Zero: "1.5", prices.Deny: "1.5"} {
		o := replay.Options{Session: session.Options{Registry: rules(t, "B:ability:no|abort|id=no\n"), Pricing: pricing(t, unknown)}}
		got, err := replay.Run(t.Context(), events(t, priced), o)
		if err != nil {
			t.Fatal(err)
		}
		if got.Rule != "no" || got.Saved.Cents.String() != want {
			t.Errorf("%v: %s cents, want %s", unknown, got.Saved.Cents, want)
		}
	}
}

// A model without a price does not end a run that is only measured.
func TestMeasureAtPrices(t *testing.T) {
	f, err := replay.Measurer(session.Options{Pricing: pricing(t, prices.Deny)})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f(t.Context(), events(t, priced))
	if err != nil {
		t.Fatal(err)
	}
	spend := m.Meters["task.spend_cents"]
	if !m.Priced() || spend.String() != "54.5" {
		t.Errorf("%s cents, priced: %v", spend, m.Priced())
	}
	if want := `the model "unheard-of" has no price in the table 1 and counts at the dearest known rates`; len(m.PriceNotes) != 1 || m.PriceNotes[0] != want {
		t.Errorf("notes %q, want %q", m.PriceNotes, want)
	}
	if m := measure(t, events(t, "call a\n"+`{"type":"usage","message_id":"m1","model":"m","input_tokens":500000}`)); m.Priced() {
		t.Error("priced without prices")
	}
}

// A run that is stopped for money that was guessed says so.
func TestNotesOfGuessedMoney(t *testing.T) {
	const guessed = `call a
{"type":"usage","message_id":"m1","model":"unheard-of","input_tokens":30000}
call b`
	for model, want := range map[string]string{"unheard-of": `the model "unheard-of" has no price in the table 1 and counts at the dearest known rates`, "m": ""} {
		o := replay.Options{Session: session.Options{Registry: rules(t, "B:task.spend_cents>1|abort|id=dear\n"), Pricing: pricing(t, prices.Dearest)}}
		got, err := replay.Run(t.Context(), events(t, strings.ReplaceAll(guessed, "unheard-of", model)), o)
		if err != nil || got.Rule != "dear" {
			t.Fatalf("%+v, %v", got, err)
		}
		if notes := strings.Join(got.Notes, "; "); !strings.HasPrefix(notes, want) || want == "" && notes != "" {
			t.Errorf("%s: notes %q, want %q", model, notes, want)
		}
	}
}
