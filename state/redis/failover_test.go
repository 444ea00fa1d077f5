//go:build unix

package redis_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
)

// A failover under on_store_error=local: two processes of a fleet of two go on by
// their parts of the limit until Sentinel has made the replica the master, and
// then by the store again, which is told what they did.
func TestFailoverLocally(t *testing.T) {
	if testing.Short() {
		t.Skip("a failover takes seconds")
	}
	for why, fails := range map[string]func(*testing.T, *server){
		"the master is killed": func(_ *testing.T, s *server) { s.kill() },
		"the master freezes":   func(t *testing.T, s *server) { signal(t, s, syscall.SIGSTOP) },
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			failsOver(t, fails)
		})
	}
}

func failsOver(t *testing.T, fails func(*testing.T, *server)) {
	master, replica, address := startSentinel(t)
	domain := fresh()
	fleet := []*guarded{guardOf(t, address, domain), guardOf(t, address, domain)}
	admitted := int64(0) // by the rule that is counted locally, whose limit is 4
	for i, g := range fleet {
		eventually(t, "it answers", func() bool { got, _ := g.decides("warm"); return got == "allow" })
		if got, _ := g.decides("local"); got != "allow" {
			t.Fatalf("process %d, before: %s", i, got)
		}
		admitted++
	}
	// A failover loses what was not replicated, which nobody can give back.
	if n, ok := master.do(t, "WAIT", 1, 5000).(int64); !ok || n != 1 {
		t.Fatalf("%v replicas have what was admitted", n)
	}
	fails(t, master)

	// Every decision from now on is in time, and says why it is made without the
	// store, until it is made with it.
	back := make([]bool, len(fleet))
	var longest time.Duration
	for end := time.Now().Add(time.Minute); slices.Contains(back, false); {
		if time.Now().After(end) {
			t.Fatal("the store is not used again within a minute")
		}
		for i, g := range fleet {
			for _, ability := range []string{"local", "deny"} {
				v, took := g.decide(ability)
				longest = max(longest, took)
				if ability == "local" && v.Decision == registry.Allow {
					admitted++
				}
				switch away := g.store.Status().Away; { // it is lost by its own decisions only
				case !whyAway(t, &v) && away:
					t.Errorf("process %d, %s: %v of %v names no reason", i, ability, v.Decision, v.Notes)
				case ability == "deny" && v.Decision == registry.Allow:
					back[i] = true // only the store lets it pass
				}
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	// A decision waits a deadline for the store, and one until it is told.
	if longest > 4*limit {
		t.Errorf("a decision took %v, with a deadline of %v", longest, limit)
	}
	t.Logf("the longest decision took %v", longest)

	// Each admitted its part of two, one of them before; what is left of the limit of
	// four has who is back first, to whom the other has not told its part yet.
	if admitted < 4 || admitted > 4+2 {
		t.Errorf("%d were admitted in all, want 4 to 6: L to L + (K-1) * L/K", admitted)
	}
	for i, g := range fleet {
		eventually(t, "all is told", func() bool { st := g.store.Status(); return !st.Away && st.Kept == 0 })
		if st := g.store.Status(); st.Lost != 0 {
			t.Errorf("process %d: %+v", i, st)
		}
		if n := g.entries("local"); n != admitted {
			t.Errorf("process %d: the store holds %d entries, want %d", i, n, admitted)
		}
		if v, _ := g.decide("local"); v.Decision != registry.Abort || len(v.Notes) > 0 {
			t.Errorf("process %d: %v with notes %q, want an abort by the store", i, v.Decision, v.Notes)
		}
	}
	if role := fmt.Sprint(replica.do(t, "ROLE")); !strings.HasPrefix(role, "[master") {
		t.Errorf("the replica is %s", role)
	}
}

// whyAway reports whether a verdict says that, and why, the store was not there:
// in a note, or as the reason of a refusal.
func whyAway(t *testing.T, v *registry.Verdict) bool {
	t.Helper()
	data, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var said registry.VerdictJSON
	if err := json.Unmarshal(data, &said); err != nil {
		t.Fatal(err)
	}
	for _, note := range said.Notes {
		if why, ok := strings.CutPrefix(note, "store unavailable: "); ok && why != "" {
			return true
		}
	}
	for _, f := range said.Fired {
		if _, why, ok := strings.Cut(f.Reason, "state: unavailable: "); ok && f.Rule == "store_error" && why != "" {
			return true
		}
	}
	return false
}
