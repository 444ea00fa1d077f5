package main

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

func BenchmarkDecide(b *testing.B) {
	sizes := []int{10, 100, 1000, 10000}
	if s := os.Getenv("BN"); s != "" {
		n, _ := strconv.Atoi(s)
		sizes = []int{n}
	}
	for _, n := range sizes {
		rules, chains := workload(n)
		e, f := newEngine(rules, chains), newFloor(rules)
		c := chains[0]
		b.Run(fmt.Sprintf("floor/%d", n), func(b *testing.B) {
			for b.Loop() {
				f.decide(c, stepAbility, outputs)
			}
		})
		b.Run(fmt.Sprintf("maps/%d", n), func(b *testing.B) {
			for b.Loop() {
				e.fromMaps(c, outputs)
			}
		})
		b.Run(fmt.Sprintf("bound/%d", n), func(b *testing.B) {
			for b.Loop() {
				e.fromBound(c)
			}
		})
	}
}
