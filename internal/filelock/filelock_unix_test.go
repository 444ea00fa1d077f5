//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/filelock"
)

// Two that open a file by themselves are to each other as two processes.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	open := func() *os.File {
		f, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	var past time.Time
	a, b, c := open(), open(), open()
	for _, f := range []*os.File{a, b} {
		if err := filelock.Take(f, false, past); err != nil {
			t.Errorf("together: %v", err)
		}
	}
	if err := filelock.Take(c, true, past); !errors.Is(err, filelock.ErrBusy) {
		t.Errorf("alone beside others: %v", err)
	}
	a.Close()
	time.AfterFunc(20*time.Millisecond, func() { b.Close() })
	if err := filelock.Take(c, true, time.Now().Add(time.Minute)); err != nil {
		t.Errorf("once they are gone: %v", err)
	}
	if err := filelock.Take(a, true, past); err == nil {
		t.Error("a closed file was locked")
	}
}
