package file

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/state"
)

// cell reads a cell; the zero Cell: there is none.
func (t *txn) cell(k hash) state.Cell {
	rec := key(kindCell, k)
	v := t.get(rec)
	if v == nil {
		return state.Cell{}
	}
	f := t.fields(rec, v)
	return state.Cell{Version: f.int64(), Value: bytes.Clone(f.rest)}
}

// judgeCells returns state.ErrConflict if a cell has moved on. What the call
// itself wrote, when it was admitted before, has not: the caller could not know.
func (t *txn) judgeCells(cells []state.Write, before *call) error {
	for i := range cells {
		w := &cells[i]
		k := hashOf(w.Key)
		v := t.cell(k).Version
		if v != w.Version && !(v == w.Version+1 && before.wrote(written{k, v})) {
			return fmt.Errorf("%w: cell %q has version %d, want %d", state.ErrConflict, w.Key, v, w.Version)
		}
	}
	return nil
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
	t.put(key(kindCell, k), append(appendInt64(nil, w.Version+1), w.Value...))
}
