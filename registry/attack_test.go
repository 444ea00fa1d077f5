package registry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// hang is far longer than what is timed takes on the slowest machine.
const hang = 60 * time.Second

// An agent that repeats what a rule looks for pays with its own time only:
// each rule is judged once, however often and wherever its text occurs.
func TestRepeatedTextsCostNoSquare(t *testing.T) {
	const n = 30_000
	for policy, args := range map[string]string{
		`B:arg:items.cmd|equals:foo|abort`:                        `{"items":[` + strings.TrimSuffix(strings.Repeat(`{"cmd":"a"},`, n), ",") + `]}`,
		`B:arg:cmd|contains:a & arg:cmd|contains:zzz|abort`:       `{"cmd":[` + strings.TrimSuffix(strings.Repeat(`"a",`, n), ",") + `]}`,
		`B:arg:cmd|icontains:a & arg:cmd|icontains:zzz|abort`:     `{"cmd":"` + strings.Repeat("a", 10*n) + `"}`,
		`B:arg:items.cmd|matches:"^foo" & arg:x|contains:y|abort`: `{"items":[` + strings.TrimSuffix(strings.Repeat(`{"cmd":"foo"},`, n), ",") + `]}`,
	} {
		d := deciderOf(load(t, policy))
		begin := time.Now()
		if got := judge(t, d, registry.Step{Ability: "x", Args: values(t, args)}); got != "allow" {
			t.Errorf("%s: %s", policy, got)
		}
		if took := time.Since(begin); took > hang {
			t.Errorf("%s: took %v", policy, took)
		}
	}
}

// A key may be looked up in every way in which its dots can be read; a model
// that writes a very long one must not take the memory of its host.
func TestKeysAreBounded(t *testing.T) {
	long := strings.TrimSuffix(strings.Repeat("a.", dsl.MaxSegments+1), ".")
	for _, rule := range []string{long + ">1|abort", "arg:" + long + "|contains:x|abort", "x>{{" + long + "}}|abort"} {
		if _, f := dsl.ParseRule("f", start0, rule); f == nil || f.ID != dsl.LimitID {
			t.Errorf("%.40s…: %v", rule, f)
		}
	}
	if _, f := dsl.ParseRule("f", start0, strings.TrimSuffix(strings.Repeat("a.", dsl.MaxSegments), ".")+">1|abort"); f != nil {
		t.Error(f)
	}
}

// What is written like a number is one, so that a comparison with a text of
// digits would never hold.
func TestNumericTextsInExpressions(t *testing.T) {
	for expr, fine := range map[string]bool{
		`args.acct == "12345"`: false, `"1e3" != args.x`: false, `args.acct == 12345`: true, `args.acct == "AB-12"`: true,
	} {
		p, faults := dsl.ParsePolicy("p.cbp", []byte("B:when:"+expr+"|abort\n"))
		if faults.Err() != nil {
			t.Fatal(faults)
		}
		if err := new(registry.Registry).Load(p); (err == nil) != fine {
			t.Errorf("%s: %v", expr, err)
		}
	}
}

// A model chooses the names of its chains: nyaya/* covers all of them.
func TestModelNamesAreCovered(t *testing.T) {
	for _, name := range []string{"a.b", "a..b", ".a"} {
		raw := &dsl.RawBlock{File: "m", Pos: start0, Text: "NEW:" + name + "\nS:a.b>c"}
		if b, _ := dsl.ParseBlock(raw); b != nil {
			t.Errorf("a model may call its chain %s, which nyaya/* does not cover", b.ChainID())
		}
	}
}

var start0 = diag.Position{Line: 1, Column: 1}
