package main

import "testing"

func BenchmarkBound(b *testing.B) {
	rules, chains := workload(10)
	e := newEngine(rules, chains)
	for b.Loop() {
		e.fromBound(chains[0])
	}
}
