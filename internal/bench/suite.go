package main

import (
	"fmt"
	"testing"
)

// sizes are the numbers of rules.
var sizes = []int{10, 100, 1000, 10_000}

// suite is what is measured and what must hold.
func suite() (entries []entry, bars []bar) {
	for _, n := range sizes {
		rules, chains := workload(n)
		e, f, chain := newEngine(rules, chains), newFloor(rules), chains[0]
		name := func(s string) string { return fmt.Sprintf("%s/%d", s, n) }
		entries = append(entries,
			entry{name("floor"), func(b *testing.B) {
				for b.Loop() {
					f.decide(chain, stepAbility, outputs)
				}
			}},
			entry{name("maps"), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					e.fromMaps(chain, outputs)
				}
			}},
			entry{name("bound"), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					e.fromBound(chain)
				}
			}},
		)
		bars = append(bars,
			bar{what: fmt.Sprintf("%d rules, from maps / floor", n), num: name("maps"), den: name("floor"), limit: 1.3},
			bar{what: fmt.Sprintf("%d rules, from bound values / floor", n), num: name("bound"), den: name("floor"), limit: 1.0},
			bar{what: fmt.Sprintf("%d rules, nothing fires, allocations", n), num: name("maps"), value: func(r *result) float64 { return r.allocs }},
		)
	}
	bars = append(bars, bar{what: "t(10,000 rules) / t(100 rules)", num: "maps/10000", den: "maps/100", limit: 3.5})
	return entries, bars
}
