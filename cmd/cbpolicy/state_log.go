package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
)

// stateLog prints what becomes of the state as the program prints everything
// else: a line when it is lost, and one when it is back. What happens again and
// again in between, such as a call that is not told, is said once an outage.
type stateLog struct {
	attrs []slog.Attr
	*stateLines
}

// stateLines are what the handlers of one log share.
type stateLines struct {
	mu   sync.Mutex
	to   io.Writer
	said map[string]bool // in this outage
}

// newStateLog returns a log that prints to w.
func newStateLog(w io.Writer) *slog.Logger {
	return slog.New(stateLog{stateLines: &stateLines{to: w, said: map[string]bool{}}})
}

// Enabled implements slog.Handler.
func (stateLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle implements slog.Handler. News that are good end an outage; what is
// worse than that is a warning, for the program goes on.
func (l stateLog) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	prefix := "cbpolicy:"
	switch {
	case r.Level < slog.LevelWarn:
		clear(l.said)
	case l.said[r.Message]:
		return nil
	default:
		l.said[r.Message] = true
		prefix = "cbpolicy: warning:"
	}
	parts := make([]string, 0, len(l.attrs)+r.NumAttrs())
	add := func(a slog.Attr) bool {
		v := a.Value.Resolve()
		text := v.String()
		if v.Kind() == slog.KindDuration {
			text = v.Duration().Round(time.Millisecond).String()
		}
		parts = append(parts, a.Key+": "+text)
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	r.Attrs(add)
	text := r.Message
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, "; ") + ")"
	}
	_, err := fmt.Fprintln(l.to, prefix, diag.Escape(text))
	return err
}

// WithAttrs implements slog.Handler.
func (l stateLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	l.attrs = slices.Concat(l.attrs, attrs)
	return l
}

// WithGroup implements slog.Handler. A line has no groups: names are as they are.
func (l stateLog) WithGroup(string) slog.Handler { return l }
