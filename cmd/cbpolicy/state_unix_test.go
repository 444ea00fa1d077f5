//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestState_FileIsHeld begins while another process holds the state file and
// does not give it back: what is done then is what the operator says.
func TestState_FileIsHeld(t *testing.T) {
	dir := t.TempDir()
	policy, path := filepath.Join(dir, "p.cbp"), filepath.Join(dir, "state.db")
	if err := os.WriteFile(policy, []byte("B:frequency>1/1d|abort|id=once\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	eval := func(flags ...string) (int, string) {
		var out, errOut bytes.Buffer
		args := append([]string{"eval", "-p", policy, "--state", "file:" + path}, flags...)
		code := program(t.Context(), args, strings.NewReader(`{"chain":"c","ability":"a","session":"s"}`), &out, &errOut)
		return code, out.String() + errOut.String()
	}
	if code, said := eval(); code != exitOK {
		t.Fatalf("exit code %d: %s", code, said)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags []string
		code  int
		want  string
	}{
		{[]string{"--on-store-error", "local"}, exitOK, "counted locally"},
		{[]string{"--on-store-error", "allow"}, exitOK, "let pass uncounted (on_store_error=allow): once"},
		{nil, exitBlocked, `"rule":"store_error"`},
	} {
		if code, said := eval(c.flags...); code != c.code || !strings.Contains(said, c.want) {
			t.Errorf("%v: exit code %d, want %d: %s", c.flags, code, c.code, said)
		}
	}
}
