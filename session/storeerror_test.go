package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A step that cannot be counted passes only where every rule that would have
// counted it says so, also one that only warns or observes.
func TestOnStoreError(t *testing.T) {
	for policy, want := range map[string]string{
		"B:frequency>1/1h|abort|\"r\"\n":                                                              registry.SlugStoreError,
		"B:frequency>1/1h|abort|\"r\"|on_store_error=deny\n":                                          registry.SlugStoreError,
		"B:frequency>1/1h|abort|\"r\"|on_store_error=allow\n":                                         "",
		"B:frequency>1/1h|abort|\"r\"|on_store_error=allow,id=a\nB:frequency:x>9/1h|throttle|\"r\"\n": registry.SlugStoreError,
		"B:frequency>1/1h|abort|\"r\"|on_store_error=allow,id=a\nB:frequency:x>9/1h|warn|\"r\"\n":     registry.SlugStoreError,
		"B:frequency>1/1h|warn|\"r\"\n":                                                               registry.SlugStoreError,
		"B:frequency>1/1h|warn|\"r\"|on_store_error=deny\n":                                           registry.SlugStoreError,
		"B:frequency>1/1h|warn|\"r\"|on_store_error=allow\n":                                          "",
		"B:frequency>1/1h|abort|\"r\"|mode=observe\n":                                                 registry.SlugStoreError,
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
		if notes := strings.Join(v.Notes, "\n"); (got == "") != strings.HasPrefix(notes, "store unavailable: "+errBroken.Error()+"\n") && got != "ability-x" {
			t.Errorf("%sthe verdict notes %q", policy, notes)
		}
	}
}

// A store that has looked at what the rules say has the last word, and what a
// store once said of itself is not said of another.
func TestOnStoreError_Denied(t *testing.T) {
	p, faults := dsl.ParsePolicy("p.cbp", []byte("B:frequency>9/1h|abort|\"r\"|on_store_error=allow\n"))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	home := &brokenStore{Store: memory.New(memory.Options{})}
	d := session.Decider{Registry: &reg, Store: home}
	for _, tt := range []struct {
		err   error
		want  registry.Decision
		notes int
	}{{errBroken, registry.Allow, 2}, {nil, registry.Allow, 0}, {errors.Join(state.ErrUnavailable, state.ErrDenied), registry.Abort, 0}} {
		var v registry.Verdict
		home.claim = tt.err
		d.Decide(t.Context(), &registry.Step{Chain: "c", Session: "s", Ability: "x"}, &v)
		if v.Decision != tt.want || len(v.Notes) != tt.notes {
			t.Errorf("%v: %v with notes %q, want %v with %d", tt.err, v.Decision, v.Notes, tt.want, tt.notes)
		}
	}
}
