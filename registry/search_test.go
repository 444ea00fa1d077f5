package registry_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
)

// manyMatches are more rules over all outputs than a value remembers, and some
// over a part of the names.
var manyMatches = func() string {
	var b strings.Builder
	for i := range 70 {
		fmt.Fprintf(&b, "B:output:*|matches:`\\bw%d\\b`|warn|id=w%d\n", i, i)
	}
	b.WriteString("B:output:a.*|contains:w1|warn|id=below\nB:output:a*|contains:w1|warn|id=alike\nB:!output:*|contains:w1|warn|id=nowhere\n")
	return b.String()
}()

// What a value is known not to hold changes no verdict, whatever is bound,
// replaced or removed between two steps.
func TestSearch_WhatIsRememberedChangesNothing(t *testing.T) {
	d := deciderOf(load(t, manyMatches))
	rapid.Check(t, func(r *rapid.T) {
		bound, kept := map[string]string{}, &registry.Values{}
		text := rapid.SampledFrom([]string{"w1", "w0 w69", "w12", "none", `{"b":"w1"}`, `["w2",{"c":"w1 w3"}]`, ""})
		name := rapid.SampledFrom([]string{"a", "a.b", "ab", "c"})
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			switch n := name.Draw(r, "name"); rapid.IntRange(0, 3).Draw(r, "change") {
			case 0:
				kept.Unbind(n)
				delete(bound, n)
			case 1, 2:
				bound[n] = text.Draw(r, "text")
				kept.Bind(n, registry.Text(bound[n]))
			}
			fresh := &registry.Values{}
			for n, s := range bound {
				fresh.Bind(n, registry.Text(s))
			}
			got, want := judge(t, d, registry.Step{Outputs: kept}), judge(t, d, registry.Step{Outputs: fresh})
			if got != want {
				r.Fatalf("%v: %s, read anew %s", bound, got, want)
			}
		}
	})
}

// Steps that are judged at the same time read the same values.
func TestSearch_AtTheSameTime(t *testing.T) {
	d := deciderOf(load(t, manyMatches))
	outputs := &registry.Values{}
	outputs.Bind("x", registry.Text("w7 and none else"))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if got := judge(t, d, registry.Step{Outputs: outputs}); got != "warn w7 nowhere" {
					t.Error(got)
					return
				}
			}
		})
	}
	group.Wait()
}
