//go:build unix

package redis_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/cbpolicy/cbpolicy/audit"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/fallback"
	"github.com/cbpolicy/cbpolicy/state/memory"
	"github.com/cbpolicy/cbpolicy/state/redis"
)

const fallbackPolicy = `B:frequency:local>4/1h|abort|id=local,on_store_error=local
B:frequency:allow>1/1h|abort|id=allow,on_store_error=allow
B:frequency:deny>9000/1h|abort|id=deny,on_store_error=deny
`

// guarded is a decider whose home is a server that may fail, and the log of
// its decisions.
type guarded struct {
	*testing.T
	session.Decider
	store *fallback.Store
	log   *audit.Log
	path  string
	n     int
}

func guard(t *testing.T, address string) *guarded {
	t.Helper()
	return guardOf(t, address, fresh())
}

// guardOf is a decider of a domain, whose limits are for a fleet of two.
func guardOf(t *testing.T, address, domain string) *guarded {
	t.Helper()
	p, faults := dsl.ParsePolicy("p.cbp", []byte(fallbackPolicy))
	if faults.Err() != nil {
		t.Fatal(faults)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	home, err := redis.Open(address, redis.Options{Domain: domain, Timeout: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.Close() })
	store, err := fallback.New(home, memory.New(memory.Options{}), fallback.Options{Timeout: limit, Fleet: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	g := &guarded{T: t, store: store, path: filepath.Join(t.TempDir(), "audit.jsonl")}
	if g.log, err = audit.Open(g.path, audit.Options{}); err != nil {
		t.Fatal(err)
	}
	g.Decider = session.Decider{Registry: &reg, Store: store, Record: g.log.Record}
	return g
}

// decides makes a decision and returns it in a line.
func (g *guarded) decides(ability string) (verdict string, took time.Duration) {
	v, took := g.decide(ability)
	verdict = v.Decision.String()
	for _, f := range v.Fired {
		verdict += " " + f.Rule.ID
	}
	if len(v.Notes) > 0 {
		verdict += " away"
	}
	return verdict, took
}

// decide makes a decision.
func (g *guarded) decide(ability string) (v registry.Verdict, took time.Duration) {
	g.n++
	begin := time.Now()
	g.Decide(ctx, &registry.Step{Chain: "c", Session: "s", Ability: ability}, &v)
	return v, time.Since(begin)
}

// away checks the verdicts while the server cannot be used, of which the
// first may cost the deadline and the others nothing.
func (g *guarded) away(why string) {
	g.Helper()
	for i, tt := range []struct{ ability, want string }{
		{"deny", "abort store_error"}, {"deny", "abort store_error"}, {"allow", "allow away"}, {"allow", "allow away"},
		{"local", "allow away"}, {"local", "abort local away"}, {"local", "abort local away"},
	} {
		got, took := g.decides(tt.ability)
		if got != tt.want {
			g.Errorf("%s: decision %d, %s: %s, want %s", why, i, tt.ability, got, tt.want)
		}
		if i == 0 && took > patience || i > 0 && took > limit {
			g.Errorf("%s: decision %d took %v, want at most %v", why, i, took, limit)
		}
	}
}

// back waits until the server is asked again, and checks that it has what was
// admitted meanwhile and that the log has every decision.
func (g *guarded) back(why string, entries map[string]int64) {
	g.Helper()
	eventually(g.T, why+": it is back", func() bool { return !g.store.Status().Away })
	if st := g.store.Status(); st.Kept != 0 || st.Lost != 0 {
		g.Errorf("%s: not all was told: %+v", why, st)
	}
	if got, _ := g.decides("deny"); got != "allow" {
		g.Errorf("%s: back, but %s", why, got)
	}
	for ability, want := range entries {
		if got := g.entries(ability); got != want {
			g.Errorf("%s: the server holds %d entries of %s, want %d", why, got, ability, want)
		}
	}
	if err := g.log.Close(); err != nil {
		g.Fatal(err)
	}
	lines := 0
	for _, err := range audit.ReadAll(g.path, 0) {
		if err != nil {
			g.Fatal(err)
		}
		lines++
	}
	if lines != g.n {
		g.Errorf("%s: the log holds %d of %d decisions", why, lines, g.n)
	}
}

// entries returns how many calls of an ability the server holds.
func (g *guarded) entries(ability string) int64 {
	g.Helper()
	var p registry.Plan
	g.Registry.Set().Plan(&registry.Step{Chain: "c", Session: "s", Ability: ability}, &p)
	c := oneCall("", 0)
	c.Needs[0].Counter, c.Refused = p.Needs[0].Counter, true
	return counted(g.T, g.store, c)
}

// The verdicts are as configured whatever becomes of the server, and it is
// asked again, and told what was done, when it is back.
func TestFallback(t *testing.T) {
	for _, tt := range []struct {
		why         string
		args        []string
		fails, ends func(t *testing.T, srv *server)
		forgets     bool
	}{
		{why: "killed and restarted empty", fails: func(_ *testing.T, s *server) { s.kill() },
			ends: func(t *testing.T, s *server) { s.run(t) }, forgets: true},
		{why: "frozen", fails: func(t *testing.T, s *server) { signal(t, s, syscall.SIGSTOP) },
			ends: func(t *testing.T, s *server) { signal(t, s, syscall.SIGCONT) }},
		{why: "read-only", fails: func(t *testing.T, s *server) { s.do(t, "REPLICAOF", "127.0.0.1", port(t, freeAddr(t))) },
			ends: func(t *testing.T, s *server) { s.do(t, "REPLICAOF", "NO", "ONE") }},
		{why: "out of memory", fails: func(t *testing.T, s *server) { s.do(t, "CONFIG", "SET", "maxmemory", "1") },
			ends: func(t *testing.T, s *server) { s.do(t, "CONFIG", "SET", "maxmemory", "0") }},
		{why: "slow", args: []string{"--enable-debug-command", "yes"}, fails: sleeps, ends: func(*testing.T, *server) {}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			t.Parallel()
			srv := start(t, tt.args...)
			g := guard(t, "redis://"+srv.addr)
			eventually(t, "it answers", func() bool { got, _ := g.decides("allow"); return got == "allow" })
			if got, _ := g.decides("local"); got != "allow" {
				t.Fatalf("the server is there, but %s", got)
			}
			tt.fails(t, srv)
			g.away(tt.why)
			tt.ends(t, srv)
			entries := map[string]int64{"local": 2, "allow": 3}
			if tt.forgets {
				entries = map[string]int64{"local": 1, "allow": 2}
			}
			g.back(tt.why, entries)
		})
	}
}

// news counts what a fallback tells of its home.
type news struct {
	slog.Handler // nil: no attributes are asked for
	lost, back   atomic.Int32
}

func (n *news) Enabled(context.Context, slog.Level) bool { return true }

func (n *news) Handle(_ context.Context, r slog.Record) error {
	switch r.Message {
	case "the state is unavailable":
		n.lost.Add(1)
	case "the state is back":
		n.back.Add(1)
	}
	return nil
}

// A server that answers and takes no writes is lost once and back once, and what
// finds that out leaves nothing behind.
func TestFallback_AnswersOnly(t *testing.T) {
	for _, tt := range []struct {
		why         string
		fails, ends []any
	}{
		{"read-only", []any{"REPLICAOF", "127.0.0.1", "1"}, []any{"REPLICAOF", "NO", "ONE"}},
		{"out of memory", []any{"CONFIG", "SET", "maxmemory", "1"}, []any{"CONFIG", "SET", "maxmemory", "0"}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			t.Parallel()
			srv := start(t)
			g, n := guard(t, "redis://"+srv.addr), &news{}
			home := impatient(t, "redis://"+srv.addr)
			store, err := fallback.New(home, memory.New(memory.Options{}), fallback.Options{Timeout: limit, Log: slog.New(n)})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			g.Store = store
			eventually(t, "it answers", func() bool { got, _ := g.decides("deny"); return got == "allow" })
			eventually(t, "it is there", func() bool { return !store.Status().Away })
			lost, back := n.lost.Load(), n.back.Load()
			srv.do(t, tt.fails...)
			for begin := time.Now(); time.Since(begin) < 2*time.Second; { // in which it is probed half a dozen times
				if got, _ := g.decides("deny"); got != "abort store_error" {
					t.Fatalf("decided %s", got)
				}
				time.Sleep(20 * time.Millisecond)
			}
			if !store.Status().Away || n.lost.Load() != lost+1 || n.back.Load() != back {
				t.Errorf("lost %d times and back %d times, want once and never", n.lost.Load()-lost, n.back.Load()-back)
			}
			srv.do(t, tt.ends...)
			eventually(t, "it is back", func() bool { return !store.Status().Away })
			if got, _ := g.decides("deny"); got != "allow" || n.lost.Load() != lost+1 || n.back.Load() != back+1 {
				t.Errorf("%s, lost %d times and back %d times, want allow, once and once", got, n.lost.Load()-lost, n.back.Load()-back)
			}
			if left := srv.do(t, "KEYS", "*:l:fallback*"); len(left.([]any)) > 0 {
				t.Errorf("the probes have left %q", left)
			}
		})
	}
}

func signal(t *testing.T, s *server, sig syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// sleeps has the server do nothing for some seconds.
func sleeps(t *testing.T, s *server) {
	t.Helper()
	c := goredis.NewClient(&goredis.Options{Addr: s.addr, MaxRetries: -1, ReadTimeout: 20 * time.Millisecond})
	t.Cleanup(func() { c.Close() })
	// Its answer is not waited for; the server sleeps all the same.
	if err := c.Do(ctx, "DEBUG", "SLEEP", "3").Err(); err == nil {
		t.Fatal("the server did not sleep")
	}
	eventually(t, "it sleeps", func() bool { return c.Ping(ctx).Err() != nil })
}
