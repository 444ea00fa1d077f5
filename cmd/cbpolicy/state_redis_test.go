//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// redisServer starts a server and returns its address and a client of it; the test
// is skipped where there is none.
func redisServer(t *testing.T, ctx context.Context) (string, *goredis.Client) {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("there is no redis-server on the PATH")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(addr)
	dir := t.TempDir()
	cmd := exec.CommandContext(ctx, path, "--bind", "127.0.0.1", "--port", port, "--dir", dir, "--save", "", "--logfile", filepath.Join(dir, "log"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	c := goredis.NewClient(&goredis.Options{Addr: addr})
	t.Cleanup(func() { c.Close() })
	for c.Ping(ctx).Err() != nil {
		if ctx.Err() != nil {
			t.Fatal("the server does not answer")
		}
		time.Sleep(10 * time.Millisecond)
	}
	return addr, c
}

// TestState_RedisAnswersOnly has an eval go on while its server takes no writes:
// that is said once, and once that it takes them again.
func TestState_RedisAnswersOnly(t *testing.T) {
	ctx := limited(t)
	addr, server := redisServer(t, ctx)
	policy := filepath.Join(t.TempDir(), "p.cbp")
	put(t, policy, "B:frequency>9000/1d|abort|id=often\n")
	steps, in := io.Pipe()
	out, said := io.Pipe()
	errOut := newShared()
	code := make(chan int, 1)
	go func() {
		code <- program(ctx, []string{"eval", "-p", policy, "--state", "redis://" + addr + "?timeout=1s"}, steps, said, errOut)
		said.Close()
	}()
	verdicts := bufio.NewScanner(out)
	ask := func(want string) {
		t.Helper()
		fmt.Fprintln(in, `{"chain":"c","session":"s","ability":"pay"}`)
		if !verdicts.Scan() {
			t.Fatalf("no verdict: %s", errOut)
		}
		if !strings.Contains(verdicts.Text(), want) {
			t.Fatalf("%s: want %s: %s", verdicts.Text(), want, errOut)
		}
	}
	do := func(args ...any) {
		t.Helper()
		if err := server.Do(ctx, args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	ask(`"allow"`)
	for _, c := range [][2][]any{
		{{"REPLICAOF", "127.0.0.1", "1"}, {"REPLICAOF", "NO", "ONE"}},
		{{"CONFIG", "SET", "maxmemory", "1"}, {"CONFIG", "SET", "maxmemory", "0"}},
	} {
		before := strings.Count(errOut.String(), "is back")
		do(c[0]...)
		for begin := time.Now(); time.Since(begin) < time.Second; time.Sleep(20 * time.Millisecond) {
			ask("store_error")
		}
		do(c[1]...)
		for strings.Count(errOut.String(), "is back") == before {
			select {
			case <-errOut.written:
			case <-ctx.Done():
				t.Fatalf("nobody says that it is back:\n%s", errOut)
			}
		}
		ask(`"allow"`)
	}
	in.Close()
	if got := <-code; got != exitOK { // that of the last step
		t.Errorf("exit code %d: %s", got, errOut)
	}
	want := regexp.MustCompile(`^(cbpolicy: warning: the state is unavailable .*\ncbpolicy: the state is back .*\n){2}$`)
	if !want.MatchString(errOut.String()) {
		t.Errorf("standard error:\n%swant a line when it is lost and one when it is back, twice", errOut)
	}
}

// TestState_RedisEvicts warns of a server that may drop counts, once, and says
// nothing where it may not be asked.
func TestState_RedisEvicts(t *testing.T) {
	ctx := limited(t)
	addr, server := redisServer(t, ctx)
	policy := filepath.Join(t.TempDir(), "p.cbp")
	put(t, policy, "B:frequency>9/1d|abort|id=often\n")
	eval := func(user string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		step := `{"chain":"c","session":"s","ability":"pay"}` + "\n"
		if code := program(ctx, []string{"eval", "-p", policy, "--state", "redis://" + user + addr + "?timeout=5s"}, strings.NewReader(step+step), &out, &errOut); code != exitOK {
			t.Fatalf("exit code %d: %s%s", code, &out, &errOut)
		}
		return errOut.String()
	}
	const warning = "cbpolicy: warning: limits may begin anew without a word (reason: redis may evict counts when its memory is full: maxmemory-policy is \"allkeys-lru\", want noeviction)\n"
	for _, c := range []struct {
		do         []any
		user, want string
	}{
		{[]any{"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"}, "", ""}, // its memory is never full
		{[]any{"CONFIG", "SET", "maxmemory", "1gb"}, "", warning},
		{[]any{"ACL", "SETUSER", "guard", "on", ">pw", "~*", "+@all", "-info"}, "guard:pw@", ""},
		{[]any{"CONFIG", "SET", "maxmemory-policy", "noeviction"}, "", ""},
	} {
		if err := server.Do(ctx, c.do...).Err(); err != nil {
			t.Fatal(err)
		}
		if got := eval(c.user); got != c.want {
			t.Errorf("%v: standard error %q, want %q", c.do, got, c.want)
		}
	}
}

// TestState_RedisBreakers sees and resets breakers on a server, and says so where it
// does not answer.
func TestState_RedisBreakers(t *testing.T) {
	if _, err := exec.LookPath("false"); err != nil {
		t.Skip("there is no program that fails on the PATH")
	}
	ctx := limited(t)
	addr, server := redisServer(t, ctx)
	dir := t.TempDir()
	chain, settings := filepath.Join(dir, "chain.yaml"), filepath.Join(dir, "conf.yaml")
	put(t, chain, "id: c\nsteps:\n  - {id: a, ability: pay.out, on_failure: continue}\n")
	put(t, settings, "state: redis://"+addr+"?timeout=5s\nbreakers: [{abilities: pay.*, failure_threshold: 1, reset: manual}]\n")
	var out, errOut bytes.Buffer
	if code := program(ctx, []string{"run", chain, "--config", settings, "--ability", "*=false"}, strings.NewReader(""), &out, &errOut); code != exitOK {
		t.Fatalf("exit code %d: %s%s", code, &out, &errOut)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"breaker pay.out", exitOK, `^pay\.out  open       failures: 0 of 1, trips: 1, not called until it is reset\n$`},
		{"breaker -f json pay.out", exitOK, `(?s)"known": true,.*"phase": "open".*"manual": true,`},
		{"breaker pay.uot", exitFindings, `^pay\.uot  closed .* not known to the state\n$`},
		{"breaker -f json pay.uot", exitFindings, `"known": false`},
		{"breaker", exitUsage, `^$`},
		{"breaker reset pay.uot", exitFindings, `^pay\.uot: nothing to reset\n$`},
		{"breaker reset -f json pay.uot", exitFindings, `"known": false`},
		{"breaker reset", exitUsage, `^$`},
		{"breaker reset pay.out", exitOK, `^pay\.out: closed, was open since 2.*Z\n$`},
		{"breaker reset -f json pay.out", exitOK, `"was": "closed"`},
		{"breaker pay.out", exitOK, `^pay\.out  closed     failures: 0 of 1, trips: 1\n$`},
		{"", exitOK, ""}, // the server is gone
		{"breaker pay.out", exitInternal, `^$`},
		{"breaker reset pay.out", exitInternal, `^$`},
		{"breaker -f json pay.out", exitInternal, `^\{\n  "breakers": \[\]\n\}\n$`},
		{"breaker reset -f json pay.out", exitInternal, `"breakers": \[\]`},
	} {
		if c.args == "" {
			server.ShutdownNoSave(ctx)
			continue
		}
		out.Reset()
		errOut.Reset()
		code := program(ctx, append(strings.Fields(c.args), "--config", settings), strings.NewReader(""), &out, &errOut)
		if code != c.code || !regexp.MustCompile(c.want).MatchString(out.String()) {
			t.Errorf("%s: exit code %d, want %d: %s%s", c.args, code, c.code, &out, &errOut)
		}
		if (code == exitOK) != (errOut.Len() == 0) {
			t.Errorf("%s: exit code %d and standard error %q", c.args, code, &errOut)
		}
	}
}
