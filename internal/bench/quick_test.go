package main

import ("testing";"fmt")

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{10,100,1000,10000} {
		rules, chains := workload(n)
		e, f := newEngine(rules, chains), newFloor(rules)
		c := chains[0]
		b.Run(fmt.Sprintf("floor/%d",n), func(b *testing.B){ b.ReportAllocs(); for b.Loop() { f.decide(c, stepAbility, outputs) } })
		b.Run(fmt.Sprintf("maps/%d",n), func(b *testing.B){ b.ReportAllocs(); for b.Loop() { e.fromMaps(c, outputs) } })
		b.Run(fmt.Sprintf("bound/%d",n), func(b *testing.B){ b.ReportAllocs(); for b.Loop() { e.fromBound(c) } })
	}
}
