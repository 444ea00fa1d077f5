package memory

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/state"
)

// cell is a versioned value, and when it expires. One that has expired, or was
// forgotten, stays out of the way until it is written again or swept.
type cell struct {
	key   string
	now   state.Cell
	until int64 // Unix nanoseconds; 0: never
	swept bool  // the sweeper visits it
}

// cell returns what a key holds at a time; the zero Cell: nothing.
func (sh *shard) cell(key string, now int64) state.Cell {
	if c := sh.cells[key]; c != nil && (c.until == 0 || c.until > now) {
		return c.now
	}
	return state.Cell{}
}

// judgeCells returns state.ErrConflict if a cell has moved on. What the call
// itself wrote, when it was admitted before, has not: the caller could not know.
func (s *Store) judgeCells(cells []state.Write, before *call, now int64) error {
	for i := range cells {
		w := &cells[i]
		v := s.shards[s.of(w.Key)].cell(w.Key, now).Version
		if v != w.Version && !(before.wrote(w.Key, v) && v == w.Version+1) {
			return fmt.Errorf("%w: cell %q has version %d, want %d", state.ErrConflict, w.Key, v, w.Version)
		}
	}
	return nil
}

// judgeExpects returns state.ErrConflict if a cell is not as it was seen.
func (s *Store) judgeExpects(expects []state.Expect, now int64) error {
	for i := range expects {
		e := &expects[i]
		c := s.shards[s.of(e.Key)].cell(e.Key, now)
		if c.Version != e.Version || !bytes.Equal(c.Value, e.Value) {
			return fmt.Errorf("%w: cell %q has version %d and is not what was seen of version %d", state.ErrConflict, e.Key, c.Version, e.Version)
		}
	}
	return nil
}

// expected tells what the cells of a claim are that were not all as they were seen.
func (s *Store) expected(expects []state.Expect, g *state.Grant) {
	for i := range expects {
		g.Expected = append(g.Expected, s.shards[s.of(expects[i].Key)].cell(expects[i].Key, g.Now))
	}
}

// writeOnce writes the cells of an admitted claim but those that its call has
// written before.
func (s *Store) writeOnce(cells []state.Write, by *call, now int64) {
	for i := range cells {
		w := &cells[i]
		if by == nil {
			s.write(w, now)
		} else if !slices.ContainsFunc(by.cells, func(c written) bool { return c.key == w.Key }) {
			s.write(w, now)
			by.cells = append(by.cells, written{strings.Clone(w.Key), w.Version + 1})
		}
	}
}

// write writes a cell whose version was judged to fit.
func (s *Store) write(w *state.Write, now int64) {
	sh := &s.shards[s.of(w.Key)]
	c := sh.cells[w.Key]
	if c == nil {
		c = &cell{key: strings.Clone(w.Key)}
		if sh.cells == nil {
			sh.cells = make(map[string]*cell)
		}
		sh.cells[c.key] = c
	}
	c.now, c.until = state.Cell{Version: w.Version + 1, Value: bytes.Clone(w.Value)}, 0
	if w.TTL > 0 {
		if c.until = add(now, int64(w.TTL)); !c.swept {
			c.swept = true
			sh.stale.add(c, math.MinInt64)
		}
	}
}

// forgetCell drops a cell.
func (sh *shard) forgetCell(key string) {
	c := sh.cells[key]
	if c == nil {
		return
	}
	if delete(sh.cells, key); c.swept {
		c.now, c.until = state.Cell{}, math.MinInt64 // for the sweeper
	}
}

// dropStale drops a cell that has expired, or was forgotten.
func (sh *shard) dropStale(c *cell, now int64) (bool, int64) {
	switch {
	case c.until == 0: // it no longer expires
		c.swept = false
	case c.until > now:
		// No later than it expires, and soon enough for one that is forgotten.
		return false, min(c.until, add(now, int64(staleLook)))
	case sh.cells[c.key] == c:
		delete(sh.cells, c.key)
	}
	return true, 0
}
