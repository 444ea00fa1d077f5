package prices_test

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/prices"
)

// An unknown model counts at the dearest known rates, and the quote says so.
func ExampleTable_Quote() {
	table, err := prices.New(prices.Header{Version: "house 1", Source: "our contract", Date: "2026-11-01"}, []prices.Entry{{
		Provider: "acme", Model: "large-20261101", Source: "our contract",
		Price: prices.Price{Rates: prices.Rates{prices.Input: prices.PerMillion(3_000_000_000), prices.Output: prices.PerMillion(15_000_000_000)}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, model := range []string{"acme/large", "larger"} {
		quote, err := table.Quote(model, prices.Dearest)
		if err != nil {
			fmt.Println(err)
			return
		}
		nano, _ := quote.Price.Cost(prices.Usage{Input: 900, Output: 40})
		fmt.Println(nano, quote.Of+quote.Note)
	}
	// Output:
	// 3300000 acme/large-20261101
	// 3300000 the model "larger" has no price in the table house 1 and counts at the dearest known rates
}
