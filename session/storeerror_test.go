package session_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A step that cannot be counted passes only where every rule that would have
// counted it, and could have refused, says so.
func TestOnStoreError(t *testing.T) {
	for policy, want := range map[string]string{
		"B:frequency>1/1h|abort|\"r\"\n":                                                              registry.SlugStoreError,
		"B:frequency>1/1h|abort|\"r\"|on_store_error=deny\n":                                          registry.SlugStoreError,
		"B:frequency>1/1h|abort|\"r\"|on_store_error=allow\n":                                         "",
		"B:frequency>1/1h|abort|\"r\"|on_store_error=allow,id=a\nB:frequency:x>9/1h|throttle|\"r\"\n": registry.SlugStoreError,
		"B:frequency>1/1h|abort|\"r\"|on_store_error=allow,id=a\nB:frequency:x>9/1h|warn|\"r\"\n":     "",
		"B:frequency>1/1h|abort|\"r\"|on_store_error=allow,id=a\nB:frequency:y>9/1h|abort|\"r\"\n":    "", // another ability's
		"B:frequency>1/1h & ability:x|abort|\"r\"\n":                                                  registry.SlugStoreError,
		"B:frequency>1/1h & ability:x|abort|\"r\"|on_store_error=allow\n":                             "",
		"B:frequency>1/1h|abort|\"r\"|on_store_error=allow\nB:ability:x|abort|\"r\"\n":                "ability-x",
		"B:frequency>1/1h|abort|\"r\"|on_store_error=allow\nB:ability:x|confirm|\"r\"\n":              "ability-x",
		"B:ability:y|abort|\"r\"\n":                                                                   registry.SlugStoreError,
		"B:frequency>1/1h|abort|\"r\"|on_store_error=local\n":                                         registry.SlugStoreError,
	} {
		p, faults := dsl.ParsePolicy("p.cbp", []byte(policy))
		if faults.Err() != nil {
			t.Fatal(faults)
		}
		var reg registry.Registry
		if err := reg.Load(p); err != nil {
			t.Fatal(err)
		}
		d := session.Decider{Registry: &reg, Store: &brokenStore{Store: memory.New(memory.Options{}), claim: errBroken}}
		var v registry.Verdict
		d.Decide(t.Context(), &registry.Step{Chain: "c", Session: "s", Ability: "x"}, &v)
		got := ""
		if f := v.Blocking(); f != nil {
			got = f.Rule.ID
		}
		if got != want {
			t.Errorf("%sstopped by %q, want %q", policy, got, want)
		}
	}
}
