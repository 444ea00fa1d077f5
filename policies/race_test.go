package policies_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/policies"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// generation is a policy of many files, whose rules all carry its number.
func (f *fleet) generation(n int) {
	for _, file := range []string{"a", "b", "c"} {
		f.write("p/"+file+".cbp", fmt.Sprintf("B:ability:pay|abort|\"no\"|id=%s-%d\n", file, n))
	}
}

// A thousand updates while steps are decided, every tenth of which is bad: every
// verdict is of one set and of no mixture, and what it says of a refused update
// belongs to that set.
func TestRace(t *testing.T) {
	const deciders = 8
	updates := 1000
	if testing.Short() {
		updates = 200
	}
	f := newFleet(t, nil)
	f.generation(0)
	var digests sync.Map // of the generations, as the loader told them
	l, err := policies.Open(f.reg, policies.Options{Paths: []string{f.path("p")}, Now: func() time.Time { return start }})
	f.must(err)
	f.loader = l
	digests.Store("0", f.digest())

	var done atomic.Bool
	var verdicts, noted, seen atomic.Int64
	var wg sync.WaitGroup
	store := memory.New(memory.Options{})
	for range deciders {
		wg.Go(func() {
			d := session.Decider{Registry: f.reg, Store: store}
			last := ""
			for !done.Load() {
				runtime.Gosched() // else whoever publishes waits for its turn behind all of them
				var v registry.Verdict
				d.Decide(t.Context(), &registry.Step{Session: "s", Ability: "pay"}, &v)
				of := map[string]bool{}
				generation := ""
				for _, fired := range v.Fired {
					_, generation, _ = strings.Cut(fired.Rule.ID, "-")
					of[generation] = true
				}
				if len(v.Fired) != 3 || len(of) != 1 || v.Decision != registry.Abort {
					t.Errorf("a mixture: %v, %d rules", of, len(v.Fired))
					return
				}
				if len(v.Notes) > 0 {
					noted.Add(1)
					digest, _ := digests.Load(generation)
					if len(v.Notes) != 1 || !strings.HasSuffix(v.Notes[0], fmt.Sprint("digest ", digest)) {
						t.Errorf("generation %s: %q, its digest is %v", generation, v.Notes, digest)
						return
					}
				}
				if verdicts.Add(1); generation != last {
					seen.Add(1)
					last = generation
				}
			}
		})
	}
	for n := 1; n <= updates && !t.Failed(); n++ {
		if n%10 == 0 {
			f.write("p/b.cbp", "B:amount>\n")
		} else {
			f.generation(n)
		}
		l.Look()
		if !l.Look() {
			t.Errorf("update %d was not seen", n)
		}
		if n%10 != 0 {
			digests.Store(fmt.Sprint(n), f.digest())
		}
	}
	done.Store(true)
	wg.Wait()
	if seen.Load() < 50 || noted.Load() == 0 {
		t.Errorf("%d verdicts saw %d updates and %d notes", verdicts.Load(), seen.Load(), noted.Load())
	}
	t.Logf("%d verdicts saw %d updates; %d told of one that was refused", verdicts.Load(), seen.Load(), noted.Load())
}
