package prices_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/prices"
)

const dollar = 1_000_000_000 // nano-dollars

// sonnet is a price as a vendor quotes it, with a tier for long prompts.
var sonnet = prices.Price{
	Rates: prices.Rates{
		prices.Input: prices.PerMillion(3 * dollar), prices.Output: prices.PerMillion(15 * dollar), prices.CacheRead: prices.PerMillion(dollar * 3 / 10),
		prices.CacheWrite5m: prices.PerMillion(dollar * 375 / 100), prices.CacheWrite1h: prices.PerMillion(6 * dollar),
	},
	Tiers: []prices.Tier{{Above: 200_000, Rates: prices.Rates{
		prices.Input: prices.PerMillion(6 * dollar), prices.Output: prices.PerMillion(22*dollar + dollar/2),
	}}},
}

func TestCost(t *testing.T) {
	plain := prices.Price{Rates: prices.Rates{prices.Input: prices.PerMillion(2 * dollar), prices.Output: prices.PerMillion(8 * dollar)}}
	tests := []struct {
		name    string
		price   prices.Price
		usage   prices.Usage
		nano    int64
		assumed string
	}{
		{"nothing", sonnet, prices.Usage{}, 0, ""},
		{"input and output", sonnet, prices.Usage{Input: 1000, Output: 100}, 3_000_000 + 1_500_000, ""},
		{"caches at their own rates", sonnet, prices.Usage{CacheRead: 1000, CacheWrite5m: 1000, CacheWrite1h: 1000}, 300_000 + 3_750_000 + 6_000_000, ""},
		{"a prompt at the limit", sonnet, prices.Usage{Input: 100_000, CacheRead: 100_000, Output: 10}, 300_000_000 + 30_000_000 + 150_000, ""},
		{"a prompt above it: all tokens at the tier's rates", sonnet, prices.Usage{Input: 200_001, Output: 10}, 1_200_006_000 + 225_000, ""},
		{"cached tokens belong to the prompt; unlisted reads cost as input", sonnet, prices.Usage{Input: 1, CacheRead: 200_000}, 6_000 + 1_200_000_000, "cache_read"},
		{"output does not belong to the prompt", sonnet, prices.Usage{Output: 300_000}, 4_500_000_000, ""},
		{"unlisted writes count at the dearest rate", plain, prices.Usage{CacheWrite5m: 1000, CacheWrite1h: 1000}, 16_000_000, "cache_write_5m, cache_write_1h"},
		{"below 0 stands for 0", plain, prices.Usage{Input: -5, Output: 1}, 8_000, ""},
		{"rounded up once", prices.Price{Rates: prices.Rates{prices.Input: prices.PerMillion(1), prices.Output: prices.PerMillion(1)}}, prices.Usage{Input: 1, Output: 1}, 1, ""},
		{"does not fit", plain, prices.Usage{Input: math.MaxInt64, Output: math.MaxInt64}, math.MaxInt64, ""},
		{"no price at all", prices.Price{}, prices.Usage{Input: 5}, 0, "input"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nano, assumed := tt.price.Cost(tt.usage)
			if nano != tt.nano || assumed.String() != tt.assumed {
				t.Errorf("Cost(%+v) = %d, %q, want %d, %q", tt.usage, nano, assumed, tt.nano, tt.assumed)
			}
		})
	}
}

func TestCostOfRatesBeyondATableSaturates(t *testing.T) {
	most := prices.PerMillion(math.MaxInt64)
	p := prices.Price{Rates: prices.Rates{most, most, most, most, most}}
	if nano, _ := p.Cost(prices.Usage{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}); nano != math.MaxInt64 {
		t.Errorf("cost %d, want the greatest", nano)
	}
}

// TestCostIsTheExactSumRoundedUp holds Cost against arithmetic without bounds.
func TestCostIsTheExactSumRoundedUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := prices.Price{Rates: genRates(true).Draw(t, "rates")}
		tokens := rapid.Int64Range(0, math.MaxInt64)
		u := prices.Usage{Input: tokens.Draw(t, "input"), Output: tokens.Draw(t, "output"), CacheRead: tokens.Draw(t, "read"),
			CacheWrite5m: tokens.Draw(t, "5m"), CacheWrite1h: tokens.Draw(t, "1h")}
		sum := new(big.Int)
		for k, n := range []int64{u.Input, u.Output, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h} {
			sum.Add(sum, new(big.Int).Mul(big.NewInt(n), big.NewInt(p.Rates[k].Nano)))
		}
		sum.Add(sum, big.NewInt(999_999)).Div(sum, big.NewInt(1_000_000))
		want := int64(math.MaxInt64)
		if sum.IsInt64() {
			want = sum.Int64()
		}
		if got, assumed := p.Cost(u); got != want || assumed != 0 {
			t.Fatalf("Cost = %d (assumed %v), want %d", got, assumed, want)
		}
	})
}

func TestCostNeverFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genPrice().Draw(t, "price")
		for i := range p.Tiers { // a table may hold a tier that is cheaper: then a longer prompt costs less
			p.Tiers[i].Rates = p.Rates
		}
		u := genUsage().Draw(t, "usage")
		before, _ := p.Cost(u)
		more := u
		more.Input += rapid.Int64Range(0, 1<<40).Draw(t, "more")
		if after, _ := p.Cost(more); after < before || before < 0 {
			t.Fatalf("%d for %+v, %d for %+v", before, u, after, more)
		}
	})
}

func TestAtLeastIsNeverCheaperThanEither(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q, u := genPrice().Draw(t, "p"), genPrice().Draw(t, "q"), genUsage().Draw(t, "usage")
		both, _ := p.AtLeast(q).Cost(u)
		a, _ := p.Cost(u)
		b, _ := q.Cost(u)
		if both < max(a, b) {
			t.Fatalf("%d, but %d and %d", both, a, b)
		}
	})
}

func genRates(all bool) *rapid.Generator[prices.Rates] {
	return rapid.Custom(func(t *rapid.T) prices.Rates {
		var r prices.Rates
		for _, k := range prices.Kinds() {
			if all || k == prices.Input || k == prices.Output || rapid.Bool().Draw(t, "listed") {
				r[k] = prices.PerMillion(rapid.OneOf(rapid.Int64Range(0, 100*dollar), rapid.Int64Range(0, prices.MaxRate)).Draw(t, k.String()))
			}
		}
		return r
	})
}

func genPrice() *rapid.Generator[prices.Price] {
	return rapid.Custom(func(t *rapid.T) prices.Price {
		p := prices.Price{Rates: genRates(false).Draw(t, "rates")}
		above := int64(0)
		for range rapid.IntRange(0, 3).Draw(t, "tiers") {
			above += rapid.Int64Range(1, 300_000).Draw(t, "above")
			p.Tiers = append(p.Tiers, prices.Tier{Above: above, Rates: genRates(false).Draw(t, "rates")})
		}
		return p
	})
}

func genUsage() *rapid.Generator[prices.Usage] {
	return rapid.Custom(func(t *rapid.T) prices.Usage {
		n := rapid.Int64Range(-10, 1_000_000)
		return prices.Usage{n.Draw(t, "input"), n.Draw(t, "output"), n.Draw(t, "read"), n.Draw(t, "5m"), n.Draw(t, "1h")}
	})
}
