package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
)

// The line is drawn now and then, fits the terminal, and is gone in the end.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	clock := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	p := &progress{w: &out, now: func() time.Time { return clock }, columns: 60, doing: "replay", total: 1000, drawn: clock}
	data := strings.NewReader(strings.Repeat("x", 1000))
	r := p.reading(data)
	read := func(n int64) {
		t.Helper()
		if _, err := io.CopyN(io.Discard, io.LimitReader(r, n), n); err != nil {
			t.Fatal(err)
		}
		p.run()
	}
	read(10)
	if p.clear(); out.Len() > 0 {
		t.Errorf("drawn at once: %q", out.String())
	}
	clock = clock.Add(progressEvery)
	read(490)
	first := out.String()
	if want := "\rreplay  " + strings.Repeat("█", 18) + strings.Repeat("░", 19) + "  "; !strings.HasPrefix(first, want) || !strings.HasSuffix(first, "\x1b[K") || !strings.Contains(first, "50 %  1 run") {
		t.Errorf("%q, want %q", first, want)
	}
	read(100)
	if out.String() != first {
		t.Errorf("drawn again at once: %q", out.String())
	}
	p.clear()
	if got := strings.TrimPrefix(out.String(), first); got != "\r\x1b[K" {
		t.Errorf("cleared by %q", got)
	}
	p.clear()
	if got := strings.TrimPrefix(out.String(), first); got != "\r\x1b[K" {
		t.Errorf("cleared twice: %q", got)
	}
}

func TestProgressLine(t *testing.T) {
	for _, columns := range []int{1, 5, 20, 30, 40, 80, 300} {
		for _, total := range []int64{0, 500} {
			p := &progress{columns: columns, doing: "suggest", total: total, done: 700, runs: 123456}
			if got := p.line(); diag.Columns(got) >= max(columns, 2) {
				t.Errorf("%d columns of %d: %q", diag.Columns(got), columns, got)
			}
		}
	}
}

// Where there is no terminal, there is no line.
func TestNoProgress(t *testing.T) {
	p := newProgress(&bytes.Buffer{}, []string{"."}, "replay")
	if p != nil {
		t.Fatal("a buffer is no terminal")
	}
	p.run()
	p.clear()
	if data, err := io.ReadAll(p.reading(strings.NewReader("x"))); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
}
