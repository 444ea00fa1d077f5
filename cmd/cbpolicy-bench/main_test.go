package main

import "testing"

// TestFloorAndEngineAgree keeps the two that are compared doing the same.
func TestFloorAndEngineAgree(t *testing.T) {
	for _, n := range []int{10, 100, 1000} {
		rules, chains := workload(n)
		e, f := newEngine(rules, chains), newFloor(rules)
		for _, c := range []struct {
			name string
			edit func(map[string]string)
			want int
		}{
			{"nothing fires", func(map[string]string) {}, 0},
			{"threshold", func(m map[string]string) { m["amount"] = "2000000000" }, -1},
			{"contains", func(m map[string]string) { m["body"] = "xx q0000007 yy" }, -1},
		} {
			values := map[string]string{}
			for k, v := range outputs {
				values[k] = v
			}
			c.edit(values)
			got, floor := e.fromMaps(chains[0], values), f.decide(chains[0], stepAbility, values)
			if got != floor || c.want >= 0 && got != c.want {
				t.Errorf("%d rules, %s: engine %d, floor %d", n, c.name, got, floor)
			}
		}
	}
}
