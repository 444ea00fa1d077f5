package registry_test

import (
	"fmt"
	"hash/maphash"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
)

// BindCall binds what two times BindOutput would: every output by its number, and
// the latest of its ability. Abilities are such that their names meet, calls end in
// any order and more than once, and the owner binds and unbinds such names himself.
func TestBindCall(t *testing.T) {
	abilities := rapid.SampledFrom([]string{"web.fetch", "x", "x.3", "x.3.output", "X", "é.a", "a\u200bb", "a.very.long.name.of.an.ability.that.fills.a.piece.soon"})
	names := rapid.SampledFrom([]string{"x.output", "x.3.output", "x.03.output", "x.-3.output", "x.3.7.output", "x.3.output.7.output", ".3.output", "3.output", "plain"})
	rapid.Check(t, func(t *rapid.T) {
		var calls, named registry.Values
		for n := range rapid.IntRange(1, 200).Draw(t, "operations") {
			v := registry.Text(fmt.Sprint("output ", n))
			switch rapid.IntRange(0, 9).Draw(t, "operation") {
			case 0:
				name := names.Draw(t, "name")
				calls.Unbind(name)
				named.Unbind(name)
			case 1:
				name := names.Draw(t, "name")
				calls.BindOutput(name, v)
				named.BindOutput(name, v)
			default:
				ability, number := abilities.Draw(t, "ability"), rapid.OneOf(rapid.Just(n), rapid.IntRange(-3, 9)).Draw(t, "number")
				calls.BindCall(ability, number, v)
				named.BindOutput(fmt.Sprintf("%s.%d.output", ability, number), v)
				named.BindOutput(ability+".output", v)
			}
		}
		if diff := cmp.Diff(named.String(), calls.String()); diff != "" {
			t.Fatal(diff)
		}
		seed := maphash.MakeSeed()
		if calls.Fingerprint(seed) != named.Fingerprint(seed) || calls.Len() != named.Len() {
			t.Fatal("they differ in what they hold")
		}
		one, two := registry.Step{Ability: "a", Outputs: &calls}, registry.Step{Ability: "a", Outputs: &named}
		if one.Digest() != two.Digest() || fmt.Sprint(one.Check()) != fmt.Sprint(two.Check()) {
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
