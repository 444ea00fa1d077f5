package registry_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

func TestAway_Limit(t *testing.T) {
	for _, tt := range []struct{ limit, fleet, want int64 }{
		{5, 0, 5}, {5, 1, 5}, {5, 2, 2}, {5, 5, 1}, {5, 6, 0}, {200, 40, 5}, {0, 1, 0}, {0, 40, 0},
	} {
		if got := (&registry.Away{Fleet: tt.fleet}).Limit(tt.limit); got != tt.want {
			t.Errorf("limit %d in a fleet of %d: %d, want %d", tt.limit, tt.fleet, got, tt.want)
		}
	}
	if got := (*registry.Away)(nil).Limit(5); got != 5 {
		t.Errorf("limit 5 of a store that answered: %d", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		limit, fleet := rapid.Int64Range(0, 9_999).Draw(t, "limit"), rapid.Int64Range(1, 2_000).Draw(t, "fleet")
		if part := (&registry.Away{Fleet: fleet}).Limit(limit); part < 0 || part*fleet > limit || (part+1)*fleet <= limit {
			t.Fatalf("%d processes may use %d each of %d", fleet, part, limit)
		}
	})
}

func TestAway_Mode(t *testing.T) {
	const unsaid, deny, allow, local = dsl.StoreDefault, dsl.StoreDeny, dsl.StoreAllow, dsl.StoreLocal
	for _, tt := range []struct{ operator, rule, want dsl.OnStoreError }{
		{unsaid, unsaid, deny}, {unsaid, allow, allow}, {unsaid, local, local}, {local, unsaid, local}, {local, deny, deny},
		{allow, unsaid, allow}, {allow, deny, deny}, {deny, local, local}, {deny, unsaid, deny},
	} {
		a := registry.Away{Default: tt.operator}
		if got := a.Mode(tt.rule); got != tt.want {
			t.Errorf("operator %v, rule %v: %v, want %v", tt.operator, tt.rule, got, tt.want)
		}
		for _, mode := range []dsl.OnStoreError{deny, allow, local} {
			if got := a.Says(registry.ModesOf(tt.rule), mode); got != (mode == tt.want) {
				t.Errorf("operator %v, rule %v: says %v: %v", tt.operator, tt.rule, mode, got)
			}
		}
	}
}

// awayTally is what a local home answers that has n entries in every window of a plan.
func awayTally(p *registry.Plan, a *registry.Away, n int64) *registry.Tally {
	t := &registry.Tally{Away: a, Now: start.UnixNano()}
	for _, need := range p.Needs {
		t.At = append(t.At, len(t.Counts))
		for range need.Windows {
			t.Counts = append(t.Counts, registry.Count{N: n})
		}
	}
	t.Approved = make([]bool, len(p.Guards))
	return t
}

const awayPolicy = `B:frequency>100/1h|abort|id=unsaid
B:frequency>101/1h|throttle|id=denies,on_store_error=deny
B:frequency>80/1h|abort|id=allows,on_store_error=allow
B:frequency>120/1h|throttle|id=local,on_store_error=local
B:frequency>140/1h & amount>5|abort|id=guarded,on_store_error=local
B:frequency>60/1h & amount>5|abort|id=spared,on_store_error=allow
B:frequency>160/1h|warn|id=warns,on_store_error=local
B:amount>6|warn|id=counts_nothing
`

// What fires while the store is away, by what the operator says, how many
// entries there are, and in what fleet.
func TestDecide_Away(t *testing.T) {
	set := load(t, awayPolicy).Set()
	for _, tt := range []struct {
		operator dsl.OnStoreError
		fleet, n int64
		want     string
	}{
		{dsl.StoreLocal, 1, 100, "counts_nothing"},
		{dsl.StoreLocal, 1, 101, "unsaid counts_nothing"},
		{dsl.StoreLocal, 1, 141, "unsaid local guarded counts_nothing"},
		{dsl.StoreLocal, 20, 5, "counts_nothing"},
		{dsl.StoreLocal, 20, 6, "unsaid counts_nothing"},
		{dsl.StoreLocal, 20, 8, "unsaid local guarded counts_nothing"},
		{dsl.StoreLocal, 20, 9, "unsaid local guarded warns counts_nothing"},
		{dsl.StoreAllow, 20, 7, "local counts_nothing"},
		{dsl.StoreAllow, 0, 999, "counts_nothing"},
	} {
		st := registry.Step{Chain: "c", Args: values(t, `{"amount":7}`)}
		var p registry.Plan
		set.Plan(&st, &p)
		tally := awayTally(&p, &registry.Away{Reason: "r", Default: tt.operator, Fleet: tt.fleet}, tt.n)
		var v, again registry.Verdict
		set.Decide(&st, &p, tally, &v)
		var got []string
		for _, f := range v.Fired {
			got = append(got, f.Rule.ID)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%v, fleet %d, %d entries: %s, want %s", tt.operator, tt.fleet, tt.n, got, tt.want)
		}
		if err := set.Repeat(&st, p.Record(), tally, &again); err != nil || fmt.Sprint(again) != fmt.Sprint(v) {
			t.Errorf("%v, fleet %d, %d entries: decided %v, repeated %v, %v", tt.operator, tt.fleet, tt.n, v, again, err)
		}
	}
}

func TestDecide_AwayNotes(t *testing.T) {
	set := load(t, awayPolicy).Set()
	for _, tt := range []struct {
		args  string
		away  registry.Away
		notes []string
	}{
		{`{"amount":7}`, registry.Away{Reason: "no answer in 50ms", Default: dsl.StoreLocal, Fleet: 40}, []string{
			"store unavailable: no answer in 50ms",
			"counted locally, limits for a fleet of 40: unsaid 2 of 100, local 3 of 120, warns 4 of 160, guarded 3 of 140",
			"let pass uncounted (on_store_error=allow): allows, spared",
		}},
		{`{"amount":1}`, registry.Away{Reason: "r", Default: dsl.StoreAllow, Fleet: 1}, []string{
			"store unavailable: r", "counted locally, limits for a fleet of 1: local 120 of 120, warns 160 of 160",
			"let pass uncounted (on_store_error=allow): allows, unsaid",
		}},
		{`{"amount":1}`, registry.Away{Reason: "r", Default: dsl.StoreDeny}, []string{
			"store unavailable: r", "let pass uncounted (on_store_error=allow): allows",
		}},
	} {
		st := registry.Step{Chain: "c", Args: values(t, tt.args)}
		var p registry.Plan
		set.Plan(&st, &p)
		var v registry.Verdict
		set.Decide(&st, &p, awayTally(&p, &tt.away, 1), &v)
		if got, want := strings.Join(v.Notes, "\n"), strings.Join(tt.notes, "\n"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// A verdict names the first rules of very many.
func TestDecide_AwayNotesAreBounded(t *testing.T) {
	var policy strings.Builder
	for i := range 500 {
		fmt.Fprintf(&policy, "B:frequency>%d/1h|abort|id=r%d\n", i+100, i)
	}
	set := load(t, policy.String()).Set()
	st := registry.Step{Chain: "c"}
	var p registry.Plan
	set.Plan(&st, &p)
	var v registry.Verdict
	set.Decide(&st, &p, awayTally(&p, &registry.Away{Reason: "r", Default: dsl.StoreLocal, Fleet: 1}, 1), &v)
	if len(v.Notes) != 2 || !strings.HasSuffix(v.Notes[1], "r19 119 of 119 and 480 more") {
		t.Errorf("got %q", v.Notes)
	}
}
