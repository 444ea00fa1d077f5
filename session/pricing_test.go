package session_test

import (
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// priceTable holds three prices: cheap at 1 and 2 dollars, dear at 10 and 20
// dollars a million tokens, and cached at 3 and 6, which costs 3.75 to write to a
// cache, and 6 to one that lasts an hour.
func priceTable(t *testing.T) *prices.Table {
	t.Helper()
	rates := func(dollars int64) (r prices.Rates) {
		r[prices.Input], r[prices.Output] = prices.PerMillion(dollars*1e9), prices.PerMillion(2*dollars*1e9)
		return r
	}
	cached := rates(3)
	cached[prices.CacheWrite5m], cached[prices.CacheWrite1h] = prices.PerMillion(3_750_000_000), prices.PerMillion(6e9)
	table, err := prices.New(prices.Header{Version: "1", Source: "test", Date: "2026-01-05"}, []prices.Entry{
		{Provider: "acme", Model: "cheap", Source: "test", Price: prices.Price{Rates: rates(1)}},
		{Provider: "acme", Model: "dear", Source: "test", Price: prices.Price{Rates: rates(10)}},
		{Provider: "acme", Model: "cached", Source: "test", Price: prices.Price{Rates: cached}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// priced is a session with the prices of priceTable.
func priced(t *testing.T, unknown prices.OnUnknown, policy string) *agent {
	t.Helper()
	clock := session.NewVirtualClock(start)
	s, err := session.New(session.Options{
		ID: "s", Registry: load(t, policy), Store: memory.New(memory.Options{}), Clock: clock,
		Pricing: session.Pricing{Table: priceTable(t), Unknown: unknown},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &agent{s, clock, t}
}

func (a *agent) cents() string {
	for _, m := range a.Meters("") {
		if m.Name == "task.spend_cents" {
			return m.Value
		}
	}
	return "0"
}

func TestUsageIsPriced(t *testing.T) {
	for _, c := range []struct {
		name    string
		event   session.Event
		unknown prices.OnUnknown
		want    string
	}{
		{"by its model", session.Event{Model: "cheap", Tokens: meter.Tokens{Input: 10_000, Output: 1000}}, prices.Dearest, "1.2"},
		{"a cost that is told", session.Event{Model: "cheap", Tokens: meter.Tokens{Input: 10_000}, Cost: 70_000_000, HasCost: true}, prices.Dearest, "7"},
		{"an unknown model is as dear as the dearest", session.Event{Model: "new", Tokens: meter.Tokens{Input: 10_000}}, prices.Dearest, "10"},
		{"so is one without a name", session.Event{Tokens: meter.Tokens{Input: 10_000}}, prices.Dearest, "10"},
		{"unless it is said to be free", session.Event{Model: "new", Tokens: meter.Tokens{Input: 10_000}}, prices.Zero, "0"},
		{"a cache that lasts an hour costs more to write", session.Event{Model: "cached", Tokens: meter.Tokens{CacheWrite: 1_000_000, CacheWrite1h: 1_000_000}}, prices.Dearest, "600"},
		{"than one that does not", session.Event{Model: "cached", Tokens: meter.Tokens{CacheWrite: 1_000_000}}, prices.Dearest, "375"},
		{"each at its own rate", session.Event{Model: "cached", Tokens: meter.Tokens{CacheWrite: 1_000_000, CacheWrite1h: 400_000}}, prices.Dearest, "465"},
		{"more for an hour than in all is as many", session.Event{Model: "cached", Tokens: meter.Tokens{CacheWrite: 1, CacheWrite1h: 1_000_000}}, prices.Dearest, "600"},
		{"no tokens cost nothing", session.Event{Model: "new"}, prices.Dearest, "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := priced(t, c.unknown, "")
			c.event.Type = session.Usage
			a.Observe(t.Context(), &c.event)
			if got := a.cents(); got != c.want {
				t.Errorf("%s cents, want %s", got, c.want)
			}
			cost, err := session.Pricing{Table: priceTable(t), Unknown: c.unknown}.Cost(&c.event)
			if got := decimal.Scaled(cost, -7).String(); err != nil || got != c.want {
				t.Errorf("by itself %s cents, %v, want %s", got, err, c.want)
			}
		})
	}
}

// A verdict over money says how a model without a price was counted, and so
// does the first one after it was.
func TestUnknownPriceIsSaid(t *testing.T) {
	a := priced(t, prices.Dearest, "B:task.spend_cents>5|abort|id=dear\nB:ability:other|warn|id=other\n")
	a.Observe(t.Context(), &session.Event{Type: session.ToolUse, Ability: "ls", CallID: "c"})
	halts := a.Observe(t.Context(), &session.Event{Type: session.Usage, Model: "new", Tokens: meter.Tokens{Input: 10_000}})
	if len(halts) != 1 || !strings.Contains(strings.Join(halts[0].Notes, " "), `"new"`) {
		t.Errorf("%+v", halts)
	}
	b := priced(t, prices.Dearest, "B:task.spend_cents>5|warn|id=dear\nB:ability:other|warn|id=other\n")
	b.Observe(t.Context(), &session.Event{Type: session.Usage, Model: "new", Tokens: meter.Tokens{Input: 10_000}})
	var v registry.Verdict
	b.Before(t.Context(), &session.Step{Call: session.Call{Ability: "ls"}}, &v)
	if raw, _ := v.MarshalJSON(); !strings.Contains(string(raw), `"notes":["`) || !strings.Contains(string(raw), "new") {
		t.Errorf("%s", raw)
	}
	c := priced(t, prices.Dearest, "B:ability:other|warn|id=other\n")
	c.Observe(t.Context(), &session.Event{Type: session.Usage, Model: "new", Tokens: meter.Tokens{Input: 10_000}})
	for i, want := range []bool{true, false} { // the first verdict after it, and then those over money only
		c.Before(t.Context(), &session.Step{Call: session.Call{Ability: "other"}}, &v)
		if said := strings.Contains(strings.Join(v.Notes, " "), `"new"`); said != want {
			t.Errorf("verdict %d over no money: notes %q", i+1, v.Notes)
		}
	}
}

// Where a model without a price is denied, the task ends.
func TestUnknownPriceIsDenied(t *testing.T) {
	a := priced(t, prices.Deny, "")
	a.observe(started("t1", "t2")...)
	halts := a.Observe(t.Context(), &session.Event{Type: session.Usage, Task: "t1", Model: "new", Tokens: meter.Tokens{Input: 1}})
	if len(halts) != 1 || !halts[0].Ended || halts[0].Fired.Rule.ID != session.SlugUnknownPrice {
		t.Fatalf("%+v", halts)
	}
	for task, want := range map[string]string{"t1": "abort unknown_price", "t2": "allow"} {
		if got := a.judge(&session.Step{Call: session.Call{Ability: "ls"}, Task: task}); got != want {
			t.Errorf("%s: %s, want %s", task, got, want)
		}
	}
}

// A message whose usage is told in parts, as it is streamed, costs what all of
// its tokens cost.
func TestUsageThatIsToldInPartsCostsAsAWhole(t *testing.T) {
	for name, second := range map[string]session.Event{
		"with the model": {Model: "cheap", Tokens: meter.Tokens{Output: 6e5}},
		"without it":     {Tokens: meter.Tokens{Output: 6e5}},
		"told in full":   {Model: "cheap", Tokens: meter.Tokens{Input: 1e6, Output: 6e5}},
	} {
		a := priced(t, 0, "")
		for _, e := range []session.Event{{Model: "cheap", Tokens: meter.Tokens{Input: 1e6, Output: 1}}, second, second} {
			e.Type, e.MessageID = session.Usage, "m1"
			a.Observe(t.Context(), &e)
		}
		if got := a.cents(); got != "220" { // 1 dollar of input, 1.20 of output
			t.Errorf("%s: %s cents, want 220", name, got)
		}
	}
}
