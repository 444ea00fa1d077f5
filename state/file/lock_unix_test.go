//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/filelock"
	"github.com/cbpolicy/cbpolicy/state"
)

// Who waits for a lock that is never given back is told in time, goes on when
// it is, and does not hold up who comes with a deadline of its own.
func TestHeldLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path, Options{Wait: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if ok, err := filelock.Try(f, true); !ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	c, g := everything(), state.Grant{}
	c.Guards = nil
	begin := time.Now()
	failed := make(chan error, 8)
	for range cap(failed) {
		go func() { failed <- s.Settle(bg, &state.Settlement{Spent: []state.Spent{{Account: "money", Amount: 1}}}) }()
	}
	for range cap(failed) {
		if err := <-failed; !errors.Is(err, state.ErrUnavailable) {
			t.Fatalf("error %v, want ErrUnavailable", err)
		}
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("it took %v to say so, want about 50ms", took)
	}
	var v state.View
	if err := s.Load(bg, state.Query{}, &v); !errors.Is(err, state.ErrUnavailable) {
		t.Fatalf("error %v, want ErrUnavailable", err)
	}
	late, err := Open(path, Options{Wait: 20 * time.Millisecond})
	if err != nil {
		t.Fatalf("opened while it is held: %v", err)
	}
	if err := late.Load(bg, state.Query{}, &v); !errors.Is(err, state.ErrUnavailable) {
		t.Fatalf("error %v, want ErrUnavailable", err)
	}
	f.Close()
	if err := late.Load(bg, state.Query{}, &v); err != nil {
		t.Fatalf("it is given back: %v", err)
	}
	if err := s.Claim(bg, &c, &g); err != nil || !g.Admitted {
		t.Fatalf("%+v, %v; want admitted", g, err)
	}
	if err := s.Load(bg, state.Query{Accounts: []string{"money"}}, &v); err != nil || v.Accounts[0].Settled != 0 {
		t.Fatalf("%+v, %v; want nothing of what failed", v, err)
	}
}
