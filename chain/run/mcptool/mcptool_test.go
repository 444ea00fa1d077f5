//go:build unix

package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/chain/run/mcptool"
)

func call(t *testing.T, s *mcptool.Server, tool, args string) (string, error) {
	t.Helper()
	out, err := s.Tool(tool).Call(t.Context(), "test."+tool, json.RawMessage(args))
	if err != nil {
		return "", err
	}
	data, err := out.MarshalJSON()
	return string(data), err
}

func TestTool_Outputs(t *testing.T) {
	s, err := start(t, time.Minute, "serve", "")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(s.Tools(), "echo") || len(s.Tools()) != len(tools) {
		t.Errorf("the tools are %q", s.Tools())
	}
	for _, c := range []struct{ name, tool, args, want string }{
		{"arguments are passed on as written", "echo", `{"n":12345678901234567890.10,"e":1e400,"t":"<ü>"}`,
			`"{\"n\":12345678901234567890.10,\"e\":1e400,\"t\":\"<ü>\"}"`},
		{"texts are joined by line breaks", "two", `{}`, `"one\ntwo"`},
		{"no content is an empty text", "none", `{}`, `""`},
		{"structured content is JSON, its numbers as written", "structured", `{"n":12345678901234567890.10}`, `{"n":12345678901234567890.10}`},
		{"content that is no text is kept as JSON", "image", `{}`,
			`[{"type":"text","text":"a picture"},{"type":"image","mimeType":"image/png","data":"cG5n"}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := call(t, s, c.tool, c.args); err != nil || got != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
}

func TestTool_Failures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool, class, want string
		gone              bool // the server is of no use afterwards
	}{
		{tool: "refuse", class: run.ClassTool, want: `no such user\u{1b}[2J`},
		{tool: "fault", class: run.ClassArguments, want: "amount is missing"},
		{tool: "unheard-of", class: run.ClassArguments, want: `unknown tool "unheard-of"`},
		{tool: "long", class: run.ClassTool, want: "the output is longer than 1048576 bytes"},
		{tool: "die", class: run.ClassTool, want: "MCP server test: the server ended (call): exit status 7; it said: out of memory", gone: true},
		{tool: "garbage", class: run.ClassTool, want: "MCP server test: what the server sent is not of the protocol (call): invalid character 'p'", gone: true},
		{tool: "huge", class: run.ClassTool, want: "MCP server test: the server sent a message that is too long: over 2162688 bytes (call)", gone: true},
	} {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			s, err := start(t, time.Minute, "serve", "")
			if err != nil {
				t.Fatal(err)
			}
			_, err = call(t, s, c.tool, `{}`)
			var failure *run.AbilityError
			if !errors.As(err, &failure) || failure.Class != c.class || !strings.HasPrefix(failure.Message, c.want) {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if _, err := call(t, s, "echo", `{}`); (err != nil) != c.gone {
				t.Errorf("the next call: %v", err)
			}
		})
	}
}

// TestTool_ALongAnswerTakesBoundedMemory: of an answer of 100 MB no more is
// taken in than the limit of a line, and the decoder's doubling of its buffer.
func TestTool_ALongAnswerTakesBoundedMemory(t *testing.T) {
	s, err := start(t, time.Minute, "serve", "")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := call(t, s, "huge", `{}`); err == nil {
		t.Fatal("100 MB are let through")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 20<<20 {
		t.Errorf("%d MiB were allocated in all", n>>20)
	}
}

func TestTool_AHangingCallEndsInTime(t *testing.T) {
	t.Parallel()
	s, err := start(t, 2*time.Second, "serve", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = call(t, s, "hang", `{}`)
	if err == nil || !strings.Contains(err.Error(), "no answer within 2s (call)") {
		t.Errorf("got %v", err)
	}
	if got, err := call(t, s, "none", `{}`); err != nil || got != `""` {
		t.Errorf("the next call: %s, %v", got, err)
	}
}

// TestTool_AServerThatDoesNotReadIsKilled: arguments larger than a pipe holds
// would keep the writer waiting for good.
func TestTool_AServerThatDoesNotReadIsKilled(t *testing.T) {
	t.Parallel()
	s, err := start(t, 2*time.Second, "serve", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, s, "deaf", `{}`); err == nil {
		t.Fatal("a stopped server answers")
	}
	_, err = call(t, s, "echo", `{"x":"`+strings.Repeat("x", 4<<20)+`"}`)
	if err == nil {
		t.Fatal("a stopped server answers")
	}
}

func TestTool_CancelIsTheContextsError(t *testing.T) {
	t.Parallel()
	s, err := start(t, time.Minute, "serve", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := s.Tool("hang").Call(ctx, "test.hang", json.RawMessage(`{}`)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestStart_Failures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program string
		timeout time.Duration
		want    string
	}{
		{"silent", 2 * time.Second, "MCP server test: no answer within 2s (start)"},
		{"exit", time.Minute, "MCP server test: the server ended (start): exit status 4; it said: no configuration"},
		{"chatter", time.Minute, "MCP server test: what the server sent is not of the protocol (start): invalid character 'S'"},
		{"endless", time.Minute, "MCP server test: the server sent a message that is too long"},
	} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			_, err := start(t, c.timeout, c.program, "")
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	if _, err := mcptool.Start(t.Context(), mcptool.Options{Name: "test", Words: []string{"no-such-program-here"}}); err == nil ||
		!strings.Contains(err.Error(), "no-such-program-here") {
		t.Errorf("got %v", err)
	}
}

// TestClose_NothingIsLeft: neither a server that does not want to end nor what
// a server has started itself.
func TestClose_NothingIsLeft(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"family", "stubborn"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			s, err := start(t, time.Minute, program, l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			s.Close()
			s.Close() // again: nothing happens
			_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
			var timeout net.Error
			if _, err := c.Read(make([]byte, 1)); err == nil || errors.As(err, &timeout) && timeout.Timeout() {
				t.Errorf("something is left: %v", err)
			}
			if _, err := call(t, s, "none", `{}`); err == nil {
				t.Error("a server that was ended answers")
			}
		})
	}
}
