package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cbpolicy/cbpolicy/trace"
)

// progress shows on a terminal how much of the recordings was read. A nil
// progress shows nothing. It is safe for concurrent use.
type progress struct {
	w       io.Writer
	now     func() time.Time
	columns int
	doing   string // what is done meanwhile

	mu    sync.Mutex
	total int64 // bytes; 0: not known
	done  int64
	runs  int
	drawn time.Time // last, or when it began
	shown bool      // the line is on the terminal
}

// progressEvery is how often the line is drawn, and how long nothing is, so that
// what is done at once does not flicker.
const progressEvery = 200 * time.Millisecond

// newProgress returns a progress over the files of the paths, if the writer
// is a terminal that can draw a line again.
func newProgress(w io.Writer, paths []string, doing string) *progress {
	if !isTerminal(w) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	p := &progress{w: w, now: time.Now, columns: width(w), doing: doing, drawn: time.Now()}
	for _, path := range paths {
		if path == stdin {
			p.total = 0
			break
		}
		for file, err := range trace.Files(path, trace.Options{}) {
			if err != nil {
				continue // it is told of when it is read
			}
			if info, err := os.Stat(file); err == nil {
				p.total += info.Size()
			}
		}
	}
	return p
}

// reading counts what is read from a reader.
func (p *progress) reading(r io.Reader) io.Reader {
	if p == nil {
		return r
	}
	return &counted{r, p}
}

// counted is a reader whose bytes a progress counts.
type counted struct {
	io.Reader
	progress *progress
}

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress.add(int64(n), 0)
	return n, err
}

// run counts a run.
func (p *progress) run() {
	if p != nil {
		p.add(0, 1)
	}
}

func (p *progress) add(bytes int64, runs int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += bytes
	p.runs += runs
	if now := p.now(); now.Sub(p.drawn) >= progressEvery {
		p.drawn, p.shown = now, true
		// A terminal that cannot be written to is no reason to end.
		_, _ = fmt.Fprintf(p.w, "\r%s\x1b[K", p.line())
	}
}

// line is what is shown, in less than the width of the terminal.
func (p *progress) line() string {
	text := fmt.Sprintf("%s  %s", p.doing, count(p.runs, "run"))
	if p.total == 0 {
		return cut(text, p.columns-1)
	}
	part := min(float64(p.done)/float64(p.total), 1)
	share := fmt.Sprintf("  %3.0f %%  ", part*100)
	if room := min(p.columns-1-len(text)-len(share), 40); room >= 8 {
		filled := int(part * float64(room))
		return p.doing + "  " + strings.Repeat("█", filled) + strings.Repeat("░", room-filled) + share + count(p.runs, "run")
	}
	return cut(p.doing+share+count(p.runs, "run"), p.columns-1)
}

// clear takes the line away, so that something else can be printed.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		p.shown = false
		_, _ = io.WriteString(p.w, "\r\x1b[K")
	}
}
