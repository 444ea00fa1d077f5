//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
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

// TestState_LostAndBack has an eval lose the file of the state, and get it back:
// each is said once, however many steps are decided in between.
func TestState_LostAndBack(t *testing.T) {
	ctx, dir := limited(t), t.TempDir()
	policy, path := filepath.Join(dir, "p.cbp"), filepath.Join(dir, "state.db")
	put(t, policy, "B:frequency>9/1d|abort|id=often\n")
	steps, in := io.Pipe()
	out, said := io.Pipe()
	errOut := newShared()
	code := make(chan int, 1)
	go func() {
		code <- program(ctx, []string{"eval", "-p", policy, "--state", "file:" + path, "--on-store-error", "local"}, steps, said, errOut)
		said.Close()
	}()
	verdicts := bufio.NewScanner(out)
	ask := func(what, want string, has bool) {
		t.Helper()
		fmt.Fprintln(in, `{"chain":"c","session":"s","ability":"pay"}`)
		if !verdicts.Scan() {
			t.Fatalf("%s: no verdict: %s", what, errOut)
		}
		if strings.Contains(verdicts.Text(), want) != has {
			t.Errorf("%s: %s: %q is to be there: %t", what, verdicts.Text(), want, has)
		}
	}
	ask("at first", "store unavailable", false)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for round := 1; round <= 2; round++ {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			ask("while the file is held", "store unavailable", true)
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_UN); err != nil {
			t.Fatal(err)
		}
		for strings.Count(errOut.String(), "cbpolicy: the state is back (away: ") < round {
			select {
			case <-errOut.written:
			case <-ctx.Done():
				t.Fatalf("nobody says that it is back:\n%s", errOut)
			}
		}
		ask("once it is free", "store unavailable", false)
	}
	in.Close()
	if got := <-code; got != exitOK {
		t.Errorf("exit code %d: %s", got, errOut)
	}
	lines := strings.Split(strings.TrimSpace(errOut.String()), "\n")
	for i, line := range lines {
		want := "cbpolicy: warning: the state is unavailable (reason: "
		if i%2 == 1 {
			want = "cbpolicy: the state is back (away: "
		}
		if !strings.HasPrefix(line, want) || len(lines) != 4 {
			t.Fatalf("line %d of %d is %q, want %q", i, len(lines), line, want)
		}
	}
}
