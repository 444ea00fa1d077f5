//go:build unix

package redis_test

import (
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/redis"
)

// near is a store that sees what a server holds, whatever the way of others to it.
func near(t *testing.T, srv *server, domain string) *redis.Store {
	t.Helper()
	s, err := redis.Open("redis://"+srv.addr, redis.Options{Domain: domain, Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// far is a store at the end of a way that may fail; its connection is made.
func far(t *testing.T, addr, domain string) *redis.Store {
	t.Helper()
	s, err := redis.Open("redis://"+addr, redis.Options{Domain: domain, Timeout: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	recovers(t, s)
	return s
}

// refused checks that a claim fails for want of an answer.
func refused(t *testing.T, s *redis.Store, c state.Claim) {
	t.Helper()
	var g state.Grant
	if err := s.Claim(ctx, &c, &g); !errors.Is(err, state.ErrUnavailable) {
		t.Fatalf("%+v, %v; want ErrUnavailable", g, err)
	}
}

// runsOf is a claim that counts runs, of one of them.
func runsOf(subject, run string) state.Claim {
	c := oneCall(subject, 9)
	c.Needs[0].Counter.Spec, c.Needs[0].Run, c.Run = "runs", true, run
	return c
}

func admits(t *testing.T, s *redis.Store, c state.Claim) {
	t.Helper()
	var g state.Grant
	if err := s.Claim(ctx, &c, &g); err != nil || !g.Admitted {
		t.Fatalf("%+v, %v; want admitted", g, err)
	}
}

// What the server has counted without the caller's knowing is given back, and
// nothing else.
func TestLostClaimIsUndone(t *testing.T) {
	srv := start(t)
	p := startLossy(t, srv.addr)
	domain := fresh()
	there := near(t, srv, domain)
	full := oneCall("full", 2) // the window is looked at in full
	both := oneCall("first", 9)
	both.Needs = append(both.Needs, oneCall("second", 9).Needs[0], oneCall("first", 5).Needs[0])
	named := oneCall("named", 9)
	named.Call = state.CallID{1}
	counting := func(c state.Claim) state.Claim {
		need := c.Needs[0]
		need.Windows = []registry.Window{{Span: time.Hour, Refuses: true}}
		return state.Claim{Run: "another", Refused: true, Needs: []registry.Need{need}}
	}
	tests := []struct {
		name   string
		before []state.Claim // that are admitted
		claim  state.Claim
		looks  []state.Claim // at a counter each
		want   int64         // entries of each
	}{
		{"the first of a counter", nil, oneCall("new", 9), []state.Claim{oneCall("new", 0)}, 0},
		{"a further one", []state.Claim{oneCall("old", 9), oneCall("old", 9)}, oneCall("old", 9), []state.Claim{oneCall("old", 0)}, 2},
		{"the last of a limit", []state.Claim{full}, full, []state.Claim{full}, 1},
		{"of two counters, one of them twice", []state.Claim{both}, both, []state.Claim{oneCall("first", 0), oneCall("second", 0)}, 1},
		{"of a run that it began", nil, runsOf("alone", "r"), []state.Claim{runsOf("alone", "")}, 0},
		{"of a run that it joined", []state.Claim{runsOf("joined", "r")}, runsOf("joined", "r"), []state.Claim{runsOf("joined", "")}, 1},
		{"of a run that is well known", []state.Claim{runsOf("known", "r"), runsOf("known", "r")}, runsOf("known", "r"), []state.Claim{runsOf("known", "")}, 1},
		// Whoever has an identity can release the call, or ask for it again.
		{"of a call with an identity", nil, named, []state.Claim{oneCall("named", 0)}, 1},
	}
	for _, tt := range tests {
		for _, c := range tt.before {
			admits(t, there, c)
		}
		s := far(t, p.addr, domain)
		lost := p.lost.Load()
		p.lose.Store(1 << 20)
		refused(t, s, tt.claim)
		p.lose.Store(0)
		if p.lost.Load() == lost {
			t.Fatalf("%s: no answer was lost", tt.name)
		}
		if err := s.Close(); err != nil { // by then it is undone
			t.Fatal(err)
		}
		for i, c := range tt.looks {
			if n := counted(t, there, counting(c)); n != tt.want {
				t.Errorf("%s: counter %d holds %d entries, want %d", tt.name, i, n, tt.want)
			}
		}
	}
	// A run that was given back is a new one, and one that was joined is not.
	admits(t, there, runsOf("alone", "r"))
	admits(t, there, runsOf("joined", "r"))
	for _, subject := range []string{"alone", "joined"} {
		if n := counted(t, there, counting(runsOf(subject, ""))); n != 1 {
			t.Errorf("%s: %d runs are counted, want 1", subject, n)
		}
	}
}

// A claim that comes after all, when it is undone already, counts nothing, by
// whichever way it is judged.
func TestLateClaimIsUndone(t *testing.T) {
	srv := start(t)
	p := startSlow(t, srv.addr)
	domain := fresh()
	s, there := far(t, p.addr, domain), near(t, srv, domain)
	for i := range 2 { // of a counter that is new, and of one that is known
		admits(t, there, oneCall("warm", 9))
		p.hold.Store(true)
		refused(t, s, oneCall("late", 9))
		eventually(t, "it is undone", func() bool { return p.passed.Load() })
		p.release(t)
		if n := held(t, there, "late"); n != int64(i) {
			t.Errorf("%d entries of a claim that came late, want %d", n, i)
		}
		admits(t, there, oneCall("late", 9))
	}
}

// A server that sleeps has the claim and its undoing before it when it wakes up.
func TestFrozenClaimIsUndone(t *testing.T) {
	srv := start(t)
	s := far(t, srv.addr, fresh())
	for _, subject := range []string{"a", "b", "c"} {
		signal(t, srv, syscall.SIGSTOP)
		refused(t, s, oneCall(subject, 9))
		signal(t, srv, syscall.SIGCONT)
		recovers(t, s)
	}
	for _, subject := range []string{"a", "b", "c"} {
		eventually(t, "it is undone", func() bool { return held(t, s, subject) == 0 })
	}
}

// What is to be undone when the store is closed is undone by then.
func TestClose_Undoes(t *testing.T) {
	srv := start(t)
	p := startLossy(t, srv.addr)
	domain := fresh()
	s, there := far(t, p.addr, domain), near(t, srv, domain)
	p.lose.Store(1 << 20)
	refused(t, s, oneCall("chain", 9))
	p.lose.Store(0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := held(t, there, "chain"); n != 0 {
		t.Errorf("%d entries, want none", n)
	}
}

// A server that is gone keeps nobody from ending, however much there is to undo.
func TestClose_WithoutServer(t *testing.T) {
	srv := start(t)
	s := far(t, srv.addr, fresh())
	srv.kill()
	for range 20 {
		refused(t, s, oneCall("chain", 9))
	}
	begin := time.Now()
	s.Close()
	if took := time.Since(begin); took > patience {
		t.Errorf("closing took %v, want about %v", took, limit)
	}
	if err := s.Close(); err != nil {
		t.Logf("closed again: %v", err) // of the client: it must not hang or panic
	}
}

// slow passes connections on to a server, and holds a request back when told to.
type slow struct {
	addr   string
	hold   atomic.Bool // the next request
	passed atomic.Bool // another one has passed since
	held   chan func() error
}

func startSlow(t *testing.T, to string) *slow {
	t.Helper()
	p := &slow{held: make(chan func() error, 1)}
	p.addr = listen(t, func(in net.Conn) { p.pass(in, to) })
	return p
}

func (p *slow) pass(in net.Conn, to string) {
	defer in.Close()
	out, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	b, answer := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := in.Read(b)
		if err != nil {
			out.Close()
			return
		}
		if p.hold.CompareAndSwap(true, false) {
			p.passed.Store(false)
			p.held <- func() error { // the server does it now, and nobody waits for it
				defer out.Close()
				_, err := out.Write(b[:n])
				if err == nil {
					_, err = out.Read(answer)
				}
				return err
			}
			in.Read(make([]byte, 1)) // until the client gives up
			return
		}
		if _, err := out.Write(b[:n]); err != nil {
			return
		}
		if n, err = out.Read(answer); err != nil {
			return
		}
		if _, err := in.Write(answer[:n]); err != nil {
			return
		}
		p.passed.Store(true)
	}
}

// release lets the held request through, and waits until the server has answered.
func (p *slow) release(t *testing.T) {
	t.Helper()
	if err := (<-p.held)(); err != nil {
		t.Fatal(err)
	}
}
