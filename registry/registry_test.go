package registry_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/registry"
)

// ids are the rules in force.
func ids(reg *registry.Registry) (out []string) {
	for r := range reg.Set().Rules() {
		out = append(out, r.Scope.Origin.String()+":"+r.ID)
	}
	return out
}

func wantIDs(t *testing.T, reg *registry.Registry, want ...string) {
	t.Helper()
	got := ids(reg)
	if len(got) != len(want) || reg.Set().Len() != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestRegistry_Changes(t *testing.T) {
	reg := new(registry.Registry)
	wantIDs(t, reg)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(reg.Register(registry.Ruleset{Scope: operatorAll, Rules: defs(t, `a>1|abort|id=a`)}))
	must(reg.Register(registry.Ruleset{Scope: operatorAll, Rules: defs(t, `b>1|abort|id=b`)}))
	must(reg.Register(registry.Ruleset{Scope: chainTrade, Rules: defs(t, `c>1|abort|id=c`)}))
	wantIDs(t, reg, "operator:a", "operator:b", "chain:c")
	must(reg.Replace(registry.Ruleset{Scope: operatorAll, Rules: defs(t, `d>1|abort|id=d`)}))
	wantIDs(t, reg, "operator:d", "chain:c")
	must(reg.Load(parse(t, "B:e>1|abort|id=e\nCHAIN:x\nB:f>1|abort|id=f")))
	wantIDs(t, reg, "operator:e", "operator:f", "chain:c")
	if n := reg.Remove(operatorAll, "nothing"); n != 0 {
		t.Errorf("removed %d rules of a name that is not there", n)
	}
	if n := reg.Remove(operatorAll, "e"); n != 1 {
		t.Errorf("removed %d rules, want 1", n)
	}
	wantIDs(t, reg, "operator:f", "chain:c")
	if n := reg.Remove(chainTrade); n != 1 {
		t.Errorf("removed %d rules of the chain, want 1", n)
	}
	must(reg.Load())
	wantIDs(t, reg)
}

func TestRegistry_BadSetLeavesTheOldOneInForce(t *testing.T) {
	reg := load(t, `B:amount>1000|abort|id=limit`)
	before := reg.Set()
	err := reg.Load(
		parse(t, "B:price>5|abort\nB:price>5|abort"),
		parse(t, "\n B:when:nothing > 5|abort|id=one\nCHAIN:x\nB:when:task.nothing > 5|abort|id=two"),
	)
	var list diag.List
	if !errors.As(err, &list) {
		t.Fatalf("got %T %v, want a list of findings", err, err)
	}
	var got []diag.Position
	for _, f := range list {
		if f.File != "test.cbp" {
			t.Errorf("%v: in file %q", f.Message, f.File)
		}
		got = append(got, f.Pos)
	}
	// A fault in an expression stands where the expression goes wrong.
	want := []diag.Position{{Line: 2, Column: 3}, {Line: 2, Column: 9}, {Line: 4, Column: 13}}
	if !slices.Equal(got, want) {
		t.Errorf("faults at %v, want %v\n%v", got, want, err)
	}
	if reg.Set() != before {
		t.Error("another set is in force")
	}
	bad := registry.Ruleset{Scope: chainTrade, Rules: defs(t, `frequency>1/1h|abort|on_store_error=allow`)}
	good := registry.Ruleset{Scope: operatorAll, Rules: defs(t, `price>5|abort`)}
	if reg.Register(good, bad) == nil || reg.Replace(good, bad) == nil || reg.Set() != before {
		t.Error("half of a bad change is in force")
	}
}

func TestReload_CarriesWindowsOver(t *testing.T) {
	reg := load(t, "B:frequency>2/1h|abort|id=runs\nB:frequency:pay.*>3/1h|abort|id=calls")
	d := deciderOf(reg)
	at := func(minute int) registry.Step {
		return registry.Step{Now: start.Add(time.Duration(minute) * time.Minute).UnixNano()}
	}
	for i := range 2 {
		if got := judge(t, d, at(i)); got != "allow" {
			t.Fatalf("step %d: %s", i, got)
		}
	}
	// The calls' limit is tightened, another rule comes, the text of a reason changes.
	if err := reg.Load(parse(t, "B:price<0|abort|id=new,missing=skip\nB:frequency>2/1h|abort|\"other words\"|id=runs\nB:frequency:pay.*>1/1h|abort|id=calls")); err != nil {
		t.Fatal(err)
	}
	if got := judge(t, d, at(2)); got != "abort runs calls" {
		t.Errorf("after the reload: %s", got)
	}
	if err := reg.Load(); err != nil {
		t.Fatal(err)
	}
	if got := judge(t, d, at(3)); got != "allow" {
		t.Errorf("without rules: %s", got)
	}
}

// Rules that several drivers lead to are listed once, however many fire.
func TestManyFire(t *testing.T) {
	var policy strings.Builder
	for i := range 100 {
		fmt.Fprintf(&policy, "B:key%d>1|abort\nB:arg:a|contains:x & after:y|warn|id=w%d\n", i, i)
	}
	d := deciderOf(load(t, policy.String()))
	var v registry.Verdict
	for range 2 { // the plan's memory is used again
		d.Decide(t.Context(), &registry.Step{Ability: "x", Args: values(t, `{"a":"x"}`)}, &v)
		seen := map[string]bool{}
		for _, f := range v.Fired {
			if seen[f.Rule.ID] {
				t.Fatalf("%s is listed twice", f.Rule.ID)
			}
			seen[f.Rule.ID] = true
		}
		if len(seen) != 100 {
			t.Fatalf("%d rules fire, want the 100 whose key is missing", len(seen))
		}
	}
}

func TestBlanksInAbility(t *testing.T) {
	d := deciderOf(load(t, "B:ability:pay|abort"))
	for _, ability := range []string{"pay ", " pay", "pay\u00a0", "p\u2003ay", "pay\u2800", "\u3000pay"} {
		if got := judge(t, d, registry.Step{Ability: ability}); got != "abort malformed_step" {
			t.Errorf("%q: %s", ability, got)
		}
	}
	if got := judge(t, d, registry.Step{Ability: "ask the user"}); got != "allow" {
		t.Errorf("blanks inside: %s", got)
	}
}
