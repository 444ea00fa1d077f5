package registry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/registry"
)

// allocs counts the allocations of planning and deciding a step into memory
// that is reused.
func allocs(t *testing.T, reg *registry.Registry, st *registry.Step) (n float64, v registry.Verdict) {
	t.Helper()
	set := reg.Set()
	var p registry.Plan
	var tally registry.Tally
	run := func() {
		set.Plan(st, &p)
		tally.At = tally.At[:0]
		for range p.Needs {
			tally.At = append(tally.At, -1)
		}
		set.Decide(st, &p, &tally, &v)
	}
	run()
	return testing.AllocsPerRun(200, run), v
}

const quietPolicy = `B:amount>1000|abort
B:amount<0 & ability:pay.*|abort
B:ability:mail.*|confirm
B:arg:note|contains:"secret"|abort
B:output:log|contains:"fail"|abort
B:frequency:pay.*>5/1h|throttle
B:frequency>5/1h|throttle
B:task.tool_calls>50|abort
B:after:mail.*|confirm
`

func TestAllocs_NothingFires(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	policy := quietPolicy
	for i := range 100 {
		policy += fmt.Sprintf("B:amount>%d|abort\nB:ability:other%d.*|abort\n", 2000+i, i)
	}
	reg := load(t, policy)
	texts := map[string]string{"amount": "182.50", "note": "all fine"}
	step := func(args, outputs *registry.Values) *registry.Step {
		return &registry.Step{
			Chain: "trade", Ability: "pay.send", Session: "s", Args: args, Outputs: outputs,
			Meters: boundMeters{}, Now: start.UnixNano(),
		}
	}
	for name, st := range map[string]*registry.Step{
		"from maps":         step(registry.Texts(texts), registry.Texts(map[string]string{"log": "done"})),
		"from bound values": step(values(t, `{"amount":182.50,"note":"all fine","order":{"amount":5}}`), values(t, `{"log":"done"}`)),
	} {
		n, v := allocs(t, reg, st)
		if len(v.Fired) > 0 {
			t.Fatalf("%s: %s", name, brief(&v))
		}
		if n != 0 {
			t.Errorf("%s: %.1f allocations, want 0", name, n)
		}
	}
}

func TestAllocs_When(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	n, v := allocs(t, load(t, `B:when:ability == "mail.send" && chain == "trade"|abort`),
		&registry.Step{Chain: "trade", Ability: "pay.send", Now: start.UnixNano()})
	if len(v.Fired) > 0 || n > 1 {
		t.Errorf("%s: %.1f allocations, want at most 1", brief(&v), n)
	}
}

// Regular expressions cost no memory once the plan has what it needs, nor does what
// is known of them. Texts are made values for a match on all names.
func TestAllocs_Regexps(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	reg := load(t, "B:output:log|matches:`(?i)\\bfail(ed|ure)\\b.*twice`|abort\nB:output:*|matches:`^(secret|password):`|abort\n"+
		"B:!output:log|matches:`[a-z]+`|abort\nB:arg:note|matches:`(?i)never.*more`|abort\n")
	log := "It failed, and the password: is missing. " + strings.Repeat("All is fine. ", 50)
	for _, c := range []struct {
		name    string
		outputs *registry.Values
		most    float64
	}{
		{"from maps", registry.Texts(map[string]string{"log": log}), 2},
		{"from bound values", bound("log", log), 0},
	} {
		n, v := allocs(t, reg, &registry.Step{
			Chain: "trade", Ability: "pay.send", Args: registry.Texts(map[string]string{"note": "never again, says the longer note"}), Outputs: c.outputs, Now: start.UnixNano(),
		})
		if len(v.Fired) > 0 || n > c.most {
			t.Errorf("%s: %s: %.1f allocations, want at most %.0f", c.name, brief(&v), n, c.most)
		}
	}
}

// bound are values of one name.
func bound(name, text string) *registry.Values {
	vs := &registry.Values{}
	vs.Bind(name, registry.Text(text))
	return vs
}

func TestAllocs_OneFires(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	n, v := allocs(t, load(t, quietPolicy), &registry.Step{
		Chain: "trade", Ability: "pay.send", Args: values(t, `{"amount":1500,"note":"fine"}`), Meters: boundMeters{}, Now: start.UnixNano(),
	})
	if brief(&v) != "abort amount-gt-1000" || n > 1 {
		t.Errorf("%s: %.1f allocations, want at most 1", brief(&v), n)
	}
}

// boundMeters are all 0, without an allocation.
type boundMeters struct{}

func (boundMeters) Meter(dsl.Key) (decimal.Decimal, bool) { return decimal.Decimal{}, true }
