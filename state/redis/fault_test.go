//go:build unix

package redis_test

import (
	"errors"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/redis"
)

// oneCall is a claim that counts one call of a subject.
func oneCall(subject string, limit int64) state.Claim {
	window := []registry.Window{{Span: time.Hour, Limit: limit, Refuses: true}}
	return state.Claim{Needs: []registry.Need{{Counter: registry.CounterID{Spec: "calls", Subject: subject}, Windows: window, Front: []int{0}}}}
}

// held returns the entries of a subject's counter.
func held(t testing.TB, s state.Store, subject string) int64 {
	t.Helper()
	c := oneCall(subject, 0)
	c.Refused = true
	return counted(t, s, c)
}

// counted returns the entries in the first window of a claim that takes nothing.
func counted(t testing.TB, s state.Store, c state.Claim) int64 {
	t.Helper()
	var g state.Grant
	if err := s.Claim(ctx, &c, &g); err != nil {
		t.Fatal(err)
	}
	return g.Counts[0].N - 1
}

// limit is the time that an operation has in the tests of faults: more than the
// default, for a busy machine. One that takes as long as patience hangs.
const (
	limit    = 250 * time.Millisecond
	patience = 5 * time.Second
)

// refusing checks that every operation fails in time, with the right error;
// some may be done still, as they need neither write nor memory.
func refusing(t *testing.T, s *redis.Store, why string, but ...string) {
	t.Helper()
	c, g := oneCall("chain", 9), state.Grant{}
	c.Call = state.CallID{1}
	var v state.View
	for name, do := range map[string]func() error{
		"claim":   func() error { return s.Claim(ctx, &c, &g) },
		"settle":  func() error { return s.Settle(ctx, &state.Settlement{Call: c.Call}) },
		"release": func() error { return s.Release(ctx, c.Call) },
		"approve": func() error { return s.Approve(ctx, state.Approval{Digest: registry.Digest{1}}) },
		"forget":  func() error { return s.Forget(ctx, state.Ended{Cells: []string{"cell"}}) },
	} {
		begin := time.Now()
		err := do()
		if !errors.Is(err, state.ErrUnavailable) && !(err == nil && slices.Contains(but, name)) {
			t.Errorf("%s: %s: error %v, want ErrUnavailable", why, name, err)
		}
		if took := time.Since(begin); took > patience {
			t.Errorf("%s: %s took %v, want about %v", why, name, took, limit)
		}
	}
	if g.Admitted {
		t.Errorf("%s: admitted", why)
	}
	begin := time.Now()
	err := s.Load(ctx, state.Query{Cells: []string{"cell"}}, &v)
	if took := time.Since(begin); took > patience {
		t.Errorf("%s: load took %v (%v), want about %v", why, took, err, limit)
	}
}

// recovers checks that the store goes on by itself.
func recovers(t *testing.T, s *redis.Store) {
	t.Helper()
	eventually(t, "it recovers", func() bool {
		c, g := oneCall("again", 9_999), state.Grant{}
		return s.Claim(ctx, &c, &g) == nil && g.Admitted
	})
}

func impatient(t *testing.T, address string) *redis.Store {
	t.Helper()
	s, err := redis.Open(address, redis.Options{Timeout: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestKilledServer(t *testing.T) {
	srv := start(t)
	s := impatient(t, "redis://"+srv.addr)
	recovers(t, s)
	srv.kill()
	refusing(t, s, "killed")
	srv.run(t) // it has forgotten everything, the scripts too
	recovers(t, s)
	if n := held(t, s, "again"); n != 1 {
		t.Errorf("%d entries after an empty restart, want 1", n)
	}
}

func TestFrozenServer(t *testing.T) {
	srv := start(t)
	s := impatient(t, "redis://"+srv.addr)
	recovers(t, s)
	if err := srv.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	refusing(t, s, "frozen")
	if err := srv.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	recovers(t, s)
	srv.answers(t)
	// What was tried while it slept it may do now, each at most once.
	if n := held(t, s, "chain"); n > 1 {
		t.Errorf("%d entries of one call", n)
	}
}

func TestReadOnlyServer(t *testing.T) {
	srv := start(t)
	s := impatient(t, "redis://"+srv.addr)
	recovers(t, s)
	srv.do(t, "REPLICAOF", "127.0.0.1", port(t, freeAddr(t)))
	refusing(t, s, "read-only", "release") // of a call that is not known
	srv.do(t, "REPLICAOF", "NO", "ONE")
	recovers(t, s)
}

func TestServerWithoutMemory(t *testing.T) {
	srv := start(t)
	s := impatient(t, "redis://"+srv.addr)
	recovers(t, s)
	srv.do(t, "CONFIG", "SET", "maxmemory", "1")
	refusing(t, s, "out of memory", "release", "forget")
	srv.do(t, "CONFIG", "SET", "maxmemory", "0")
	recovers(t, s)
	if n := held(t, s, "chain"); n != 0 {
		t.Errorf("%d entries were taken without memory", n)
	}
}

func TestBusyServer(t *testing.T) {
	srv := start(t, "--lua-time-limit", "50", "--enable-debug-command", "yes")
	s := impatient(t, "redis://"+srv.addr)
	recovers(t, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c := goredis.NewClient(&goredis.Options{Addr: srv.addr, MaxRetries: -1})
		defer c.Close()
		c.Do(ctx, "DEBUG", "SLEEP", "4")
	}()
	eventually(t, "it sleeps", func() bool {
		c, g := oneCall("asleep", 9_999), state.Grant{}
		return s.Claim(ctx, &c, &g) != nil
	})
	refusing(t, s, "asleep")
	<-done
	recovers(t, s)
}

// An address where nobody ever answers.
func TestNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	silent := l.Addr().String()
	for name, address := range map[string]string{
		"nobody there":      "redis://" + freeAddr(t),
		"silent":            "redis://" + silent,
		"silent Sentinel":   "redis://" + silent + "?master=main",
		"silent node":       "redis://" + silent + "?cluster=true",
		"nobody in cluster": "redis://" + freeAddr(t) + "?cluster=true",
		"no such socket":    "unix://" + filepath.Join(t.TempDir(), "redis.sock"),
	} {
		refusing(t, impatient(t, address), name)
	}
}

// lossy passes a connection on to a server, but loses the answers it is told to.
type lossy struct {
	addr string
	lose atomic.Int32 // answers yet to be lost, each with its connection
	lost atomic.Int32
}

// listen answers every connection in a goroutine, and returns where.
func listen(t *testing.T, answer func(net.Conn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go answer(in)
		}
	}()
	return l.Addr().String()
}

func startLossy(t *testing.T, to string) *lossy {
	t.Helper()
	p := &lossy{}
	p.addr = listen(t, func(in net.Conn) { p.pass(in, to) })
	return p
}

func (p *lossy) pass(in net.Conn, to string) {
	defer in.Close()
	out, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer out.Close()
	go func() { io.Copy(out, in); out.Close() }()
	b := make([]byte, 64<<10)
	for {
		n, err := out.Read(b)
		if err != nil {
			return
		}
		if p.lose.Load() > 0 {
			p.lose.Add(-1)
			p.lost.Add(1)
			return // the server has done it, and nobody hears of it
		}
		if _, err := in.Write(b[:n]); err != nil {
			return
		}
	}
}

// What is tried again because an answer was lost counts once, and is answered
// as it was.
func TestLostAnswers(t *testing.T) {
	srv := start(t)
	p := startLossy(t, srv.addr)
	s, err := redis.Open("redis://"+p.addr, redis.Options{Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var g state.Grant
	c := oneCall("chain", 100)
	again := oneCall("call", 100)
	again.Call = state.CallID{1}
	again.Cells = []state.Write{{Key: "cell", Value: []byte("x")}}
	tests := []struct {
		name string
		do   func() error
		is   func() bool
	}{
		{"a claim without identity", func() error { return s.Claim(ctx, &c, &g) },
			func() bool { return g.Admitted && held(t, s, "chain") == 1 }},
		{"a claim of a call", func() error { return s.Claim(ctx, &again, &g) },
			func() bool { return g.Admitted && !g.Repeated && held(t, s, "call") == 1 }},
		{"an amount without id", func() error {
			return s.Settle(ctx, &state.Settlement{Spent: []state.Spent{{Account: "money", Amount: 5}}})
		}, func() bool {
			var v state.View
			return s.Load(ctx, state.Query{Accounts: []string{"money"}}, &v) == nil && v.Accounts[0].Settled == 5
		}},
		{"a cell", func() error {
			return s.Settle(ctx, &state.Settlement{Cells: []state.Write{{Key: "cell", Version: 1, Value: []byte("y")}}})
		}, func() bool {
			var v state.View
			return s.Load(ctx, state.Query{Cells: []string{"cell"}}, &v) == nil && v.Cells[0].Version == 2
		}},
	}
	// The scripts are known and the connection made, so that the first answer is the one that counts.
	warm := oneCall("warm", 100)
	if err := errors.Join(s.Claim(ctx, &warm, &g), s.Settle(ctx, &state.Settlement{})); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		before := p.lost.Load()
		p.lose.Store(1)
		if err := tt.do(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if p.lost.Load() != before+1 {
			t.Fatalf("%s: no answer was lost", tt.name)
		}
		if !tt.is() {
			t.Errorf("%s: done twice, or answered otherwise: %+v", tt.name, g)
		}
	}
}

func TestFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("a failover takes seconds")
	}
	master, _, address := startSentinel(t)
	s := impatient(t, address)
	recovers(t, s)
	before := held(t, s, "again")
	master.do(t, "WAIT", 1, 1000)
	master.kill()
	refusing(t, s, "failing over")
	recovers(t, s)
	if n := held(t, s, "again"); n <= before {
		t.Errorf("%d entries after the failover, want more than the %d before", n, before)
	}
}

// A user who may use the domain's keys and the commands that the package names,
// and nothing else.
func TestUser(t *testing.T) {
	srv := start(t)
	srv.do(t, append([]any{"ACL", "SETUSER", "guard", "on", ">secret word", "~cbpolicy:{mine}:*"}, redis.Permissions()...)...)
	s, err := redis.Open("redis://guard:secret%20word@"+srv.addr, redis.Options{Domain: "mine", Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, g := oneCall("chain", 9), state.Grant{}
	runs := oneCall("chain", 9).Needs[0]
	runs.Counter.Spec, runs.Run = "runs", true
	c.Session, c.Run, c.Call = "session", "run", state.CallID{1}
	c.Needs = append(c.Needs, runs)
	c.Guards = []registry.Guard{{Approval: registry.Digest{1}}}
	c.Leases = []state.Lease{{Key: "probe", Holder: "me", TTL: time.Minute}}
	c.Reserves = []state.Reservation{{Account: "money", ID: "r", Amount: 1, Cap: 9}}
	c.Cells = []state.Write{{Key: "cell"}}
	var v state.View
	second := c
	second.Call, second.Cells, second.Guards = state.CallID{2}, nil, nil
	for name, err := range map[string]error{
		"check":   s.Check(ctx),
		"approve": s.Approve(ctx, state.Approval{Digest: registry.Digest{1}, Session: "session"}),
		"claim":   s.Claim(ctx, &c, &g),
		"again":   s.Claim(ctx, &c, &g),
		"second":  s.Claim(ctx, &second, &g),
		"load":    s.Load(ctx, state.Query{Cells: []string{"cell"}, Accounts: []string{"money"}}, &v),
		"release": s.Release(ctx, second.Call),
		"settle": s.Settle(ctx, &state.Settlement{Call: c.Call, Holder: "me", Leases: []string{"probe"}, Spent: []state.Spent{{Account: "money", ID: "r", Amount: 1}},
			Cells: []state.Write{{Key: "cell", Version: 1}}}),
		"forget": s.Forget(ctx, state.Ended{Session: "session", Accounts: []string{"money"}, Cells: []string{"cell"}}),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	other, err := redis.Open("redis://guard:secret%20word@"+srv.addr, redis.Options{Domain: "theirs", Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Claim(ctx, &c, &g); !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), "NOPERM") {
		t.Errorf("error %v in another domain, want NOPERM", err)
	}
	wrong, err := redis.Open("redis://guard:wrong@"+srv.addr, redis.Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer wrong.Close()
	if err := wrong.Claim(ctx, &c, &g); !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), "WRONGPASS") {
		t.Errorf("error %v with a wrong password, want WRONGPASS", err)
	}
}

// A server with a certificate of an authority of its own.
func TestTLS(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("there is no openssl on the PATH")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	make := exec.Command("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
		"-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", in("key"), "-out", in("cert"))
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tlsAddr := freeAddr(t)
	start(t, "--tls-port", port(t, tlsAddr), "--tls-cert-file", in("cert"), "--tls-key-file", in("key"), "--tls-ca-cert-file", in("cert"))
	c, g := oneCall("chain", 9), state.Grant{}
	with := func(parameters string) error {
		s, err := redis.Open("rediss://"+tlsAddr+parameters, redis.Options{Timeout: 10 * time.Second})
		if err != nil {
			return err
		}
		defer s.Close()
		return s.Claim(ctx, &c, &g)
	}
	if err := with("?ca=" + in("cert") + "&cert=" + in("cert") + "&key=" + in("key")); err != nil || !g.Admitted {
		t.Errorf("%+v, %v; want admitted", g, err)
	}
	if err := with("?cert=" + in("cert") + "&key=" + in("key")); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("error %v without the authority, want one of its certificate", err)
	}
	tellsWhy(t, "rediss://"+tlsAddr, "failed to verify certificate")
	tellsWhy(t, "rediss://"+tlsAddr+"?ca="+in("cert"), "certificate required")
	tellsWhy(t, "redis://"+tlsAddr, "wants rediss://")
}

// Many at once share ways to the server: to one that knows the scripts no
// longer, and to one that does not answer.
func TestManyAtOnce(t *testing.T) {
	srv := start(t)
	s := impatient(t, "redis://"+srv.addr)
	many := func() (admitted, failed int64) {
		var wg sync.WaitGroup
		var a, f atomic.Int64
		for range 64 {
			wg.Go(func() {
				c, g := oneCall("many", 100), state.Grant{}
				switch err := s.Claim(ctx, &c, &g); {
				case errors.Is(err, state.ErrUnavailable):
					f.Add(1)
				case err != nil:
					t.Error(err)
				case g.Admitted:
					a.Add(1)
				}
			})
		}
		wg.Wait()
		return a.Load(), f.Load()
	}
	recovers(t, s)
	srv.do(t, "SCRIPT", "FLUSH")
	var total int64
	for range 5 {
		eventually(t, "all are answered", func() bool {
			admitted, failed := many()
			total += admitted
			return failed == 0
		})
	}
	if n := held(t, s, "many"); total > 100 || n != 100 {
		t.Errorf("%d were admitted and %d are held, want 100", total, n)
	}
	if err := srv.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if _, failed := many(); failed != 64 {
		t.Errorf("%d of 64 failed, want all", failed)
	}
	if took := time.Since(begin); took > patience {
		t.Errorf("it took %v, want about %v", took, limit)
	}
	if err := srv.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	recovers(t, s)
}
