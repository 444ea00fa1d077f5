package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// need returns a need that no benchmark exceeds: its window is short, so that
// the history stays small.
func need(subject string, run bool) registry.Need {
	return registry.Need{
		Counter: registry.CounterID{Spec: "calls:trading.*@chain", Subject: subject},
		Windows: []registry.Window{{Span: 100 * time.Microsecond, Limit: 9_999, Refuses: true}},
		Front:   []int{0},
		Run:     run,
	}
}

func admit(b *testing.B, s *memory.Store, c *state.Claim, g *state.Grant) {
	if err := s.Claim(context.Background(), c, g); err != nil || !g.Admitted {
		b.Fatal("not admitted:", err)
	}
}

// names are the 100 keys of every benchmark.
var names = func() (n [100]string) {
	for i := range n {
		n[i] = fmt.Sprintf("chain-%03d", i)
	}
	return n
}()

// BenchmarkAllow is the yardstick: a token bucket by name, behind a lock of its own.
func BenchmarkAllow(b *testing.B) {
	limiters := map[string]*rate.Limiter{}
	for _, n := range names {
		limiters[n] = rate.NewLimiter(1e12, 1<<30)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if !limiters[names[i%len(names)]].Allow() {
			b.Fatal("refused")
		}
	}
}

func BenchmarkClaim(b *testing.B) {
	for _, bm := range []struct {
		name  string
		needs int
		call  bool
		run   bool
		seen  bool
	}{
		{name: "one"}, {name: "one-seen", seen: true}, {name: "two", needs: 2}, {name: "one-run", run: true}, {name: "one-call-settled", call: true},
	} {
		b.Run(bm.name, func(b *testing.B) {
			s := memory.New(memory.Options{})
			var claims [len(names)]state.Claim
			for i, n := range names {
				claims[i].Needs = []registry.Need{need(n, bm.run)}
				if bm.run {
					claims[i].Run = "run-" + n
				}
				if bm.needs == 2 {
					second := need(n, false)
					second.Counter.Spec = "calls:*@session"
					claims[i].Needs = append(claims[i].Needs, second)
				}
				if bm.seen { // by a closed breaker, as most are
					claims[i].Expects = []state.Expect{{Key: n}}
				}
				if bm.call {
					claims[i].Call = state.CallID{1, byte(i)}
				}
			}
			var g state.Grant
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c := &claims[i%len(claims)]
				admit(b, s, c, &g)
				if bm.call {
					if err := s.Settle(context.Background(), &state.Settlement{Call: c.Call}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkClaimOwnChains is to be run with -cpu 1,2: each goroutine has a chain of its own.
func BenchmarkClaimOwnChains(b *testing.B) {
	for _, given := range []bool{false, true} {
		b.Run("now-given="+strconv.FormatBool(given), func(b *testing.B) {
			s := memory.New(memory.Options{})
			var started atomic.Int64
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				c := state.Claim{Needs: []registry.Need{need(names[7*started.Add(1)], false)}}
				var g state.Grant
				for pb.Next() {
					if given {
						c.Now = time.Now().UnixNano()
					}
					if err := s.Claim(context.Background(), &c, &g); err != nil || !g.Admitted {
						b.Error("not admitted:", err)
						return
					}
				}
			})
		})
	}
}

// BenchmarkWindow shows that the entries in a window do not matter.
func BenchmarkWindow(b *testing.B) {
	for _, entries := range []int{10, 9_000} {
		b.Run(strconv.Itoa(entries), func(b *testing.B) {
			s := memory.New(memory.Options{})
			n := need("chain", false)
			n.Windows = []registry.Window{{Span: time.Hour, Limit: 9_999, Refuses: true}, {Span: time.Nanosecond, Limit: int64(entries / 2), Refuses: true}}
			n.Front = []int{0, 1}
			c := state.Claim{Needs: []registry.Need{n}}
			var g state.Grant
			for range entries {
				admit(b, s, &c, &g)
			}
			// Judged and found free, but another rule refuses: the history keeps its size.
			c.Refused = true
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Claim(context.Background(), &c, &g); err != nil || g.At[0] != -1 {
					b.Fatal("exceeded:", err)
				}
			}
		})
	}
}

// BenchmarkClaimOfMany touches 100,000 chains at random, so that nothing is in a cache.
func BenchmarkClaimOfMany(b *testing.B) {
	s := memory.New(memory.Options{})
	claims := make([]state.Claim, 100_000)
	for i := range claims {
		n := need("chain-"+strconv.Itoa(i), false)
		n.Windows = []registry.Window{{Span: time.Hour, Limit: 9_999, Refuses: true}}
		claims[i].Needs = []registry.Need{n}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var g state.Grant
	b.ReportAllocs()
	for b.Loop() {
		admit(b, s, &claims[rnd.IntN(len(claims))], &g)
	}
}
