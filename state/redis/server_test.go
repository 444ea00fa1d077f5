//go:build unix

package redis_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/cbpolicy/cbpolicy/session/sessiontest"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/redis"
	"github.com/cbpolicy/cbpolicy/state/statetest"
)

var ctx = context.Background()

func TestMain(m *testing.M) {
	goredis.SetLogger(quiet{}) // it tells of every dial that fails, which is what many tests are about
	statetest.Main(m, func(address string) (state.Store, error) {
		return redis.Open(address, redis.Options{Timeout: 30 * time.Second})
	}, sessiontest.Works()...)
}

type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// server is a redis-server of a test.
type server struct {
	addr string
	dir  string
	cmd  *exec.Cmd
	args []string
}

// start starts a server on a free port of the loopback, with options as they
// stand on its command line; the test is skipped if there is no redis-server.
func start(t testing.TB, args ...string) *server {
	t.Helper()
	s := &server{addr: freeAddr(t), dir: t.TempDir(), args: args}
	s.run(t)
	t.Cleanup(s.kill)
	return s
}

func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func program(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no redis-server on the PATH")
	return ""
}

// run starts the server, again if it was killed, and waits until it answers.
func (s *server) run(t testing.TB) {
	t.Helper()
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--bind", "127.0.0.1", "--port", port, "--dir", s.dir, "--save", "", "--logfile", filepath.Join(s.dir, "log")}, s.args...)
	s.cmd = exec.Command(program(t), args...)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.answers(t)
}

func (s *server) answers(t testing.TB) {
	t.Helper()
	c := goredis.NewClient(&goredis.Options{Addr: s.addr, MaxRetries: -1, DialerRetries: 1})
	defer c.Close()
	eventually(t, "the server answers", func() bool {
		_, err := c.Ping(ctx).Result()
		return err == nil || goredis.HasErrorPrefix(err, "NOAUTH")
	})
}

func (s *server) kill() {
	if s.cmd.ProcessState == nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	}
}

// do has the server do something by another way than the store.
func (s *server) do(t testing.TB, args ...any) any {
	t.Helper()
	c := goredis.NewClient(&goredis.Options{Addr: s.addr})
	defer c.Close()
	v, err := c.Do(ctx, args...).Result()
	if err != nil && err != goredis.Nil {
		t.Fatalf("%v: %v", args, err)
	}
	return v
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 30s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// shared returns the address of a server for tests that only need one: that of
// CBPOLICY_REDIS, or one of the test's own.
func shared(t testing.TB) string {
	t.Helper()
	if address := os.Getenv("CBPOLICY_REDIS"); address != "" {
		return address
	}
	return "redis://" + start(t).addr
}

var domains atomic.Int64

// fresh is a domain that nobody has used before.
func fresh() string {
	return "test-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + strconv.FormatInt(domains.Add(1), 10)
}

// open opens a store of a domain of its own, with time enough for a busy machine.
func open(t testing.TB, address string) *redis.Store {
	t.Helper()
	s, err := redis.Open(address, redis.Options{Domain: fresh(), Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func conformance(t *testing.T, address string) {
	statetest.Run(t, func(t *testing.T, clock *statetest.Clock) state.Store {
		clock.Resolution = time.Microsecond
		return open(t, address)
	})
	processes(t, address)
}

func processes(t *testing.T, address string) {
	home := func(*testing.T) string { return addParameter(address, "domain="+fresh()) }
	statetest.RunProcesses(t, home)
	t.Run("Failures told by racing sessions of many processes are all counted", func(t *testing.T) { sessiontest.RunFailures(t, home) })
}

func addParameter(address, parameter string) string {
	for i := range address {
		if address[i] == '?' {
			return address + "&" + parameter
		}
	}
	return address + "?" + parameter
}

func TestConformance(t *testing.T) { conformance(t, shared(t)) }

func TestReopened(t *testing.T) {
	address := shared(t)
	statetest.RunReopened(t, func(*testing.T) string { return addParameter(address, "timeout=30s&domain="+fresh()) },
		func(address string) (state.Store, error) { return redis.Open(address, redis.Options{}) })
}

func TestConformanceCluster(t *testing.T) { conformance(t, startCluster(t)) }

func TestConformanceSentinel(t *testing.T) {
	_, _, address := startSentinel(t)
	if testing.Short() { // the master is a server like that of TestConformance
		processes(t, address)
		return
	}
	conformance(t, address)
}

// startCluster starts a cluster of three masters.
func startCluster(t *testing.T) string {
	t.Helper()
	const masters, slots = 3, 16384
	var nodes []*server
	for i := range masters {
		n := start(t, "--cluster-enabled", "yes", "--cluster-config-file", fmt.Sprintf("nodes-%d.conf", i), "--cluster-port", port(t, freeAddr(t)))
		nodes = append(nodes, n)
	}
	for i, n := range nodes {
		n.do(t, "CLUSTER", "ADDSLOTSRANGE", slots*i/masters, slots*(i+1)/masters-1)
	}
	for _, n := range nodes[1:] {
		bus := nodes[0].args[len(nodes[0].args)-1]
		n.do(t, "CLUSTER", "MEET", "127.0.0.1", port(t, nodes[0].addr), bus)
	}
	for _, n := range nodes {
		c := goredis.NewClient(&goredis.Options{Addr: n.addr})
		defer c.Close()
		eventually(t, "the cluster is whole", func() bool {
			info, err := c.ClusterInfo(ctx).Result()
			return err == nil && strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3")
		})
	}
	return "redis://" + nodes[1].addr + "?cluster=true&addr=" + nodes[0].addr
}

// startSentinel starts a master, its replica, and a Sentinel who watches them.
func startSentinel(t *testing.T) (master, replica *server, address string) {
	t.Helper()
	master = start(t)
	replica = start(t, "--replicaof", "127.0.0.1", port(t, master.addr), "--repl-diskless-sync-delay", "0")
	conf := filepath.Join(t.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor main 127.0.0.1 %s 1\nsentinel down-after-milliseconds main 300\nsentinel failover-timeout main 2000\n", port(t, master.addr))
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	watcher := &server{addr: freeAddr(t), dir: t.TempDir()}
	watcher.cmd = exec.Command(program(t), conf, "--sentinel", "--bind", "127.0.0.1", "--port", port(t, watcher.addr), "--logfile", filepath.Join(watcher.dir, "log"))
	if err := watcher.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(watcher.kill)
	watcher.answers(t)
	c := goredis.NewClient(&goredis.Options{Addr: replica.addr})
	defer c.Close()
	eventually(t, "the replica follows", func() bool {
		info, err := c.Info(ctx, "replication").Result()
		return err == nil && strings.Contains(info, "master_link_status:up")
	})
	sc := goredis.NewSentinelClient(&goredis.Options{Addr: watcher.addr})
	defer sc.Close()
	eventually(t, "Sentinel knows the replica", func() bool {
		r, err := sc.Replicas(ctx, "main").Result()
		return err == nil && len(r) == 1 && r[0]["flags"] == "slave"
	})
	return master, replica, "redis://" + watcher.addr + "?master=main"
}

func port(t testing.TB, addr string) string {
	t.Helper()
	_, p, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
