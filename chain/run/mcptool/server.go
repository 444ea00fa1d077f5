package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/internal/process"
)

// The limits of a server for which none are set.
const (
	DefaultTimeout   = 2 * time.Minute
	DefaultMaxOutput = 8 << 20 // bytes
)

const (
	// grace is how long a server has for each step of its end, and a call to
	// come back after its time is over.
	grace = 2 * time.Second
	// maxTools is how many tools a server may list.
	maxTools = 10_000
)

// Options set up a server. Name and Words are required.
type Options struct {
	Name  string   // how errors call it
	Words []string // the program and its arguments
	// Version is the program's own, which the server is told.
	Version string
	// Timeout is how long the start and each call may take; 0: DefaultTimeout.
	Timeout time.Duration
	// MaxOutput is how many bytes a tool may put out, and twice as many a
	// message may have. 0: DefaultMaxOutput.
	MaxOutput int
}

// Server is a running MCP server. Its methods are safe for any number of
// goroutines; calls are made one after the other.
type Server struct {
	opts    Options
	cmd     *exec.Cmd
	stderr  process.Tail
	in, out *os.File      // our ends of the server's standard input and output
	ended   chan struct{} // closed once the process is reaped
	exit    error         // how it ended; read it once ended is closed
	tap     *tap
	session *mcp.ClientSession
	tools   []string
	turn    chan struct{}
	closing sync.Once
}

// Start starts a server, connects to it and asks for its tools. On an error
// nothing of it is left.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = DefaultMaxOutput
	}
	s := &Server{opts: o, ended: make(chan struct{}), turn: make(chan struct{}, 1)}
	if err := s.spawn(); err != nil {
		return nil, fmt.Errorf("MCP server %s: %w", o.Name, err)
	}
	limited, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	if err := s.within(limited, s.connect); err != nil {
		err = s.explain(ctx, limited, "start", err)
		s.kill()
		<-s.ended
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("MCP server %s: %w", o.Name, err)
	}
	return s, nil
}

// spawn starts the process.
func (s *Server) spawn() error {
	// The process ends by Close, not by a context.
	cmd, err := process.Command(context.Background(), s.opts.Words, nil)
	if err != nil {
		return err
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		childIn.Close()
		in.Close()
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, &s.stderr
	err = cmd.Start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return err
	}
	s.cmd, s.in, s.out = cmd, in, out
	go func() {
		s.exit = cmd.Wait()
		close(s.ended)
	}()
	return nil
}

// connect shakes hands and lists the tools.
func (s *Server) connect(ctx context.Context) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "cbpolicy", Version: s.opts.Version},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	s.tap = &tap{reader: &lineReader{r: s.out, limit: 2*s.opts.MaxOutput + 1<<16}, writer: s.in}
	session, err := client.Connect(ctx, s.tap, nil)
	if err != nil {
		return err
	}
	s.session = session
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if len(s.tools) == maxTools {
			return fmt.Errorf("it lists more than %d tools", maxTools)
		}
		s.tools = append(s.tools, tool.Name)
	}
	return nil
}

// Tools returns the names of the server's tools, as it listed them at the start.
func (s *Server) Tools() []string { return s.tools }

// Tool returns the ability that calls a tool, whatever name it is called by.
func (s *Server) Tool(name string) run.Ability {
	return run.AbilityFunc(func(ctx context.Context, _ string, args json.RawMessage) (run.Output, error) {
		return s.call(ctx, name, args)
	})
}

// within runs f, which may be held up by a write that no context ends: a
// server that does not read is killed, and with it the write.
func (s *Server) within(ctx context.Context, f func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		s.kill()
		return <-done
	}
}

// kill ends the process and the connection at once. Closing our ends of the
// pipes ends reads and writes even if something else holds the other ends.
func (s *Server) kill() {
	_ = process.Kill(s.cmd) // it may have ended by itself
	s.in.Close()
	s.out.Close()
}

// Close ends the server: it is told by the end of its input, then by a
// signal, and then killed with all that it has started. It returns once the
// process is reaped.
func (s *Server) Close() {
	s.closing.Do(func() {
		s.in.Close()
		if !s.endsWithin(grace) {
			_ = process.Terminate(s.cmd) // it may have ended in between
			s.endsWithin(grace)
		}
		s.kill()
		<-s.ended
		_ = s.session.Close() // the connection is gone: its error says so
	})
}

func (s *Server) endsWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-s.ended:
		return true
	case <-t.C:
		return false
	}
}

// explain says why something with the server failed: our own time limit, what
// broke the connection, how the process ended, and what it said last.
func (s *Server) explain(ctx, limited context.Context, what string, err error) error {
	message := err.Error()
	broken := s.tap.broken()
	var told *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		message = fmt.Sprintf("no answer within %s (%s)", s.opts.Timeout, what)
	case errors.As(err, &told) && !errors.Is(err, mcp.ErrConnectionClosed):
		return fmt.Errorf("it answered (%s): %s", what, shorten(told.Message))
	case broken == nil:
	case isEnd(broken):
		message = "the server ended (" + what + ")"
		if s.endsWithin(grace) && s.exit != nil && !errors.Is(s.exit, exec.ErrWaitDelay) {
			message = fmt.Sprintf("the server ended (%s): %v", what, s.exit)
		}
	case errors.Is(broken, errLineTooLong):
		message = fmt.Sprintf("the server sent %v (%s)", broken, what)
	default:
		message = fmt.Sprintf("what the server sent is not of the protocol (%s): %v", what, broken)
	}
	if tail := s.stderr.String(); tail != "" && (broken != nil || limited.Err() != nil) {
		message += "; it said: " + tail
	}
	return errors.New(message)
}
