package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tap is a connection that keeps the answer to the latest tool call as it was
// written, because the SDK's own reading of it rounds numbers, and the error
// that broke the connection, because the SDK does not pass it on. It is the
// transport and the connection in one.
type tap struct {
	reader *lineReader
	writer *os.File
	mcp.Connection

	mu     sync.Mutex
	call   jsonrpc.ID // of the latest tool call
	answer json.RawMessage
	err    error
}

// Connect implements mcp.Transport.
func (t *tap) Connect(ctx context.Context) (mcp.Connection, error) {
	// The lines are bounded by the reader, whose error says by how much.
	io := &mcp.IOTransport{Reader: t.reader, Writer: t.writer, MaxLineLength: -1}
	var err error
	t.Connection, err = io.Connect(ctx)
	return t, err
}

// Write implements mcp.Connection.
func (t *tap) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Request); ok && r.Method == "tools/call" {
		t.mu.Lock()
		t.call, t.answer = r.ID, nil
		t.mu.Unlock()
	}
	return t.Connection.Write(ctx, m)
}

// Read implements mcp.Connection.
func (t *tap) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := t.Connection.Read(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil && t.err == nil {
		t.err = err
	}
	if r, ok := m.(*jsonrpc.Response); ok && r.ID == t.call {
		t.answer = r.Result
	}
	return m, err
}

// take returns the result of the latest tool call, once.
func (t *tap) take() json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	answer := t.answer
	t.answer = nil
	return answer
}

// broken returns the error that broke the connection; nil: it holds, or was
// never made.
func (t *tap) broken() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// isEnd reports whether a read failed because there is nothing left to read.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed)
}

// errLineTooLong: a message goes on longer than allowed.
var errLineTooLong = errors.New("a message that is too long")

// lineReader bounds lines, of which each is a message.
type lineReader struct {
	r     *os.File
	limit int
	n     int // bytes of the line so far
}

// Read implements io.Reader.
func (l *lineReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		// Lines within p are no longer than p, which the decoder makes no
		// larger than about twice what the lines before need.
		l.n = n - i - 1
	} else {
		l.n += n
	}
	if l.n > l.limit {
		return 0, fmt.Errorf("%w: over %d bytes", errLineTooLong, l.limit)
	}
	return n, err
}

// Close implements io.Closer.
func (l *lineReader) Close() error { return l.r.Close() }
