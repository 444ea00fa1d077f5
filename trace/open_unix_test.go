//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package trace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cbpolicy/cbpolicy/trace"
)

// A pipe that is named might never be written to, and a device never end. What
// a shell puts there for <(…) is open already.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "p.jsonl"), filepath.Join(dir, "l.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, os.DevNull} {
		n := 0
		for r, err := range trace.Open(path, trace.Options{}) {
			if n++; r != nil || err == nil || !strings.HasPrefix(err.Error(), path+": this is a pipe or a device") {
				t.Errorf("%s: %v, %v", path, r, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d runs or errors", path, n)
		}
	}
	for range trace.Open(dir, trace.Options{}) {
		t.Error("a pipe below a directory is read")
	}
	if _, err := os.Stat("/dev/fd"); err != nil {
		return
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err = w.WriteString(ownEvents); err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range trace.Open("/dev/fd/"+fmt.Sprint(r.Fd()), trace.Options{}) {
		if err != nil {
			t.Error(err)
		}
	}
}
