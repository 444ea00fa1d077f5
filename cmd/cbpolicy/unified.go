package main

import (
	"bytes"
	"fmt"
	"strings"
)

// diffContext is how many equal lines a hunk shows around what differs.
const diffContext = 3

// unifiedDiff returns the unified diff from one text to another, or nothing
// if they are equal. Lines that occur once in both texts hold it together, so
// that it takes little more time than reading the texts.
func unifiedDiff(name string, from, to []byte) []byte {
	if bytes.Equal(from, to) {
		return nil
	}
	a, b := splitLines(from), splitLines(to)
	d := differ{a: a, b: b}
	fmt.Fprintf(&d.out, "--- %s.orig\n+++ %s\n", name, name)
	done := pair{}
	places := append([]pair{{0, 0}}, anchors(a, b)...)
	for _, p := range append(places, pair{len(a), len(b)}) {
		if p.a < done.a || p.b < done.b {
			continue // swallowed by an earlier match
		}
		start, end := p, p
		for start.a > done.a && start.b > done.b && a[start.a-1] == b[start.b-1] {
			start.a--
			start.b--
		}
		for end.a < len(a) && end.b < len(b) && a[end.a] == b[end.b] {
			end.a++
			end.b++
		}
		d.change(done, start)
		d.equal(start, end)
		done = end
	}
	d.flush()
	return d.out.Bytes()
}

// splitLines cuts a text behind its line ends. A last line without one says so.
func splitLines(text []byte) []string {
	lines := strings.SplitAfter(string(text), "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	} else {
		lines[last] += "\n\\ No newline at end of file\n"
	}
	return lines
}

// pair is a place in both texts, as numbers of lines from 0.
type pair struct{ a, b int }

// anchors returns the lines that occur once in each text, as many as stand in
// the same order in both.
func anchors(a, b []string) []pair {
	type seen struct{ inA, inB, at int }
	lines := map[string]*seen{}
	for _, line := range a {
		if lines[line] == nil {
			lines[line] = &seen{}
		}
		lines[line].inA++
	}
	for j, line := range b {
		if s := lines[line]; s != nil {
			s.inB++
			s.at = j
		}
	}
	var once []pair
	for i, line := range a {
		if s := lines[line]; s.inA == 1 && s.inB == 1 {
			once = append(once, pair{i, s.at})
		}
	}
	return rising(once)
}

// rising returns a longest part of the pairs, which rise in a, that rises in b, too.
func rising(pairs []pair) []pair {
	var ends []int // ends[n] is the pair that a rising part of n+1 pairs may end with, the lowest in b
	before := make([]int, len(pairs))
	for i, p := range pairs {
		low, high := 0, len(ends)
		for low < high {
			if mid := (low + high) / 2; pairs[ends[mid]].b < p.b {
				low = mid + 1
			} else {
				high = mid
			}
		}
		before[i] = -1
		if low > 0 {
			before[i] = ends[low-1]
		}
		if low == len(ends) {
			ends = append(ends, i)
		} else {
			ends[low] = i
		}
	}
	out := make([]pair, len(ends))
	if len(ends) == 0 {
		return out
	}
	for n, i := len(ends)-1, ends[len(ends)-1]; n >= 0; n, i = n-1, before[i] {
		out[n] = pairs[i]
	}
	return out
}

// differ writes hunks.
type differ struct {
	a, b  []string
	out   bytes.Buffer
	hunk  []string // its lines, marked
	start pair     // of the hunk
	size  pair     // of the hunk, in lines
}

// change adds what differs up to a place. It opens a hunk, with the equal
// lines that led there.
func (d *differ) change(from, to pair) {
	if from == to {
		return
	}
	if len(d.hunk) == 0 {
		n := min(diffContext, from.a, from.b)
		d.start = pair{from.a - n, from.b - n}
		d.context(d.a[from.a-n : from.a])
	}
	for _, line := range d.a[from.a:to.a] {
		d.hunk = append(d.hunk, "-"+line)
	}
	for _, line := range d.b[from.b:to.b] {
		d.hunk = append(d.hunk, "+"+line)
	}
	d.size.a += to.a - from.a
	d.size.b += to.b - from.b
}

func (d *differ) context(lines []string) {
	for _, line := range lines {
		d.hunk = append(d.hunk, " "+line)
	}
	d.size.a += len(lines)
	d.size.b += len(lines)
}

// equal adds equal lines, or ends the hunk where they are many.
func (d *differ) equal(from, to pair) {
	switch lines := d.a[from.a:to.a]; {
	case len(d.hunk) == 0:
	case len(lines) <= 2*diffContext && (to.a < len(d.a) || to.b < len(d.b)):
		d.context(lines)
	default:
		d.context(lines[:min(diffContext, len(lines))])
		d.flush()
	}
}

// flush writes the hunk.
func (d *differ) flush() {
	if len(d.hunk) == 0 {
		return
	}
	fmt.Fprintf(&d.out, "@@ -%s +%s @@\n", lineRange(d.start.a, d.size.a), lineRange(d.start.b, d.size.b))
	for _, line := range d.hunk {
		d.out.WriteString(line)
	}
	d.hunk, d.size = nil, pair{}
}

// lineRange gives lines as diff does: an empty range stands behind a line.
func lineRange(start, size int) string {
	if size == 0 {
		return fmt.Sprintf("%d,0", start)
	}
	return fmt.Sprintf("%d,%d", start+1, size)
}
