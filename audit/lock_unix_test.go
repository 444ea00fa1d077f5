//go:build unix

package audit_test

import (
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/audit"
)

// A writer that stops while it holds the lock holds up nobody for ever, however
// many wait, and what it has written can be read.
func TestAWriterThatHoldsTheLock(t *testing.T) {
	path := write(t, 2, audit.Options{})
	frozen, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	if err := syscall.Flock(int(frozen.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	l, err := audit.Open(path, audit.Options{Wait: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			if err := l.Record(record("s", i)); !errors.Is(err, audit.ErrBusy) {
				t.Errorf("%v", err)
			}
		})
	}
	if all.Wait(); time.Since(began) > time.Second { // one after the other they would take two
		t.Errorf("40 records waited %s", time.Since(began))
	}
	if err := l.Err(); err == nil || !strings.HasSuffix(err.Error(), "another process has not let go of it; 40 records could not be appended") {
		t.Errorf("%v", err)
	}
	if _, n, err := verify(path); n != 2 || err != nil {
		t.Errorf("%d lines, %v", n, err)
	}
	if err := syscall.Flock(int(frozen.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(record("s", 2)); err != nil {
		t.Errorf("once it is free: %v", err)
	}
	if err := l.Close(); err == nil {
		t.Error("what was lost is not told of at the end")
	}
}
