package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/chain/run/command"
)

func TestCall_OutputIsWhatTheProgramPrints(t *testing.T) {
	t.Setenv("GIVEN", "on")
	for _, c := range []struct{ name, program, arg, args, want string }{
		{"arguments come as JSON, their numbers as written", "cat", "", `{"n":12345678901234567890.10,"t":"ü\n"}`, `{"n":12345678901234567890.10,"t":"ü\n"}`},
		{"nothing is an empty text", "say", "", `{}`, ""},
		{"one line break at the end is dropped", "say", "a\n\n", `{}`, "a\n"},
		{"with its carriage return", "say", "a\r\n", `{}`, "a"},
		{"a carriage return alone stays", "say", "a\r", `{}`, "a\r"},
		{"ability, step and the given environment", "env", "", `{}`, "shop.buy pay on"},
		{"arguments that nobody reads", "say", "ok", `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, "ok"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := program(t, c.program, c.arg).Call(run.WithStep(t.Context(), "pay"), "shop.buy", json.RawMessage(c.args))
			if err != nil || out.String() != c.want {
				t.Errorf("got %q, %v; want %q", out.String(), err, c.want)
			}
		})
	}
}

func TestCall_Failures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, program, arg, want string }{
		{"an exit status, with the end of standard error", "fail", "no such\x1b[2J\nuser\n", `exit status 3: no such\u{1b}[2J\nuser`},
		{"an exit status without a word", "fail", "", "exit status 3"},
		{"a long complaint is cut at its start", "grumble", "", "exit status 1: …"},
		{"more output than allowed", "flood", "", "the output is longer than 1000 bytes"},
		{"an output that is no text", "say", "a\xff", "the output is not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := program(t, c.program, c.arg)
			a.MaxOutput = 1000
			out, err := a.Call(t.Context(), "x.y", json.RawMessage(`{}`))
			var failure *run.AbilityError
			if !errors.As(err, &failure) || failure.Class != run.ClassTool || !strings.HasPrefix(failure.Message, c.want) {
				t.Errorf("got %q, %v; want %q", out.String(), err, c.want)
			}
			if failure != nil && len(failure.Message) > 3000 {
				t.Errorf("the message has %d bytes", len(failure.Message))
			}
		})
	}
}

func TestCall_TheLimitItselfIsAllowed(t *testing.T) {
	a := program(t, "say", "12345")
	a.MaxOutput = 5
	if out, err := a.Call(t.Context(), "x.y", json.RawMessage(`{}`)); err != nil || out.String() != "12345" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	a.MaxOutput = 4
	if _, err := a.Call(t.Context(), "x.y", json.RawMessage(`{}`)); err == nil {
		t.Error("one byte more than allowed is let through")
	}
}

// child waits for a child of the program, and returns a function that
// reports whether it ended within a time.
func child(t *testing.T) (address string, ended func() bool) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	conns := make(chan net.Conn, 1)
	go func() {
		if c, err := l.Accept(); err == nil {
			conns <- c
		}
	}()
	return l.Addr().String(), func() bool {
		select {
		case c := <-conns:
			defer c.Close()
			_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
			_, err := c.Read(make([]byte, 1))
			return errors.Is(err, io.EOF) || !errors.As(err, new(net.Error)) || !err.(net.Error).Timeout()
		case <-time.After(10 * time.Second):
			t.Error("the child never came up")
			return false
		}
	}
}

func TestCall_TimeoutKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the system has no process groups")
	}
	address, ended := child(t)
	a := program(t, "family", address)
	a.Timeout = 3 * time.Second
	_, err := a.Call(t.Context(), "x.y", json.RawMessage(`{}`))
	if err == nil || !strings.Contains(err.Error(), "no end within 3s") {
		t.Errorf("got %v", err)
	}
	if !ended() {
		t.Error("a child outlives the time-out")
	}
}

func TestCall_CancelKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the system has no process groups")
	}
	address, ended := child(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err := program(t, "family", address).Call(ctx, "x.y", json.RawMessage(`{}`))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
	if !ended() {
		t.Error("a child outlives the call")
	}
}

func TestCall_WhatIsLeftBehindIsKilled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the system has no process groups")
	}
	address, ended := child(t)
	_, err := program(t, "orphan", address).Call(t.Context(), "x.y", json.RawMessage(`{}`))
	if err == nil || !strings.Contains(err.Error(), "left something running") {
		t.Errorf("got %v", err)
	}
	if !ended() {
		t.Error("a child outlives the call")
	}
}

func TestNew_RefusesWhatIsNotThere(t *testing.T) {
	for _, words := range [][]string{nil, {""}, {"no-such-program-here", "x"}, {"./gone"}} {
		if a, err := command.New(words); err == nil {
			t.Errorf("%q: got %v", words, a)
		}
	}
}

func TestCall_AProgramThatWentAwayIsAFailure(t *testing.T) {
	a := &command.Ability{Words: []string{"no-such-program-here"}}
	_, err := a.Call(t.Context(), "x.y", json.RawMessage(`{}`))
	if !errors.As(err, new(*run.AbilityError)) || !strings.Contains(err.Error(), "no-such-program-here") {
		t.Errorf("got %v", err)
	}
}
