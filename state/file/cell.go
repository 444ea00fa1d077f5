package file

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/state"
)

// cell reads a cell as it is at a time; the zero Cell: there is none. Its record
// begins with when it expires (0: never), and its version.
func (t *txn) cell(k hash, now int64) state.Cell {
	rec := key(kindCell, k)
	v := t.get(rec)
	if v == nil {
		return state.Cell{}
	}
	f := t.fields(rec, v)
	until := f.int64()
	c := state.Cell{Version: f.int64(), Value: bytes.Clone(f.rest)}
	if until < 0 {
		f.damaged()
	}
	if until != 0 && until <= now {
		return state.Cell{}
	}
	return c
}

// judgeCells returns state.ErrConflict if a cell has moved on. What the call
// itself wrote, when it was admitted before, has not: the caller could not know.
func (t *txn) judgeCells(cells []state.Write, before *call) error {
	for i := range cells {
		w := &cells[i]
		k := hashOf(w.Key)
		v := t.cell(k, t.latest).Version
		if v != w.Version && !(v == w.Version+1 && before.wrote(written{k, v})) {
			return fmt.Errorf("%w: cell %q has version %d, want %d", state.ErrConflict, w.Key, v, w.Version)
		}
	}
	return nil
}

// judgeExpects returns state.ErrConflict if a cell is not as it was seen.
func (t *txn) judgeExpects(expects []state.Expect) error {
	for i := range expects {
		e := &expects[i]
		c := t.cell(hashOf(e.Key), t.latest)
		if c.Version != e.Version || !bytes.Equal(c.Value, e.Value) {
			return fmt.Errorf("%w: cell %q has version %d and is not what was seen of version %d", state.ErrConflict, e.Key, c.Version, e.Version)
		}
	}
	return nil
}

// expected tells what the cells of a claim are that were not all as they were seen.
func (t *txn) expected(expects []state.Expect, g *state.Grant) {
	for i := range expects {
		g.Expected = append(g.Expected, t.cell(hashOf(expects[i].Key), t.latest))
	}
}

// writeOnce writes the cells of an admitted claim but those that its call has
// written before.
func (t *txn) writeOnce(cells []state.Write, by *call) {
	for i := range cells {
		w := &cells[i]
		k := hashOf(w.Key)
		if by != nil {
			if slices.ContainsFunc(by.cells, func(c written) bool { return c.key == k }) {
				continue
			}
			by.cells = append(by.cells, written{k, w.Version + 1})
		}
		t.write(k, w)
	}
}

// write writes a cell whose version was judged to fit.
func (t *txn) write(k hash, w *state.Write) {
	until := int64(0)
	if w.TTL > 0 {
		until = add(t.latest, int64(w.TTL))
	}
	t.add(key(kindCell, k), append(appendInt64(appendInt64(nil, until), w.Version+1), w.Value...))
}
