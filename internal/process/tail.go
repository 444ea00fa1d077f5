package process

import (
	"strings"
	"sync"

	"github.com/cbpolicy/cbpolicy/diag"
)

// maxTail is how many bytes of an output are kept.
const maxTail = 2 << 10

// Tail is a writer that keeps the end of what is written to it. The zero Tail
// is empty. It is safe for any number of goroutines.
type Tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool // something before buf was dropped
}

// Write implements io.Writer. It takes everything.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if n > maxTail {
		p, t.cut = p[n-maxTail:], true
	}
	if over := len(t.buf) + len(p) - maxTail; over > 0 {
		t.buf, t.cut = append(t.buf[:0], t.buf[over:]...), true
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// String returns the tail on one line, safe to show on a terminal; "" if
// nothing but blanks was written.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := string(t.buf)
	if t.cut {
		// The first character may be cut in two.
		s = strings.TrimLeftFunc(s, func(r rune) bool { return r == '\uFFFD' })
	}
	s = diag.Escape(strings.TrimSpace(s))
	if t.cut && s != "" {
		s = "…" + s
	}
	return s
}
