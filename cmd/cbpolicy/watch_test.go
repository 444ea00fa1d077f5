package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
)

// shared is a buffer that is read while a program writes to it.
type shared struct {
	mu  sync.Mutex
	buf bytes.Buffer
	// written gets a signal with every line.
	written chan struct{}
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.written <- struct{}{}:
	default:
	}
	return s.buf.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// until waits until a text was written.
func (s *shared) until(t *testing.T, ctx context.Context, text string) {
	t.Helper()
	for !strings.Contains(s.String(), text) {
		select {
		case <-s.written:
		case <-ctx.Done():
			t.Fatalf("nobody says %q, but\n%s", text, s)
		}
	}
}

func newShared() *shared { return &shared{written: make(chan struct{}, 1)} }

// put writes a file in one step, so that nobody sees half of it.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+"~", []byte(text), 0o600), os.Rename(path+"~", path)); err != nil {
		t.Fatal(err)
	}
}

// limited is the context of a test that waits for others.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Updates come into force while steps come in; a bad one does not, and every
// verdict says so; the log repeats what it says.
func TestEval_Watch(t *testing.T) {
	ctx, dir := limited(t), t.TempDir()
	policy, log := filepath.Join(dir, "p.cbp"), filepath.Join(dir, "log.jsonl")
	put(t, policy, "B:ability:pay|warn|\"w\"|id=first\nB:frequency:pay>3/1h|abort|\"often\"|id=often\n")
	steps, in := io.Pipe()
	out, said := io.Pipe()
	errOut := newShared()
	code := make(chan int, 1)
	go func() {
		code <- program(ctx, []string{"eval", "-p", policy, "--watch=10ms", "--audit", log, "-"}, steps, said, errOut)
		said.Close()
	}()
	verdicts := bufio.NewScanner(out)
	ask := func() (v registry.VerdictJSON) {
		t.Helper()
		fmt.Fprintln(in, `{"chain":"c","session":"s","ability":"pay"}`)
		if !verdicts.Scan() {
			t.Fatalf("no verdict: %s", errOut)
		}
		if err := json.Unmarshal(verdicts.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := ask(); v.Decision != "warn" || v.Fired[0].Rule != "first" || v.Notes != nil {
		t.Errorf("at the start: %+v", v)
	}
	put(t, policy, "B:ability:pay|abrot|\"w\"|id=second\n")
	errOut.until(t, ctx, "is refused: ")
	if v := ask(); v.Decision != "warn" || len(v.Notes) != 1 || !strings.Contains(v.Notes[0], policy+":1:15: ") || !strings.Contains(v.Notes[0], "in force since ") {
		t.Errorf("with a bad update: %+v", v)
	}
	put(t, policy, "B:ability:pay|warn|\"w\"|id=second\nB:frequency:pay>3/1h|abort|\"often\"|id=often\n")
	errOut.until(t, ctx, "the policies are those of ")
	if v := ask(); v.Decision != "warn" || v.Fired[0].Rule != "second" || v.Notes != nil {
		t.Errorf("with a good one: %+v", v)
	}
	if v := ask(); v.Decision != "abort" || v.Fired[1].Actual != "4" {
		t.Errorf("the window began anew: %+v", v)
	}
	in.Close()
	if got := <-code; got != exitBlocked {
		t.Errorf("exit code %d: %s", got, errOut)
	}
	// Under the rules of the last two steps, those of the first two are another's.
	var replayed bytes.Buffer
	program(ctx, []string{"audit", "replay", log, "-p", policy}, nil, &replayed, io.Discard)
	if want := "same: 2, different: 0, not judged: 0, masked: 0, other policy: 2\n"; replayed.String() != want {
		t.Errorf("replayed %q, want %q", &replayed, want)
	}
	replayed.Reset()
	put(t, policy, "B:ability:pay|warn|\"w\"|id=first\nB:frequency:pay>3/1h|abort|\"often\"|id=often\n")
	program(ctx, []string{"audit", "replay", log, "-p", policy}, nil, &replayed, io.Discard)
	if want := "same: 2, different: 0, not judged: 0, masked: 0, other policy: 2\n"; replayed.String() != want {
		t.Errorf("replayed with a note %q, want %q", &replayed, want)
	}
}

// A step of a run is judged by what came into force while the one before it ran.
func TestRun_Watch(t *testing.T) {
	ctx, dir := limited(t), t.TempDir()
	policy, chain, begun, goOn := filepath.Join(dir, "p.cbp"), filepath.Join(dir, "c.yaml"), filepath.Join(dir, "begun"), filepath.Join(dir, "go-on")
	put(t, policy, "B:ability:b.do|warn|\"w\"\n")
	put(t, chain, "id: c\nsteps:\n  - {id: a, ability: a.do}\n  - {id: b, ability: b.do}\n")
	put(t, filepath.Join(dir, "c.cfg.yaml"), "policies: [p.cbp]\npolicy_watch: 10ms\n")
	out, errOut := newShared(), newShared()
	code := make(chan int, 1)
	go func() {
		code <- program(ctx, []string{"run", chain, "--config", filepath.Join(dir, "c.cfg.yaml"), "--shell",
			"--ability", "*=: >" + begun + "; while ! [ -e " + goOn + " ]; do sleep 0.01; done"}, strings.NewReader(""), out, errOut)
	}()
	for ctx.Err() == nil {
		if _, err := os.Stat(begun); err == nil {
			break
		}
		runtime.Gosched()
	}
	put(t, policy, "B:ability:b.do|abort|\"not any more\"|id=late\n")
	errOut.until(t, ctx, "the policies are those of ")
	put(t, goOn, "")
	if got := <-code; got != exitBlocked || !strings.Contains(out.String(), "late") {
		t.Errorf("exit code %d: %s\n%s", got, out, errOut)
	}
}

func TestWatch_Refuses(t *testing.T) {
	dir := t.TempDir()
	policy := filepath.Join(dir, "p.cbp")
	put(t, policy, "B:ability:pay|warn|\"w\"\n")
	for _, c := range []struct{ args, want string }{
		{"eval --builtins --watch -", "there is nothing to watch"},
		{"eval -p " + policy + " --watch=1ms -", "--watch 1ms: want at least 10ms, or 0"},
		{"eval -p " + policy + " --watch=-1s -", "want at least 10ms"},
		{"eval -p " + policy + " --watch=often -", "invalid argument"},
		{"eval -p " + policy + " --watch 5s -", `"5s" is no file, but a time: write --watch=5s`},
		{"run chain.yaml -p " + policy + " --watch 1m30s", "write --watch=1m30s"},
	} {
		var errOut bytes.Buffer
		code := program(t.Context(), strings.Fields(c.args), strings.NewReader("{}"), io.Discard, &errOut)
		if code != exitUsage || !strings.Contains(errOut.String(), c.want) {
			t.Errorf("%s: %d, %s; want %q", c.args, code, &errOut, c.want)
		}
	}
}
