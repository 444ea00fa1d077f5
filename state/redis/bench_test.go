//go:build unix

package redis_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/redis"
)

// benchClient is a client of the server at CBPOLICY_REDIS, which may be pinned
// to a core of its own, or of one of the benchmark's.
func benchClient(b *testing.B) *goredis.Client {
	o, err := goredis.ParseURL(shared(b))
	if err != nil {
		b.Fatal(err)
	}
	c := goredis.NewClient(&goredis.Options{Addr: o.Addr, Protocol: 2, DisableIdentity: true, ContextTimeoutEnabled: true, PoolSize: 64})
	b.Cleanup(func() { c.Close() })
	return c
}

// One caller: a decision beside a script that does nothing, of the same client.
func BenchmarkDecide(b *testing.B) {
	client := benchClient(b)
	nothing := goredis.NewScript("return 1")
	if err := nothing.Load(ctx, client).Err(); err != nil {
		b.Fatal(err)
	}
	s, err := redis.New(client, redis.Options{Timeout: time.Minute, Domain: fresh()})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("PING", func(b *testing.B) {
		for b.Loop() {
			if err := client.Ping(ctx).Err(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("EVALSHA", func(b *testing.B) {
		for b.Loop() {
			if err := nothing.EvalSha(ctx, client, []string{"key"}).Err(); err != nil {
				b.Fatal(err)
			}
		}
	})
	claim := func(b *testing.B, c state.Claim) {
		for b.Loop() {
			var g state.Grant
			if err := s.Claim(ctx, &c, &g); err != nil || !g.Admitted {
				b.Fatalf("%+v, %v", g, err)
			}
		}
	}
	windows := func(n int) state.Claim {
		c := state.Claim{}
		for i := range n {
			need := oneCall("many", 9_999).Needs[0]
			need.Windows[0].Span = time.Millisecond // so that it is never full
			need.Counter.Spec = fmt.Sprint("calls ", i)
			c.Needs = append(c.Needs, need)
		}
		return c
	}
	for _, n := range []int{1, 2, 10} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) { claim(b, windows(n)) })
	}
	b.Run("breaker", func(b *testing.B) { // closed, as that of most abilities
		c := windows(1)
		c.Expects = []state.Expect{{Key: "breaker"}}
		claim(b, c)
	})
	b.Run("refused", func(b *testing.B) {
		c := oneCall("refused", 0)
		for b.Loop() {
			var g state.Grant
			if err := s.Claim(ctx, &c, &g); err != nil || g.Admitted {
				b.Fatalf("%+v, %v", g, err)
			}
		}
	})
	now := time.Now().UnixNano() // one for all: the time of a domain never goes back
	for _, entries := range []int{1, 100, 9_000} {
		b.Run(fmt.Sprintf("entries=%d", entries), func(b *testing.B) {
			// The window is as long as the entries: one leaves for each that comes.
			c := oneCall(fmt.Sprint("steady ", entries, fresh()), 9_999)
			c.Needs[0].Windows[0].Span = time.Duration(entries) * time.Second
			one := func() {
				var g state.Grant
				c.Now, now = now, now+int64(time.Second)
				if err := s.Claim(ctx, &c, &g); err != nil || !g.Admitted {
					b.Fatalf("%+v, %v", g, err)
				}
			}
			for range entries {
				one()
			}
			for b.Loop() {
				one()
			}
		})
	}
}

// Sixty-four callers at once.
func BenchmarkThroughput(b *testing.B) {
	client := benchClient(b)
	s, err := redis.New(client, redis.Options{Timeout: time.Minute, Domain: fresh()})
	if err != nil {
		b.Fatal(err)
	}
	run := func(b *testing.B, do func(caller int) error) {
		var wg sync.WaitGroup
		next := make(chan struct{}, 64)
		for i := range 64 {
			wg.Go(func() {
				for range next {
					if err := do(i); err != nil {
						b.Error(err)
					}
				}
			})
		}
		for b.Loop() {
			next <- struct{}{}
		}
		close(next)
		wg.Wait()
	}
	b.Run("PING", func(b *testing.B) { run(b, func(int) error { return client.Ping(ctx).Err() }) })
	b.Run("decide", func(b *testing.B) {
		claims := make([]state.Claim, 64)
		for i := range claims {
			claims[i] = oneCall(fmt.Sprint("caller ", i), 9_999)
			claims[i].Needs[0].Windows[0].Span = time.Millisecond
		}
		run(b, func(caller int) error {
			var g state.Grant
			return s.Claim(ctx, &claims[caller], &g)
		})
	})
}
