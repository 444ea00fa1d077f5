package registry_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/registry"
)

// A note stays with the rules that it is about: through changes of other rules,
// until the next load.
func TestNote(t *testing.T) {
	reg := load(t, `B:amount>1000|abort|id=limit`)
	digest := reg.Set().Digest()
	noted := []string{"a newer policy was refused"}
	reg.Note(noted...)
	noted[0] = "changed by the caller"
	notes := func(want ...string) {
		t.Helper()
		if d := cmp.Diff(want, reg.Set().Notes()); d != "" {
			t.Error(d)
		}
	}
	notes("a newer policy was refused")
	if reg.Set().Digest() != digest {
		t.Error("a note changes the digest of the rules")
	}
	if err := reg.Register(registry.Ruleset{Scope: registry.Scope{Origin: registry.Chain, Pattern: "c"}, Rules: defs(t, `ability:x|warn`)}); err != nil {
		t.Fatal(err)
	}
	if reg.Load(parse(t, "B:amount>1|abort\nB:amount>1|abort")) == nil {
		t.Fatal("two equal rules are in force")
	}
	notes("a newer policy was refused")
	reg.Note("another one", "not\xffUTF-8")
	notes("another one", "not\ufffdUTF-8")
	if err := reg.Load(parse(t, `B:amount>1000|abort|id=limit`)); err != nil {
		t.Fatal(err)
	}
	notes()
}
