//go:build unix

package mcptool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cbpolicy/cbpolicy/chain/run/mcptool"
)

// programs are what the test binary does when it is run as an MCP server.
var programs = map[string]func(arg string){
	"serve":  func(string) { serve(&mcp.StdioTransport{}) },
	"family": func(address string) { startChild(address); serve(&mcp.StdioTransport{}) },
	"child":  child,
	// stubborn serves, and then ends neither by the end of its input nor by a signal.
	"stubborn": func(address string) {
		signal.Ignore(syscall.SIGTERM)
		go child(address)
		serve(&mcp.StdioTransport{})
		time.Sleep(time.Hour)
	},
	"silent":  func(string) { _, _ = io.Copy(io.Discard, os.Stdin) },
	"exit":    func(string) { fmt.Fprintln(os.Stderr, "no configuration"); os.Exit(4) },
	"chatter": func(string) { fmt.Println("Server listening on stdio"); _, _ = io.Copy(io.Discard, os.Stdin) },
	"endless": func(string) { flood(os.Stdout) },
}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		if p := programs[os.Args[1]]; p != nil {
			p(os.Args[2])
			return
		}
	}
	os.Exit(m.Run())
}

// serve is a server with a tool for everything that may go right or wrong.
func serve(t mcp.Transport) {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for name, do := range tools {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return do(r.Params.Arguments)
			})
	}
	_ = s.Run(context.Background(), t)
}

var tools = map[string]func(args json.RawMessage) (*mcp.CallToolResult, error){
	"echo": func(args json.RawMessage) (*mcp.CallToolResult, error) { return says(string(args)), nil },
	"two":  func(json.RawMessage) (*mcp.CallToolResult, error) { return says("one", "two"), nil },
	"none": func(json.RawMessage) (*mcp.CallToolResult, error) { return says(), nil },
	"structured": func(args json.RawMessage) (*mcp.CallToolResult, error) {
		r := says("left out")
		r.StructuredContent = args
		return r, nil
	},
	"image": func(json.RawMessage) (*mcp.CallToolResult, error) {
		r := says("a picture")
		r.Content = append(r.Content, &mcp.ImageContent{Data: []byte("png"), MIMEType: "image/png"})
		return r, nil
	},
	"refuse": func(json.RawMessage) (*mcp.CallToolResult, error) {
		r := says("no such user\x1b[2J")
		r.IsError = true
		return r, nil
	},
	"fault": func(json.RawMessage) (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "amount is missing"}
	},
	"die": func(json.RawMessage) (*mcp.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(7)
		return nil, nil
	},
	"hang": func(json.RawMessage) (*mcp.CallToolResult, error) { time.Sleep(time.Hour); return nil, nil },
	"deaf": func(json.RawMessage) (*mcp.CallToolResult, error) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // nobody reads our input any more
		time.Sleep(time.Hour)
		return nil, nil
	},
	"garbage": func(json.RawMessage) (*mcp.CallToolResult, error) {
		fmt.Println("panic: something is wrong")
		return says("too late"), nil
	},
	// The SDK would take its time over 100 MB, so the answer is written as it would.
	"huge": func(json.RawMessage) (*mcp.CallToolResult, error) {
		fmt.Print(`{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"`)
		block := []byte(strings.Repeat("x", 1<<20))
		for range 100 {
			if _, err := os.Stdout.Write(block); err != nil {
				os.Exit(1)
			}
		}
		fmt.Println(`"}]}}`)
		return says(), nil
	},
	"long": func(json.RawMessage) (*mcp.CallToolResult, error) {
		return says(strings.Repeat("x", maxOutput+1)), nil
	},
}

func says(texts ...string) *mcp.CallToolResult {
	r := &mcp.CallToolResult{Content: []mcp.Content{}}
	for _, text := range texts {
		r.Content = append(r.Content, &mcp.TextContent{Text: text})
	}
	return r
}

// flood writes one line without end.
func flood(w io.Writer) {
	block := []byte(strings.Repeat(" ", 1<<16))
	for {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

func startChild(address string) {
	cmd := exec.Command(os.Args[0], "child", address)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		os.Exit(1)
	}
}

// child tells that it lives by a connection, which ends with it.
func child(address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		os.Exit(1)
	}
	time.Sleep(time.Hour)
	c.Close()
}

// maxOutput is how much the tools of a test may put out.
const maxOutput = 1 << 20

// start starts a program as a server.
func start(t *testing.T, timeout time.Duration, program, arg string) (*mcptool.Server, error) {
	t.Helper()
	s, err := mcptool.Start(t.Context(), mcptool.Options{
		Name: "test", Words: []string{os.Args[0], program, arg}, Version: "test", Timeout: timeout, MaxOutput: maxOutput,
	})
	if err == nil {
		t.Cleanup(s.Close)
	}
	return s, err
}
