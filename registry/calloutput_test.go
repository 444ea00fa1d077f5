package registry_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
)

// BindCall binds what two times BindOutput would: every output by its number, and
// the latest of its ability. Abilities are such that their names meet.
func TestBindCall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var calls, named registry.Values
		for n := range rapid.IntRange(1, 200).Draw(t, "calls") {
			ability := rapid.SampledFrom([]string{"web.fetch", "x", "x.3", "X", "é.a", "a.very.long.name.of.an.ability.that.fills.a.piece.soon"}).Draw(t, "ability")
			v := registry.Text(fmt.Sprint("output ", n))
			calls.BindCall(ability, n, v)
			named.BindOutput(fmt.Sprintf("%s.%d.output", ability, n), v)
			named.BindOutput(ability+".output", v)
		}
		if diff := cmp.Diff(named.String(), calls.String()); diff != "" {
			t.Fatal(diff)
		}
		one, two := registry.Step{Ability: "a", Outputs: &calls}, registry.Step{Ability: "a", Outputs: &named}
		if one.Digest() != two.Digest() || calls.Len() != named.Len() || (one.Check() == nil) != (two.Check() == nil) {
			t.Fatal("they differ to a step")
		}
	})
}

// A rule sees an output under each of its names, and later ones do not take its place.
func TestBindCall_Rules(t *testing.T) {
	for rule, want := range map[string]string{
		`B:output:web.fetch.output|equals:"third"|abort`:                                                   "abort",
		`B:output:web.fetch.output|equals:"first"|abort`:                                                   "allow",
		`B:output:web.*|equals:"first"|abort`:                                                              "abort",
		`B:output:*|equals:"second"|abort`:                                                                 "abort",
		`B:output:mail.*|equals:"second"|abort`:                                                            "abort",
		`B:output:mail.*|equals:"third"|abort`:                                                             "allow",
		`B:when:outputs["web.fetch.1.output"] == "first"|abort`:                                            "abort",
		`B:when:outputs["web.fetch.3.output"] == "first"|abort`:                                            "allow",
		`B:when:outputs["mail.send.2.output"] == "second" && outputs["web.fetch.output"] == "third"|abort`: "abort",
		"B:output:*|matches:`^fir.t$`|abort":                                                               "abort",
	} {
		var outputs registry.Values
		outputs.BindCall("web.fetch", 1, registry.Text("first"))
		outputs.BindCall("mail.send", 2, registry.Text("second"))
		outputs.BindCall("web.fetch", 3, registry.Text("third"))
		reg := load(t, rule)
		var p registry.Plan
		var v registry.Verdict
		st := &registry.Step{Ability: "read", Outputs: &outputs, Now: start.UnixNano()}
		reg.Set().Plan(st, &p)
		reg.Set().Decide(st, &p, &registry.Tally{}, &v)
		if got := v.Decision.String(); got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
	}
}

// What an output costs is memory that many share.
func TestBindCall_Allocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	var vs registry.Values
	v, n := registry.Text("fine"), 0
	if got := testing.AllocsPerRun(10_000, func() {
		n++
		vs.BindCall("web.fetch", n, v)
	}); got > 0 {
		t.Errorf("%.0f allocations an output, want none", got)
	}
}
