package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"cbpolicy": main, "mcp-server": mcpServer})
}

// TestScript runs the scripts in testdata/script: each runs the program as a
// process of its own and compares what it prints and how it ends.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=50") // each of some 650 processes would wait a whole second to end
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "repeat": repeat},
	})
}

// repeat writes lines again and again: repeat FILE FROM TO LINE…, in which {n}
// is the number and {s} the number as seconds of a minute, in two digits.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: repeat FILE FROM TO LINE…")
	}
	from, err := strconv.Atoi(args[1])
	ts.Check(err)
	to, err := strconv.Atoi(args[2])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	ts.Check(err)
	for n := from; n <= to; n++ {
		line := strings.NewReplacer("{n}", strconv.Itoa(n), "{s}", fmt.Sprintf("%02d", n%60)).Replace(strings.Join(args[3:], "\n"))
		_, err = f.WriteString(line + "\n")
		ts.Check(err)
	}
	ts.Check(f.Close())
}

// exits runs a program and compares its exit code: exits CODE PROGRAM ARG…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		got = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
