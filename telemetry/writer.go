package telemetry

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/cbpolicy/cbpolicy/session"
)

// Writer writes tasks as JSON Lines. Its Task belongs in session.Options.OnTask,
// of any number of sessions. Make one with NewWriter.
type Writer struct {
	mu  sync.Mutex
	enc *json.Encoder
	err error
}

// NewWriter returns a writer of lines.
func NewWriter(w io.Writer) *Writer {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &Writer{enc: enc}
}

// Task writes a task that is over. Once a line could not be written no other
// is; see Err.
func (w *Writer) Task(m session.Metadata) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.enc.Encode(m)
	}
}

// Err returns why a line could not be written; nil: all were.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
