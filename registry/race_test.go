package registry_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
)

// TestRace lets 64 goroutines register, replace, remove, reload and decide at
// once. The operator's limit is in every set, so it must hold all the time.
func TestRace(t *testing.T) {
	const limit = `B:amount>1000|abort|id=limit`
	reg := load(t, limit)
	policies := []string{limit, limit + "\nB:frequency:pay.*>5/1h|warn|id=calls\nCHAIN:tr*\nB:!arg:to|in:user|warn|id=to", limit + "\nB:when:args.amount > 2000|warn|id=when"}
	d := deciderOf(reg)
	var wg sync.WaitGroup
	for worker := range 64 {
		scope := registry.Scope{Origin: registry.Model, Pattern: "nyaya/x", Session: fmt.Sprint(worker)}
		rules := registry.Ruleset{Scope: scope, Rules: defs(t, `ability:pay.*|warn|id=own`, `frequency>1000/1h|abort|id=runs`)}
		reload := parse(t, policies[worker%len(policies)])
		args := values(t, `{"amount":1500}`)
		wg.Go(func() {
			for i := range 20 {
				switch worker % 4 {
				case 0:
					if err := reg.Load(reload); err != nil {
						t.Error(err)
					}
				case 1:
					if err := reg.Register(rules); err != nil {
						t.Error(err)
					}
					if n := reg.Remove(scope); n != 2 {
						t.Errorf("removed %d rules, want 2", n)
					}
				}
				st := registry.Step{
					Chain: fmt.Sprintf("nyaya/%c", 'x'+i%2), Session: fmt.Sprint(worker), Ability: "pay.send",
					Args: args, Now: start.Add(time.Duration(i)).UnixNano(),
				}
				var v registry.Verdict
				d.Decide(t.Context(), &st, &v)
				if v.Decision != registry.Abort || v.Blocking().Rule.ID != "limit" {
					t.Errorf("got %s", brief(&v))
				}
			}
		})
	}
	wg.Wait()
}

// TestReload_NeverBlocksADecision holds a reload open from inside: while the
// change is under way, steps are decided by the old set.
func TestReload_NeverBlocksADecision(t *testing.T) {
	reg := load(t, `B:amount>1000|abort|id=limit`)
	d := deciderOf(reg)
	policy := parse(t, manyRules(2_000))
	var done atomic.Bool
	go func() {
		defer done.Store(true)
		if err := reg.Load(policy); err != nil {
			t.Error(err)
		}
	}()
	args := values(t, `{"amount":1500}`)
	during := 0
	for !done.Load() {
		if got := judge(t, d, registry.Step{Args: args}); got == "abort limit" {
			during++
		}
	}
	if during < 2 {
		t.Errorf("%d decisions were made while 2,000 rules were loaded", during)
	}
	if n := reg.Set().Len(); n != 2_000 {
		t.Errorf("%d rules are in force", n)
	}
}

// manyRules is a policy of n rules over keys that no step binds.
func manyRules(n int) string {
	var b []byte
	for i := range n {
		b = fmt.Appendf(b, "B:key%d>%d|abort|missing=skip\n", i, i)
	}
	return string(b)
}
